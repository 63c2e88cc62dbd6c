package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/open-agent-profile/oap/internal/term"
	"github.com/open-agent-profile/oap/profile"
)

// palette decides about colour for standard output.
func (a *app) palette() (term.Palette, error) {
	when, err := term.ParseWhen(a.color)
	if err != nil {
		return term.Palette{}, usagef("--color: %v", err)
	}
	return term.Palette{On: when.Colour(isTerminal(a.out), a.getenv)}, nil
}

// reportText prints a line a finding, as compilers do, so that editors can jump to it.
func reportText(a *app, v *validation) error {
	p, err := a.palette()
	if err != nil {
		return err
	}
	for _, c := range v.checked {
		for _, f := range c.findings {
			severity := p.Red(string(f.Severity))
			if f.Severity == profile.Warning {
				severity = p.Yellow(string(f.Severity))
			}
			a.printf("%s: %s: %s\n", p.Bold(term.Escape(place(f))), severity, term.Escape(said(f)))
		}
		if c.digest != nil {
			d := *c.digest
			d.Target = term.Escape(d.Target)
			if err := a.printDigests([]digested{d}); err != nil {
				return err
			}
		}
	}
	return nil
}

// place gives path:line:column; a finding about a path itself has no line.
func place(f profile.Finding) string {
	if f.Line == 0 {
		return f.Path
	}
	return fmt.Sprintf("%s:%d:%d", f.Path, f.Line, f.Column)
}

// said gives "/pointer: message [rule]".
func said(f profile.Finding) string {
	at := f.Pointer
	if at != "" {
		at += ": "
	}
	return at + f.Message + " [" + f.Rule + "]"
}

// reportJSON prints a line a finding; the command adds the last line.
func reportJSON(a *app, v *validation) error {
	type finding struct {
		Type string `json:"type"` // "finding"
		profile.Finding
	}
	for _, c := range v.checked {
		for _, f := range c.findings {
			if err := a.emit(finding{"finding", f}); err != nil {
				return err
			}
		}
		if c.digest != nil {
			if err := a.emit(c.digest); err != nil {
				return err
			}
		}
	}
	return nil
}

// Workflow commands end at a line feed, and their properties at a comma or colon (GitHub: workflow commands).
var (
	gitHubData     = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	gitHubProperty = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)

// reportGitHub prints workflow commands, which a GitHub job shows beside the lines of a pull request. No
// text of a document can start a command of its own: control characters are escaped, and a command is read
// at the start of a line only.
func reportGitHub(a *app, v *validation) error {
	for _, f := range v.findings() {
		at := "file=" + gitHubProperty.Replace(term.Escape(f.Path))
		if f.Line > 0 {
			at += fmt.Sprintf(",line=%d,col=%d", f.Line, f.Column)
		}
		title := gitHubProperty.Replace(term.Escape(f.Rule))
		a.printf("::%s %s,title=%s::%s\n", f.Severity, at, title, gitHubData.Replace(term.Escape(said(f))))
	}
	return nil
}

// reportGitLab prints a code quality report, one JSON array (GitLab: code quality report format).
func reportGitLab(a *app, v *validation) error {
	type lines struct {
		Begin int `json:"begin"`
	}
	type location struct {
		Path  string `json:"path"`
		Lines lines  `json:"lines"`
	}
	type issue struct {
		Description string   `json:"description"`
		CheckName   string   `json:"check_name"`
		Fingerprint string   `json:"fingerprint"`
		Severity    string   `json:"severity"`
		Location    location `json:"location"`
	}
	severities := map[profile.Severity]string{profile.Error: "major", profile.Warning: "minor"}
	issues := []issue{}
	marks := fingerprints{}
	for _, f := range v.findings() {
		issues = append(issues, issue{
			Description: term.Escape(said(f)), CheckName: f.Rule, Fingerprint: marks.of(f), Severity: severities[f.Severity],
			Location: location{Path: f.Path, Lines: lines{max(f.Line, 1)}},
		})
	}
	return encodeIndented(a.out, issues)
}

// encodeIndented writes one JSON value that a person may look at.
func encodeIndented(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}

// fingerprints name findings in a way that survives lines moving: by path, rule and pointer, and a count where those
// repeat, as for several findings at one place.
type fingerprints map[string]int

func (fs fingerprints) of(f profile.Finding) string {
	// The message is left out: it may repeat a value, which then tells a new finding from an old one.
	key := f.Path + "\x00" + f.Rule + "\x00" + f.Pointer
	n := fs[key]
	fs[key]++
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\x00%d", key, n))
	return hex.EncodeToString(sum[:])
}
