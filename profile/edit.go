package profile

import (
	"fmt"
	"slices"

	"github.com/open-agent-profile/oap/canonical"
	"github.com/open-agent-profile/oap/internal/textedit"
	"github.com/open-agent-profile/oap/schemas"
)

// Edited is the outcome of [Document.Edit].
type Edited struct {
	Document *Document // the new document, parsed from Text
	Text     []byte
	// Rerendered names subtrees that had to be written anew because the text around them left no exact
	// way; comments inside them are lost. Almost always empty.
	Rerendered []string
}

// Edit gives the text that says want and keeps every byte that need not change: comments, blank lines,
// quoting, order, indentation, line ends. The document itself is unchanged. The error is a
// [*textedit.RefusedError] where no exact edit exists.
func (d *Document) Edit(want map[string]any) (Edited, error) {
	res, err := d.text.Edit(want, layout{})
	if err != nil {
		return Edited{}, fmt.Errorf("%s: %w", d.Path, err)
	}
	doc, err := ParseAs(d.Path, res.Text, d.Encoding)
	if err != nil {
		return Edited{}, err
	}
	if !canonical.Equal(doc.Value, want) {
		return Edited{}, fmt.Errorf("%s: the edited text does not say what was wanted", d.Path)
	}
	return Edited{Document: doc, Text: res.Text, Rerendered: res.Rerendered}, nil
}

// Encode writes a profile or delta anew in the given encoding, members in the order of the schema. The value,
// and so both digests, stay the same.
func Encode(v map[string]any, enc textedit.Format) ([]byte, error) {
	if v["kind"] == KindDelta {
		return textedit.Encode(v, enc, deltaLayout{}, textedit.Options{})
	}
	return textedit.Encode(v, enc, layout{}, textedit.Options{Body: bodyPointer})
}

// deltaLayout tells the editor how deltas are laid out; they are written once and never edited.
type deltaLayout struct{}

// Order is the schema's. What an operation carries is any value to the schema; entries of state are
// written as they will stand in the profile, whichever collection they are for.
func (deltaLayout) Order(parent canonical.Pointer) []string {
	if len(parent) != 3 || parent[0] != "operations" || parent[2] != "value" {
		return schemas.OrderIn("delta", parent)
	}
	var order []string
	for _, list := range []string{"facts", "open_threads", "glossary"} {
		for _, name := range schemas.Order(canonical.Pointer{"state", list, "0"}) {
			if !slices.Contains(order, name) {
				order = append(order, name)
			}
		}
	}
	return order
}

func (deltaLayout) Identity(canonical.Pointer) string { return "" }

// layout tells the editor how profiles are laid out.
type layout struct{}

func (layout) Order(parent canonical.Pointer) []string { return schemas.Order(parent) }

// Identity names the member that identifies the entries of a list (design, merging by meaning).
func (layout) Identity(list canonical.Pointer) string { return Identity(list) }

// identities are the lists whose entries have a name of their own, by pointer.
var identities = map[string]string{
	"/extends":                "name",
	"/spec/tools/bindings":    "name",
	"/spec/tools/mcp_servers": "name",
	"/spec/tools/skills":      "name",
	"/spec/memory/stores":     "name",
	"/state/facts":            "id",
	"/state/preferences":      "id",
	"/state/open_threads":     "id",
	"/state/glossary":         "term",
	"/history":                "revision",
}

// Identity gives the member that identifies entries of the list at a pointer: id, term, name or
// revision; empty where entries are told apart by value or position only.
func Identity(list canonical.Pointer) string { return identities[list.String()] }
