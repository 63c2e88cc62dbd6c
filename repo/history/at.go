package history

import (
	"context"
	"errors"
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
		at, err := catalog.Locate(ctx, r, tip, roots, name, rev)
		var missing *catalog.Error
		if !errors.As(err, &missing) || missing.Kind != catalog.Revision {
			return at, err
		}
		if old, walkErr := revisionAt(ctx, r, tip, roots, e, path, n); old != nil || walkErr != nil {
			return old, walkErr
		}
		return nil, err
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

// revisionAt looks for a revision from before the profile had its present file or name; nil where there is
// none.
func revisionAt(ctx context.Context, r *repo.Repo, tip repo.ID, roots []string, e *catalog.Entry, path string, want int) (*catalog.At, error) {
	for v, err := range Walk(ctx, r, tip, roots, path, Options{}) {
		if err != nil {
			return nil, err
		}
		if v.Document != nil && v.Document.Revision() == want {
			return &catalog.At{Entry: &catalog.Entry{Root: e.Root, Path: v.Path, Document: v.Document}, Commit: v.Commit.ID}, nil
		}
	}
	return nil, nil
}
