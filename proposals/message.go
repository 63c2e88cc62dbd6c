package proposals

import (
	"fmt"
	"slices"
	"strings"

	"github.com/open-agent-profile/oap/internal/term"
	"github.com/open-agent-profile/oap/repo"
)

// Headings of a message's body. They stand at the start of a line; all text of a session is indented, so
// that no session can write one.
const (
	headRationale = "Rationale"
	headSummary   = "Summary"
	headReason    = "Reason"
	headAsks      = "Asks to"
	headChanges   = "Changes"
	headRisk      = "Risk"
)

// Keys of trailers (design section 3).
const (
	keyProfile  = "OAP-Profile"
	keyPath     = "OAP-Path"
	keyRevision = "OAP-Revision"
	keySections = "OAP-Sections"
	keyDigest   = "OAP-Profile-Digest"
	keySpec     = "OAP-Spec-Digest"
	keyDelta    = "OAP-Delta"
	keySession  = "OAP-Session"
	keyHarness  = "OAP-Harness"
	keyApproved = "OAP-Approved-By"
	keyProposal = "OAP-Proposal"
	keyRisk     = "OAP-Risk"
	keyDecision = "OAP-Decision"
	keyEdited   = "OAP-Edited"
)

// body builds the body of a message from headed sections.
type body struct{ b strings.Builder }

// text writes a section of running text, folded to lines that tools which lint messages accept.
func (m *body) text(head, s string) {
	if strings.TrimSpace(s) == "" {
		return
	}
	m.gap()
	m.b.WriteString(head + "\n")
	for i, paragraph := range paragraphs(s) {
		if i > 0 {
			m.b.WriteString("\n")
		}
		m.b.WriteString(fold(paragraph, "  ") + "\n")
	}
}

// line writes a line of our own words; what stands in it of others is escaped.
func (m *body) line(format string, args ...any) {
	m.b.WriteString(term.Escape(fmt.Sprintf(format, args...)) + "\n")
}

func (m *body) gap() {
	if m.b.Len() > 0 {
		m.b.WriteString("\n")
	}
}

// changes writes each added and removed entry on a line of its own, below its place.
func (m *body) changes(list []Change) {
	if len(list) == 0 {
		return
	}
	m.gap()
	m.line("%s", headChanges)
	at := ""
	for i, c := range list {
		if i == 0 || c.Pointer != at {
			at = c.Pointer
			m.line("  %s", at)
		}
		m.line("    %s", c)
	}
}

func (m *body) risk(risk Risk, reasons []Reason) {
	m.gap()
	m.line("%s %s", headRisk, risk)
	for _, r := range reasons {
		m.line("  %s %s: %s", r.Risk, r.Pointer, r.Message)
	}
}

func (m *body) String() string { return m.b.String() }

// paragraphs cuts at blank lines.
func paragraphs(s string) []string {
	s = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\u2028", "\n", "\u2029", "\n\n").Replace(s)
	var out []string
	var lines []string
	flush := func() {
		if len(lines) > 0 {
			out = append(out, strings.Join(lines, " "))
		}
		lines = nil
	}
	for l := range strings.SplitSeq(s, "\n") {
		if strings.TrimSpace(l) == "" {
			flush()
			continue
		}
		lines = append(lines, l)
	}
	flush()
	return out
}

// fold fills lines of at most 72 columns behind an indent; what cannot be seen is shown.
func fold(s, indent string) string { return repo.Fill(term.Escape(s), indent) }

// section reads a headed section of a message back, its paragraphs unfolded.
func section(message, head string) string {
	lines := strings.Split(message, "\n")
	start := slices.Index(lines, head)
	if start < 0 {
		return ""
	}
	var out []string
	for _, l := range lines[start+1:] {
		if l != "" && !strings.HasPrefix(l, "  ") {
			break
		}
		out = append(out, strings.TrimSpace(l))
	}
	return strings.Join(paragraphs(strings.Join(out, "\n")), "\n\n")
}

// headed reads the rest of a line that starts with a head: "Asks to replace /spec/model".
func headed(message, head string) string {
	for l := range strings.SplitSeq(message, "\n") {
		if rest, ok := strings.CutPrefix(l, head+" "); ok {
			return rest
		}
	}
	return ""
}

// trailer gives the last value of a key, "" where there is none.
func trailer(message, key string) string {
	value := ""
	for _, t := range repo.ParseTrailers(message) {
		if t.Key == key {
			value = t.Value
		}
	}
	return value
}
