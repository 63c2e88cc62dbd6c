package main

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"strings"

	"github.com/open-agent-profile/oap/profile"
	"github.com/open-agent-profile/oap/repo"
	"github.com/open-agent-profile/oap/repo/catalog"
	"github.com/open-agent-profile/oap/repo/history"
)

// operand is what an argument of diff stands for: one version, or all profiles of a commit.
type operand struct {
	one    *side
	commit repo.ID
	spec   string
}

// pairs turns the arguments into what is to be compared.
func (a *app) pairs(ctx context.Context, args []string) ([]pair, error) {
	if len(args) == 1 {
		if from, to, ok := strings.Cut(args[0], ".."); ok && from != "" && to != "" && !looksLikePath(args[0]) && !strings.HasPrefix(to, ".") {
			args = []string{from, to}
		}
	}
	first, err := a.operand(ctx, args[0], len(args) == 2)
	if err != nil && len(args) == 1 && !looksLikePath(args[0]) {
		// A profile that nobody has committed yet is new as a whole.
		if at, other := a.target(ctx, args[0]); other == nil && at.Commit == "" {
			return []pair{{nil, &side{label: "working file", path: at.Path, doc: at.Document}}}, nil
		}
	}
	if err != nil {
		return nil, err
	}
	if len(args) == 1 {
		return a.pairsWithin(ctx, first)
	}
	second, err := a.operand(ctx, args[1], true)
	if err != nil {
		return nil, err
	}
	switch {
	case first.one != nil && second.one != nil:
		return []pair{{first.one, second.one}}, nil
	case first.one == nil && second.one == nil:
		return a.pairsOfTrees(ctx, first, &second)
	}
	return nil, usagef("%s is one profile and %s a commit: say NAME@COMMIT", args[0], args[1])
}

// operand resolves one argument. A name alone means the working file, as everywhere, if working is set,
// else what is committed.
func (a *app) operand(ctx context.Context, spec string, working bool) (operand, error) {
	op := operand{spec: spec}
	if looksLikePath(spec) && (profile.IsProfilePath(spec) || spec == "-" || exists(a.resolve(spec))) {
		doc, err := a.document(spec)
		op.one = &side{label: spec, path: spec, doc: doc}
		return op, err
	}
	var err error
	if name, rev := catalog.SplitRevision(spec); rev == "" && working && !looksLikePath(spec) {
		at, found := a.target(ctx, name)
		if err = found; err == nil {
			op.one = &side{label: spec, path: at.Path, commit: at.Commit, doc: at.Document}
			return op, nil
		}
	} else if !looksLikePath(spec) {
		p, found := a.readable(ctx, spec)
		if err = found; err == nil {
			op.one = &side{label: spec, path: p.path, commit: p.from, doc: p.at.Document}
			return op, nil
		}
	}
	if missing, ok := errors.AsType[*catalog.Error](err); err != nil && (!ok || missing.Kind != catalog.NotFound) {
		return op, err
	}
	r, openErr := a.repo(ctx)
	if openErr != nil {
		return op, openErr
	}
	id, notCommit := r.Resolve(ctx, spec+"^{commit}")
	if notCommit != nil {
		if err == nil {
			err = notCommit
		}
		return op, err
	}
	op.commit = id
	return op, nil
}

// pairsWithin compares a single argument with the working file, else with the tip.
func (a *app) pairsWithin(ctx context.Context, first operand) ([]pair, error) {
	r, err := a.repo(ctx)
	if err != nil {
		return nil, err
	}
	inTree := r.Root != "" && a.branch == ""
	switch {
	case first.one == nil:
		return a.pairsOfTrees(ctx, first, nil)
	case first.one.commit == "":
		return a.committedBefore(ctx, r, first.one)
	}
	_, rev := catalog.SplitRevision(first.spec)
	if rev == "" && !inTree {
		return nil, usagef("there is no working file to compare %s with: name a second version", first.spec)
	}
	now, err := a.current(ctx, r, first.one, inTree)
	if missing, ok := errors.AsType[*catalog.Error](err); ok && missing.Kind == catalog.NotFound {
		return []pair{{first.one, nil}}, nil
	}
	if err != nil {
		return nil, err
	}
	return []pair{{first.one, now}}, nil
}

// committedBefore compares a file with what the branch has at its path.
func (a *app) committedBefore(ctx context.Context, r *repo.Repo, file *side) ([]pair, error) {
	if file.path == "-" {
		return nil, usagef("name a second version to compare standard input with")
	}
	path, err := r.PathOf(a.resolve(file.path))
	if err != nil {
		return nil, err
	}
	s, err := a.tip(ctx, r)
	if err != nil {
		return nil, err
	}
	e, err := catalog.Load(ctx, catalog.Commit{Snapshot: s}, "", path)
	if errors.Is(err, fs.ErrNotExist) {
		return []pair{{nil, file}}, nil
	}
	if err == nil {
		err = e.Err
	}
	if err != nil {
		return nil, err
	}
	return []pair{{&side{label: "committed", path: path, commit: s.ID(), doc: e.Document}, file}}, nil
}

