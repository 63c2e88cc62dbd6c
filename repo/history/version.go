package history

import (
	"context"
	"iter"
	"slices"
	"time"

	"github.com/open-agent-profile/oap/profile"
	"github.com/open-agent-profile/oap/repo"
)

// Version is one commit that changed a profile, and what the profile was then.
type Version struct {
	Commit   *repo.Commit
	Path     string            // of the file at that commit
	Document *profile.Document // nil where the commit removes the file, or where it is no document
	Err      error             // why it is no document
	Removed  bool
	// Before holds what the commit's parents had, in their order; an element is nil where a parent has no
	// such profile or none that can be read.
	Before []*profile.Document

	Kind     Kind
	Sections []string // what really differs from the first parent: metadata, spec, extends, state
	Claim    Claim
}

// Previous is the document at the first parent, nil where there is none.
func (v *Version) Previous() *profile.Document {
	if len(v.Before) == 0 {
		return nil
	}
	return v.Before[0]
}

// Options bound a walk. The zero value walks everything.
type Options struct {
	Since time.Time // only commits of that time or later
}

// Walk yields the versions of the profile that lies at path in the commit from, newest first. It follows
// the file to where it lay before, by metadata.id, else by metadata.name. It stops at the first error. In
// a shallow clone it ends early without one: see [repo.Repo.Shallow].
func Walk(ctx context.Context, r *repo.Repo, from repo.ID, roots []string, path string, o Options) iter.Seq2[*Version, error] {
	return func(yield func(*Version, error) bool) {
		if from == "" {
			return
		}
		w := &walker{repo: r, roots: roots, options: o, seen: map[repo.ID]bool{}}
		places := []place{{path, []repo.ID{from}}}
		for len(places) > 0 {
			next, err := w.segment(ctx, places[0], yield)
			if err != nil {
				yield(nil, err)
				return
			}
			if w.stopped {
				return
			}
			places = join(places[1:], next)
		}
	}
}

// place is a path and the commits from which its history is to be read.
type place struct {
	path string
	from []repo.ID
}

// join puts places of one path together, so that its history is read once.
func join(list, more []place) []place {
	for _, m := range more {
		i := slices.IndexFunc(list, func(p place) bool { return p.path == m.path })
		if i < 0 {
			list = append(list, m)
			continue
		}
		list[i].from = append(list[i].from, m.from...)
	}
	return list
}

type walker struct {
	repo    *repo.Repo
	roots   []string
	options Options
	seen    map[repo.ID]bool
	cache   documents
	merges  bool // a commit with several parents was among the versions
	stopped bool
}

// segment yields the versions of one path. It gives the places where the profile lay before it came there.
func (w *walker) segment(ctx context.Context, p place, yield func(*Version, error) bool) ([]place, error) {
	var from []string
	for _, id := range p.from {
		from = append(from, string(id))
	}
	var former []place
	log := repo.LogOptions{From: from, Paths: []string{p.path}, Changes: true, Since: w.options.Since}
	for c, err := range w.repo.Log(ctx, log) {
		if err != nil {
			return nil, err
		}
		if w.seen[c.ID] {
			continue
		}
		w.seen[c.ID] = true
		v, places, err := w.version(ctx, c, p.path)
		if err != nil {
			return nil, err
		}
		if v == nil {
			continue
		}
		if !yield(v, nil) {
			w.stopped = true
			return nil, nil
		}
		former = join(former, places)
		w.merges = w.merges || len(c.Parents) > 1
		if len(places) > 0 && !w.merges {
			// Behind the beginning of the path comes an older life of that path, if anything: the profile
			// itself was elsewhere then.
			break
		}
	}
	return former, nil
}

// version reads a commit's document and those of its parents. Version is nil where the path is no file of
// the profile in the commit's first parent nor in itself.
func (w *walker) version(ctx context.Context, c *repo.LogEntry, path string) (*Version, []place, error) {
	i := slices.IndexFunc(c.Changes, func(d repo.Diff) bool { return d.Path == path })
	if i < 0 {
		return nil, nil, nil
	}
	ch := c.Changes[i]
	v := &Version{Commit: &c.Commit, Path: path, Removed: ch.New == "", Before: make([]*profile.Document, len(c.Parents))}
	var err error
	if ch.New != "" {
		if v.Document, v.Err, err = w.document(ctx, path, ch.New); err != nil {
			return nil, nil, err
		}
	}
	var former []place
	for n, parent := range c.Parents {
		id := ch.Old
		if n > 0 {
			if id, err = w.blobAt(ctx, parent, path); err != nil {
				return nil, nil, err
			}
		}
		if id != "" {
			if v.Before[n], _, err = w.document(ctx, path, id); err != nil {
				return nil, nil, err
			}
			continue
		}
		if v.Document == nil {
			continue
		}
		was, at, err := w.formerly(ctx, c, parent, v.Document)
		if err != nil {
			return nil, nil, err
		}
		if was != nil {
			v.Before[n] = was
			former = join(former, []place{{at, []repo.ID{parent}}})
		}
	}
	v.describe()
	return v, former, nil
}

// blobAt gives the blob at a path of a commit, "" where there is no file.
func (w *walker) blobAt(ctx context.Context, commit repo.ID, path string) (repo.ID, error) {
	s, err := w.repo.Snapshot(ctx, commit)
	if repo.KindOf(err) == repo.NotFound {
		return "", nil // beyond the boundary of a shallow clone
	}
	if err != nil {
		return "", err
	}
	e, err := s.Entry(ctx, path)
	if k := repo.KindOf(err); k == repo.NotFound || k == repo.Refused {
		return "", nil
	}
	return e.ID, err
}
