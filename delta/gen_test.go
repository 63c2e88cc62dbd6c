package delta

import (
	"fmt"
	"slices"

	"pgregory.net/rapid"

	"github.com/open-agent-profile/oap/canonical"
)

// The generators draw from small pools, so that two sides meet often. Their documents are what the
// schema would pass.

var (
	genTimes = rapid.SampledFrom([]string{"2026-01-01T00:00:00Z", "2026-02-01T00:00:00+02:00", "2026-03-01t00:00:00.5z", "2026-04-01T00:00:00-05:00"})
	genWord  = rapid.SampledFrom([]string{"one", "two", "three", "a/b~c", ""})
	genTags  = rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"p", "q", "r", "s"}), 0, 4, rapid.ID[string])
)

func genList(s []string) []any {
	out := make([]any, len(s))
	for i, v := range s {
		out[i] = v
	}
	return out
}

// genField draws a value for a member, nil for none.
func genField(t *rapid.T, name string) any {
	if !rapid.Bool().Draw(t, "has "+name) {
		return nil
	}
	switch name {
	case "pinned":
		return rapid.Bool().Draw(t, name)
	case "confidence":
		return rapid.SampledFrom([]float64{0, 0.5, 0.9}).Draw(t, name)
	case "tags", "refs", "allow", "deny":
		return genList(genTags.Draw(t, name))
	case "sessions", "total_tool_calls":
		return float64(rapid.IntRange(0, 9).Draw(t, name))
	case "total_cost_usd":
		return rapid.SampledFrom([]float64{0, 0.1, 0.94, 18.42}).Draw(t, name)
	case "status":
		return rapid.SampledFrom([]string{"open", "blocked", "done"}).Draw(t, name)
	}
	if len(name) > 3 && name[len(name)-3:] == "_at" {
		return genTimes.Draw(t, name)
	}
	return genWord.Draw(t, name)
}

// genCollections: identity, required member, further members.
var genCollections = map[string][]string{
	"facts":        {"id", "text", "confidence", "source", "learned_at", "last_used_at", "expires_at", "scope", "tags", "pinned"},
	"preferences":  {"id", "text", "confidence", "tags"},
	"glossary":     {"term", "definition", "source"},
	"open_threads": {"id", "title", "detail", "status", "opened_at", "updated_at", "refs"},
	"mcp_servers":  {"name", "transport", "url"},
}

func genEntry(t *rapid.T, collection, id string) map[string]any {
	members := genCollections[collection]
	e := map[string]any{members[0]: id, members[1]: genWord.Draw(t, members[1])}
	for _, name := range members[2:] {
		put(e, name, present(genField(t, name)))
	}
	return e
}

func present(v any) part { return part{v, v != nil} }

var genIDs = []string{"a", "b", "c", "d/~1", "e"}

func genEntries(t *rapid.T, collection string) any {
	if !rapid.Bool().Draw(t, "has "+collection) {
		return nil
	}
	list := []any{}
	for _, id := range genIDs {
		if rapid.Bool().Draw(t, collection+id) {
			list = append(list, genEntry(t, collection, id))
		}
	}
	return list
}

func genDoc(t *rapid.T) map[string]any {
	state := map[string]any{"revision": 3.0}
	for _, name := range []string{"facts", "preferences", "glossary", "open_threads"} {
		put(state, name, present(genEntries(t, name)))
	}
	put(state, "summary", present(genField(t, "summary")))
	if rapid.Bool().Draw(t, "metrics") {
		m := map[string]any{}
		for _, name := range []string{"sessions", "total_tool_calls", "total_cost_usd", "last_session_at"} {
			put(m, name, present(genField(t, name)))
		}
		state["metrics"] = m
	}
	tools := map[string]any{}
	for _, name := range []string{"allow", "deny"} {
		put(tools, name, present(genField(t, name)))
	}
	put(tools, "mcp_servers", present(genEntries(t, "mcp_servers")))
	d := map[string]any{
		"metadata": map[string]any{"name": "a", "revision": 5.0},
		"spec":     map[string]any{"tools": tools, "role": map[string]any{"instructions": genWord.Draw(t, "instructions")}},
		"history":  []any{map[string]any{"revision": 4.0, "at": "2026-01-01T00:00:00Z"}, map[string]any{"revision": 5.0, "at": "2026-01-02T00:00:00Z"}},
	}
	put(d, "state", part{state, rapid.IntRange(0, 9).Draw(t, "state") > 0})
	return d
}

