package delta

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/open-agent-profile/oap/canonical"
)

func TestRetain(t *testing.T) {
	const now = "2026-08-15T00:10:00Z"
	tests := []struct {
		name, why, policy, state string
		gone                     []string // collection/id rule
		warned                   []string
	}{
		{"no policy", "nothing goes", `{}`, `"facts":[{"id":"a","text":"A","learned_at":"2000-01-01T00:00:00Z"}]`, nil, nil},
		{"expired", "expires_at needs no other setting", `{}`, `"facts":[{"id":"a","expires_at":"2026-08-15T00:00:00Z"},{"id":"b"}]`, []string{"facts/a expired"}, nil},
		{"expires now", "the instant itself is the end", `{}`, `"facts":[{"id":"a","expires_at":"2026-08-15T00:10:00Z"}]`, []string{"facts/a expired"}, nil},
		{"offset", "four hours to go, though it sorts before now", `{}`, `"facts":[{"id":"a","expires_at":"2026-08-14T23:30:00-05:00"}]`, nil, nil},
		{"lower case and fraction", "t, z and .5 are legal", `{}`, `"facts":[{"id":"a","expires_at":"2026-08-15t00:09:59.5z"},{"id":"b","expires_at":"2026-08-15t00:10:00.5z"}]`, []string{"facts/a expired"}, nil},
		{"preference", "expires as well", `{}`, `"preferences":[{"id":"p","expires_at":"2020-01-01T00:00:00Z"}]`, []string{"preferences/p expired"}, nil},
		{"pinned", "never goes", `{"fact_ttl_days":1,"max_facts":0}`, `"facts":[{"id":"a","pinned":true,"expires_at":"2020-01-01T00:00:00Z","learned_at":"2020-01-01T00:00:00Z"}]`, nil, []string{RuleOverCap}},
		{"junk time", "cannot be judged, so it stays, and that is said", `{}`, `"facts":[{"id":"a","expires_at":"yesterday"}]`, nil, []string{RuleBadStamp}},
		{"ttl from learning", "31 days are more than 30", `{"fact_ttl_days":30}`, `"facts":[{"id":"a","learned_at":"2026-07-15T00:00:00Z"},{"id":"b","learned_at":"2026-07-17T00:00:00Z"}]`, []string{"facts/a fact_ttl_days"}, nil},
		{"ttl from use", "use keeps a fact alive", `{"fact_ttl_days":30}`, `"facts":[{"id":"a","learned_at":"2020-01-01T00:00:00Z","last_used_at":"2026-08-14T00:00:00Z"}]`, nil, nil},
		{"ttl without times", "no age, no ageing", `{"fact_ttl_days":30}`, `"facts":[{"id":"a"}]`, nil, nil},
		{"ttl of preferences", "it is a fact's", `{"fact_ttl_days":30}`, `"preferences":[{"id":"p","learned_at":"2020-01-01T00:00:00Z"}]`, nil, nil},
		{"absurd ttl", "a count out of bounds is no negative age", `{"fact_ttl_days":9007199254740991}`, `"facts":[{"id":"a","learned_at":"2026-08-14T00:00:00Z"}]`, nil, nil},
		{"cap, unused first", "the default order", `{"max_facts":1}`, `"facts":[{"id":"a","learned_at":"2026-01-01T00:00:00Z","last_used_at":"2026-08-01T00:00:00Z"},{"id":"b","learned_at":"2026-07-01T00:00:00Z"}]`, []string{"facts/b max_facts/least_recently_used"}, nil},
		{"cap, oldest first", "learned first, goes first", `{"max_facts":1,"eviction":"oldest"}`, `"facts":[{"id":"a","learned_at":"2026-01-01T00:00:00Z","last_used_at":"2026-08-01T00:00:00Z"},{"id":"b","learned_at":"2026-07-01T00:00:00Z"}]`, []string{"facts/a max_facts/oldest"}, nil},
		{"cap, least sure first", "unrated counts as sure", `{"max_facts":1,"eviction":"least_confident"}`, `"facts":[{"id":"a"},{"id":"b","confidence":0.9}]`, []string{"facts/b max_facts/least_confident"}, nil},
		{"cap, instants", "the later one sorts first as text", `{"max_facts":1,"eviction":"oldest"}`, `"facts":[{"id":"a","learned_at":"2026-08-14T23:30:00-05:00"},{"id":"b","learned_at":"2026-08-15T00:00:00Z"}]`, []string{"facts/b max_facts/oldest"}, nil},
		{"cap, no times", "unknown goes first, in file order", `{"max_facts":1}`, `"facts":[{"id":"a"},{"id":"b"},{"id":"c","learned_at":"2026-08-01T00:00:00Z"}]`, []string{"facts/a max_facts/least_recently_used", "facts/b max_facts/least_recently_used"}, nil},
		{"cap and pinned", "pinned ones count, others make room", `{"max_facts":2}`, `"facts":[{"id":"a","learned_at":"2026-01-01T00:00:00Z"},{"id":"p","pinned":true},{"id":"b","learned_at":"2026-02-01T00:00:00Z"}]`, []string{"facts/a max_facts/least_recently_used"}, nil},
		{"more pinned than the cap", "all others go, and the rest is said", `{"max_facts":1}`, `"facts":[{"id":"p","pinned":true},{"id":"a"},{"id":"q","pinned":true}]`, []string{"facts/a max_facts/least_recently_used"}, []string{RuleOverCap}},
		{"pinned twin", "by place, not by id", `{"max_facts":1}`, `"facts":[{"id":"x","pinned":true},{"id":"x"}]`, []string{"facts/x max_facts/least_recently_used"}, nil},
		{"expiry before cap", "what expired makes room", `{"max_facts":1}`, `"facts":[{"id":"a"},{"id":"b","expires_at":"2020-01-01T00:00:00Z"}]`, []string{"facts/b expired"}, nil},
		{"closed threads", "longest untouched first", `{"max_open_threads":2}`, `"open_threads":[{"id":"a","status":"done","updated_at":"2026-08-02T00:00:00Z"},{"id":"b","status":"abandoned","updated_at":"2026-08-01T00:00:00Z"},{"id":"c"}]`, []string{"open_threads/b max_open_threads"}, nil},
		{"active threads", "never go, over the cap or not", `{"max_open_threads":1}`, `"open_threads":[{"id":"a"},{"id":"b","status":"blocked"},{"id":"c","status":"done"},{"id":"d","status":"open"}]`, []string{"open_threads/c max_open_threads"}, []string{RuleOverCap}},
		{"unknown status", "counts as active", `{"max_open_threads":0}`, `"open_threads":[{"id":"a","status":"paused"}]`, nil, []string{RuleOverCap}},
		{"odd entries", "what cannot be judged stays", `{"max_facts":0,"fact_ttl_days":1}`, `"facts":[1,null,"x"],"open_threads":{}`, nil, []string{RuleOverCap}},
		{"policy of a wrong type", "must not cost an entry", `{"max_facts":"0","fact_ttl_days":-1,"max_open_threads":0.5}`, `"facts":[{"id":"a","learned_at":"2000-01-01T00:00:00Z"}]`, nil, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := doc(t, `{"spec":{"lifecycle":{"retention":`+tt.policy+`}},"state":{`+tt.state+`}}`)
			was := canonical.Clone(d)
			kept, evicted, warnings := Retain(d["state"].(map[string]any), PolicyOf(d), at(t, now))
			var gone, warned []string
			for _, e := range evicted {
				gone = append(gone, e.Collection+"/"+e.ID+" "+e.Rule)
			}
			for _, w := range warnings {
				warned = append(warned, w.Rule)
			}
			if diff := cmp.Diff(tt.gone, gone); diff != "" {
				t.Errorf("%s (-want +got)\n%s", tt.why, diff)
			}
			if diff := cmp.Diff(tt.warned, warned); diff != "" {
				t.Errorf("warnings (-want +got)\n%s", diff)
			}
			if diff := cmp.Diff(was, any(d)); diff != "" {
				t.Errorf("the argument was changed\n%s", diff)
			}
			if _, again, _ := Retain(kept, PolicyOf(d), at(t, now)); len(again) > 0 {
				t.Errorf("a second pass drops %v", again)
			}
		})
	}
}

