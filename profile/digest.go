package profile

import (
	"maps"

	"github.com/open-agent-profile/oap/canonical"
)

// Digest is the profile digest: of the whole document, state and history included. It detects that a
// document is not the one a session started from (OAP SPEC, target.digest).
func (d *Document) Digest() (canonical.Digest, error) { return canonical.Sum(d.Value) }

// SpecDigest is the digest of the contract; see [SpecDigest].
func (d *Document) SpecDigest() (canonical.Digest, error) { return SpecDigest(d.Value) }

// SpecDigest is the digest of {metadata, spec} without metadata.revision, updated_at and trust, so that
// writing state back does not change it (OAP SPEC 1.0.1, spec digest). Top-level extends is no part of it.
func SpecDigest(v map[string]any) (canonical.Digest, error) {
	m := map[string]any{"spec": v["spec"]}
	if meta, ok := v["metadata"].(map[string]any); ok {
		meta = maps.Clone(meta)
		for _, k := range []string{"revision", "updated_at", "trust"} {
			delete(meta, k)
		}
		m["metadata"] = meta
	} else {
		m["metadata"] = v["metadata"]
	}
	return canonical.Sum(m)
}

// Contract gives what a session may never change: the document without state, history,
// metadata.revision and metadata.updated_at. Two documents with equal contracts differ only in what a
// state commit may touch. The result shares structure with v.
func Contract(v map[string]any) map[string]any {
	c := maps.Clone(v)
	delete(c, "state")
	delete(c, "history")
	if meta, ok := c["metadata"].(map[string]any); ok {
		meta = maps.Clone(meta)
		delete(meta, "revision")
		delete(meta, "updated_at")
		c["metadata"] = meta
	}
	return c
}
