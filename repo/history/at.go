package history

import (
	"context"
	"fmt"
	"strconv"

	"github.com/open-agent-profile/oap/repo"
	"github.com/open-agent-profile/oap/repo/catalog"
)

// At finds the version that NAME and REV stand for. It is [catalog.Locate], and goes on where the profile
// had another file or name then: REV is a revision number, or anything that git takes for a commit. Errors
// are those of package catalog.
func At(ctx context.Context, r *repo.Repo, tip repo.ID, roots []string, name, rev string) (*catalog.At, error) {
	s, err := r.Snapshot(ctx, tip)
	if err != nil {
		return nil, err
	}
	e, path, err := Find(ctx, s, roots, name)
	if err != nil {
		return nil, err
	}
	if n, err := strconv.Atoi(rev); err == nil && n > 0 && len(rev) < 7 {
		return revisionAt(ctx, r, tip, roots, e, path, n)
	}
	id, err := r.Resolve(ctx, rev+"^{commit}")
	if err != nil {
		return nil, err
	}
	if s, err = r.Snapshot(ctx, id); err != nil {
		return nil, err
	}
	then, err := catalog.Find(ctx, catalog.Commit{Snapshot: s}, roots, name)
	if err == nil && then.Err != nil {
		return nil, then.Err
	}
	if err == nil && Same(then.Document, e.Document) {
		return &catalog.At{Entry: then, Commit: id}, nil
	}
	all, listErr := catalog.List(ctx, catalog.Commit{Snapshot: s}, roots)
	if listErr != nil {
		return nil, listErr
	}
	for _, old := range all {
		if old.Document != nil && Same(old.Document, e.Document) {
			return &catalog.At{Entry: old, Commit: id}, nil
		}
	}
	if err == nil {
		return &catalog.At{Entry: then, Commit: id}, nil
	}
	return nil, err
}

// revisionAt reads versions, newest first, until one is of the revision. Where a revision repeats, the
// newest version that a commit of ours made counts, else the newest.
func revisionAt(ctx context.Context, r *repo.Repo, tip repo.ID, roots []string, e *catalog.Entry, path string, want int) (*catalog.At, error) {
	var found *catalog.At
	at := func(v *Version) *catalog.At {
		return &catalog.At{Entry: &catalog.Entry{Root: e.Root, Path: v.Path, Document: v.Document}, Commit: v.Commit.ID}
	}
	for v, err := range Walk(ctx, r, tip, roots, path, Options{}) {
		if err != nil {
			return nil, err
		}
		if v.Document == nil || v.Document.Revision() != want {
			if found != nil {
				break
			}
			continue
		}
		if v.Claim.Borne {
			return at(v), nil
		}
		if found == nil {
			found = at(v)
		}
	}
	if found != nil {
		return found, nil
	}
	kind, more := catalog.Revision, ""
	if r.Shallow {
		kind, more = catalog.Shallow, "; this clone is shallow, so older revisions may be missing"
	}
	return nil, &catalog.Error{Kind: kind, Name: e.Name(), Paths: []string{path}, Roots: roots,
		Msg: fmt.Sprintf("%s has no revision %d in its history%s", e.Name(), want, more)}
}
