package merging

import (
	"slices"
	"strconv"
	"strings"

	"github.com/open-agent-profile/oap/repo"
)

// trailer gives the value of a trailer that a commit has once; "" where it has none or several.
func trailer(c *repo.Commit, key string) string {
	value := ""
	for _, t := range c.Trailers() {
		if t.Key != key {
			continue
		}
		if value != "" {
			return ""
		}
		value = t.Value
	}
	return value
}

// Ours reports whether a commit says that oap made it, and holds to what it says: one with a single parent
// changes only the paths that its trailers name. It guards against publishing a person's work by accident; it is no
// proof of who made a commit.
func Ours(c *repo.LogEntry) bool {
	var paths []string
	named := false
	for _, t := range c.Trailers() {
		switch t.Key {
		case "OAP-Path":
			paths = append(paths, t.Value)
		case "OAP-Profile", TrailerMerged:
			named = true
		}
	}
	if !named || len(c.Parents) > 1 {
		return named
	}
	return !slices.ContainsFunc(c.Changes, func(d repo.Diff) bool { return !slices.Contains(paths, d.Path) })
}

// IsState reports whether a commit is a state commit that can be put on another tip: one parent, one path, and
// trailers that say so.
func IsState(c *repo.LogEntry) bool {
	return Ours(c) && len(c.Parents) == 1 && len(c.Changes) == 1 &&
		c.Changes[0].Old != "" && c.Changes[0].New != "" &&
		trailer(&c.Commit, "OAP-Sections") == "state" && trailer(&c.Commit, "OAP-Revision") != ""
}

// remake gives the message of a state commit for another revision: subject, body and foreign trailers stay.
func remake(c *repo.Commit, fresh []repo.Trailer, notes string) repo.Message {
	was, now := trailer(c, "OAP-Revision"), ""
	replaced := map[string]string{}
	for _, t := range fresh {
		replaced[t.Key] = t.Value
		if t.Key == "OAP-Revision" {
			now = t.Value
		}
	}
	m := repo.Message{Subject: renumber(c.Subject(), was, now)}
	for _, t := range c.Trailers() {
		if v, ok := replaced[t.Key]; ok {
			t.Value = v
		}
		m.Trailers = append(m.Trailers, t)
	}
	m.Body = bodyOf(c.Message)
	// What an earlier move gave up was about another tip.
	if i := strings.LastIndex(m.Body, summaryGone); i >= 0 && notes != "" {
		m.Body = strings.TrimRight(m.Body[:i], "\n")
	}
	if notes != "" {
		m.Body += "\n\n" + notes
	}
	return m
}

// bodyOf gives what stands between the subject and the trailers.
func bodyOf(message string) string {
	_, rest, _ := strings.Cut(strings.TrimLeft(message, "\n"), "\n")
	rest = strings.TrimRight(strings.TrimLeft(rest, "\n"), "\n")
	if len(repo.ParseTrailers(message)) == 0 {
		return rest
	}
	i := strings.LastIndex("\n\n"+rest, "\n\n")
	return strings.TrimRight(rest[:max(i-2, 0)], "\n")
}

// renumber replaces the revision in a subject, where it stands alone as "r8".
func renumber(subject, was, now string) string {
	if _, err := strconv.Atoi(was); err != nil || now == "" {
		return subject
	}
	for from := 0; ; {
		i := strings.Index(subject[from:], "r"+was)
		if i < 0 {
			return subject
		}
		i += from
		end := i + 1 + len(was)
		if !wordAt(subject, i-1) && !wordAt(subject, end) {
			return subject[:i] + "r" + now + subject[end:]
		}
		from = end
	}
}

func wordAt(s string, i int) bool {
	if i < 0 || i >= len(s) {
		return false
	}
	c := s[i]
	return c == '_' || c == '-' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}
