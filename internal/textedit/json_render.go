package textedit

import (
	"unicode/utf8"

	"github.com/open-agent-profile/oap/canonical"
)

// jsonWriter writes values in the layout of a JSON document.
type jsonWriter struct {
	layout
	schema Schema
	text   []byte // of the templates
}

// value writes v; indent is what the line begins with on which v stands.
func (w *jsonWriter) value(dst []byte, v any, at canonical.Pointer, indent string, t template) []byte {
	switch x := v.(type) {
	case map[string]any:
		keys, _ := order(w.schema, at, x)
		return w.collection(dst, "{}", len(x), indent, w.oneLine(t, mapNode), func(dst []byte, i int, indent string) []byte {
			dst = append(appendJSONString(dst, keys[i], false), w.json.colon...)
			return w.value(dst, x[keys[i]], at.Append(keys[i]), indent, t.member(keys[i]))
		})
	case []any:
		items := t.items()
		return w.collection(dst, "[]", len(x), indent, w.oneLine(t, listNode), func(dst []byte, i int, indent string) []byte {
			return w.value(dst, x[i], at.Append("0"), indent, items)
		})
	case string:
		return appendJSONString(dst, x, false)
	case float64:
		return appendNumber(dst, x)
	case bool:
		if x {
			return append(dst, "true"...)
		}
		return append(dst, "false"...)
	}
	return append(dst, "null"...)
}

// collection writes n entries between brackets; entry gets the index and what its line begins with.
func (w *jsonWriter) collection(dst []byte, brackets string, n int, indent string, oneLine bool, entry func([]byte, int, string) []byte) []byte {
	dst = append(dst, brackets[0])
	inner := indent + w.json.indent
	for i := range n {
		switch {
		case !oneLine:
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = append(append(dst, w.eol...), inner...)
		case i > 0:
			dst = append(dst, w.json.comma...)
		}
		dst = entry(dst, i, inner)
	}
	if n > 0 && !oneLine {
		dst = append(append(dst, w.eol...), indent...)
	}
	return append(dst, brackets[1])
}

// oneLine reports whether a collection goes on one line: as its siblings do, else as the document does.
func (w *jsonWriter) oneLine(t template, k kind) bool {
	if n := t.collection(k); n != nil {
		return !hasBreak(w.text[n.start:n.end])
	}
	return !w.json.multi
}

// appendJSONString writes the shortest escapes; ascii also escapes what a terminal would act on.
func appendJSONString(dst []byte, s string, ascii bool) []byte {
	const hex = "0123456789abcdef"
	dst = append(dst, '"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			dst = append(dst, '\\', byte(r))
		case r == '\n':
			dst = append(dst, '\\', 'n')
		case r == '\t':
			dst = append(dst, '\\', 't')
		case r == '\r':
			dst = append(dst, '\\', 'r')
		case r == '\b':
			dst = append(dst, '\\', 'b')
		case r == '\f':
			dst = append(dst, '\\', 'f')
		case r < ' ' || ascii && r < 0x10000 && (needsEscape(r) || r >= 0x200B && r <= 0x206F):
			dst = append(dst, '\\', 'u', hex[r>>12&15], hex[r>>8&15], hex[r>>4&15], hex[r&15])
		default:
			dst = utf8.AppendRune(dst, r)
		}
	}
	return append(dst, '"')
}
