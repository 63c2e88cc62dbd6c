package draft

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

var (
	// ErrNothing says that the profile would be the same afterwards. Warnings may say why.
	ErrNothing = errors.New("nothing to write")
	// ErrNotProfile is wrapped by errors about the profile, which no schema would have passed.
	ErrNotProfile = errors.New("not a profile")
)

// InputError says which piece of evidence cannot be written down.
type InputError struct {
	Source string // such as "fact 2"; pieces count from 1; "" where no single one is at fault
	Reason string // one sentence; it names ids and tools and never quotes texts, which may hold anything
}

func (e *InputError) Error() string {
	if e.Source == "" {
		return e.Reason
	}
	return e.Source + ": " + e.Reason
}

// UnknownError says that evidence speaks of an entry which the profile does not have.
type UnknownError struct {
	Source string
	Ref    Ref
	Near   []string // ids that look alike, the nearest first; at most three
}

func (e *UnknownError) Error() string {
	s := fmt.Sprintf("%s: there is no %q in %s", e.Source, e.Ref.ID, e.Ref.Collection)
	if len(e.Near) == 0 {
		return s
	}
	quoted := make([]string, len(e.Near))
	for i, id := range e.Near {
		quoted[i] = fmt.Sprintf("%q", id)
	}
	return s + ", but there is " + strings.Join(quoted, ", ")
}

// refuse makes an [*InputError].
func refuse(source, format string, args ...any) error {
	return &InputError{Source: source, Reason: fmt.Sprintf(format, args...)}
}

// maxNear bounds what an error lists and, with it, what a reader has to weigh.
const maxNear = 3

// near picks the ids that a mistaken one was probably meant for: those that contain it or are
// contained in it ("flaky-tests" for "thread-flaky-tests"), and those a few letters away.
func near(id string, all []string) []string {
	type candidate struct {
		id   string
		cost int
	}
	var found []candidate
	low := strings.ToLower(id)
	far := max(2, len(low)/4)
	for _, other := range all {
		with := strings.ToLower(other)
		if len(low) >= 3 && strings.Contains(with, low) || len(with) >= 3 && strings.Contains(low, with) {
			found = append(found, candidate{other, 0})
		} else if abs := max(len(low)-len(with), len(with)-len(low)); abs <= far {
			if d := distance(low, with); d <= far {
				found = append(found, candidate{other, d})
			}
		}
	}
	slices.SortFunc(found, func(a, b candidate) int {
		if a.cost != b.cost {
			return a.cost - b.cost
		}
		return strings.Compare(a.id, b.id)
	})
	var out []string
	for _, c := range found[:min(len(found), maxNear)] {
		out = append(out, c.id)
	}
	return out
}

// distance counts the bytes that have to be added, taken away or exchanged to make b of a (Levenshtein).
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost = 1 + min(diagonal, row[j], row[j+1])
			}
			diagonal, row[j+1] = row[j+1], cost
		}
	}
	return row[len(b)]
}
