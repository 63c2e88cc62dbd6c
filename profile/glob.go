package profile

import (
	"fmt"
	"strings"
)

// Glob is a checked tool pattern: "*" stands for any text inside one segment, "**" for any text across
// segments, and a lone "*" for everything. Segments are separated by "/".
type Glob string

// ParseGlob checks a pattern. A pattern of another dialect is an error, because a deny pattern that is
// silently taken for a plain name would deny nothing.
func ParseGlob(s string) (Glob, error) {
	switch {
	case s == "":
		return "", fmt.Errorf("an empty pattern matches nothing")
	case strings.ContainsAny(s, `[]{}?\`):
		return "", fmt.Errorf("pattern %q uses [ ] { } ? or \\, which this dialect does not have", s)
	case strings.Contains(s, "***"):
		return "", fmt.Errorf("pattern %q has more than two * in a row", s)
	}
	return Glob(s), nil
}

// Match reports whether the pattern covers a tool name.
func (g Glob) Match(name string) bool {
	if g == "*" || g == "**" {
		return true
	}
	return match(string(g), name)
}

// match backtracks to the last star only, the usual wildcard walk; a "**" star may swallow "/", so it is
// remembered apart from a plain one, which is tried first.
func match(p, s string) bool {
	type mark struct{ p, s int }
	star, deep := mark{-1, 0}, mark{-1, 0}
	i, j := 0, 0
	for {
		switch {
		case strings.HasPrefix(p[i:], "**"):
			deep, star = mark{i + 2, j}, mark{-1, 0}
			i += 2
			continue
		case i < len(p) && p[i] == '*':
			star = mark{i + 1, j}
			i++
			continue
		case i == len(p) && j == len(s):
			return true
		case i < len(p) && j < len(s) && p[i] == s[j]:
			i, j = i+1, j+1
			continue
		}
		switch {
		case star.p >= 0 && star.s < len(s) && s[star.s] != '/':
			star.s++
			i, j = star.p, star.s
		case deep.p >= 0 && deep.s < len(s):
			deep.s++
			star = mark{-1, 0}
			i, j = deep.p, deep.s
		default:
			return false
		}
	}
}
