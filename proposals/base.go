package proposals

import (
	"context"

	"github.com/open-agent-profile/oap/canonical"
	"github.com/open-agent-profile/oap/delta"
	"github.com/open-agent-profile/oap/profile"
	"github.com/open-agent-profile/oap/repo"
)

// version is a document with the commit that has it.
type version struct {
	doc    *profile.Document
	commit repo.ID
}

// baseOf finds the newest version of a profile that a delta can have been made for: of its
// target.revision, and of its digest where it names one. Nil where history, as far as it is here, has none.
func (b *Book) baseOf(ctx context.Context, tip *repo.Snapshot, at *located, target delta.Target) (*version, error) {
	fits := func(doc *profile.Document) bool {
		if !target.HasDigest {
			return doc.Revision() == target.Revision
		}
		sum, err := doc.Digest()
		return err == nil && sum == target.Digest
	}
	if fits(at.doc) {
		return &version{at.doc, tip.ID()}, nil
	}
	var found *version
	err := b.versions(ctx, tip, at.path, func(v version) bool {
		if fits(v.doc) {
			found = &v
		}
		// Revisions only rise, so older versions cannot be the one.
		return found == nil && v.doc.Revision() >= target.Revision
	})
	return found, err
}

// versions walks the documents that a path has held, newest first, until yield says no. What cannot be
// read is left out.
func (b *Book) versions(ctx context.Context, tip *repo.Snapshot, path string, yield func(version) bool) error {
	seen := map[repo.ID]bool{}
	log := repo.LogOptions{From: []string{string(tip.ID())}, Paths: []string{path}, FullHistory: true, Changes: true}
	for c, err := range b.Store.Log(ctx, log) {
		if err != nil {
			return err
		}
		for _, ch := range c.Changes {
			if ch.Path != path || ch.New == "" || seen[ch.New] {
				continue
			}
			seen[ch.New] = true
			data, err := tip.Blob(ctx, ch.New)
			if err != nil {
				return err
			}
			if doc, err := profile.Parse(path, data); err == nil && !yield(version{doc, c.ID}) {
				return nil
			}
		}
	}
	return nil
}

// needsBase reports whether a wish means something only beside the contract that it was written for: what
// a whole list or object changes, and which entry a number stands for.
func needsBase(p delta.Proposal) bool {
	switch p.Value.(type) {
	case map[string]any, []any:
		return true
	}
	for _, token := range p.Pointer {
		if _, isIndex := canonical.Index(token); isIndex {
			return true
		}
	}
	return false
}
