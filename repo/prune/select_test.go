package prune_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/open-agent-profile/oap/canonical"
	"github.com/open-agent-profile/oap/delta"
	"github.com/open-agent-profile/oap/repo/prune"
)

var now = time.Date(2026, 5, 4, 8, 0, 0, 0, time.UTC)

const day = 24 * time.Hour

func value(t testing.TB, text string) map[string]any {
	t.Helper()
	var v map[string]any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatal(err)
	}
	return v
}

func gone(es []delta.Eviction) []string {
	var out []string
	for _, e := range es {
		out = append(out, fmt.Sprintf("%s/%s %s @%d", e.Collection, e.ID, e.Rule, e.Index))
	}
	return out
}

func TestSelect(t *testing.T) {
	tests := []struct {
		name, why  string
		policy     string
		state      string
		thresholds prune.Thresholds
		want       []string
	}{
		{"nothing set", "no policy, no threshold, no loss", `{}`,
			`{"facts":[{"id":"a","confidence":0,"learned_at":"2000-01-01T00:00:00Z"}],"open_threads":[{"id":"t","status":"done","updated_at":"2000-01-01T00:00:00Z"}]}`,
			prune.Thresholds{}, nil},
		{"unused", "the last use counts, else learning; the instant itself is over; without times nobody knows", `{}`,
			`{"facts":[{"id":"a","learned_at":"2025-01-01T00:00:00Z"},{"id":"b","learned_at":"2025-01-01T00:00:00Z","last_used_at":"2026-05-03T00:00:00Z"},
			{"id":"c","learned_at":"2026-04-04T08:00:00Z"},{"id":"d","learned_at":"2026-04-04T08:00:01Z"},{"id":"e"}]}`,
			prune.Thresholds{Unused: 30 * day}, []string{"facts/a unused @0", "facts/c unused @2"}},
		{"dates", "offsets, fractions, lower case and a leap day are the instants that they are", `{}`,
			`{"facts":[{"id":"offset","learned_at":"2026-04-04T10:00:00+02:00"},{"id":"later","learned_at":"2026-04-04T03:00:01-05:00"},
			{"id":"lower","learned_at":"2026-04-04t07:59:59.999z"},{"id":"leap","learned_at":"2024-02-29T23:59:60Z"},{"id":"no leap","learned_at":"2025-02-29T00:00:00Z"}]}`,
			prune.Thresholds{Unused: 30 * day}, []string{"facts/offset unused @0", "facts/lower unused @2", "facts/leap unused @3"}},
		{"confidence", "below, not at; nobody's rating is no low rating", `{}`,
			`{"facts":[{"id":"a","confidence":0.29},{"id":"b","confidence":0.3},{"id":"c"},{"id":"d","confidence":0,"pinned":true}],"preferences":[{"id":"p","confidence":0}]}`,
			prune.Thresholds{MinConfidence: 0.3}, []string{"facts/a min_confidence @0"}},
		{"threads", "only closed ones, by their last touch; a status that nobody knows is active", `{}`,
			`{"open_threads":[{"id":"a","status":"done","updated_at":"2026-01-01T00:00:00Z"},{"id":"b","updated_at":"2020-01-01T00:00:00Z"},{"id":"c","status":"abandoned","opened_at":"2026-01-01T00:00:00Z"},
			{"id":"d","status":"done"},{"id":"e","status":"done","updated_at":"2026-05-01T00:00:00Z"},{"id":"f","status":"odd","updated_at":"2020-01-01T00:00:00Z"}]}`,
			prune.Thresholds{ClosedThreads: 30 * day}, []string{"open_threads/a closed_threads @0", "open_threads/c closed_threads @2"}},
		{"ends before caps", "what goes anyway makes room", `{"max_facts":2,"fact_ttl_days":30}`,
			`{"facts":[{"id":"old","learned_at":"2026-05-01T00:00:00Z"},{"id":"x","expires_at":"2026-05-04T08:00:00Z"},{"id":"ttl","learned_at":"2026-01-01T00:00:00Z"},{"id":"weak","confidence":0.1},{"id":"new","learned_at":"2026-05-03T00:00:00Z"}]}`,
			prune.Thresholds{MinConfidence: 0.3}, []string{"facts/x expired @1", "facts/ttl fact_ttl_days @2", "facts/weak min_confidence @3"}},
		{"caps", "the profile's own order", `{"max_facts":1,"eviction":"oldest"}`,
			`{"facts":[{"id":"b","learned_at":"2026-02-01T00:00:00Z"},{"id":"a","learned_at":"2026-01-01T00:00:00Z"},{"id":"p","pinned":true}]}`,
			prune.Thresholds{}, []string{"facts/b max_facts/oldest @0", "facts/a max_facts/oldest @1"}},
		{"expired only", "ends, not caps", `{"max_facts":0,"fact_ttl_days":30}`,
			`{"facts":[{"id":"a"},{"id":"b","learned_at":"2026-01-01T00:00:00Z"}],"preferences":[{"id":"p","expires_at":"2026-01-01T00:00:00Z"}]}`,
			prune.Thresholds{Expired: true}, []string{"facts/b fact_ttl_days @1", "preferences/p expired @0"}},
		{"twins", "of two with one id, the one that is meant goes", `{}`,
			`{"facts":[{"id":"a"},{"id":"a","confidence":0.1}]}`,
			prune.Thresholds{MinConfidence: 0.3}, []string{"facts/a min_confidence @1"}},
		{"odd", "values that no schema passes cost no entry", `{"max_facts":"x"}`,
			`{"facts":[1,null,{"id":5,"confidence":"low"}],"open_threads":{"a":1}}`,
			prune.Thresholds{Unused: day, MinConfidence: 1, ClosedThreads: day}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			doc := value(t, `{"spec":{"lifecycle":{"retention":`+tt.policy+`}},"state":`+tt.state+`}`)
			before := canonical.Clone(doc)
			s := prune.Select(doc, tt.thresholds, now)
			if diff := cmp.Diff(tt.want, gone(s.Evicted)); diff != "" {
				t.Errorf("%s (-want +got)\n%s", tt.why, diff)
			}
			if !canonical.Equal(before, doc) {
				t.Error("the document was changed")
			}
		})
	}
}

