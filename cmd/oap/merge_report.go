package main

import (
	"fmt"
	"strings"

	"github.com/open-agent-profile/oap/canonical"
	"github.com/open-agent-profile/oap/delta"
	"github.com/open-agent-profile/oap/profile"
)

// mergeConflict is one place that a person has to settle.
type mergeConflict struct {
	Path    string `json:"path,omitempty"`
	Pointer string `json:"pointer"`
	Reason  string `json:"reason"`
	Base    any    `json:"base"`
	Ours    any    `json:"ours"`
	Theirs  any    `json:"theirs"`
}

func conflictsOf(path string, cs []delta.Conflict) []mergeConflict {
	out := []mergeConflict{}
	for _, c := range cs {
		out = append(out, mergeConflict{path, c.Pointer, c.Reason, c.Base, c.Ours, c.Theirs})
	}
	return out
}

// conflictSentence names each place with both values.
func conflictSentence(path string, cs []delta.Conflict) string {
	var parts []string
	for _, c := range cs {
		parts = append(parts, fmt.Sprintf("%s (%s; ours: %s; theirs: %s)", c.Pointer, c.Reason, briefly(c.Ours), briefly(c.Theirs)))
	}
	if path != "" {
		path += ": "
	}
	return path + "a person has to choose at " + strings.Join(parts, ", ")
}

// briefly shows a value in a sentence: canonical JSON, at most 80 characters of it.
func briefly(v any) string {
	if v == nil {
		return "nothing"
	}
	b, err := canonical.JCS(v)
	if err != nil {
		return "?"
	}
	if rs := []rune(string(b)); len(rs) > 80 {
		return string(rs[:80]) + "…"
	}
	return string(b)
}

// profileSuffix reports whether a name tells the encoding of a profile.
func profileSuffix(name string) bool { return profile.IsProfilePath(name) }
