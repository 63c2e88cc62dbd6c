package profile

import (
	"bytes"
	"slices"

	"github.com/open-agent-profile/oap/internal/textedit"
)

// topMembers are the members of a profile. In a text of the usual form each begins a line.
var topMembers = []string{"oap", "kind", "extends", "metadata", "spec", "state", "history"}

// RevisionIn gives metadata.revision of a text as Parse and [Document.Revision] would, without reading more than its
// metadata: a history has thousands of versions, and most of them are of no interest. It knows YAML in the usual form
// only, block style with each member once at the beginning of a line; ok is false for anything else. The rest of the
// text is not looked at, so a document that Parse refuses may have a revision here.
func RevisionIn(name string, text []byte) (revision int, ok bool) {
	if EncodingOf(name) != textedit.YAML {
		return 0, false
	}
	var block []byte
	inside := false
	seen := map[string]bool{}
	for line := range bytes.Lines(text) {
		switch line[0] {
		case ' ', '\n', '\r', '#', '-':
			if len(line) > 2 && line[0] == '-' && line[1] == '-' {
				return 0, false // a mark between documents
			}
			if inside {
				block = append(block, line...)
			}
			continue
		}
		key, _, found := bytes.Cut(line, []byte(":"))
		if !found || !slices.Contains(topMembers, string(key)) || seen[string(key)] {
			return 0, false
		}
		seen[string(key)] = true
		if inside = string(key) == "metadata"; inside {
			block = append(block, line...)
		}
	}
	if !seen["oap"] || !seen["metadata"] || bytes.Contains(block, []byte("<<")) {
		return 0, false
	}
	doc, err := textedit.Parse(block, textedit.YAML, textedit.Options{})
	if err != nil {
		return 0, false
	}
	v, _ := doc.Value().(map[string]any)
	return RevisionOf(v), true
}