// mutate makes a later version: most of a document stays, some entries and members change.
func mutate(t *rapid.T, base map[string]any) map[string]any {
	d := canonical.Clone(base).(map[string]any)
	some := func(label string) bool { return rapid.IntRange(0, 3).Draw(t, label) == 0 }
	state, _ := d["state"].(map[string]any)
	if state == nil {
		if !some("new state") {
			return d
		}
		state = map[string]any{}
		d["state"] = state
	}
	for _, name := range []string{"facts", "preferences", "glossary", "open_threads"} {
		put(state, name, present(mutateEntries(t, name, state[name], some)))
	}
	tools := d["spec"].(map[string]any)["tools"].(map[string]any)
	put(tools, "mcp_servers", present(mutateEntries(t, "mcp_servers", tools["mcp_servers"], some)))
	for _, name := range []string{"allow", "deny"} {
		if some(name) {
			put(tools, name, present(genField(t, name)))
		}
	}
	if some("summary") {
		put(state, "summary", present(genField(t, "summary")))
	}
	if m, ok := state["metrics"].(map[string]any); ok {
		for _, name := range []string{"sessions", "total_tool_calls", "total_cost_usd", "last_session_at"} {
			if some(name) {
				put(m, name, present(genField(t, name)))
			}
		}
	}
	if some("revision") {
		n := float64(rapid.IntRange(6, 8).Draw(t, "revision"))
		d["metadata"].(map[string]any)["revision"] = n
		d["metadata"].(map[string]any)["updated_at"] = genTimes.Draw(t, "at")
		at := fmt.Sprintf("2026-01-0%d", rapid.IntRange(3, 5).Draw(t, "day"))
		d["history"] = append(d["history"].([]any)[rapid.IntRange(0, 1).Draw(t, "trim"):], map[string]any{"revision": n, "at": at + "T00:00:00Z"})
	}
	return d
}

func mutateEntries(t *rapid.T, name string, v any, some func(string) bool) any {
	list, ok := v.([]any)
	if !ok {
		if some("new " + name) {
			return genEntries(t, name)
		}
		return nil
	}
	if rapid.IntRange(0, 15).Draw(t, "drop "+name) == 0 {
		return nil
	}
	identity := genCollections[name][0]
	out := []any{}
	for _, e := range list {
		m := e.(map[string]any)
		switch rapid.IntRange(0, 7).Draw(t, "fate") {
		case 0:
		case 1:
			out = append(out, genEntry(t, name, m[identity].(string)))
		case 2, 3:
			field := rapid.SampledFrom(genCollections[name][2:]).Draw(t, "field")
			put(m, field, present(genField(t, field)))
			out = append(out, m)
		default:
			out = append(out, m)
		}
	}
	for _, id := range genIDs {
		if !slices.ContainsFunc(list, func(e any) bool { return e.(map[string]any)[identity] == id }) && some("add") {
			out = append(out, genEntry(t, name, id))
		}
	}
	return out
}

// shuffle reorders the collections, which [mutate] leaves in order.
func shuffle(t *rapid.T, d map[string]any) {
	state, _ := d["state"].(map[string]any)
	for name, v := range state {
		if list, ok := v.([]any); ok && rapid.Bool().Draw(t, "shuffle") {
			state[name] = append([]any{}, rapid.Permutation(list).Draw(t, name)...)
		}
	}
}
