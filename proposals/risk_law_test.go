package proposals

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/open-agent-profile/oap/canonical"
)

// genValue draws from the rows of the table, and now and then something that does not belong there.
func genValue(t *rapid.T, row rateRow) (any, bool) {
	text := rapid.SampledFrom([]string{row.before, row.after, row.before, row.after, "", `null`, `[]`, `{}`, `-1`, `"x"`, `[1, {"name": 2}]`}).Draw(t, row.at)
	if text == "" {
		return nil, false
	}
	var v any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatal(err)
	}
	return v, true
}

// genContract is a document with a few members as the table has them.
func genContract(t *rapid.T) map[string]any {
	doc := skeleton()
	for range rapid.IntRange(0, 8).Draw(t, "members") {
		row := rapid.SampledFrom(rateTable).Draw(t, "row")
		p, _ := canonical.ParsePointer(row.at)
		m := doc
		for _, token := range p[:len(p)-1] {
			next, ok := m[token].(map[string]any)
			if !ok {
				next = map[string]any{}
				m[token] = next
			}
			m = next
		}
		if v, ok := genValue(t, row); ok {
			m[p[len(p)-1]] = v
		}
	}
	return doc
}

// openTo makes the list at a place hold a tool that is nowhere else, and the place itself where need be.
func openTo(doc map[string]any, p canonical.Pointer, entry string) {
	m := doc
	for _, token := range p[:len(p)-1] {
		next, ok := m[token].(map[string]any)
		if !ok {
			next = map[string]any{}
			m[token] = next
		}
		m = next
	}
	list, _ := m[p[len(p)-1]].([]any)
	m[p[len(p)-1]] = append(slices.Clone(list), entry)
}

var allowLists = []canonical.Pointer{
	{"spec", "tools", "allow"}, {"spec", "permissions", "allow_hosts"}, {"spec", "memory", "scopes"}, {"spec", "runtime", "subagents", "allow"},
}

var denyLists = []canonical.Pointer{{"spec", "tools", "deny"}, {"spec", "permissions", "filesystem", "deny_paths"}}

// TestGrantsAreHigh: one more entry of an allow list or one less of a deny list is high, whatever else
// changes with it and whatever masks it.
//
// conformance: L2-A8
func TestGrantsAreHigh(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		before, after := genContract(t), genContract(t)
		if rapid.Bool().Draw(t, "allow") {
			openTo(after, rapid.SampledFrom(allowLists).Draw(t, "list"), "new tool")
		} else {
			openTo(before, rapid.SampledFrom(denyLists).Draw(t, "list"), "old tool")
		}
		if risk, reasons := Rate(before, after); risk != High {
			t.Fatalf("%s %v", risk, reasons)
		}
	})
}

// conformance: L2-A8
func TestNewServerToolIsHigh(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tools := rapid.SliceOf(rapid.SampledFrom([]string{"a", "b", "c"}))
		server := func(allow []any) map[string]any {
			doc := genContract(t)
			openTo(doc, canonical.Pointer{"spec", "tools", "x"}, "")
			inner := doc["spec"].(map[string]any)["tools"].(map[string]any)
			delete(inner, "x")
			inner["mcp_servers"] = []any{map[string]any{"name": "s", "tools": map[string]any{"allow": allow}}}
			return doc
		}
		list := func(s []string) (out []any) {
			for _, v := range s {
				out = append(out, v)
			}
			return out
		}
		before := server(list(tools.Draw(t, "before")))
		after := server(append(list(tools.Draw(t, "after")), "new"))
		if risk, reasons := Rate(before, after); risk != High {
			t.Fatalf("%s %v", risk, reasons)
		}
	})
}

// TestSameIsLow: nothing changes, so nothing is said.
func TestSameIsLow(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		doc := genContract(t)
		other := canonical.Clone(doc).(map[string]any)
		other["state"] = map[string]any{"summary": rapid.String().Draw(t, "summary")}
		if risk, reasons := Rate(doc, other); risk != Low || len(reasons) > 0 {
			t.Fatalf("%s %v", risk, reasons)
		}
		if changes := Describe(doc, other); len(changes) > 0 {
			t.Fatal(changes)
		}
	})
}