// genState draws entries of every age and rating around the thresholds.
func genState(t *rapid.T) map[string]any {
	times := rapid.SampledFrom([]string{"", "2020-01-01T00:00:00Z", "2026-04-04T10:00:00+02:00", "2026-04-20t00:00:00.5z", "2026-05-04T07:00:00Z", "2026-06-01T00:00:00Z", "soon"})
	list := func(prefix string, fields func(map[string]any)) []any {
		out := []any{}
		for i := range rapid.IntRange(0, 6).Draw(t, prefix) {
			m := map[string]any{"id": fmt.Sprintf("%s%d", prefix, i), "text": "x"}
			fields(m)
			out = append(out, m)
		}
		return out
	}
	stamp := func(m map[string]any, name string) {
		if s := times.Draw(t, name); s != "" {
			m[name] = s
		}
	}
	entry := func(m map[string]any) {
		for _, name := range []string{"learned_at", "last_used_at", "expires_at"} {
			stamp(m, name)
		}
		if rapid.Bool().Draw(t, "rated") {
			m["confidence"] = rapid.SampledFrom([]float64{0, 0.29, 0.3, 0.35, 1}).Draw(t, "confidence")
		}
		if rapid.IntRange(0, 3).Draw(t, "pin") == 0 {
			m["pinned"] = true
		}
	}
	return map[string]any{
		"facts": list("f", entry), "preferences": list("p", entry),
		"open_threads": list("t", func(m map[string]any) {
			stamp(m, "updated_at")
			stamp(m, "opened_at")
			m["status"] = rapid.SampledFrom([]string{"open", "blocked", "done", "abandoned", "?"}).Draw(t, "status")
		}),
	}
}

func genThresholds(t *rapid.T) prune.Thresholds {
	return prune.Thresholds{
		Unused:        rapid.SampledFrom([]time.Duration{0, day, 30 * day}).Draw(t, "unused"),
		MinConfidence: rapid.SampledFrom([]float64{0, 0.3, 1}).Draw(t, "least"),
		ClosedThreads: rapid.SampledFrom([]time.Duration{0, 30 * day}).Draw(t, "closed"),
		Expired:       rapid.Bool().Draw(t, "ends only"),
	}
}

// TestPruneLaw: pruning twice is pruning once, nothing pinned or active goes, everything that went is
// listed, and what is listed went.
func TestPruneLaw(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		retention := map[string]any{"eviction": rapid.SampledFrom([]string{"oldest", "least_confident", "least_recently_used"}).Draw(t, "order")}
		for name, values := range map[string][]float64{"max_facts": {0, 2, 4}, "max_open_threads": {0, 1, 4}, "fact_ttl_days": {1, 30}} {
			if rapid.Bool().Draw(t, name) {
				retention[name] = rapid.SampledFrom(values).Draw(t, name+" value")
			}
		}
		state := genState(t)
		doc := map[string]any{"spec": map[string]any{"lifecycle": map[string]any{"retention": retention}}, "state": state}
		th := genThresholds(t)
		s := prune.Select(doc, th, now)
		for _, e := range s.Evicted {
			if e.Entry["pinned"] == true {
				t.Fatalf("pinned %v goes", e)
			}
			if e.Collection == "open_threads" && e.Entry["status"] != "done" && e.Entry["status"] != "abandoned" {
				t.Fatalf("active %v goes", e)
			}
		}
		for _, name := range []string{"facts", "preferences", "open_threads"} {
			rest, _ := canonical.Clone(state[name]).([]any)
			for _, e := range slices.Backward(s.Evicted) {
				if e.Collection == name {
					if !canonical.Equal(rest[e.Index], map[string]any(e.Entry)) {
						t.Fatalf("%v is not what stood at %d", e, e.Index)
					}
					rest = slices.Delete(rest, e.Index, e.Index+1)
				}
			}
			if kept, _ := s.Kept[name].([]any); !canonical.Equal(rest, kept) {
				t.Fatalf("%s: kept %v, and the list says %v", name, kept, rest)
			}
		}
		again := prune.Select(map[string]any{"spec": doc["spec"], "state": s.Kept}, th, now)
		if len(again.Evicted) > 0 {
			t.Fatalf("the second time: %v", gone(again.Evicted))
		}
	})
}

