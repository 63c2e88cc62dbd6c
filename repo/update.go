package repo

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// errLost says that a ref moved, or was locked, between reading and writing it.
var errLost = errors.New("lost the race")

// Update puts commits on a branch. It waits for its turn, clears what a killed Update left, reads the
// tip of the branch and calls plan with its snapshot; then it makes the commits, brings the working
// trees that have the branch checked out along, and moves the refs. If the branch moves meanwhile, plan
// is called again with the new tip, some times; then the error is Busy. After two lost races the indexes
// of these working trees are locked while plan runs, so that no new git commit there comes in between.
//
// A nil or empty plan changes nothing. So does every error, but for objects that nothing names.
func (r *Repo) Update(ctx context.Context, q UpdateRequest, plan func(context.Context, *Snapshot) (*Plan, error)) (*Updated, error) {
	if err := q.check(); err != nil {
		return nil, err
	}
	asking, stop := context.WithCancel(ctx)
	defer stop()
	who := r.whoCommits(asking, q.Now)
	r.warm()
	line, err := r.enqueue(ctx)
	if err != nil {
		return nil, err
	}
	defer line.release()
	notes, err := r.recover(ctx, line)
	if err != nil {
		return nil, err
	}
	v := &mover{r: r, line: line, q: &q}
	defer v.end()
	deadline := time.Now().Add(r.timeout)
	for try, pause := 1, 5*time.Millisecond; ; try, pause = try+1, min(2*pause, 200*time.Millisecond) {
		done, err := r.attempt(ctx, v, who, plan, try > patience)
		if err == nil {
			done.Notes = append(notes, done.Notes...)
			return done, nil
		}
		if !errors.Is(err, errLost) {
			return nil, err
		}
		if try >= q.Retries && time.Now().After(deadline) {
			return nil, &Error{Kind: Busy, Reason: "race", Path: q.Ref, Msg: fmt.Sprintf("other programs were faster %d times", try), Err: err}
		}
		if err := v.next(); err != nil {
			return nil, err
		}
		if v.ahead != nil {
			pause = 5 * time.Millisecond // the winner has begun before and ends soon, and others do not get in
		}
		if err := sleep(ctx, pause/2+rand.N(pause)); err != nil {
			return nil, err
		}
	}
}

// patience is the number of lost races after which an Update locks first and reads then. Tests change it.
var patience = 2

// attempt is one round: read, plan, build, move.
func (r *Repo) attempt(ctx context.Context, v *mover, who *identity, plan func(context.Context, *Snapshot) (*Plan, error), ahead bool) (*Updated, error) {
	q := v.q
	m, err := r.startRefs(v.line, q.Log)
	if err != nil {
		return nil, err
	}
	defer m.abort()
	v.refs = m
	if ahead && v.ahead == nil {
		if err := v.lockAhead(ctx); err != nil {
			return nil, err
		}
	}
	tip, err := r.RefTip(ctx, q.Ref)
	if err != nil {
		return nil, err
	}
	if r.symbolic(q.Ref) {
		return nil, refuse("symbolic-ref", q.Ref, "is another name for a branch, not a branch")
	}
	base := tip
	if base == "" {
		base = q.Base
	}
	s, err := r.Snapshot(ctx, base)
	if err != nil {
		return nil, err
	}
	p, err := plan(ctx, s)
	if err != nil {
		return nil, err
	}
	done := &Updated{Before: tip, After: tip}
	if p.empty() {
		return done, nil
	}
	b, err := r.build(ctx, q, s, p, who)
	if err != nil {
		return nil, err
	}
	done.Commits = b.commits
	refs := b.refs
	if b.tip != tip {
		refs = append([]RefUpdate{{q.Ref, tip, b.tip}}, refs...)
	}
	if len(refs) == 0 {
		return done, nil
	}
	if err := b.store.flush(ctx); err != nil {
		return nil, err
	}
	crash("stored", m)
	var files []Diff
	var dirs []treeMove
	if b.tip != tip {
		var from ID
		if tip != "" {
			from = s.root()
		}
		if files, dirs, err = s.diffTrees(ctx, "", from, b.tree); err != nil {
			return nil, err
		}
	}
	done.Notes, err = v.move(ctx, refs, files, dirs)
	if err != nil {
		return nil, r.lostOr(ctx, err, refs)
	}
	if b.tip != tip {
		done.After = b.tip
	}
	return done, nil
}

// symbolic reports whether a ref is a file that names another ref.
func (r *Repo) symbolic(ref string) bool {
	data, err := os.ReadFile(filepath.Join(r.CommonDir, filepath.FromSlash(ref)))
	return err == nil && strings.HasPrefix(string(data), "ref:")
}

// lostOr tells a lost race from other failures of git update-ref, by the refs and not by its words: all
// of them are exit 128.
func (r *Repo) lostOr(ctx context.Context, err error, refs []RefUpdate) error {
	ge, ok := err.(*gitError)
	if !ok {
		return err
	}
	for _, u := range refs {
		if now, e := r.RefTip(ctx, u.Name); e == nil && now != u.Old {
			return fmt.Errorf("%w: %s is at %q, not %q", errLost, u.Name, now.Short(), u.Old.Short())
		}
	}
	has := func(s string) bool { return strings.Contains(ge.stderr, s) }
	switch {
	case has(".lock': File exists"):
		return fmt.Errorf("%w: %w", errLost, ge)
	case has("aborted by hook"):
		return &Error{Kind: Refused, Reason: "hook", Path: refs[0].Name, Msg: "the reference-transaction hook said no", Err: ge}
	case has("cannot create"), has("exists; "), has("non-directory in the way"), has("Is a directory"), has("Not a directory"):
		return &Error{Kind: Refused, Reason: "ref-name", Path: refs[0].Name, Msg: "a ref of that name cannot be made beside those that exist", Err: ge}
	}
	return &Error{Kind: Refused, Reason: "ref", Path: refs[0].Name, Msg: "git did not move the ref", Err: ge}
}
