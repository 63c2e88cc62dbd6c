package history

import (
	"fmt"
	"maps"

	"github.com/open-agent-profile/oap/canonical"
	"github.com/open-agent-profile/oap/delta"
	"github.com/open-agent-profile/oap/profile"
)

// Delta writes the difference between two documents as a session's delta for the first: the operations
// that turn its state into that of the second, and what differs in the contract as proposals, each with
// the rationale. left names what a delta cannot ask for ("extends", trust, the format's version) and so
// is not in it.
//
// The law, for valid documents: operations applied to before, then proposals carried out, give after, but
// for what is left, the history and the applicator's own fields.
func Delta(before, after *profile.Document, rationale string) (doc map[string]any, left []string, err error) {
	digest, err := before.Digest()
	if err != nil {
		return nil, nil, err
	}
	aim, err := after.Digest()
	if err != nil {
		return nil, nil, err
	}
	doc = map[string]any{
		"oap": "1.0", "kind": profile.KindDelta,
		"target": map[string]any{
			"name": before.Name(), "revision": float64(before.Revision()), "digest": digest.String(),
		},
		// The digests make the idempotency key one of this difference and no other.
		"session": map[string]any{"id": fmt.Sprintf("diff-%s-%s", digest.Short(), aim.Short())},
	}
	operations := []any{}
	for _, op := range delta.Compare(before.Value, after.Value) {
		operations = append(operations, written(op, nil))
	}
	doc["operations"] = operations
	proposals := []any{}
	for _, op := range delta.Changes(profile.Contract(before.Value), profile.Contract(after.Value)) {
		if len(op.Pointer) < 2 || op.Pointer[0] != "metadata" && op.Pointer[0] != "spec" || owned(op.Pointer) {
			left = append(left, op.Path)
			continue
		}
		proposals = append(proposals, written(op, map[string]any{"rationale": rationale}))
	}
	if len(proposals) > 0 {
		doc["proposals"] = proposals
	}
	return doc, left, nil
}

// owned tells what no proposal may be about, since the resolver computes it.
func owned(p canonical.Pointer) bool { return p[0] == "metadata" && p[1] == "trust" }

func written(op delta.Operation, more map[string]any) map[string]any {
	m := map[string]any{"op": op.Op, "path": op.Path}
	if op.HasValue {
		m["value"] = op.Value
	}
	maps.Copy(m, more)
	return m
}
