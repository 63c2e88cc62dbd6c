package audit

import (
	"slices"
	"strings"

	"github.com/open-agent-profile/oap/canonical"
	"github.com/open-agent-profile/oap/internal/textedit"
)

// readEntry reads an entry; a plain one without the detour over the real reader and writer.
func (p *parts) readEntry(text, name string) *part {
	fields, ok := plainEntry(text, p.fields[:0])
	var e *part
	if ok {
		p.fields = fields
		e = plainPart(text, fields)
	} else {
		list, _ := parsed(text).([]any)
		if len(list) != 1 {
			return nil
		}
		value, ok := list[0].(map[string]any)
		if !ok {
			return nil
		}
		e = finished(text, value)
	}
	if e == nil {
		return nil
	}
	e.list = name
	value := e.value.(map[string]any)
	if name == "history" {
		e.logged = loggedOf(value, sumBytes(e.json))
		return e
	}
	i := slices.IndexFunc(collections, func(c struct{ name, member string }) bool { return c.name == name })
	e.entry, e.named = entryOf(name, collections[i].member, value, e.json)
	return e
}

// plainPart makes a part of plain fields.
func plainPart(text string, fields []field) *part {
	value := make(map[string]any, len(fields))
	json := make([]byte, 1, len(text))
	json[0] = '{'
	slices.SortFunc(fields, func(a, b field) int { return strings.Compare(a.key, b.key) })
	ok := true
	for i, f := range fields {
		if i > 0 {
			json = append(json, ',')
		}
		json = append(append(append(json, '"'), f.key...), `":`...)
		if json, ok = appendPlain(json, f.value); !ok {
			for _, f := range fields {
				value[f.key] = f.value
			}
			return finished(text, value)
		}
		value[f.key] = f.value
	}
	return &part{text: strings.Clone(text), value: value, json: append(json, '}')}
}

// leaf reads a member whole.
func leaf(m piece) *part {
	if !strings.Contains(m.text[:m.head], "#") && strings.Trim(m.text[m.head:], " \n") == "" {
		if v, ok := plainScalar(strings.Trim(m.text[strings.IndexByte(m.text, ':')+1:m.head], " \n")); ok {
			if json, ok := appendPlain(nil, v); ok {
				return &part{text: strings.Clone(m.text), value: v, json: json}
			}
			return finished(m.text, v)
		}
	}
	one, _ := parsed(m.text).(map[string]any)
	v, ok := one[m.key]
	if len(one) != 1 || !ok {
		return nil
	}
	return finished(m.text, v)
}

// parsed reads a piece of YAML as the document would be read; nil where it is none by itself.
func parsed(text string) any {
	d, err := textedit.Parse([]byte(text), textedit.YAML, textedit.Options{MaxDepth: 50})
	if err != nil {
		return nil
	}
	return d.Value()
}

// finished makes a part of a text and its value. The text is copied, since it would hold the whole document
// in memory.
func finished(text string, v any) *part {
	json, err := canonical.JCS(v)
	if err != nil {
		return nil
	}
	return &part{text: strings.Clone(text), value: v, json: json}
}
