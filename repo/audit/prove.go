package audit

import (
	"slices"

	"github.com/open-agent-profile/oap/internal/secrets"
	"github.com/open-agent-profile/oap/profile"
	"github.com/open-agent-profile/oap/schemas"
)

// skeleton is a valid document into which parts are put to see whether they are valid. The schema judges members
// of state and entries of lists each by itself (a test reads that in it).
type skeleton struct {
	doc, metadata, state map[string]any
}

func newSkeleton() *skeleton {
	k := &skeleton{metadata: map[string]any{"name": "a", "description": "Finds where a feature lives."}, state: map[string]any{}}
	k.doc = map[string]any{
		"oap": "1.0", "kind": profile.KindProfile, "metadata": k.metadata, "state": k.state,
		"spec": map[string]any{"role": map[string]any{"instructions": "Look."}},
	}
	return k
}

// valid reports whether the parts of a version that are new are valid and hold no credential, and marks them so.
func (k *skeleton) valid(n *version) bool {
	clear(k.state)
	delete(k.doc, "history")
	delete(k.metadata, "revision")
	delete(k.metadata, "updated_at")
	some := false
	put := func(into map[string]any, list map[string]*part, keys ...string) {
		for key, e := range list {
			if !e.clean && (len(keys) == 0 || slices.Contains(keys, key)) {
				into[key], some = e.value, true
			}
		}
	}
	put(k.metadata, n.metadata, "revision", "updated_at")
	put(k.state, n.state)
	fresh := func(list []*part) (values []any) {
		for _, e := range list {
			if !e.clean {
				values, some = append(values, e.value), true
			}
		}
		return values
	}
	for name, list := range n.lists {
		if values := fresh(list); values != nil {
			k.state[name] = values
		}
	}
	if values := fresh(n.history); values != nil {
		k.doc["history"] = values
	}
	if some && (len(schemas.Profile(k.doc)) > 0 || len(secrets.Scan(k.doc)) > 0) {
		return false
	}
	n.vouch()
	return true
}

// vouch marks all parts of a document without faults.
func (n *version) vouch() {
	n.each(func(e *part) { e.clean = true })
}

func (n *version) each(f func(*part)) {
	for _, key := range []string{"revision", "updated_at"} {
		if e := n.metadata[key]; e != nil {
			f(e)
		}
	}
	for _, e := range n.state {
		f(e)
	}
	for _, list := range n.lists {
		for _, e := range list {
			f(e)
		}
	}
	for _, e := range n.history {
		f(e)
	}
}

// proven reports whether a document has no fault, given that what people own has none. Besides the parts there
// are the rules across them (package profile: duplicate ids, order of the history).
func (n *version) proven() bool {
	for _, list := range n.lists {
		seen := make(map[string]bool, len(list))
		for _, e := range list {
			if !e.named || seen[e.entry.place] {
				return false
			}
			seen[e.entry.place] = true
		}
	}
	last := 0
	for _, e := range n.history {
		if e.logged.revision < last {
			return false
		}
		last = e.logged.revision
	}
	return last <= n.revision()
}

func (n *version) revision() int {
	if e := n.metadata["revision"]; e != nil {
		if f, ok := e.value.(float64); ok {
			return int(f)
		}
	}
	return 1
}