func TestReview(t *testing.T) {
	doc := value(t, `{"spec":{"lifecycle":{"retention":{"max_facts":7,"fact_ttl_days":365}}},"state":{
	"facts":[
	  {"id":"gone","text":"Gone.","expires_at":"2026-01-01T00:00:00Z"},
	  {"id":"soon","text":"Soon.","expires_at":"2026-05-20T00:00:00Z"},
	  {"id":"weak","text":"Weak.","confidence":0.5,"source":"chat","learned_at":"2026-05-01T00:00:00Z"},
	  {"id":"used","text":"Used.","confidence":0.5,"learned_at":"2026-05-01T00:00:00Z","last_used_at":"2026-05-02T00:00:00Z"},
	  {"id":"low","text":"Low.","confidence":0.35,"learned_at":"2026-05-01T00:00:00Z","last_used_at":"2026-05-02T00:00:00Z"},
	  {"id":"d1","text":"Merges need eighty five percent coverage in every package of this repository.","learned_at":"2026-05-01T00:00:00Z","pinned":true},
	  {"id":"d2","text":"merges need eighty-five percent coverage in every package of the repository","learned_at":"2026-05-01T00:00:00Z","pinned":true}],
	"open_threads":[{"id":"lies","title":"Lies","opened_at":"2026-01-01T00:00:00Z"},{"id":"fresh","title":"F","updated_at":"2026-05-01T00:00:00Z"},{"id":"shut","title":"S","status":"done","updated_at":"2020-01-01T00:00:00Z"}]}}`)
	th := prune.Thresholds{MinConfidence: 0.3}
	s := prune.Select(doc, th, now)
	p := prune.Review(doc, s, th, now)
	ids := func(items []prune.Item) []string {
		var out []string
		for _, it := range items {
			out = append(out, it.ID+" "+it.Rule)
		}
		return out
	}
	for name, c := range map[string]struct{ got, want []string }{
		"evicted":   {ids(p.Evicted), []string{"gone expired"}},
		"edge":      {ids(p.NearEdge), []string{"soon expired", "low min_confidence"}},
		"weak":      {ids(p.Weak), []string{"weak "}},
		"untouched": {ids(p.Untouched), []string{"lies "}},
		"alike":     {ids(slices.Concat(p.Duplicates...)), []string{"d1 ", "d2 "}},
	} {
		if diff := cmp.Diff(c.want, c.got); diff != "" {
			t.Errorf("%s (-want +got)\n%s", name, diff)
		}
	}
	if p.Facts != 7 || p.OpenThreads != 3 || p.Weak[0].Source != "chat" {
		t.Errorf("%+v", p)
	}
}

// TestDuplicatesLaw holds the grouping against every pair, which is what it must find.
func TestDuplicatesLaw(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.SampledFrom([]string{"a", "b", "c", "d", "e", "f", "漢字", "É"})
		var facts []any
		for i := range rapid.IntRange(0, 8).Draw(t, "n") {
			text := ""
			for range rapid.IntRange(0, 6).Draw(t, "words") {
				text += " " + word.Draw(t, "word")
			}
			facts = append(facts, map[string]any{"id": fmt.Sprint(i), "text": text})
		}
		got := map[[2]string]bool{}
		doc := map[string]any{"state": map[string]any{"facts": facts}}
		for _, g := range prune.Review(doc, prune.Select(doc, prune.Thresholds{}, now), prune.Thresholds{}, now).Duplicates {
			for _, a := range g {
				for _, b := range g {
					got[[2]string{a.ID, b.ID}] = true
				}
			}
		}
		want := pairs(facts)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("(-want +got)\n%s\n%v", diff, facts)
		}
	})
}

// pairs finds what is alike the slow way, closed under being alike.
func pairs(facts []any) map[[2]string]bool {
	sets := map[string]map[rune]bool{}
	for _, f := range facts {
		m := f.(map[string]any)
		set := map[rune]bool{}
		for _, r := range m["text"].(string) {
			if r != ' ' {
				set[r] = true // every word of the pool is a letter, or two of a script without spaces
			}
		}
		if len(set) > 0 {
			sets[m["id"].(string)] = set
		}
	}
	linked := map[[2]string]bool{}
	for a, x := range sets {
		for b, y := range sets {
			common := 0
			for r := range x {
				if y[r] {
					common++
				}
			}
			linked[[2]string{a, b}] = 10*common >= 8*(len(x)+len(y)-common)
		}
	}
	for k := range sets {
		for a := range sets {
			for b := range sets {
				if linked[[2]string{a, k}] && linked[[2]string{k, b}] {
					linked[[2]string{a, b}] = true
				}
			}
		}
	}
	out := map[[2]string]bool{}
	for p, ok := range linked {
		if !ok {
			continue
		}
		for q, ok := range linked {
			if ok && q[0] == p[0] && q[1] != p[0] {
				out[p] = true
			}
		}
	}
	return out
}
