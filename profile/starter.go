package profile

import (
	_ "embed"
	"fmt"
	"time"

	"github.com/open-agent-profile/oap/canonical"
	"github.com/open-agent-profile/oap/internal/textedit"
)

//go:embed starter.agent.yaml
var starter []byte

// Starter gives the text of a new profile with the least rights: a commented contract to fill in, empty
// state and history in place. Only YAML carries the comments. The text is valid without warnings if name
// and description are; whether they are is for [Document.Check] to say.
func Starter(name, description string, now time.Time, enc textedit.Format) ([]byte, error) {
	doc, err := Parse("starter.agent.yaml", starter)
	if err != nil {
		return nil, fmt.Errorf("starter: %w", err)
	}
	want := canonical.Clone(doc.Value).(map[string]any)
	meta := want["metadata"].(map[string]any)
	meta["name"], meta["description"] = name, description
	meta["created_at"] = now.UTC().Truncate(time.Second).Format(time.RFC3339)
	if enc != textedit.YAML {
		return Encode(want, enc)
	}
	edited, err := doc.Edit(want)
	if err != nil {
		return nil, err
	}
	return edited.Text, nil
}
