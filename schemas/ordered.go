package schemas

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// object is a JSON object that remembers the order of its members, which for a schema is the order in
// which people want to read a document.
type object struct {
	keys   []string
	values map[string]any
}

// reader decodes the JSON of embedded schemas into *object, []any, string, float64, bool and nil.
// encoding/json cannot keep the order except token by token, which takes ten times as long; a schema
// would then cost more than checking a document with it. A test holds the two against each other.
type reader struct {
	text string
	at   int
}

func decode(text []byte) (any, error) {
	r := &reader{text: string(text)}
	v, err := r.value()
	if err != nil {
		return nil, fmt.Errorf("byte %d: %w", r.at, err)
	}
	if r.next() != 0 {
		return nil, fmt.Errorf("byte %d: text behind the schema", r.at)
	}
	return v, nil
}

// next skips blanks and peeks; 0 is the end.
func (r *reader) next() byte {
	for ; r.at < len(r.text); r.at++ {
		switch c := r.text[r.at]; c {
		case ' ', '\t', '\r', '\n':
		default:
			return c
		}
	}
	return 0
}

func (r *reader) take(c byte) error {
	if r.next() != c {
		return fmt.Errorf("%q missing", c)
	}
	r.at++
	return nil
}

func (r *reader) value() (any, error) {
	switch r.next() {
	case '{':
		return r.object()
	case '[':
		list := []any{}
		err := r.sequence(']', func() error {
			v, err := r.value()
			list = append(list, v)
			return err
		})
		return list, err
	case '"':
		return r.string()
	default:
		return r.word()
	}
}

func (r *reader) object() (*object, error) {
	o := &object{values: map[string]any{}}
	err := r.sequence('}', func() error {
		r.next()
		key, err := r.string()
		if err != nil {
			return err
		}
		if _, twice := o.values[key]; twice {
			return fmt.Errorf("member %q twice", key)
		}
		if err := r.take(':'); err != nil {
			return err
		}
		o.keys = append(o.keys, key)
		o.values[key], err = r.value()
		return err
	})
	return o, err
}

// sequence reads what stands between brackets, item by item.
func (r *reader) sequence(end byte, item func() error) error {
	r.at++
	if r.next() == end {
		r.at++
		return nil
	}
	for {
		if err := item(); err != nil {
			return err
		}
		if r.next() != ',' {
			return r.take(end)
		}
		r.at++
	}
}

func (r *reader) string() (string, error) {
	if err := r.take('"'); err != nil {
		return "", err
	}
	rest := r.text[r.at:]
	end := strings.IndexByte(rest, '"')
	if end >= 0 && strings.IndexByte(rest[:end], '\\') < 0 {
		r.at += end + 1
		return rest[:end], nil
	}
	for end = 0; end < len(rest) && rest[end] != '"'; end++ {
		if rest[end] == '\\' {
			end++
		}
	}
	if end >= len(rest) {
		return "", fmt.Errorf("text without an end")
	}
	var s string
	err := json.Unmarshal([]byte(r.text[r.at-1:r.at+end+1]), &s)
	r.at += end + 1
	return s, err
}

// word reads what is neither text nor container.
func (r *reader) word() (any, error) {
	rest := r.text[r.at:]
	if end := strings.IndexAny(rest, ",]} \t\r\n"); end >= 0 {
		rest = rest[:end]
	}
	r.at += len(rest)
	switch rest {
	case "true", "false":
		return rest == "true", nil
	case "null":
		return nil, nil
	}
	f, err := strconv.ParseFloat(rest, 64)
	return f, err
}
