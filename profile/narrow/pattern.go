package narrow

import (
	"regexp"
	"slices"
	"strings"

	"github.com/open-agent-profile/oap/profile"
)

// everything is the pattern that matches all names.
const everything = "*"

// A pattern is text with wildcards, as in profile.Glob. These stand for a wildcard among the symbols of
// one; every other symbol is a byte.
const (
	star = -1 // any text inside one segment
	deep = -2 // any text
)

// symbols reads a pattern.
func symbols(p string) []int {
	if p == everything {
		return []int{deep}
	}
	out := make([]int, 0, len(p))
	for i := 0; i < len(p); i++ {
		switch {
		case strings.HasPrefix(p[i:], "**"):
			out = append(out, deep)
			i++
		case p[i] == '*':
			out = append(out, star)
		default:
			out = append(out, int(p[i]))
		}
	}
	return out
}

// allows reports whether a pattern that allows matches a name, read as the dialect has it and no wider.
// What is no pattern of the dialect allows nothing.
func allows(pattern, name string) bool {
	if pattern == name {
		return true
	}
	if !strings.Contains(pattern, "*") {
		return false
	}
	g, err := profile.ParseGlob(pattern)
	return err == nil && g.Match(name)
}

// wild is what one dialect or another reads as a wildcard. An unclosed bracket is one to its end.
var wild = regexp.MustCompile(`\*+|\?|\[[^\]]*\]?|\{[^}]*\}?|\\.?`)

// loosened gives the widest reading of a pattern: wildcards of every dialect match any text, and letter
// case does not matter. It is what a pattern that denies means, since the author may have thought of
// another dialect and the file system or the harness may fold case.
func loosened(pattern string) string {
	if strings.ContainsAny(pattern, `*?[{\`) {
		pattern = wild.ReplaceAllLiteralString(pattern, "**")
		for strings.Contains(pattern, "***") {
			pattern = strings.ReplaceAll(pattern, "***", "**")
		}
	}
	return strings.ToLower(pattern)
}

// denies reports whether a pattern that denies matches a name.
func denies(pattern, name string) bool {
	return profile.Glob(loosened(pattern)).Match(strings.ToLower(name))
}

// covers reports whether pattern a surely matches every name that b matches. It follows all readings of a
// at once while it goes through b, whose wildcards only a wildcard of a that is as wide can take up.
func covers(a, b string) bool {
	if a == everything || a == "**" || a == b {
		return true
	}
	if !strings.Contains(b, "*") {
		return profile.Glob(a).Match(b)
	}
	if !strings.Contains(a, "*") {
		return false
	}
	as, bs := symbols(a), symbols(b)
	at := make([]bool, len(as)+1)
	next := make([]bool, len(as)+1)
	at[0] = true
	for _, sym := range bs {
		// A wildcard may end before the symbol.
		for i, s := range as {
			at[i+1] = at[i+1] || at[i] && s < 0
		}
		clear(next)
		for i, s := range as {
			switch {
			case !at[i]:
			case s == deep, s == star && sym != deep && sym != '/':
				next[i] = true
			case s == sym && s >= 0:
				next[i+1] = true
			}
		}
		at, next = next, at
	}
	for i, s := range as {
		at[i+1] = at[i+1] || at[i] && s < 0
	}
	return at[len(as)]
}

// overlaps reports whether two patterns may match one name. It says no only if they surely do not.
func overlaps(a, b string) bool {
	as, bs := symbols(loosened(a)), symbols(loosened(b))
	// reach[j]: what of a is done so far can match the first j symbols of b.
	reach := make([]bool, len(bs)+1)
	reach[0] = true
	spread := func() {
		for j, s := range bs {
			reach[j+1] = reach[j+1] || reach[j] && s < 0 // a wildcard of b may be empty
		}
	}
	spread()
	for _, s := range as {
		next := make([]bool, len(bs)+1)
		for j := range reach {
			if !reach[j] {
				continue
			}
			if s < 0 {
				for k := j; k <= len(bs); k++ {
					next[k] = true
				}
				break
			}
			if j < len(bs) && bs[j] < 0 {
				next[j] = true
			}
			if j < len(bs) && bs[j] == s {
				next[j+1] = true
			}
		}
		reach = next
		spread()
	}
	return reach[len(bs)]
}

// meet gives the pattern that matches what both match; ok is false where they share nothing or no
// pattern says what they share.
func meet(a, b string) (p string, ok bool) {
	switch {
	case covers(a, b):
		return b, true
	case covers(b, a):
		return a, true
	case strings.Contains(a, "**") || strings.Contains(b, "**"):
		return "", false
	}
	as, bs := strings.Split(a, "/"), strings.Split(b, "/")
	if len(as) != len(bs) {
		return "", false
	}
	for i := range as {
		switch {
		case covers(bs[i], as[i]):
		case covers(as[i], bs[i]):
			as[i] = bs[i]
		default:
			return "", false
		}
	}
	p = strings.Join(as, "/")
	// A segment "*" covers more alone than beside others.
	return p, p != everything && covers(a, p) && covers(b, p)
}

// meets intersects a list of allowing patterns with another.
func meets(as, bs []string) []string {
	out := []string{}
	seen := map[string]bool{}
	for _, a := range as {
		for _, b := range bs {
			if p, ok := meet(a, b); ok && !seen[p] {
				seen[p] = true
				out = append(out, p)
			}
		}
	}
	return out
}

// unsound reports whether an allowing pattern is none of the dialect, so that it allows nothing.
func unsound(p string) bool {
	_, err := profile.ParseGlob(p)
	return err != nil && strings.Contains(p, "*") || p == ""
}

// sound keeps what is a pattern.
func sound(ps []string) []string {
	return slices.DeleteFunc(slices.Clone(ps), unsound)
}
