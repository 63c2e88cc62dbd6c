package proposals

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/open-agent-profile/oap/canonical"
)

// Risk grades a change of a contract. The zero Risk means "not rated" and is below all others.
type Risk uint8

const (
	Low    Risk = iota + 1 // words for people, or nothing but narrowing
	Medium                 // what the agent reads and which model it runs on
	High                   // it may do more than before, or nobody can tell
)

// riskNames are the words of the format, in the order of the grades.
var riskNames = []string{"unrated", "low", "medium", "high"}

// ParseRisk reads "low", "medium" or "high".
func ParseRisk(s string) (Risk, error) {
	if i := slices.Index(riskNames, s); i > 0 {
		return Risk(i), nil
	}
	return 0, fmt.Errorf("%q is not one of low, medium, high", s)
}

func (r Risk) String() string {
	if int(r) < len(riskNames) {
		return riskNames[r]
	}
	return "high" // a grade that does not exist is treated as [Raise] treats it
}

// MarshalText gives the word, for JSON.
func (r Risk) MarshalText() ([]byte, error) { return []byte(r.String()), nil }

// UnmarshalText reads what MarshalText writes.
func (r *Risk) UnmarshalText(text []byte) (err error) {
	if string(text) == riskNames[0] {
		*r = 0
		return nil
	}
	*r, err = ParseRisk(string(text))
	return err
}

// Raise joins a computed grade with a declared one: a claim can only raise (design section 8).
func Raise(computed, declared Risk) Risk { return min(max(computed, declared), High) }

// Reason is one place that counts towards a grade.
type Reason struct {
	Pointer string `json:"pointer"` // entries of named lists as "name:x"
	Risk    Risk   `json:"risk"`
	Message string `json:"message"` // one sentence without the pointer
}

// Rate grades the step from one contract to another. Both are whole profiles, of which state and history
// are not looked at, nor are the revision and its time, which every write changes. Reasons come
// worst first, then by pointer; equal contracts give Low and none.
//
// A line that widens is high also where another line still masks it, because the other line may be the
// next to go. What is left out counts as its default: no policy is an allowlist, no allow list is none,
// no writeback is "propose", no memory mode is "read_only", no permission is the profile's default or else
// "ask", no number is no limit. In a document that extends others, what is left out comes from
// a base that is not known here; to begin or to stop stating a grant or a limit is then high, unless the
// value stated is the narrowest of all.
func Rate(before, after map[string]any) (Risk, []Reason) {
	r := &rater{before: before, after: after}
	r.baseBefore, r.baseAfter = extending(before), extending(after)
	contractRule(r, nil, part{before, true}, part{after, true})
	slices.SortFunc(r.reasons, func(a, b Reason) int {
		return cmp.Or(cmp.Compare(b.Risk, a.Risk), cmp.Compare(a.Pointer, b.Pointer), cmp.Compare(a.Message, b.Message))
	})
	risk := Low
	for _, reason := range r.reasons {
		risk = Raise(risk, reason.Risk)
	}
	return risk, r.reasons
}

// extending reports whether a document leaves what it does not state to others.
func extending(doc map[string]any) bool {
	v, ok := doc["extends"]
	return ok && !canonical.Equal(v, []any{})
}
