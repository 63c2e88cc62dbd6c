package agentmanifest

import (
	"maps"
	"slices"
	"strings"

	"github.com/open-agent-profile/oap/profile"
)

// Change is a change of what a profile is to others: its role, its memory, how it is called. Absence is valid in
// each of them, so that a lost one shows nowhere else.
type Change struct {
	Kind   string `json:"kind"`   // "role", "memory" or "handoff"
	Field  string `json:"field"`  // pointer in the manifest
	Before any    `json:"before"` // nil: absent
	After  any    `json:"after"`
}

// Changes compares what two versions of a profile say in their manifests; nil is no document. A profile without
// annotations of ours on either side has none.
func Changes(before, after *profile.Document) (out []Change) {
	if (before == nil || !Speaks(before)) && (after == nil || !Speaks(after)) {
		return nil
	}
	a, b := said(before), said(after)
	all := maps.Clone(a)
	maps.Copy(all, b)
	for _, field := range slices.Sorted(maps.Keys(all)) {
		if a[field] != b[field] {
			out = append(out, Change{kinds[strings.Split(field, "/")[1]], field, a[field], b[field]})
		}
	}
	return out
}

var kinds = map[string]string{"role": "role", "memoryShape": "memory", "handoff": "handoff"}

// said gives the fields of a manifest that make a kind of agent, as the profile's own text has them.
func said(doc *profile.Document) map[string]any {
	fields := map[string]any{}
	if doc == nil {
		return fields
	}
	s, _ := Read(doc)
	for field, v := range map[string]string{"/role": s.Role, "/handoff/taskSchemaRef": s.TaskSchema, "/handoff/returnSchemaRef": s.ReturnSchema} {
		if v != "" {
			fields[field] = v
		}
	}
	long := s.LongTerm
	if long == nil {
		spec, _ := doc.Value["spec"].(map[string]any)
		long, _ = LongTerm(spec)
	}
	for field, v := range map[string]*bool{"scratchpad": s.Scratchpad, "conversation": s.Conversation, "longTerm": long} {
		if v != nil {
			fields["/memoryShape/"+field] = *v
		}
	}
	return fields
}
