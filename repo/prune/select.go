package prune

import (
	"maps"
	"reflect"
	"slices"
	"time"

	"github.com/open-agent-profile/oap/delta"
)

// Rules by which an entry goes, beside those of package delta.
const (
	RuleUnused        = "unused"         // nobody used the fact for as long
	RuleMinConfidence = "min_confidence" // the fact is rated below the least
	RuleClosedThreads = "closed_threads" // the thread was closed and not touched for as long
)

// Thresholds are what a job adds to a profile's own retention. The zero value adds nothing.
type Thresholds struct {
	// Unused drops facts that nobody used, else learned, for as long. A fact without either time stays.
	Unused time.Duration
	// MinConfidence drops facts whose confidence is lower. A fact that nobody rated stays.
	MinConfidence float64
	// ClosedThreads drops threads that are done or abandoned and were not touched for as long. A thread
	// without a time stays.
	ClosedThreads time.Duration
	// Expired leaves out the profile's caps: of its own retention only ends count, expires_at and
	// fact_ttl_days.
	Expired bool
}

// Selection is what stays of a state and what goes.
type Selection struct {
	Kept     map[string]any
	Evicted  []delta.Eviction // by collection, in the order of its list
	Warnings []delta.Warning
}

// Select works out what goes at a time. It changes nothing; what stays is shared with the document.
// Ends and thresholds come first, so that what goes anyway makes room under the caps. Selecting again
// from what stays, at the same time, drops nothing.
func Select(doc map[string]any, t Thresholds, now time.Time) *Selection {
	state, _ := doc["state"].(map[string]any)
	policy := delta.PolicyOf(doc)
	ends := policy
	ends.MaxFacts, ends.MaxOpenThreads = nil, nil
	s := &Selection{}
	kept, gone, warnings := delta.Retain(state, ends, now)
	s.Warnings = append(s.Warnings, warnings...)
	s.note(gone)
	kept = s.thresholds(kept, t, now)
	if !t.Expired {
		// Its ends found everything already, and warned of it.
		policy.FactTTLDays = nil
		var capped []delta.Eviction
		kept, capped, warnings = delta.Retain(kept, policy, now)
		s.note(capped)
		for _, w := range warnings {
			if w.Rule != delta.RuleBadStamp {
				s.Warnings = append(s.Warnings, w)
			}
		}
	}
	s.Kept = kept
	s.sort(state)
	return s
}

func (s *Selection) note(gone []delta.Eviction) { s.Evicted = append(s.Evicted, gone...) }

// sort puts evictions in the order of the document, and their Index right, since each step saw a shorter
// list. Entries are known by the object they are, not by an id, which a twin may share.
func (s *Selection) sort(state map[string]any) {
	rank := map[string]int{"facts": 0, "preferences": 1, "open_threads": 2}
	at := map[uintptr]int{}
	for name := range rank {
		list, _ := state[name].([]any)
		for i, v := range list {
			if m, _ := v.(map[string]any); m != nil {
				at[reflect.ValueOf(m).Pointer()] = i
			}
		}
	}
	for i, e := range s.Evicted {
		s.Evicted[i].Index = at[reflect.ValueOf(e.Entry).Pointer()]
	}
	slices.SortStableFunc(s.Evicted, func(a, b delta.Eviction) int {
		if a.Collection != b.Collection {
			return rank[a.Collection] - rank[b.Collection]
		}
		return a.Index - b.Index
	})
}

// thresholds applies what the job adds.
func (s *Selection) thresholds(state map[string]any, t Thresholds, now time.Time) map[string]any {
	state = s.drop(state, "facts", func(m map[string]any) string {
		used := instantOf(m, "last_used_at", "learned_at")
		confidence, rated := m["confidence"].(float64)
		switch {
		case pinned(m):
			return ""
		case t.Unused > 0 && !used.IsZero() && !now.Before(used.Add(t.Unused)):
			return RuleUnused
		case rated && confidence < t.MinConfidence:
			return RuleMinConfidence
		}
		return ""
	})
	return s.drop(state, "open_threads", func(m map[string]any) string {
		touched := instantOf(m, "updated_at", "opened_at")
		if t.ClosedThreads > 0 && closed(m) && !pinned(m) && !touched.IsZero() && !now.Before(touched.Add(t.ClosedThreads)) {
			return RuleClosedThreads
		}
		return ""
	})
}

// drop takes out of a list what rule names a reason for.
func (s *Selection) drop(state map[string]any, collection string, rule func(map[string]any) string) map[string]any {
	list, _ := state[collection].([]any)
	rest := make([]any, 0, len(list))
	for i, v := range list {
		m, _ := v.(map[string]any)
		why := ""
		if m != nil {
			why = rule(m)
		}
		if why == "" {
			rest = append(rest, v)
			continue
		}
		id, _ := m["id"].(string)
		s.Evicted = append(s.Evicted, delta.Eviction{Collection: collection, ID: id, Index: i, Rule: why, Entry: m})
	}
	if len(rest) == len(list) {
		return state
	}
	state = maps.Clone(state)
	state[collection] = rest
	return state
}

func pinned(m map[string]any) bool { return m["pinned"] == true }

// closed threads are the only ones that may go; a status that nobody knows is an active one.
func closed(m map[string]any) bool { return m["status"] == "done" || m["status"] == "abandoned" }

// instantOf reads the first of some members that is a time; the zero time where none is.
func instantOf(m map[string]any, members ...string) time.Time {
	for _, name := range members {
		if text, ok := m[name].(string); ok {
			if t, ok := delta.Instant(text); ok {
				return t
			}
		}
	}
	return time.Time{}
}
