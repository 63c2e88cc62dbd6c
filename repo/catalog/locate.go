package catalog

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"github.com/open-agent-profile/oap/repo"
)

// At is a profile as it stood at one commit.
type At struct {
	*Entry
	Commit repo.ID // empty where it was read from the working tree
}

// SplitRevision cuts NAME@REV at the last "@". Names never hold one.
func SplitRevision(spec string) (name, rev string) {
	if i := strings.LastIndexByte(spec, '@'); i > 0 && i < len(spec)-1 {
		return spec[:i], spec[i+1:]
	}
	return spec, ""
}

// Locate finds the profile that NAME@REV stands for. REV is a revision number, found in the history of
// the branch whose tip is given, or anything that git takes for a commit.
func Locate(ctx context.Context, r *repo.Repo, tip repo.ID, roots []string, name, rev string) (*At, error) {
	if n, err := strconv.Atoi(rev); err == nil && n > 0 && len(rev) < 7 {
		return locateRevision(ctx, r, tip, roots, name, n)
	}
	id, err := r.Resolve(ctx, rev+"^{commit}")
	if err != nil {
		return nil, err
	}
	s, err := r.Snapshot(ctx, id)
	if err != nil {
		return nil, err
	}
	e, err := Find(ctx, Commit{s}, roots, name)
	if err != nil {
		return nil, err
	}
	return &At{e, id}, nil
}

// locateRevision reads the versions of the profile's file, newest first, until one says that it is the
// revision. The line of the branch itself is read first: commits of a proposal's branch call themselves the
// revision that they started from, and so do not count as it.
func locateRevision(ctx context.Context, r *repo.Repo, tip repo.ID, roots []string, name string, want int) (*At, error) {
	s, err := r.Snapshot(ctx, tip)
	if err != nil {
		return nil, err
	}
	e, err := Find(ctx, Commit{s}, roots, name)
	if err != nil {
		return nil, err
	}
	if e.Err == nil && e.Document.Revision() == want {
		return &At{e, tip}, nil
	}
	for _, line := range []bool{true, false} {
		if at, err := revisionOn(ctx, r, tip, e, want, line); at != nil || err != nil {
			return at, err
		}
	}
	kind, more := Revision, ""
	if r.Shallow {
		kind, more = Shallow, "; this clone is shallow, so older revisions may be missing"
	}
	return nil, &Error{Kind: kind, Name: name, Paths: []string{e.Path}, Roots: roots,
		Msg: fmt.Sprintf("%s has no revision %d in the history of %s%s", name, want, e.Path, more)}
}

// revisionOn reads the versions along first parents, or all of them. Where the revision repeats, the newest
// whose commit says that it is the revision counts, else the newest.
func revisionOn(ctx context.Context, r *repo.Repo, tip repo.ID, e *Entry, want int, line bool) (*At, error) {
	paths, err := whereabouts(ctx, r, tip, e)
	if err != nil {
		return nil, err
	}
	var found *At
	for c, err := range r.Log(ctx, repo.LogOptions{From: []string{string(tip)}, Paths: paths, FirstParent: line}) {
		if err != nil {
			return nil, err
		}
		at, err := versionAt(ctx, r, e, paths, c.ID)
		switch {
		case err != nil:
			return nil, err
		case at == nil || at.Document.Name() != e.Name() || at.Document.Revision() > want:
			continue
		case at.Document.Revision() < want && found != nil:
			return found, nil
		case at.Document.Revision() < want:
			continue
		case slices.Contains(repo.ParseTrailers(c.Message), repo.Trailer{Key: "OAP-Revision", Value: strconv.Itoa(want)}):
			return at, nil
		case found == nil:
			found = at
		}
	}
	return found, nil
}

// whereabouts are the paths whose changes change the profile: its own, and the file that a link leads to.
func whereabouts(ctx context.Context, r *repo.Repo, tip repo.ID, e *Entry) ([]string, error) {
	s, err := r.Snapshot(ctx, tip)
	if err != nil {
		return nil, err
	}
	real, err := s.Follow(ctx, e.Path)
	if err != nil || real == e.Path {
		return []string{e.Path}, err
	}
	return []string{e.Path, real}, nil
}

// versionAt gives the document at a commit; nil where the file is absent or no document there. Where the
// profile lies behind a link now, it may have lain at the path that the link leads to before.
func versionAt(ctx context.Context, r *repo.Repo, e *Entry, paths []string, commit repo.ID) (*At, error) {
	s, err := r.Snapshot(ctx, commit)
	if err != nil {
		return nil, err
	}
	for _, p := range paths {
		then, err := Load(ctx, Commit{s}, e.Root, p)
		switch {
		case errors.Is(err, fs.ErrNotExist), own(ctx, err):
			continue
		case err != nil:
			return nil, err
		case then.Err == nil:
			return &At{then, commit}, nil
		}
	}
	return nil, nil
}
