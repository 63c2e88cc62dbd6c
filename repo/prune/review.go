package prune

import (
	"slices"
	"time"

	"github.com/open-agent-profile/oap/delta"
	"github.com/open-agent-profile/oap/repo/history"
)

// What a review looks ahead and back. Nothing goes by these; they only decide what is listed.
const (
	EdgeAhead      = 30 * 24 * time.Hour // what would go so soon, if nobody used it
	EdgeConfidence = 0.1                 // what is rated so little above the least
	EdgeShare      = 10                  // a tenth of a cap left counts as near it
	WeakConfidence = 0.6                 // a fact rated lower is weak
	LongUntouched  = 90 * 24 * time.Hour // an active thread that nobody touched for as long
)

// Item is one entry on the page.
type Item struct {
	Collection string `json:"collection"`
	ID         string `json:"id"`
	Rule       string `json:"rule,omitempty"`
	Text       string `json:"text"`
	Source     string `json:"source,omitempty"`
	Since      string `json:"since,omitempty"` // last used, touched, learned or opened, as written
}

// Page is what a person should look at once a month. Only Evicted goes.
type Page struct {
	Facts       int      `json:"facts"` // before
	Preferences int      `json:"preferences"`
	OpenThreads int      `json:"open_threads"`
	Evicted     []Item   `json:"evicted"`
	NearEdge    []Item   `json:"near_edge"`  // would go next, by Rule
	Weak        []Item   `json:"weak"`       // low confidence, and never used since it was learned
	Duplicates  [][]Item `json:"duplicates"` // texts that say nearly the same; never dropped
	Untouched   []Item   `json:"untouched"`  // active threads that lie; never dropped
}

// Review makes the page of a profile and a selection from it, at the time of the selection.
func Review(doc map[string]any, s *Selection, t Thresholds, now time.Time) *Page {
	state, _ := doc["state"].(map[string]any)
	p := &Page{
		Facts: len(listOf(state, "facts")), Preferences: len(listOf(state, "preferences")), OpenThreads: len(listOf(state, "open_threads")),
		Evicted: itemsOf(s.Evicted), Weak: []Item{}, Untouched: []Item{},
	}
	p.NearEdge = itemsOf(edge(doc, s, t, now))
	for _, m := range listOf(s.Kept, "facts") {
		if weak(m) {
			p.Weak = append(p.Weak, itemOf("facts", m, ""))
		}
	}
	for _, m := range listOf(s.Kept, "open_threads") {
		touched := instantOf(m, "updated_at", "opened_at")
		if !closed(m) && !now.Before(touched.Add(LongUntouched)) {
			p.Untouched = append(p.Untouched, itemOf("open_threads", m, ""))
		}
	}
	p.Duplicates = duplicates(s.Kept)
	return p
}

// edge selects once more from what stays, somewhat later and somewhat stricter: what goes then is near
// the edge now.
func edge(doc map[string]any, s *Selection, t Thresholds, now time.Time) []delta.Eviction {
	tight := t
	if t.MinConfidence > 0 {
		tight.MinConfidence += EdgeConfidence
	}
	later := map[string]any{"spec": lowered(doc), "state": s.Kept}
	return Select(later, tight, now.Add(EdgeAhead)).Evicted
}

// lowered is the part of a contract that holds the retention policy, with caps a tenth lower.
func lowered(doc map[string]any) map[string]any {
	policy := delta.PolicyOf(doc)
	retention := map[string]any{}
	if policy.Eviction != "" {
		retention["eviction"] = policy.Eviction
	}
	if policy.FactTTLDays != nil {
		retention["fact_ttl_days"] = float64(*policy.FactTTLDays)
	}
	for name, limit := range map[string]*int{"max_facts": policy.MaxFacts, "max_open_threads": policy.MaxOpenThreads} {
		if limit != nil {
			retention[name] = float64(*limit - (*limit+EdgeShare-1)/EdgeShare)
		}
	}
	return map[string]any{"lifecycle": map[string]any{"retention": retention}}
}

// weak facts rest on one telling: rated low, and not used after they were learned.
func weak(m map[string]any) bool {
	confidence, rated := m["confidence"].(float64)
	used, learned := instantOf(m, "last_used_at"), instantOf(m, "learned_at")
	return rated && confidence < WeakConfidence && !pinned(m) && (used.IsZero() || !used.After(learned))
}

func listOf(state map[string]any, name string) []map[string]any {
	list, _ := state[name].([]any)
	var out []map[string]any
	for _, v := range list {
		if m, _ := v.(map[string]any); m != nil {
			out = append(out, m)
		}
	}
	return out
}

func itemsOf(es []delta.Eviction) []Item {
	out := []Item{}
	for _, e := range es {
		out = append(out, itemOf(e.Collection, e.Entry, e.Rule))
	}
	return out
}

func itemOf(collection string, m map[string]any, rule string) Item {
	it := Item{Collection: collection, Rule: rule, Text: history.Words(m)}
	it.ID, _ = m["id"].(string)
	it.Source, _ = m["source"].(string)
	times := []string{"last_used_at", "updated_at", "learned_at", "opened_at"}
	if i := slices.IndexFunc(times, func(name string) bool { _, ok := m[name].(string); return ok }); i >= 0 {
		it.Since, _ = m[times[i]].(string)
	}
	return it
}
