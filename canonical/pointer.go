package canonical

import (
	"fmt"
	"strings"
)

// Pointer is a parsed JSON Pointer: its reference tokens, unescaped. Nil addresses the whole document.
type Pointer []string

// PointerError says why a text is not a JSON Pointer.
type PointerError struct {
	Text   string // the text as given
	Reason string // what is wrong with it, without the text
}

func (e *PointerError) Error() string {
	return fmt.Sprintf("%q is not a JSON pointer: %s", e.Text, e.Reason)
}

// ParsePointer reads a JSON Pointer (RFC 6901 §3). It is strict: the text is empty or starts with "/",
// and "~" is followed by "0" or "1". The error is a [*PointerError].
func ParsePointer(s string) (Pointer, error) {
	if s == "" {
		return nil, nil
	}
	if s[0] != '/' {
		return nil, &PointerError{s, `it does not start with "/"`}
	}
	tokens := strings.Split(s[1:], "/")
	for i, raw := range tokens {
		t, ok := unescape(raw)
		if !ok {
			return nil, &PointerError{s, `"~" must be followed by 0 or 1`}
		}
		tokens[i] = t
	}
	return tokens, nil
}

// unescape undoes RFC 6901 §4: ~1 first, then ~0, so that "~01" means "~1".
func unescape(t string) (string, bool) {
	if !strings.Contains(t, "~") {
		return t, true
	}
	for i := 0; i < len(t); i++ {
		if t[i] == '~' && (i+1 == len(t) || t[i+1] != '0' && t[i+1] != '1') {
			return "", false
		}
	}
	return strings.ReplaceAll(strings.ReplaceAll(t, "~1", "/"), "~0", "~"), true
}

// Escape writes one reference token for use in a pointer text.
func Escape(token string) string {
	return strings.ReplaceAll(strings.ReplaceAll(token, "~", "~0"), "/", "~1")
}

// String gives the pointer's text; ParsePointer(p.String()) is p.
func (p Pointer) String() string {
	var b strings.Builder
	for _, t := range p {
		b.WriteByte('/')
		b.WriteString(Escape(t))
	}
	return b.String()
}

// Append gives a new pointer with further tokens; p itself is never shared or changed.
func (p Pointer) Append(tokens ...string) Pointer {
	out := make(Pointer, 0, len(p)+len(tokens))
	return append(append(out, p...), tokens...)
}

// HasPrefix reports whether p is q or lies below it.
func (p Pointer) HasPrefix(q Pointer) bool {
	if len(p) < len(q) {
		return false
	}
	for i := range q {
		if p[i] != q[i] {
			return false
		}
	}
	return true
}

// Index reads an array index (RFC 6901 §4): digits without sign or leading zeros. Numbers past
// nine digits are no index, since no array here is that long.
func Index(token string) (int, bool) {
	if token == "" || len(token) > 9 || len(token) > 1 && token[0] == '0' {
		return 0, false
	}
	n := 0
	for i := 0; i < len(token); i++ {
		c := token[i]
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + int(c-'0')
	}
	return n, true
}

// Get finds what p addresses in v. It is false where a member, an index or a container is missing.
func Get(v any, p Pointer) (any, bool) {
	for _, t := range p {
		switch c := v.(type) {
		case map[string]any:
			m, ok := c[t]
			if !ok {
				return nil, false
			}
			v = m
		case []any:
			i, ok := Index(t)
			if !ok || i >= len(c) {
				return nil, false
			}
			v = c[i]
		default:
			return nil, false
		}
	}
	return v, true
}
