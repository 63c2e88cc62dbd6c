package render

import (
	"bytes"
	"encoding/json"
	"strings"
	"time"

	"github.com/open-agent-profile/oap/canonical"
)

// Options are what a harness adds to a prompt.
type Options struct {
	Preamble  string // first
	Postamble string // last: the rules that nothing above can change
	// MaxStateTokens and MaxStateBytes lower the budget of the profile; nil leaves it.
	MaxStateTokens, MaxStateBytes *int
	// Now leaves out what has expired by then; the zero time leaves nothing out.
	Now time.Time
}

// Prompt is a rendered profile.
type Prompt struct {
	Text   string
	State  Block
	Tokens int // of Text, estimated
}

// Render writes the prompt of a resolved document: a value with "spec", "state" and "metadata". Absent
// parts have no place in it. It is pure and gives the same text for the same value.
func Render(doc map[string]any, o Options) Prompt {
	role, _ := lookup(doc, "spec", "role").(map[string]any)
	p := Prompt{State: State(doc, o)}
	p.Text = join(
		o.Preamble,
		text(role["instructions"]),
		bullets("Objectives:", role["objectives"]),
		object("Persona:", role["persona"]),
		bullets("Constraints:", role["constraints"]), // behind the instructions, so that they win
		object("Examples:", role["examples"]),
		p.State.Text,
		o.Postamble,
	)
	p.Tokens = Tokens(p.Text)
	return p
}

// Tokens estimates how many tokens a text is: one for three bytes, rounded up. English has about four
// bytes to a token, so this is on the safe side for it, and about right for scripts of three bytes a
// character.
func Tokens(s string) int { return (len(s) + 2) / 3 }

// join puts one blank line between parts and drops empty ones.
func join(parts ...string) string {
	var kept []string
	for _, p := range parts {
		if p = strings.TrimSpace(p); p != "" {
			kept = append(kept, p)
		}
	}
	if kept == nil {
		return ""
	}
	return strings.Join(kept, "\n\n") + "\n"
}

// bullets writes a list of texts. Further lines of an entry are indented, so that they stay in it.
func bullets(title string, v any) string {
	entries, _ := v.([]any)
	lines := []string{title}
	for _, e := range entries {
		if s := strings.TrimSpace(text(e)); s != "" {
			lines = append(lines, "- "+strings.ReplaceAll(s, "\n", "\n  "))
		}
	}
	if len(lines) == 1 {
		return ""
	}
	return strings.Join(lines, "\n")
}

// object writes a value as JSON, in which an example cannot pass for a part of the prompt.
func object(title string, v any) string {
	switch x := v.(type) {
	case map[string]any:
		if len(x) == 0 {
			return ""
		}
	case []any:
		if len(x) == 0 {
			return ""
		}
	default:
		return ""
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if enc.Encode(v) != nil {
		return "" // a NaN; no reader of ours lets one in
	}
	return title + "\n" + b.String()
}

func text(v any) string {
	s, _ := v.(string)
	return s
}

func lookup(v any, path ...string) any {
	got, _ := canonical.Get(v, path)
	return got
}
