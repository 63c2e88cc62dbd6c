package delta

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"
)

// Rules by which an entry goes. A cap on facts adds its order: "max_facts/oldest".
const (
	EvictedExpired = "expired"          // its expires_at has come
	EvictedTTL     = "fact_ttl_days"    // nobody used it for as long
	EvictedFacts   = "max_facts"        // there are more facts than the cap
	EvictedThreads = "max_open_threads" // there are more threads than the cap, and it is closed
)

// Rules of warnings that Retain gives.
const (
	RuleOverCap  = "over-cap"
	RuleBadStamp = "unreadable-time"
)

// Eviction is one entry that retention dropped.
type Eviction struct {
	Collection string
	ID         string
	Index      int // in the list as it was
	Rule       string
	Entry      map[string]any // the entry itself, for the record
}

// Retain enforces a policy on a state (design section 7). It gives the state that stays and what went,
// in the order of the lists; state itself is not changed, and what stays is shared with it.
//
// An entry expires at its expires_at; a fact also when it was not used (else learned) for
// fact_ttl_days. Then caps hold: facts go in the policy's order, threads only if they are closed,
// longest untouched first. Pinned entries and threads that are not done or abandoned never go; a cap
// that cannot be held because of them gives a warning. Entries are dropped by place, not by id, so that
// a twin of the same id is safe. Applying Retain to what stays drops nothing more.
func Retain(state map[string]any, p Policy, now time.Time) (map[string]any, []Eviction, []Warning) {
	r := &retainer{policy: p, now: now}
	kept := state
	for _, c := range []struct {
		name string
		drop func(*keeping)
	}{{"facts", r.facts}, {"preferences", r.expire}, {"open_threads", r.threads}} {
		list, ok := state[c.name].([]any)
		if !ok {
			continue
		}
		k := &keeping{name: c.name, list: list, rule: make([]string, len(list))}
		c.drop(k)
		rest, gone := k.split()
		if len(gone) == 0 {
			continue
		}
		if len(r.evicted) == 0 {
			kept = maps.Clone(state)
		}
		kept[c.name] = rest
		r.evicted = append(r.evicted, gone...)
	}
	return kept, r.evicted, r.warnings
}

// TrimHistory keeps the last entries of a log, the newest, and none where limit is 0.
func TrimHistory(history []any, limit int) []any {
	return history[max(0, len(history)-max(0, limit)):]
}

type retainer struct {
	policy   Policy
	now      time.Time
	evicted  []Eviction
	warnings []Warning
}

// keeping is a list with, by place, the rule that drops an entry.
type keeping struct {
	name string
	list []any
	rule []string // "" = stays
}

// left counts what stays.
func (k *keeping) left() int {
	n := 0
	for _, rule := range k.rule {
		if rule == "" {
			n++
		}
	}
	return n
}

// split carries the rules out, in file order.
func (k *keeping) split() (rest []any, gone []Eviction) {
	rest = make([]any, 0, len(k.list))
	for i, v := range k.list {
		if k.rule[i] == "" {
			rest = append(rest, v)
			continue
		}
		m, _ := v.(map[string]any)
		id, _ := m["id"].(string)
		gone = append(gone, Eviction{k.name, id, i, k.rule[i], m})
	}
	return rest, gone
}

// candidates gives, in order of going, the places of those entries that stay so far and that may go.
// What is no object cannot be judged and stays.
func (k *keeping) candidates(may func(map[string]any) bool, order func(a, b map[string]any) int) []int {
	var out []int
	for i, v := range k.list {
		if m, ok := v.(map[string]any); ok && k.rule[i] == "" && may(m) {
			out = append(out, i)
		}
	}
	slices.SortStableFunc(out, func(i, j int) int {
		return order(k.list[i].(map[string]any), k.list[j].(map[string]any))
	})
	return out
}

// warn notes what the policy could not do.
func (r *retainer) warn(rule, at, format string, args ...any) {
	r.warnings = append(r.warnings, Warning{noIndex, at, fmt.Sprintf(format, args...), rule})
}

// facts applies end, age and cap, in this order, so that what is over anyway makes room first.
func (r *retainer) facts(k *keeping) {
	r.expire(k)
	if r.policy.FactTTLDays != nil {
		// The bound keeps a count that no schema passed from turning into a negative duration.
		age := time.Duration(min(*r.policy.FactTTLDays, 100_000)) * 24 * time.Hour
		for i, v := range k.list {
			m, _ := v.(map[string]any)
			used := instantOf(m, "last_used_at", "learned_at")
			if k.rule[i] == "" && !pinned(v) && !used.IsZero() && !r.now.Before(used.Add(age)) {
				k.rule[i] = EvictedTTL
			}
		}
	}
	if r.policy.MaxFacts == nil {
		return
	}
	over := k.left() - *r.policy.MaxFacts
	free := k.candidates(func(m map[string]any) bool { return !pinned(m) }, r.policy.compare())
	for _, i := range free[:max(0, min(over, len(free)))] {
		k.rule[i] = EvictedFacts + "/" + r.policy.order()
	}
	if over > len(free) {
		r.warn(RuleOverCap, "/state/facts", "%d pinned facts exceed max_facts of %d", k.left(), *r.policy.MaxFacts)
	}
}

// expire drops what has an end that has come. The instant itself is the end.
func (r *retainer) expire(k *keeping) {
	sh := stateShape.member(k.name)
	for i, v := range k.list {
		m, _ := v.(map[string]any)
		text, ok := m["expires_at"].(string)
		if !ok || pinned(v) {
			continue
		}
		end, ok := Instant(text)
		if !ok {
			r.warn(RuleBadStamp, "/state/"+k.name+"/"+tokenOf(k.list, sh, i), "expires_at cannot be read, so the entry stays")
		} else if !r.now.Before(end) {
			k.rule[i] = EvictedExpired
		}
	}
}

// threads counts all threads against the cap, as the format's tools do, and drops closed ones only.
func (r *retainer) threads(k *keeping) {
	if r.policy.MaxOpenThreads == nil {
		return
	}
	over := k.left() - *r.policy.MaxOpenThreads
	done := k.candidates(closedThread, func(a, b map[string]any) int {
		return instantOf(a, "updated_at").Compare(instantOf(b, "updated_at"))
	})
	for _, i := range done[:max(0, min(over, len(done)))] {
		k.rule[i] = EvictedThreads
	}
	if over > len(done) {
		r.warn(RuleOverCap, "/state/open_threads",
			"%d active threads exceed max_open_threads of %d; none was dropped", k.left(), *r.policy.MaxOpenThreads)
	}
}

// closedThread is the only state in which a thread may go; a status that nobody knows is not it.
func closedThread(m map[string]any) bool { return m["status"] == "done" || m["status"] == "abandoned" }

// compare gives the order of going; what is smaller goes first (OAP facts f.4).
func (p Policy) compare() func(a, b map[string]any) int {
	switch p.order() {
	case EvictLeast:
		return func(a, b map[string]any) int { return cmp.Compare(confidence(a), confidence(b)) }
	case EvictOldest:
		return func(a, b map[string]any) int {
			return instantOf(a, "learned_at", "opened_at").Compare(instantOf(b, "learned_at", "opened_at"))
		}
	}
	return func(a, b map[string]any) int {
		used := []string{"last_used_at", "updated_at", "learned_at"}
		return instantOf(a, used...).Compare(instantOf(b, used...))
	}
}

// confidence counts a fact that nobody rated as sure, as the format's tools do (OAP facts f.4).
func confidence(m map[string]any) float64 {
	if f, ok := m["confidence"].(float64); ok {
		return f
	}
	return 1
}
