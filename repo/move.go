package repo

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/open-agent-profile/oap/internal/term"
)

// mover is one transition on its way: the order is locks, files, index, refs last, so that whatever
// stops it shows as an ordinary modified or staged file and never as a silent revert.
type mover struct {
	r     *Repo
	line  *queue
	refs  *refMove
	q     *UpdateRequest
	list  []RefUpdate
	ahead []*treeSync // locked before anything was read; trees are these then
	trees []*treeSync
	notes []string
	j     *journal
}

// crash is called where a process may be killed; tests kill it there.
var crash = func(point string, m *refMove) {}

// lockAhead locks the indexes of the working trees before anything is read, and keeps them locked until
// the change is made, so that no git commit starts there meanwhile. One that has started may still win: git
// gives the lock back before it moves the branch (git: builtin/commit.c, "As-is commit"). A git that meets
// the lock gives up at once, which is why this is only for an Update that has lost again and again. What
// cannot be found out about working trees is said later, if it matters.
func (v *mover) lockAhead(ctx context.Context) error {
	held, _, err := v.r.holders(ctx, v.q.Ref)
	if err != nil || len(held) == 0 {
		return nil
	}
	v.ahead = v.newSyncs(held)
	if err := v.begin(v.ahead); err != nil {
		return err
	}
	for _, s := range v.ahead {
		if err := s.lock(ctx, v.j); err != nil {
			return err
		}
	}
	crash("ahead", v.refs)
	return nil
}

// next makes ready for another round. Only locks taken ahead are kept.
func (v *mover) next() error {
	v.list, v.notes = nil, nil
	if v.ahead == nil {
		v.end()
		return nil
	}
	v.trees = nil // are those of ahead
	for _, s := range v.ahead {
		s.forget()
	}
	return v.begin(v.ahead)
}

// end gives back what is held.
func (v *mover) end() {
	for _, s := range slices.Concat(v.ahead, v.trees) {
		s.unlock()
	}
	if v.j != nil {
		v.j.end()
	}
	v.ahead, v.trees, v.j = nil, nil, nil
}

// move carries the transition out, or undoes what it did of it.
func (v *mover) move(ctx context.Context, refs []RefUpdate, files []Diff, dirs []treeMove) ([]string, error) {
	v.list = refs
	if err := v.findTrees(ctx, files, dirs); err != nil {
		return nil, err
	}
	if err := v.begin(v.trees); err != nil {
		return nil, err
	}
	crash("begun", v.refs)
	if err := v.forward(ctx); err != nil {
		if undoErr := v.undo(); undoErr != nil {
			return nil, &Error{Kind: IO, Reason: "undo", Msg: "the change failed and could not be undone in full", Err: errors.Join(err, undoErr)}
		}
		return nil, err
	}
	return v.notes, nil
}

// findTrees decides which working trees come along. Other refs than the branch must not be checked out.
func (v *mover) findTrees(ctx context.Context, files []Diff, dirs []treeMove) error {
	for _, u := range v.list {
		held, notes, err := v.r.holders(ctx, u.Name)
		if err != nil {
			return err
		}
		if u.Name != v.q.Ref {
			if len(held) > 0 {
				return refuse("checked-out", u.Name, "is checked out in %s", term.Escape(held[0].root))
			}
			continue
		}
		v.notes = append(v.notes, notes...)
		if v.trees = v.ahead; v.ahead == nil {
			v.trees = v.newSyncs(held)
		} else if !sameTrees(v.ahead, held) {
			v.end()
			return fmt.Errorf("%w: %s was checked out or left", errLost, v.q.Ref)
		}
		for _, s := range v.trees {
			s.plan(files, dirs)
		}
	}
	return nil
}

func (v *mover) newSyncs(held []worktree) (out []*treeSync) {
	token := newToken()
	for i, w := range held {
		out = append(out, &treeSync{r: v.r, w: w, token: fmt.Sprintf("%s-%d", token, i)})
	}
	return out
}

// begin says in the journal what is to happen, or says it anew when more is known.
func (v *mover) begin(trees []*treeSync) (err error) {
	c := &transition{Refs: v.list, Log: v.q.Log, Dir: v.r.GitDir}
	if head, err := v.r.headRef(context.Background(), v.r.GitDir); err == nil {
		c.Head = head
	}
	c.Locks = identify(v.r.refLocks(v.list, c.Head))
	for _, s := range trees {
		c.Trees = append(c.Trees, s.record())
	}
	if v.j != nil {
		return v.j.add(record{Begin: c})
	}
	v.j, err = v.line.begin(v.r, c)
	return err
}

func (v *mover) forward(ctx context.Context) error {
	for _, s := range v.trees {
		if !s.locked {
			if err := s.lock(ctx, v.j); err != nil {
				return err
			}
		}
		if err := s.check(ctx); err != nil {
			return err
		}
	}
	crash("locked", v.refs)
	if err := v.hold(ctx); err != nil {
		return err
	}
	if len(v.trees) > 0 {
		if err := v.j.sync(); err != nil {
			return err
		}
	}
	crash("held", v.refs)
	for _, s := range v.trees {
		if err := s.write(ctx, v.line.dir, v.refs); err != nil {
			return err
		}
	}
	crash("written", v.refs)
	if err := ctx.Err(); err != nil {
		return context.Cause(ctx)
	}
	err := v.refs.commit()
	crash("moved", v.refs)
	if err != nil {
		// Git may have moved the ref and failed afterwards. What it holds now is what counts.
		u := v.list[0]
		if now, e := v.r.RefTip(context.WithoutCancel(ctx), u.Name); e == nil && now == u.New {
			return nil
		}
	}
	return err
}

// hold makes git lock the refs and writes down which locks those are.
func (v *mover) hold(ctx context.Context) error {
	if err := v.j.add(record{Prepare: time.Now().UnixNano()}); err != nil {
		return err
	}
	if err := v.refs.prepare(ctx, v.list); err != nil {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		return err
	}
	crash("prepared", v.refs)
	if slices.ContainsFunc(v.list, func(u RefUpdate) bool { return u.Name == v.q.Ref }) {
		// Nobody may have switched to the branch, or away from it, since the trees were looked for.
		held, _, err := v.r.holders(ctx, v.q.Ref)
		if err != nil {
			return err
		}
		if !sameTrees(v.trees, held) {
			return fmt.Errorf("%w: %s was checked out or left", errLost, v.q.Ref)
		}
	}
	head, err := v.r.headRef(ctx, v.r.GitDir)
	if err != nil {
		return err
	}
	return v.j.add(record{Held: identify(v.r.refLocks(v.list, head))})
}

func (v *mover) undo() error {
	v.refs.abort()
	var errs []error
	for i := len(v.trees) - 1; i >= 0; i-- {
		errs = append(errs, v.trees[i].undo())
	}
	return errors.Join(errs...)
}