// decide is what a list of rules says, as the format defines it: the first that fits, else the fallback.
func decide(rules []exception, tool, target string, fallback int) int {
	for _, e := range rules {
		if (e.tool == "*" || e.tool == tool) && (e.target == "*" || e.target == target) {
			return e.decision
		}
	}
	return fallback
}

// TestNarrowingRulesNarrow holds the steps of onlyNarrows against what rules mean.
func TestNarrowingRulesNarrow(t *testing.T) {
	word := rapid.SampledFrom([]string{"*", "x", "y"})
	gen := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) exception {
		return exception{word.Draw(t, "tool"), "*", word.Draw(t, "target"), rapid.IntRange(0, 2).Draw(t, "decision")}
	}), 0, 4)
	narrowed := 0
	rapid.Check(t, func(t *rapid.T) {
		was, is := gen.Draw(t, "was"), gen.Draw(t, "is")
		if rapid.Bool().Draw(t, "related") { // two free lists hardly ever lead to one another
			is = slices.Clone(was)
			for i := range is {
				is[i].decision = rapid.IntRange(0, is[i].decision).Draw(t, "lower")
			}
			if at := rapid.IntRange(0, len(is)).Draw(t, "at"); rapid.Bool().Draw(t, "insert") {
				is = slices.Insert(is, at, exception{word.Draw(t, "tool"), "*", word.Draw(t, "target"), rapid.IntRange(0, 2).Draw(t, "decision")})
			} else if at < len(is) {
				is = slices.Delete(is, at, at+1)
			}
		}
		if !onlyNarrows(was, is) {
			return
		}
		narrowed++
		for _, tool := range []string{"x", "y", "z"} {
			for _, target := range []string{"x", "y", "z"} {
				for fallback := range decisions {
					if b, a := decide(was, tool, target, fallback), decide(is, tool, target, fallback); a > b {
						t.Fatalf("%v -> %v lets %s %s go from %s to %s", was, is, tool, target, decisions[b], decisions[a])
					}
				}
			}
		}
	})
	if narrowed == 0 {
		t.Error("no pair of lists was taken for a narrowing")
	}
}

// FuzzRate: no pair of documents makes it panic, and what it says hangs together.
func FuzzRate(f *testing.F) {
	for _, row := range rateTable {
		before, after := with(f, skeleton(), row.beside), with(f, skeleton(), row.beside)
		before = with(f, before, map[string]string{row.at: row.before})
		after = with(f, after, map[string]string{row.at: row.after})
		x, err := json.Marshal(before)
		if err != nil {
			f.Fatal(err)
		}
		y, err := json.Marshal(after)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(x, y)
	}
	f.Add([]byte(`{"spec": {"tools": {"mcp_servers": [null]}}, "extends": "x"}`), []byte(`{"metadata": [], "spec": 1}`))
	f.Fuzz(func(t *testing.T, x, y []byte) {
		var before, after map[string]any
		if json.Unmarshal(x, &before) != nil || json.Unmarshal(y, &after) != nil {
			return
		}
		risk, reasons := Rate(before, after)
		worst := Low
		for _, r := range reasons {
			worst = Raise(worst, r.Risk)
		}
		if risk != worst {
			t.Errorf("%s, but the reasons are %v", risk, reasons)
		}
		if again, same := Rate(before, after); again != risk || !cmp.Equal(reasons, same) {
			t.Errorf("two answers: %v, %v", reasons, same)
		}
		changes := Describe(before, after)
		differ := !canonical.Equal(bare(before), bare(after))
		if differ != (len(reasons) > 0) || differ != (len(changes) > 0) {
			t.Errorf("differ is %v, but reasons %v, changes %v", differ, reasons, changes)
		}
		for _, c := range changes {
			if s := fmt.Sprint(c); line(s) != s && visible(s) != s {
				t.Errorf("%q does not print as it is", s)
			}
		}
	})
}

// bare is a document without what is not rated.
func bare(doc map[string]any) map[string]any {
	doc, _ = canonical.Clone(doc).(map[string]any)
	delete(doc, "state")
	delete(doc, "history")
	if m, ok := doc["metadata"].(map[string]any); ok {
		delete(m, "revision")
		delete(m, "updated_at")
	}
	return doc
}
