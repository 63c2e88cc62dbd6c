package profile

import (
	"fmt"
	"path"
	"strings"

	"github.com/open-agent-profile/oap/canonical"
	"github.com/open-agent-profile/oap/internal/textedit"
)

// The two kinds of document in OAP 1.0. AgentProfileBundle and AgentProfileIndex are reserved names and
// so are refused like any unknown kind (OAP L1-P5).
const (
	KindProfile = "AgentProfile"
	KindDelta   = "AgentStateDelta"
)

// Suffixes of profile files, in the order in which a profile is looked for by name, and of deltas
// (OAP SPEC, encodings).
var (
	ProfileSuffixes = []string{".agent.yaml", ".agent.yml", ".agent.json", ".agent.md"}
	DeltaSuffixes   = []string{".delta.yaml", ".delta.yml", ".delta.json"}
)

// bodyPointer is the member that a Markdown profile keeps as its body.
const bodyPointer = "/spec/role/instructions"

// SyntaxError says that a file is not a document in its encoding, so that there is no value to check.
type SyntaxError struct {
	Path         string
	Line, Column int // 1-based
	Msg          string
}

func (e *SyntaxError) Error() string {
	return fmt.Sprintf("%s:%d:%d: %s", e.Path, e.Line, e.Column, e.Msg)
}

// Document is one profile or delta as read. Its Value is shared: treat it as read-only and edit a
// canonical.Clone.
type Document struct {
	Path     string // as given to Parse; only its base name has a meaning here
	Encoding textedit.Format
	Value    map[string]any

	text *textedit.Document
}

// EncodingOf tells the encoding from a file name: .md is Markdown, .json is JSON, everything else YAML.
func EncodingOf(name string) textedit.Format {
	switch strings.ToLower(path.Ext(name)) {
	case ".md":
		return textedit.Markdown
	case ".json":
		return textedit.JSON
	default:
		return textedit.YAML
	}
}

// IsProfilePath reports whether a path has one of [ProfileSuffixes].
func IsProfilePath(p string) bool { return hasSuffix(p, ProfileSuffixes) }

// IsDeltaPath reports whether a path has one of [DeltaSuffixes].
func IsDeltaPath(p string) bool { return hasSuffix(p, DeltaSuffixes) }

func hasSuffix(p string, suffixes []string) bool {
	_, ok := trimSuffix(p, suffixes)
	return ok
}

// trimSuffix cuts the base name's document suffix; a name that is nothing but the suffix has none.
func trimSuffix(p string, suffixes []string) (string, bool) {
	base := path.Base(p)
	for _, s := range suffixes {
		if stem, ok := strings.CutSuffix(base, s); ok && stem != "" {
			return stem, true
		}
	}
	return base, false
}

// Parse reads the text of a profile or delta. name gives the encoding and stands in messages; it is
// not opened. The error is a [*SyntaxError]; whether the document is valid is for [Document.Check].
func Parse(name string, src []byte) (*Document, error) {
	return ParseAs(name, src, EncodingOf(name))
}

// ParseAs is [Parse] with the encoding stated, for input that has no file name.
func ParseAs(name string, src []byte, enc textedit.Format) (*Document, error) {
	text, err := textedit.Parse(src, enc, textedit.Options{Body: bodyPointer})
	if err != nil {
		if se, ok := err.(*textedit.SyntaxError); ok {
			return nil, &SyntaxError{Path: name, Line: se.Line, Column: se.Column, Msg: se.Msg}
		}
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	value, ok := text.Value().(map[string]any)
	if !ok {
		return nil, &SyntaxError{Path: name, Line: 1, Column: 1, Msg: "the document is not a mapping"}
	}
	return &Document{Path: name, Encoding: enc, Value: value, text: text}, nil
}

// Bytes gives the text that the document was read from, byte for byte. Do not change it.
func (d *Document) Bytes() []byte { return d.text.Bytes() }

// Position gives the line and column, both from 1, of the place a pointer addresses, or of the nearest
// place above it that the text has.
func (d *Document) Position(pointer string) (line, column int) {
	p, err := canonical.ParsePointer(pointer)
	if err != nil {
		return 1, 1
	}
	return d.text.Position(p)
}

// Kind is the document's kind, empty where it has none.
func (d *Document) Kind() string { return d.str("kind") }

// Name is metadata.name.
func (d *Document) Name() string { return d.str("metadata", "name") }

// ID is metadata.id, which stays the same across renames; empty where there is none.
func (d *Document) ID() string { return d.str("metadata", "id") }

// Revision is metadata.revision, which is 1 where the file has none (OAP SPEC, metadata).
func (d *Document) Revision() int { return RevisionOf(d.Value) }

// RevisionOf is [Document.Revision] of a bare value.
func RevisionOf(v map[string]any) int {
	if n, ok := lookup(v, "metadata", "revision").(float64); ok && n >= 1 && n <= canonical.MaxSafeInteger {
		return int(n)
	}
	return 1
}

// UpdatedAt is metadata.updated_at as written, empty where there is none.
func (d *Document) UpdatedAt() string { return d.str("metadata", "updated_at") }

// Writeback is how a session's state reaches the file.
type Writeback string

// The writeback modes, strictest first (OAP SPEC, lifecycle).
const (
	WritebackOff     Writeback = "off"
	WritebackPropose Writeback = "propose"
	WritebackAuto    Writeback = "auto"
)

// Writeback is spec.lifecycle.writeback; absent means propose (OAP L2-A6).
func (d *Document) Writeback() Writeback {
	switch w := Writeback(d.str("spec", "lifecycle", "writeback")); w {
	case WritebackOff, WritebackAuto:
		return w
	default:
		return WritebackPropose
	}
}

// Lesser gives the stricter of two modes; an unknown word counts as off.
func (w Writeback) Lesser(o Writeback) Writeback {
	rank := map[Writeback]int{WritebackPropose: 1, WritebackAuto: 2}
	if rank[o] < rank[w] {
		w = o
	}
	if rank[w] == 0 {
		return WritebackOff
	}
	return w
}

func (d *Document) str(path ...string) string {
	s, _ := lookup(d.Value, path...).(string)
	return s
}

// lookup walks members only and gives nil where one is missing.
func lookup(v any, path ...string) any {
	got, _ := canonical.Get(v, path)
	return got
}

// Description is metadata.description.
func (d *Document) Description() string { return d.str("metadata", "description") }
