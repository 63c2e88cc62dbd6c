package merging

import (
	"bytes"
	"fmt"
	"path"

	"github.com/open-agent-profile/oap/internal/textedit"
	"github.com/open-agent-profile/oap/profile"
)

// Versions are the texts of one profile: of the common ancestor, empty where there is none, and of both sides.
type Versions struct {
	Path               string // of the result; its suffix says the encoding. "" lets the text say it
	Base, Ours, Theirs []byte
}

// documents are the versions as read. base is nil where there is no common ancestor.
type documents struct {
	base, ours, theirs *profile.Document
}

// SideError says which version stands in the way of a merge by meaning.
type SideError struct {
	Side string // "base", "ours" or "theirs"
	Err  error
}

func (e *SideError) Error() string { return fmt.Sprintf("the %s version: %v", e.Side, e.Err) }

// Unwrap gives what is wrong with the version.
func (e *SideError) Unwrap() error { return e.Err }

// read parses all versions. Both sides have to be valid. The base only has to be readable: that it had faults
// which one side mended is no reason to refuse.
func (v Versions) read() (documents, error) {
	var d documents
	var err error
	if len(bytes.TrimSpace(v.Base)) > 0 {
		if d.base, err = Read(v.Path, v.Base); err != nil {
			return d, &SideError{"base", err}
		}
	}
	for _, side := range []struct {
		name string
		text []byte
		into **profile.Document
	}{{"ours", v.Ours, &d.ours}, {"theirs", v.Theirs, &d.theirs}} {
		if *side.into, err = Read(v.Path, side.text); err == nil {
			_, err = (*side.into).Validate()
		}
		if err != nil {
			return d, &SideError{side.name, err}
		}
	}
	return d, nil
}

// Read parses a profile whose name may not tell its encoding: git hands versions over in temporary files, and a
// file may have been written anew in another encoding under the same name. The encoding of the name goes first; the
// error is that of the first try. A delta is an error, too.
func Read(name string, text []byte) (*profile.Document, error) {
	label := name
	if label == "" {
		label = "profile.agent.yaml"
	}
	guesses := []textedit.Format{profile.EncodingOf(label), textedit.Markdown, textedit.JSON, textedit.YAML}
	if first := guess(text); path.Ext(name) == "" {
		guesses[0] = first
	}
	var failed error
	for _, enc := range guesses {
		d, err := profile.ParseAs(label, text, enc)
		if err == nil && d.Kind() != profile.KindProfile {
			err = fmt.Errorf("%s: the document is no agent profile", label)
		}
		if err == nil {
			return d, nil
		}
		if failed == nil {
			failed = err
		}
	}
	return nil, failed
}

// guess looks at how a text begins.
func guess(text []byte) textedit.Format {
	text = bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))
	head := bytes.TrimLeft(text, " \t\r\n")
	first, rest, _ := bytes.Cut(text, []byte("\n"))
	switch {
	case bytes.HasPrefix(head, []byte("{")):
		return textedit.JSON
	case bytes.Equal(bytes.TrimRight(first, " \r"), []byte("---")) && (bytes.Contains(rest, []byte("\n---\n")) || bytes.Contains(rest, []byte("\n---\r\n"))):
		return textedit.Markdown
	}
	return textedit.YAML
}

// valueOf is the value of a document, nil where there is none.
func valueOf(d *profile.Document) map[string]any {
	if d == nil {
		return nil
	}
	return d.Value
}
