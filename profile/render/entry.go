package render

import (
	"bytes"
	"encoding/json"
	"strings"
	"time"

	"github.com/open-agent-profile/oap/delta"
	"github.com/open-agent-profile/oap/internal/term"
)

// item is one line of state, or its summary.
type item struct {
	collection, id string
	line           string // with its newline
	pinned         bool
	rank           int  // in the order of going; pinned ones have none
	out            bool // left out
}

// collections are the lists of state in the order in which they are shown, each with the members of an
// entry that an agent needs, in order. The others only serve retention.
var collections = []struct {
	name, title, key string
	members          []string
}{
	{"facts", "facts:", "id", []string{"id", "text", "confidence", "source", "scope", "tags", "learned_at"}},
	{"preferences", "preferences:", "id", []string{"id", "text", "confidence", "source", "scope", "tags", "learned_at"}},
	{"glossary", "glossary:", "term", []string{"term", "definition", "source"}},
	{"open_threads", "open threads:", "id", []string{"id", "title", "detail", "status", "refs", "updated_at"}},
}

// summaryOf is the collection of the one entry that a summary is.
const summaryOf = "summary"

// collect gives the entries of state that may be shown, and those that have expired.
func collect(doc map[string]any, now time.Time) (items []*item, expired []Omitted) {
	state, _ := doc["state"].(map[string]any)
	if s := strings.TrimSpace(text(state["summary"])); s != "" {
		items = append(items, &item{collection: summaryOf, line: "summary: " + quoted(s) + "\n"})
	}
	var open []map[string]any // beside items[first:]
	first := len(items)
	for _, c := range collections {
		entries, _ := state[c.name].([]any)
		for _, v := range entries {
			e, ok := v.(map[string]any)
			if !ok || e["status"] == "done" || e["status"] == "abandoned" {
				continue
			}
			it := &item{collection: c.name, id: text(e[c.key]), pinned: e["pinned"] == true}
			if !it.pinned && ended(e, now) {
				expired = append(expired, Omitted{Collection: c.name, ID: it.id, Reason: "expired"})
				continue
			}
			it.line = lineOf(e, c.members, it.pinned)
			items = append(items, it)
			open = append(open, e)
		}
	}
	rank(items[first:], open, delta.PolicyOf(doc).Eviction)
	if first == 1 {
		items[0].rank = len(items) // the summary is the last to go
	}
	return items, expired
}

// ended reports whether an entry's time has passed, as retention has it.
func ended(e map[string]any, now time.Time) bool {
	if now.IsZero() {
		return false
	}
	end, ok := delta.Instant(text(e["expires_at"]))
	return ok && !now.Before(end)
}

// lineOf writes an entry as one line.
func lineOf(e map[string]any, members []string, pinned bool) string {
	var b strings.Builder
	b.WriteString("- {")
	if pinned {
		b.Reset()
		b.WriteString("* {")
	}
	first := true
	for _, k := range members {
		v, ok := e[k]
		if !ok {
			continue
		}
		if !first {
			b.WriteString(", ")
		}
		first = false
		b.WriteString(`"` + k + `": ` + valueOf(v))
	}
	b.WriteString("}\n")
	return b.String()
}

// valueOf writes a text, a number or a list of texts. What else stands there breaks the schema and is not
// shown.
func valueOf(v any) string {
	switch x := v.(type) {
	case string:
		return quoted(x)
	case float64:
		if b, err := json.Marshal(x); err == nil {
			return string(b)
		}
	case []any:
		parts := make([]string, len(x))
		for i, e := range x {
			parts[i] = quoted(text(e))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	}
	return "null"
}

// quoted writes text of state as a JSON string without a "<", so that no mark can stand in it. What nobody
// could see is made visible before: it could say something to a model that no reviewer reads. Line feeds
// and tabs become escapes of JSON.
func quoted(s string) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if enc.Encode(term.EscapeLines(s)) != nil {
		return `""`
	}
	return strings.ReplaceAll(strings.TrimSuffix(b.String(), "\n"), "<", `\u003c`)
}
