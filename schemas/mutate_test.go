package schemas

import (
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/open-agent-profile/oap/canonical"
)

// mutation is a change of what stands at one place.
type mutation struct {
	op    string // "set", "remove", "rename" or "add"
	key   string
	value any
}

// samples are texts that mean something to one rule or another.
var samples = []string{
	"", " ", "x", "allow", "deny", "remove", "replace", "add", "stdio", "http", "AgentProfile", "AgentStateDelta", "1.0", "1.10", "1.", "2.0", "1.0\n",
	"slug", "a.b-c_d", "Slug", "-a", "a-", "a\n", strings.Repeat("a", 64), strings.Repeat("a", 65),
	"${A}", "${A}\n", "${a}", "$A", "Bearer ${A}", "Bearer  ${A}", "${" + strings.Repeat("A", 64) + "}", "${" + strings.Repeat("A", 65) + "}",
	"sha256:" + strings.Repeat("0a", 32), "sha256:" + strings.Repeat("0A", 32), "sha256:" + strings.Repeat("0", 63),
	"/state", "/state/", "/state/x\ny", "/statex", "/spec/role", "/metadata", "/metadata/name\n", "/specs",
	"2026-01-31T09:30:00Z", "2026-01-31t09:30:00z", "2026-01-31 09:30:00Z", "2026-01-31T09:30:00", "2026-01-31T24:00:00Z", "2026-02-29T00:00:00Z",
	"2024-02-29T00:00:00Z", "2026-01-31T23:59:60Z", "2026-01-31T22:59:60Z", "2027-01-01T00:59:60+01:00", "2026-01-31T09:30:00.123456789012Z",
	"2026-01-31T09:30:00.Z", "2026-01-31T09:30:00,5Z", "2026-01-31T09:30:00+24:00", "2026-01-31T09:30:00-11:59", "2026-1-31T09:30:00Z", "2026-01-31T9:30:00Z", "2026-01-31",
}

// edges lists the changes that are tried at every place: without the value, both sides of each bound that
// our schema has there, all samples where it has a pattern. A bound that is off by one, or that only one of
// the schemas has, gives different verdicts for one of them.
func edges(n *node, v any) []mutation {
	all := []mutation{{op: "remove"}, {op: "rename", key: "renamed"}, {op: "set", value: nil}}
	set := func(values ...any) {
		for _, x := range values {
			all = append(all, mutation{op: "set", value: x})
		}
	}
	switch x := v.(type) {
	case string:
		longest := n.text.max
		if longest < 0 {
			longest = 200_000
		}
		set("", strings.Repeat("é", longest), strings.Repeat("🎉", longest+1), strings.Repeat("a", longest+1))
		if n.text.pattern != nil || n.text.dateTime || n.text.uri || n.consts != nil {
			for _, s := range samples {
				set(s)
			}
		}
		set(n.consts...)
	case float64:
		for _, bound := range []float64{n.number.min, n.number.max, n.number.aboveMin, n.number.belowMax} {
			if math.IsInf(bound, 0) {
				bound = math.Copysign(1e300, bound)
			}
			set(bound-1, bound, bound+0.5, bound+1)
		}
	case []any:
		most := n.list.max
		if most < 0 {
			most = 20_000
		}
		if len(x) > 0 {
			set([]any{}, slices.Repeat(x[:1], most), slices.Repeat(x[:1], most+1))
		}
	case map[string]any:
		all = append(all, mutation{op: "add", key: "oops", value: "x"})
	}
	return all
}

// mutations lists changes for a place that holds v, some of them drawn.
func mutations(rng *rand.Rand, v any) []mutation {
	var all []mutation
	set := func(values ...any) {
		for _, x := range values {
			all = append(all, mutation{op: "set", value: x})
		}
	}
	set(nil, true, 0.0, 1.5, "x", []any{}, []any{"x"}, map[string]any{}, map[string]any{"x": nil})
	switch x := v.(type) {
	case string:
		for range 9 {
			set(samples[rng.IntN(len(samples))])
		}
	case float64:
		set(-1.0, 1e300, 0.25, "0")
	case []any:
		set(append(slices.Clone(x), nil), append(slices.Clone(x), "x"))
	case map[string]any:
		for _, key := range []string{"oops", "", "value", "name", "command", "a/b~c"} {
			all = append(all, mutation{op: "add", key: key, value: "x"}, mutation{op: "add", key: key})
		}
	}
	return all
}

// mutate gives a copy of doc with the change made at p. At a place that is not there any more after an
// earlier change it makes none.
func mutate(doc any, p canonical.Pointer, m mutation) any {
	if len(p) == 0 {
		switch x, isObject := doc.(map[string]any); {
		case m.op == "set":
			return m.value
		case m.op == "add" && isObject:
			x = maps.Clone(x)
			x[m.key] = m.value
			return x
		}
		return doc
	}
	switch x := doc.(type) {
	case map[string]any:
		child, ok := x[p[0]]
		if !ok {
			return doc
		}
		x = maps.Clone(x)
		switch {
		case len(p) == 1 && m.op == "remove":
			delete(x, p[0])
		case len(p) == 1 && m.op == "rename":
			delete(x, p[0])
			x[m.key] = child
		default:
			x[p[0]] = mutate(child, p[1:], m)
		}
		return x
	case []any:
		i, ok := canonical.Index(p[0])
		if !ok || i >= len(x) {
			return doc
		}
		if len(p) == 1 && m.op == "remove" {
			return slices.Delete(slices.Clone(x), i, i+1)
		}
		x = slices.Clone(x)
		x[i] = mutate(x[i], p[1:], m)
		return x
	}
	return doc
}

// pointers lists every place of v.
func pointers(v any, at canonical.Pointer) []canonical.Pointer {
	all := []canonical.Pointer{at}
	switch x := v.(type) {
	case map[string]any:
		for _, k := range slices.Sorted(maps.Keys(x)) {
			all = append(all, pointers(x[k], at.Append(k))...)
		}
	case []any:
		for i, e := range x {
			all = append(all, pointers(e, at.Append(strconv.Itoa(i)))...)
		}
	}
	return all
}
