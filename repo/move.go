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
	trees []*treeSync
	notes []string
	j     *journal
}

// crash is called where a process may be killed; tests kill it there.
var crash = func(point string, m *refMove) {}

// move carries the transition out, or undoes what it did of it.
func (r *Repo) move(ctx context.Context, line *queue, m *refMove, q *UpdateRequest, refs []RefUpdate, files []Diff, dirs []treeMove) ([]string, error) {
	v := &mover{r: r, line: line, refs: m, q: q, list: refs}
	if err := v.findTrees(ctx, files, dirs); err != nil {
		return nil, err
	}
	if err := v.begin(); err != nil {
		return nil, err
	}
	crash("begun", m)
	defer v.j.end()
	defer func() {
		for _, s := range v.trees {
			s.unlock()
		}
	}()
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
	token := newToken()
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
		for i, w := range held {
			v.trees = append(v.trees, v.r.newSync(w, fmt.Sprintf("%s-%d", token, i), files, dirs))
		}
	}
	return nil
}

func (v *mover) begin() (err error) {
	c := &transition{Refs: v.list, Log: v.q.Log, Dir: v.r.GitDir}
	if head, err := v.r.headRef(context.Background(), v.r.GitDir); err == nil {
		c.Head = head
	}
	c.Locks = identify(v.r.refLocks(v.list, c.Head))
	for _, s := range v.trees {
		c.Trees = append(c.Trees, s.record())
	}
	v.j, err = v.line.begin(v.r, c)
	return err
}

func (v *mover) forward(ctx context.Context) error {
	for _, s := range v.trees {
		if err := s.lock(ctx, v.j); err != nil {
			return err
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
