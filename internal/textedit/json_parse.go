package textedit

import (
	"bytes"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// jsonScanner reads RFC 8259 text into nodes. The YAML library misreads JSON in several places (escapes
// "\/" and surrogate pairs, long keys, raw U+2028), so JSON has its own reader.
type jsonScanner struct {
	text  []byte
	i     int
	total int
	opts  Options
}

// parseJSON reads one JSON document whose root is an object.
func parseJSON(text []byte, o Options) (*node, error) {
	s := &jsonScanner{text: text, opts: o}
	s.space()
	if s.i == len(text) {
		return nil, faultAt(0, "the file is empty")
	}
	root, err := s.value(1)
	if err != nil {
		return nil, err
	}
	if s.space(); s.i < len(text) {
		return nil, faultAt(s.i, "text follows the end of the document")
	}
	if root.kind != mapNode {
		return nil, faultAt(root.start, "the document must be an object")
	}
	return root, nil
}

// space goes over the four characters of RFC 8259 §2; JSON has no comments.
func (s *jsonScanner) space() {
	for s.i < len(s.text) {
		switch s.text[s.i] {
		case ' ', '\t', '\n', '\r':
			s.i++
		default:
			return
		}
	}
}

// value reads a value and everything in it. It recurses, but never deeper than MaxDepth.
func (s *jsonScanner) value(depth int) (*node, error) {
	if depth > s.opts.MaxDepth {
		return nil, faultAt(s.i, "nested deeper than %d levels", s.opts.MaxDepth)
	}
	if s.total++; s.total > s.opts.MaxNodes {
		return nil, faultAt(s.i, "the file has more than %d values", s.opts.MaxNodes)
	}
	n := &node{flow: true, from: s.i, head: s.i, start: s.i, content: s.i, size: 1, entries: noEntries}
	var err error
	switch c := byteAt(s.text, s.i); {
	case c == '{':
		n.kind = mapNode
		err = s.collection(n, '}', depth)
	case c == '[':
		n.kind = listNode
		err = s.collection(n, ']', depth)
	case c == '"':
		n.style = doubleStyle
		n.value, err = s.str()
	case c == '-' || c >= '0' && c <= '9':
		n.value, err = s.number()
	default:
		n.value, err = s.word()
	}
	n.end = s.i
	return n, err
}

// collection reads an object or an array up to its closing bracket. RFC 8259 leaves duplicate names open;
// they are refused, because readers disagree on which one counts.
func (s *jsonScanner) collection(n *node, closer byte, depth int) error {
	s.i++
	n.entries = new(entries)
	seen := map[string]bool{}
	for s.space(); byteAt(s.text, s.i) != closer; s.space() {
		if len(n.vals) > 0 {
			if byteAt(s.text, s.i) != ',' {
				return s.unexpected(`"," or "` + string(closer) + `"`)
			}
			s.i++
			s.space()
		}
		n.starts = append(n.starts, s.i)
		mark := -1
		if closer == '}' {
			k, err := s.key(seen)
			if err != nil {
				return err
			}
			n.keys = append(n.keys, k)
			if s.space(); byteAt(s.text, s.i) != ':' {
				return s.unexpected(`":"`)
			}
			mark = s.i
			s.i++
			s.space()
		}
		n.marks = append(n.marks, mark)
		v, err := s.value(depth + 1)
		if err != nil {
			return err
		}
		n.vals = append(n.vals, v)
	}
	s.i++
	n.seal()
	return nil
}

// key reads the name of a member.
func (s *jsonScanner) key(seen map[string]bool) (*node, error) {
	k := &node{flow: true, style: doubleStyle, start: s.i, content: s.i, size: 1, entries: noEntries}
	if byteAt(s.text, s.i) != '"' {
		return nil, s.unexpected("a key in double quotes")
	}
	name, err := s.str()
	if err != nil {
		return nil, err
	}
	if seen[name] {
		return nil, faultAt(k.start, "the key %s stands here twice", quoteForMessage(name))
	}
	seen[name] = true
	if s.total++; s.total > s.opts.MaxNodes {
		return nil, faultAt(s.i, "the file has more than %d values", s.opts.MaxNodes)
	}
	k.value, k.end = name, s.i
	return k, nil
}

// unexpected says what should have stood here.
func (s *jsonScanner) unexpected(want string) error {
	if s.i >= len(s.text) {
		return faultAt(s.i, "the file ends where %s was expected", want)
	}
	return faultAt(s.i, "expected %s", want)
}

// word reads one of the three literals; the names that some encoders write for what JSON lacks get their
// own message.
func (s *jsonScanner) word() (any, error) {
	for _, w := range []struct {
		text  string
		value any
	}{{"true", true}, {"false", false}, {"null", nil}} {
		if bytes.HasPrefix(s.text[s.i:], []byte(w.text)) {
			s.i += len(w.text)
			return w.value, nil
		}
	}
	if rest := s.text[s.i:]; bytes.HasPrefix(rest, []byte("NaN")) || bytes.HasPrefix(rest, []byte("Infinity")) {
		return nil, faultAt(s.i, "%v", errNotFinite)
	}
	return nil, s.unexpected("a value")
}

// number is int [frac] [exp] of RFC 8259 §6.
func (s *jsonScanner) number() (any, error) {
	start := s.i
	if s.text[s.i] == '-' {
		s.i++
	}
	if bytes.HasPrefix(s.text[s.i:], []byte("Infinity")) {
		return nil, faultAt(start, "%v", errNotFinite)
	}
	first := s.i
	if !s.digits() || s.text[first] == '0' && s.i > first+1 {
		return nil, faultAt(start, "not a number of JSON")
	}
	whole := s.i
	if byteAt(s.text, s.i) == '.' {
		s.i++
		if !s.digits() {
			return nil, faultAt(start, "not a number of JSON")
		}
	}
	if c := byteAt(s.text, s.i); c == 'e' || c == 'E' {
		s.i++
		if c := byteAt(s.text, s.i); c == '+' || c == '-' {
			s.i++
		}
		if !s.digits() {
			return nil, faultAt(start, "not a number of JSON")
		}
	}
	var v any
	var err error
	if s.i == whole {
		v, err = number(readInteger(string(s.text[first:whole]), 10, first > start))
	} else {
		v, err = number(readFloat(string(s.text[start:s.i])))
	}
	if err != nil {
		return nil, faultAt(start, "%v", err)
	}
	return v, nil
}

// digits goes over digits and reports whether there were any.
func (s *jsonScanner) digits() bool {
	start := s.i
	for c := byteAt(s.text, s.i); c >= '0' && c <= '9'; c = byteAt(s.text, s.i) {
		s.i++
	}
	return s.i > start
}

// str reads a string of RFC 8259 §7. A lone or reversed surrogate is refused: Go would silently make it
// U+FFFD, and two documents would share one digest.
func (s *jsonScanner) str() (string, error) {
	start := s.i
	s.i++
	// Most texts have no escape and are taken as they stand.
	end := s.i
	for end < len(s.text) && s.text[end] != '"' && s.text[end] != '\\' && s.text[end] >= ' ' {
		end++
	}
	if end < len(s.text) && s.text[end] == '"' {
		v := string(s.text[s.i:end])
		s.i = end + 1
		return v, nil
	}
	buf := append([]byte(nil), s.text[s.i:end]...)
	for s.i = end; s.i < len(s.text); {
		switch c := s.text[s.i]; {
		case c == '"':
			s.i++
			return string(buf), nil
		case c < ' ':
			return "", faultAt(s.i, "control character U+%04X must be escaped", c)
		case c == '\\':
			r, err := s.escape()
			if err != nil {
				return "", err
			}
			buf = utf8.AppendRune(buf, r)
		default:
			buf = append(buf, c)
			s.i++
		}
	}
	return "", faultAt(start, "the text is not closed")
}

// escape reads one escape, or two that form a surrogate pair.
func (s *jsonScanner) escape() (rune, error) {
	start := s.i
	s.i += 2
	switch c := byteAt(s.text, start+1); c {
	case '"', '\\', '/':
		return rune(c), nil
	case 'b':
		return '\b', nil
	case 'f':
		return '\f', nil
	case 'n':
		return '\n', nil
	case 'r':
		return '\r', nil
	case 't':
		return '\t', nil
	case 'u':
		r, ok := s.hex4()
		if !ok {
			return 0, faultAt(start, `\u needs four hexadecimal digits`)
		}
		if !utf16.IsSurrogate(r) {
			return r, nil
		}
		if byteAt(s.text, s.i) == '\\' && byteAt(s.text, s.i+1) == 'u' {
			s.i += 2
			if low, ok := s.hex4(); ok {
				if full := utf16.DecodeRune(r, low); full != utf8.RuneError {
					return full, nil
				}
			}
		}
		return 0, faultAt(start, "a surrogate without its other half stands for no character")
	}
	return 0, faultAt(start, "unknown escape in a text")
}

// hex4 reads the digits of a \u escape.
func (s *jsonScanner) hex4() (rune, bool) {
	if s.i+4 > len(s.text) {
		return 0, false
	}
	v, err := strconv.ParseUint(string(s.text[s.i:s.i+4]), 16, 16)
	if err != nil {
		return 0, false
	}
	s.i += 4
	return rune(v), true
}
