package merging

import (
	"bytes"
	"context"
	"strings"

	"github.com/open-agent-profile/oap/delta"
	"github.com/open-agent-profile/oap/profile"
	"github.com/open-agent-profile/oap/repo"
)

// Bases gives the best common ancestors of two commits, several after two branches were merged into each other;
// none where they share no history.
func Bases(ctx context.Context, r *repo.Repo, a, b repo.ID) ([]repo.ID, error) {
	out, err := r.Git(ctx, "merge-base", "--all", string(a), string(b))
	if err != nil {
		// Exit 1 without a word is git's way to say that there is none (git: builtin/merge-base.c).
		if ctx.Err() == nil && strings.Contains(err.Error(), "exit 1: no message") {
			return nil, nil
		}
		return nil, err
	}
	var ids []repo.ID
	for line := range strings.FieldsSeq(string(out)) {
		ids = append(ids, repo.ID(line))
	}
	return ids, nil
}

// Ancestor reports whether commit b has a in its history, or is a.
func Ancestor(ctx context.Context, r *repo.Repo, a, b repo.ID) (bool, error) {
	if a == b || a == "" {
		return true, nil
	}
	out, err := r.Git(ctx, "rev-list", "--max-count=1", string(a), "^"+string(b), "--")
	return err == nil && len(bytes.TrimSpace(out)) == 0, err
}

// maxDepth bounds how deep crossing merges are followed; beyond it the first ancestor is good enough.
const maxDepth = 8

// ancestor reads a profile in the common ancestor. Where there are several, they are merged with each other first, as
// git does for text (git: merge-ort.c, virtual merge base): with one of them alone, counters would be added twice.
type ancestor struct {
	r     *repo.Repo
	bases []repo.ID
	depth int
}

func (a ancestor) read(ctx context.Context, path string) (*profile.Document, error) {
	var doc *profile.Document
	for i, id := range a.bases {
		next, err := documentAt(ctx, a.r, id, path)
		if err != nil {
			return nil, err
		}
		if doc == nil || next == nil {
			if doc == nil {
				doc = next
			}
			continue
		}
		var base map[string]any
		if a.depth < maxDepth {
			deeper, err := Bases(ctx, a.r, a.bases[i-1], id)
			if err != nil {
				return nil, err
			}
			under, err := ancestor{a.r, deeper, a.depth + 1}.read(ctx, path)
			if err != nil {
				return nil, err
			}
			base = valueOf(under)
		}
		m := delta.Merge(base, doc.Value, next.Value, delta.MergeOptions{})
		if e, err := doc.Edit(m.Value); err == nil {
			doc = e.Document
		}
	}
	return doc, nil
}

// documentAt gives a profile in a commit, nil where the file is absent or no profile there.
func documentAt(ctx context.Context, r *repo.Repo, commit repo.ID, path string) (*profile.Document, error) {
	if commit == "" {
		return nil, nil
	}
	s, err := r.Snapshot(ctx, commit)
	if err != nil {
		return nil, err
	}
	f, err := s.File(ctx, path)
	switch repo.KindOf(err) {
	case repo.NotFound, repo.Refused:
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	doc, err := Read(path, f.Data)
	if err != nil {
		return nil, nil
	}
	return doc, nil
}
