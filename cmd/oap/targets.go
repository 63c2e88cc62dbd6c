package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"github.com/open-agent-profile/oap/profile"
	"github.com/open-agent-profile/oap/repo"
	"github.com/open-agent-profile/oap/repo/catalog"
	"github.com/open-agent-profile/oap/repo/history"
)

// source is where read-only commands take profiles from: the working tree, so that what a person sees
// is what lies there; or a commit, where --branch is given or there is no working tree.
func (a *app) source(ctx context.Context) (catalog.Source, []string, error) {
	r, err := a.repo(ctx)
	if err != nil {
		return nil, nil, err
	}
	roots, err := a.profileRoots(r)
	if err != nil {
		return nil, nil, err
	}
	if r.Root != "" && a.branch == "" {
		return catalog.Worktree{Top: r.Root}, roots, nil
	}
	s, err := a.tip(ctx, r)
	if err != nil {
		return nil, nil, err
	}
	return catalog.Commit{Snapshot: s}, roots, nil
}

// tip reads the tip of the branch in use; without a branch, as in a detached CI checkout, HEAD itself.
func (a *app) tip(ctx context.Context, r *repo.Repo) (*repo.Snapshot, error) {
	head, err := r.Head(ctx)
	if err != nil {
		return nil, err
	}
	if head.Detached && a.branch == "" && a.setting(r, "branch") == "" {
		return r.Snapshot(ctx, head.Commit)
	}
	ref, err := a.branchRef(ctx, r)
	if err != nil {
		return nil, err
	}
	id, err := r.RefTip(ctx, ref)
	if err != nil {
		return nil, err
	}
	if id == "" && ref != head.Ref {
		// A branch that is checked out and has no commit yet is empty; any other was misspelt.
		return nil, &repo.Error{Kind: repo.NotFound, Reason: "branch", Path: ref, Msg: "no such branch"}
	}
	return r.Snapshot(ctx, id)
}

// committed gives the repository, the tip of the branch in use and the profile roots.
func (a *app) committed(ctx context.Context) (*repo.Repo, *repo.Snapshot, []string, error) {
	r, err := a.repo(ctx)
	if err != nil {
		return nil, nil, nil, err
	}
	roots, err := a.profileRoots(r)
	if err != nil {
		return nil, nil, nil, err
	}
	s, err := a.tip(ctx, r)
	return r, s, roots, err
}

// target finds what NAME, ROOT:NAME, NAME@REV or a path stands for. A path is anything that has a
// document's suffix or a separator, or "-"; it needs no repository.
func (a *app) target(ctx context.Context, spec string) (*catalog.At, error) {
	if looksLikePath(spec) {
		doc, err := a.document(spec)
		if err != nil {
			return nil, err
		}
		return &catalog.At{Entry: &catalog.Entry{Path: spec, Document: doc}}, nil
	}
	name, rev := catalog.SplitRevision(spec)
	if rev != "" {
		return a.revision(ctx, name, rev)
	}
	src, roots, err := a.source(ctx)
	if err != nil {
		return nil, err
	}
	e, err := catalog.Find(ctx, src, roots, name)
	if err != nil {
		return nil, err
	}
	if e.Err != nil {
		return nil, e.Err
	}
	at := &catalog.At{Entry: e}
	if c, ok := src.(catalog.Commit); ok {
		at.Commit = c.Snapshot.ID()
	}
	return at, nil
}

// document reads a file, or standard input where the path is "-".
func (a *app) document(p string) (*profile.Document, error) {
	var data []byte
	var err error
	if p == "-" {
		data, err = a.readInput()
	} else {
		data, err = a.readFile(a.resolve(p))
	}
	if err != nil {
		return nil, err
	}
	return deltaInput{name: p, data: data}.parse()
}

func (a *app) revision(ctx context.Context, name, rev string) (*catalog.At, error) {
	r, s, roots, err := a.committed(ctx)
	if err != nil {
		return nil, err
	}
	at, err := history.At(ctx, r, s.ID(), roots, name, rev)
	if err != nil {
		return nil, err
	}
	if at.Err != nil {
		return nil, at.Err
	}
	return at, nil
}

// looksLikePath tells a path from a name: names hold no separator and no document suffix.
func looksLikePath(spec string) bool {
	return strings.ContainsAny(spec, `/\`) && !strings.Contains(spec, ":") ||
		profile.IsProfilePath(spec) || profile.IsDeltaPath(spec) || spec == "-"
}

// resolve makes a path given on the command line relative to -C.
func (a *app) resolve(p string) string {
	if a.dir == "" || filepath.IsAbs(p) {
		return p
	}
	return filepath.Join(a.dir, p)
}

// exists reports whether something is there, also a broken link.
func exists(p string) bool {
	_, err := os.Lstat(p)
	return err == nil
}
