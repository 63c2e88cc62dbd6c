package canonical

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"unicode/utf8"
)

// MaxSafeInteger is the largest integer that a float64 holds together with both of its neighbours
// (RFC 8785 §6 advises against anything beyond it).
const MaxSafeInteger = 1<<53 - 1

// maxDepth bounds recursion over values that did not come through one of our own readers.
const maxDepth = 10_000

// ValueError names a place in a value that canonical JSON cannot hold exactly.
type ValueError struct {
	Pointer string // RFC 6901
	Reason  string
}

func (e *ValueError) Error() string {
	if e.Pointer == "" {
		return e.Reason
	}
	return e.Pointer + ": " + e.Reason
}

// Check reports the first place, members in sorted order, where v is not a canonical value: a NaN or an
// infinity, text that is not UTF-8, a Go type outside the model. The error is a [*ValueError].
func Check(v any) error { return check(v, nil) }

func check(v any, at Pointer) error {
	if len(at) > maxDepth {
		return &ValueError{"", "nested too deeply"}
	}
	switch x := v.(type) {
	case nil, bool:
		return nil
	case string:
		return checkString(x, at)
	case float64:
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return &ValueError{at.String(), "not a finite number"}
		}
		return nil
	case []any:
		for i, e := range x {
			if err := check(e, append(at, strconv.Itoa(i))); err != nil {
				return err
			}
		}
		return nil
	case map[string]any:
		for _, k := range sortedKeys(x) {
			if err := checkString(k, at); err != nil {
				return err
			}
			if err := check(x[k], append(at, k)); err != nil {
				return err
			}
		}
		return nil
	default:
		return &ValueError{at.String(), fmt.Sprintf("%T is not a JSON value", v)}
	}
}

// checkString refuses what Go's JSON encoder would silently turn into U+FFFD, which would give two
// different documents one digest. A lone surrogate cannot exist in valid UTF-8.
func checkString(s string, at Pointer) error {
	if !utf8.ValidString(s) {
		return &ValueError{at.String(), "text is not valid UTF-8"}
	}
	return nil
}

func sortedKeys(m map[string]any) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// Equal reports whether a and b are the same value: numbers by value (so -0 is 0), text by code
// points without normalisation, lists in order, members in any order.
func Equal(a, b any) bool {
	switch x := a.(type) {
	case map[string]any:
		y, ok := b.(map[string]any)
		if !ok || len(x) != len(y) {
			return false
		}
		for k, v := range x {
			w, ok := y[k]
			if !ok || !Equal(v, w) {
				return false
			}
		}
		return true
	case []any:
		y, ok := b.([]any)
		if !ok || len(x) != len(y) {
			return false
		}
		for i := range x {
			if !Equal(x[i], y[i]) {
				return false
			}
		}
		return true
	case string:
		y, ok := b.(string)
		return ok && x == y
	case float64:
		y, ok := b.(float64)
		return ok && x == y
	case bool:
		y, ok := b.(bool)
		return ok && x == y
	case nil:
		return b == nil
	default:
		return false
	}
}

// Clone copies a value deeply; the copy shares no map or slice with v.
func Clone(v any) any {
	switch x := v.(type) {
	case map[string]any:
		if x == nil {
			return x
		}
		m := make(map[string]any, len(x))
		for k, e := range x {
			m[k] = Clone(e)
		}
		return m
	case []any:
		if x == nil {
			return x
		}
		s := make([]any, len(x))
		for i, e := range x {
			s[i] = Clone(e)
		}
		return s
	default:
		return v
	}
}