// TestRetainLaws: what stays and what goes is what was there, in order; nothing pinned or active goes;
// caps hold wherever something may go; a second pass changes nothing.
func TestRetainLaws(t *testing.T) {
	now := at(t, "2026-08-15T00:00:00Z")
	rapid.Check(t, func(t *rapid.T) {
		times := rapid.SampledFrom([]string{"", "2020-01-01T00:00:00Z", "2026-08-14T23:00:00-05:00", "2026-08-14t23:59:60z", "2030-01-01T00:00:00Z", "junk"})
		entry := func(label string, members ...string) map[string]any {
			m := map[string]any{"id": rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, label)}
			for _, name := range members {
				if s := times.Draw(t, name); s != "" {
					m[name] = s
				}
			}
			return m
		}
		state := map[string]any{}
		for _, name := range []string{"facts", "preferences"} {
			list := []any{}
			for i := range rapid.IntRange(0, 8).Draw(t, name) {
				m := entry(fmt.Sprint(name, i), "learned_at", "last_used_at", "expires_at")
				if rapid.Bool().Draw(t, "pin") {
					m["pinned"] = rapid.Bool().Draw(t, "pinned")
				}
				list = append(list, m)
			}
			state[name] = list
		}
		threads := []any{}
		for i := range rapid.IntRange(0, 8).Draw(t, "threads") {
			m := entry(fmt.Sprint("thread", i), "updated_at")
			m["status"] = rapid.SampledFrom([]string{"open", "blocked", "done", "abandoned", ""}).Draw(t, "status")
			threads = append(threads, m)
		}
		state["open_threads"] = threads
		limit := func(label string) *int { return rapid.Ptr(rapid.IntRange(0, 5), true).Draw(t, label) }
		p := Policy{MaxFacts: limit("max_facts"), MaxOpenThreads: limit("max_threads"), FactTTLDays: limit("ttl"),
			Eviction: rapid.SampledFrom([]string{"", EvictOldest, EvictLeast, EvictUnused}).Draw(t, "order")}

		kept, evicted, _ := Retain(state, p, now)
		for _, e := range evicted {
			if pinned(e.Entry) || e.Collection == "open_threads" && !closedThread(e.Entry) {
				t.Fatalf("%s was evicted: %v", e.Rule, e.Entry)
			}
		}
		for name, v := range state {
			rest := kept[name].([]any)
			gone := map[int]bool{}
			for _, e := range evicted {
				if e.Collection == name {
					gone[e.Index] = true
				}
			}
			var want []any
			for i, entry := range v.([]any) {
				if !gone[i] {
					want = append(want, entry)
				}
			}
			if len(want) != len(rest) || len(want) > 0 && !canonical.Equal(want, rest) {
				t.Fatalf("%s: kept and evicted are not what was there", name)
			}
		}
		if free := countIf(kept["facts"], func(v any) bool { return !pinned(v) }); p.MaxFacts != nil && free > 0 && len(kept["facts"].([]any)) > *p.MaxFacts {
			t.Fatal("the cap on facts does not hold")
		}
		if _, again, _ := Retain(kept, p, now); len(again) > 0 {
			t.Fatalf("a second pass drops %v", again)
		}
	})
}

func countIf(list any, f func(any) bool) int {
	n := 0
	for _, v := range list.([]any) {
		if f(v) {
			n++
		}
	}
	return n
}