// current is the profile as it is now: the working file, or the tip. A profile that was renamed since is
// found by its id.
func (a *app) current(ctx context.Context, r *repo.Repo, old *side, inTree bool) (*side, error) {
	s, err := a.tip(ctx, r)
	if err != nil {
		return nil, err
	}
	roots, err := a.profileRoots(r)
	if err != nil {
		return nil, err
	}
	var src catalog.Source = catalog.Commit{Snapshot: s}
	now := &side{label: "tip", commit: s.ID()}
	if inTree {
		src, now = catalog.Worktree{Top: r.Root}, &side{label: "working file"}
	}
	e, err := catalog.Find(ctx, src, roots, old.doc.Name())
	if missing, ok := errors.AsType[*catalog.Error](err); ok && missing.Kind == catalog.NotFound && old.doc.ID() != "" {
		all, listErr := catalog.List(ctx, src, roots)
		if listErr != nil {
			return nil, listErr
		}
		if i := slices.IndexFunc(all, func(e *catalog.Entry) bool { return e.Document != nil && history.Same(e.Document, old.doc) }); i >= 0 {
			e, err = all[i], nil
		}
	}
	if err == nil {
		err = e.Err
	}
	if err != nil {
		return nil, err
	}
	now.path, now.doc = e.Path, e.Document
	return now, nil
}

// pairsOfTrees compares all profiles of a commit with those of another, or of the working tree or tip.
// Where both are commits, files that are the same blob are not read.
func (a *app) pairsOfTrees(ctx context.Context, first operand, second *operand) ([]pair, error) {
	r, err := a.repo(ctx)
	if err != nil {
		return nil, err
	}
	roots, err := a.profileRoots(r)
	if err != nil {
		return nil, err
	}
	s, err := r.Snapshot(ctx, first.commit)
	if err != nil {
		return nil, err
	}
	before := tree{src: catalog.Commit{Snapshot: s}, label: first.spec, commit: first.commit}
	after := tree{label: "working file"}
	switch {
	case second == nil && r.Root != "" && a.branch == "":
		after.src = catalog.Worktree{Top: r.Root}
	default:
		var t *repo.Snapshot
		after.label = "tip"
		if second != nil {
			after.label = second.spec
			t, err = r.Snapshot(ctx, second.commit)
		} else {
			t, err = a.tip(ctx, r)
		}
		if err != nil {
			return nil, err
		}
		after.src, after.commit = catalog.Commit{Snapshot: t}, t.ID()
		if err := skipEqual(ctx, s, t, roots, &before, &after); err != nil {
			return nil, err
		}
	}
	return a.match(ctx, roots, before, after)
}

// tree is all profiles of one side.
type tree struct {
	src    catalog.Source
	label  string
	commit repo.ID
	skip   map[string]bool // paths that are the same on both sides
}

// skipEqual finds files that are the same blob in both commits.
func skipEqual(ctx context.Context, s, t *repo.Snapshot, roots []string, before, after *tree) error {
	ids := map[string]repo.ID{}
	before.skip = map[string]bool{}
	for _, root := range roots {
		was, err := s.List(ctx, root, profile.IsProfilePath)
		if err != nil {
			return err
		}
		for _, e := range was {
			ids[e.Path] = e.ID
		}
		is, err := t.List(ctx, root, profile.IsProfilePath)
		if err != nil {
			return err
		}
		for _, e := range is {
			if ids[e.Path] == e.ID {
				before.skip[e.Path] = true
			}
		}
	}
	after.skip = before.skip
	return nil
}

// match reads both sides and puts versions of one profile together: by path, else by id or name.
func (a *app) match(ctx context.Context, roots []string, before, after tree) ([]pair, error) {
	was, err := a.readTree(ctx, roots, before)
	if err != nil {
		return nil, err
	}
	is, err := a.readTree(ctx, roots, after)
	if err != nil {
		return nil, err
	}
	var pairs []pair
	take := func(v *side, same func(*side) bool) bool {
		i := slices.IndexFunc(was, same)
		if i >= 0 {
			pairs = append(pairs, pair{was[i], v})
			was = slices.Delete(was, i, i+1)
		}
		return i >= 0
	}
	var left []*side
	for _, v := range is {
		if !take(v, func(o *side) bool { return o.path == v.path && history.Same(o.doc, v.doc) }) {
			left = append(left, v)
		}
	}
	for _, v := range left {
		if !take(v, func(o *side) bool { return history.Same(o.doc, v.doc) }) {
			pairs = append(pairs, pair{nil, v})
		}
	}
	for _, v := range was {
		pairs = append(pairs, pair{v, nil})
	}
	slices.SortStableFunc(pairs, func(x, y pair) int { return strings.Compare(x.name(), y.name()) })
	return pairs, nil
}

// readTree reads the profiles of one side; files that are no documents are warned of and left out.
func (a *app) readTree(ctx context.Context, roots []string, t tree) ([]*side, error) {
	var out []*side
	seen := map[string]bool{}
	for _, root := range roots {
		paths, err := t.src.Profiles(ctx, root)
		if err != nil {
			return nil, err
		}
		for _, p := range paths {
			if seen[p] || t.skip[p] {
				continue
			}
			seen[p] = true
			e, err := catalog.Load(ctx, t.src, root, p)
			if err != nil {
				return nil, err
			}
			if e.Err != nil {
				a.warnf("%s: %v", t.label, e.Err)
				continue
			}
			out = append(out, &side{label: t.label, path: p, commit: t.commit, doc: e.Document})
		}
	}
	return out, nil
}
