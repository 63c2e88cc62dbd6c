package history

import (
	"context"
	"slices"

	"github.com/open-agent-profile/oap/profile"
	"github.com/open-agent-profile/oap/repo"
	"github.com/open-agent-profile/oap/repo/catalog"
)

// documents keeps the last few parsed blobs: what one commit made is what the next one, older, started
// from, so that a straight history parses each blob once.
type documents struct {
	kept []parsed
}

type parsed struct {
	blob repo.ID
	path string
	doc  *profile.Document
	err  error
}

// kept is how many documents are worth keeping: the two sides of a few merges.
const kept = 8

// document reads a blob as the file of a path. parseErr says why it is no document.
func (w *walker) document(ctx context.Context, path string, blob repo.ID) (doc *profile.Document, parseErr, err error) {
	for _, p := range w.cache.kept {
		if p.blob == blob && p.path == path {
			return p.doc, p.err, nil
		}
	}
	data, err := readBlob(ctx, w.repo, blob)
	if err != nil {
		return nil, nil, err
	}
	p := parsed{blob: blob, path: path}
	p.doc, p.err = profile.Parse(path, data)
	if len(w.cache.kept) == kept {
		w.cache.kept = slices.Delete(w.cache.kept, 0, 1)
	}
	w.cache.kept = append(w.cache.kept, p)
	return p.doc, p.err, nil
}

// readBlob reads one blob. A snapshot keeps what it reads, so a walk over thousands of versions takes a
// new one, of nothing, for each.
func readBlob(ctx context.Context, r *repo.Repo, blob repo.ID) ([]byte, error) {
	s, err := r.Snapshot(ctx, "")
	if err != nil {
		return nil, err
	}
	return s.Blob(ctx, blob)
}

// formerly finds the file that doc had at a parent of the commit in which its path begins. Only profile
// files that the commit removes are looked at; a file whose content did not change needs no reading.
func (w *walker) formerly(ctx context.Context, c *repo.LogEntry, parent repo.ID, doc *profile.Document) (*profile.Document, string, error) {
	gone, err := w.removed(ctx, c.ID, parent)
	if err != nil {
		return nil, "", err
	}
	for _, e := range gone {
		was, _, err := w.document(ctx, e.Path, e.ID)
		if err != nil {
			return nil, "", err
		}
		if was != nil && Same(was, doc) {
			return was, e.Path, nil
		}
	}
	return nil, "", nil
}

// Same reports whether two documents are versions of one profile: by metadata.id where both have one, else
// by metadata.name.
func Same(a, b *profile.Document) bool {
	if a.ID() != "" && b.ID() != "" {
		return a.ID() == b.ID()
	}
	return a.Name() != "" && a.Name() == b.Name()
}

// removed lists the profile files under the roots that a parent has and the commit has not. It reads
// trees only.
func (w *walker) removed(ctx context.Context, commit, parent repo.ID) ([]repo.Entry, error) {
	was, err := w.files(ctx, parent)
	if err != nil || len(was) == 0 {
		return nil, err
	}
	is, err := w.files(ctx, commit)
	if err != nil {
		return nil, err
	}
	there := map[string]bool{}
	for _, e := range is {
		there[e.Path] = true
	}
	return slices.DeleteFunc(was, func(e repo.Entry) bool { return there[e.Path] }), nil
}

func (w *walker) files(ctx context.Context, commit repo.ID) ([]repo.Entry, error) {
	s, err := w.repo.Snapshot(ctx, commit)
	if repo.KindOf(err) == repo.NotFound {
		return nil, nil // beyond the boundary of a shallow clone
	}
	if err != nil {
		return nil, err
	}
	var all []repo.Entry
	for _, root := range w.roots {
		list, err := s.List(ctx, root, profile.IsProfilePath)
		if k := repo.KindOf(err); k == repo.Refused || k == repo.NotFound {
			continue // the root was something else then
		}
		if err != nil {
			return nil, err
		}
		all = append(all, list...)
	}
	return all, nil
}

// Find gives the profile of a name at a commit and the path where its file really lies: links inside
// the repository are followed. A file that is no document is an error.
func Find(ctx context.Context, s *repo.Snapshot, roots []string, name string) (*catalog.Entry, string, error) {
	e, err := catalog.Find(ctx, catalog.Commit{Snapshot: s}, roots, name)
	if err != nil {
		return nil, "", err
	}
	if e.Err != nil {
		return nil, "", e.Err
	}
	path, err := s.Follow(ctx, e.Path)
	return e, path, err
}
