package schemas

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/open-agent-profile/oap/internal/secrets"
	"github.com/open-agent-profile/oap/internal/term"
)

// quote shows text from a document inside a message: short, without anything invisible, and never when
// it looks like a credential.
func quote(s string) string {
	if kind, found := secrets.ScanText(s); found {
		return "a text that looks like a credential (" + kind + ")"
	}
	const most = 60
	runes := 0
	for i := range s {
		if runes == most {
			s = s[:i] + "…"
			break
		}
		runes++
	}
	return `"` + term.Escape(s) + `"`
}

// show puts a value at the start of a sentence.
func (r *run) show(v any) string {
	s, isText := v.(string)
	switch {
	case r.hushed > 0:
		return "the value"
	case isText:
		return quote(s)
	default:
		return r.describe(v)
	}
}

// describe names a value by its type, and by itself where that is short. It never repeats text: who
// writes text where a list belongs may have put anything there.
func (r *run) describe(v any) string {
	switch x := v.(type) {
	case bool:
		if r.hushed > 0 {
			return "true or false"
		}
		return strconv.FormatBool(x)
	case float64:
		if r.hushed > 0 {
			return "a number"
		}
		return "the number " + number(x)
	default:
		return kindOf(v).String()
	}
}

// number spells x as people write it, without an exponent where that is shorter to read.
func number(x float64) string {
	if math.Abs(x) < 1e15 {
		return strconv.FormatFloat(x, 'f', -1, 64)
	}
	return strconv.FormatFloat(x, 'g', -1, 64)
}

// String names the types for people: what YAML calls a mapping, and text rather than string.
func (k kinds) String() string {
	if k&kNumber != 0 {
		k &^= kInteger
	}
	var words []string
	for i, w := range []string{"null", "true or false", "a number", "a whole number", "text", "a list", "a mapping"} {
		if k&(1<<i) != 0 {
			words = append(words, w)
		}
	}
	if words == nil {
		return "no JSON value"
	}
	return strings.Join(words, " or ")
}

func join(values []any, sep string) string {
	words := make([]string, len(values))
	for i, v := range values {
		switch x := v.(type) {
		case string:
			words[i] = x
		case float64:
			words[i] = number(x)
		default:
			words[i] = fmt.Sprint(x)
			if x == nil {
				words[i] = "null"
			}
		}
	}
	return strings.Join(words, sep)
}

// counted writes a number of things, with the plural where it is due.
func counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + many
}
