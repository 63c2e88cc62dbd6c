package narrow

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

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

// maxWild is how many wildcards a pattern may have and still be read exactly. Nobody means more, and with
// hundreds of them a hostile document could keep a machine busy for minutes.
const maxWild = 8

// allows reports whether a pattern that allows matches a name, read as the dialect has it and no wider.
// What is no pattern of the dialect allows nothing.
func allows(pattern, name string) bool {
	if pattern == name {
		return true
	}
	return strings.Contains(pattern, "*") && !unsound(pattern) && profile.Glob(pattern).Match(name)
}

// loosened gives the widest reading of a pattern: wildcards of every dialect match any text, and letter
// case does not matter. It is what a pattern that denies means, since the author may have thought of
// another dialect and the file system or the harness may fold case. Of too many wildcards the first and
// the last stay, and what is between them is any text.
func loosened(pattern string) string {
	pattern = strings.ToLower(pattern)
	if !strings.ContainsAny(pattern, `*?[{\`) {
		return pattern
	}
	parts := wild().Split(pattern, -1)
	if len(parts) > maxWild+1 {
		parts = []string{parts[0], parts[len(parts)-1]}
	}
	return strings.Join(parts, "**")
}

// wild is what one dialect or another reads as a wildcard, several in a row as one. An unclosed bracket is
// one to its end.
var wild = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?:\*|\?|\[[^\]]*\]?|\{[^}]*\}?|\\.?)+`)
})

// denies reports whether a pattern that denies matches a name.
func denies(pattern, name string) bool {
	return profile.Glob(loosened(pattern)).Match(strings.ToLower(name))
}

// covers reports whether pattern a surely matches every name that b matches.
func covers(a, b string) bool {
	if a == everything || a == "**" || a == b {
		return true
	}
	if !strings.Contains(b, "*") {
		return profile.Glob(a).Match(b)
	}
	first, last := strings.IndexByte(a, '*'), strings.LastIndexByte(a, '*')
	if first < 0 || !strings.HasPrefix(b, a[:first]) || !strings.HasSuffix(b, a[last+1:]) {
		return false
	}
	return matches(symbols(a), symbols(b))
}

// matches is the usual walk with wildcards, as in profile.Glob, over a name of which some symbols are
// wildcards themselves: only a wildcard of a that is as wide takes one of those up.
func matches(a, b []int) bool {
	type mark struct{ a, b int }
	none := mark{-1, 0}
	near, far := none, none // where to go back to: the last "*", and the last "**"
	i, j := 0, 0
	for {
		switch {
		case i < len(a) && a[i] == deep:
			far, near = mark{i + 1, j}, none
			i++
		case i < len(a) && a[i] == star:
			near = mark{i + 1, j}
			i++
		case i == len(a) && j == len(b):
			return true
		case i < len(a) && j < len(b) && a[i] == b[j]:
			i, j = i+1, j+1
		case near.a >= 0 && near.b < len(b) && b[near.b] != '/' && b[near.b] != deep:
			near.b++
			i, j = near.a, near.b
		case far.a >= 0 && far.b < len(b):
			far.b++
			near = none
			i, j = far.a, far.b
		default:
			return false
		}
	}
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
	add := func(p string) {
		if !seen[p] {
			seen[p] = true
			out = append(out, p)
		}
	}
	for _, a := range as {
		if slices.Contains(bs, a) || slices.Contains(bs, everything) {
			add(a) // all of it, so that no other part is needed
			continue
		}
		for _, b := range bs {
			if p, ok := meet(a, b); ok {
				add(p)
			}
		}
	}
	return out
}

// unsound reports whether an allowing pattern is none of the dialect, or has too many wildcards, or is no
// UTF-8 (half a character would allow what a denying pattern, which folds letter case, could not name), so
// that it allows nothing.
func unsound(p string) bool {
	_, err := profile.ParseGlob(p)
	return p == "" || !utf8.ValidString(p) || strings.Contains(p, "*") && (err != nil || strings.Count(strings.ReplaceAll(p, "**", "*"), "*") > maxWild)
}

// sound keeps what is a pattern.
func sound(ps []string) []string {
	return slices.DeleteFunc(slices.Clone(ps), unsound)
}
