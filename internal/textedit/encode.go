package textedit

import (
	"fmt"

	"github.com/open-agent-profile/oap/canonical"
)

// Encode writes a value as a new document: members in schema order, block style, two columns a level.
// The text has been read back and holds exactly v. The error is a [*canonical.ValueError], or a
// [*RefusedError] where the format cannot hold the value.
func Encode(v any, f Format, s Schema, o Options) ([]byte, error) {
	if err := canonical.Check(v); err != nil {
		return nil, err
	}
	root, ok := v.(map[string]any)
	if !ok {
		return nil, &RefusedError{Reason: "a document must be a mapping"}
	}
	var text []byte
	switch f {
	case JSON:
		w := jsonWriter{layout: defaultLayout(), schema: s}
		text = append(w.value(nil, root, nil, "", nil), '\n')
	case YAML:
		text = encodeYAML(root, s)
	case Markdown:
		var err error
		if text, err = encodeMarkdown(root, s, o); err != nil {
			return nil, err
		}
	default:
		return nil, &RefusedError{Reason: "unknown document format"}
	}
	again, err := Parse(text, f, o)
	if err != nil {
		return nil, &RefusedError{Reason: fmt.Sprintf("the %v text would not be readable: %v", f, err)}
	}
	if !canonical.Equal(again.Value(), v) {
		return nil, &RefusedError{Reason: fmt.Sprintf("the %v text would not hold the same value", f)}
	}
	return text, nil
}

func encodeYAML(root map[string]any, s Schema) []byte {
	w := yamlWriter{layout: defaultLayout(), schema: s}
	if len(root) == 0 {
		return []byte("{}\n")
	}
	return append(w.members(nil, root, nil, 0, nil, true), '\n')
}

func encodeMarkdown(root map[string]any, s Schema, o Options) ([]byte, error) {
	pointer, err := canonical.ParsePointer(o.Body)
	if err != nil || len(pointer) == 0 {
		return nil, &RefusedError{Reason: "no member is named that the body could stand for"}
	}
	b := &body{pointer: pointer}
	front, leaf, found := b.split(root, root)
	text := []byte("---\n")
	text = append(text, encodeYAML(front.(map[string]any), s)...)
	text = append(text, "---\n"...)
	if !found {
		return text, nil
	}
	value, ok := leaf.(string)
	if !ok || !b.fits(value) {
		return nil, &RefusedError{o.Body, bodyRule}
	}
	return append(append(text, '\n'), value...), nil
}

const bodyRule = `a Markdown body is a text that does not begin with a line break and ends in exactly one "\n"`
