package delta

import (
	"time"

	"github.com/open-agent-profile/oap/canonical"
)

// Orders in which facts go when there are too many.
const (
	EvictOldest = "oldest"              // learned first
	EvictLeast  = "least_confident"     // unrated counts as sure
	EvictUnused = "least_recently_used" // else touched, else learned first
)

// DefaultMaxHistory is how much of the log stays where the profile does not say (OAP facts a.5).
const DefaultMaxHistory = 50

// Policy is "spec.lifecycle.retention". The zero Policy sets no cap and no age.
type Policy struct {
	MaxFacts       *int   // pinned ones count, and stay
	MaxOpenThreads *int   // closed ones count, and go
	FactTTLDays    *int   // since the last use, else since learning
	MaxHistory     *int   // 0 keeps none; nil means [DefaultMaxHistory]
	Eviction       string // "" stands for least_recently_used
}

// PolicyOf reads the policy of a profile. Members of a wrong type or below zero are taken as absent:
// a policy that cannot be read must not cost an entry.
func PolicyOf(doc map[string]any) Policy {
	v, _ := canonical.Get(doc, canonical.Pointer{"spec", "lifecycle", "retention"})
	m, _ := v.(map[string]any)
	count := func(name string) *int {
		if n, ok := whole(m[name]); ok && n >= 0 {
			return &n
		}
		return nil
	}
	p := Policy{
		MaxFacts:       count("max_facts"),
		MaxOpenThreads: count("max_open_threads"),
		FactTTLDays:    count("fact_ttl_days"),
		MaxHistory:     count("max_history"),
	}
	p.Eviction, _ = m["eviction"].(string)
	return p
}

// order gives the strategy in force.
func (p Policy) order() string {
	if p.Eviction == EvictOldest || p.Eviction == EvictLeast {
		return p.Eviction
	}
	return EvictUnused
}

// instantOf reads the first of some members that is there. An absent or unreadable time is the zero
// time, which is earlier than any.
func instantOf(entry map[string]any, names ...string) time.Time {
	for _, name := range names {
		if s, ok := entry[name].(string); ok {
			t, _ := Instant(s)
			return t
		}
	}
	return time.Time{}
}
