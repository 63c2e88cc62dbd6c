package textedit

import (
	"bytes"
	"strings"
	"unicode"

	"github.com/open-agent-profile/oap/canonical"
)

// body is what stands behind the frontmatter of a Markdown document: the value of one member.
type body struct {
	pointer canonical.Pointer
	after   int // first byte of src behind the closing fence's line
	// The text between leading newlines and trailing white space; empty if there is none.
	start, end int
	present    bool
	value      string
}

// readMarkdown splits the text at its two fences and reads the part between them as YAML.
func (d *Document) readMarkdown() error {
	open := fenceLen(d.text, 0)
	if open == 0 {
		return faultAt(0, `a Markdown document begins with a line "---"`)
	}
	shut := open
	for shut < len(d.text) && fenceLen(d.text, shut) == 0 {
		n := bytes.IndexByte(d.text[shut:], '\n')
		if n < 0 {
			shut = len(d.text)
			break
		}
		shut += n + 1
	}
	if shut >= len(d.text) {
		return faultAt(0, `the frontmatter has no closing line "---"`)
	}
	// From here on, text is the YAML between the fences; the body is only known to src.
	whole, base := d.text, d.base
	pointer, err := canonical.ParsePointer(d.opts.Body)
	if err != nil || len(pointer) == 0 {
		return faultAt(0, "no member is named that the body could stand for")
	}
	after := shut + fenceLen(whole, shut)
	d.body = readBody(d.src, base+after, pointer)

	root, err := parseYAML(whole[open:shut], d.opts)
	if err != nil {
		if f, ok := err.(*fault); ok {
			f.offset += open
		}
		return err
	}
	d.text, d.base, d.root = whole[open:shut], base+open, root
	return d.checkBodyPlace()
}

// fenceLen gives the length of a line "---" at i with its line break, 0 if another line stands there.
func fenceLen(text []byte, i int) int {
	if !bytes.HasPrefix(text[i:], []byte("---")) {
		return 0
	}
	end := i + 3
	for end < len(text) && isBlank(text[end]) {
		end++
	}
	switch {
	case end == len(text):
		return end - i
	case text[end] == '\n':
		return end + 1 - i
	case text[end] == '\r' && byteAt(text, end+1) == '\n':
		return end + 2 - i
	}
	return 0
}

// readBody takes the body as the format does: without leading newlines and trailing white space, plus one
// "\n". Line ends become LF, as in a YAML text.
func readBody(src []byte, after int, pointer canonical.Pointer) *body {
	b := &body{pointer: pointer, after: after, start: after}
	for b.start < len(src) && (src[b.start] == '\n' || src[b.start] == '\r') {
		b.start++
	}
	b.end = b.start + len(bytes.TrimRightFunc(src[b.start:], trailingSpace))
	if b.end > b.start {
		b.present = true
		b.value = unixLines(string(src[b.start:b.end])) + "\n"
	}
	return b
}

// trailingSpace is what the reference reader strips: Unicode white space and the separators U+001C..1F.
func trailingSpace(r rune) bool { return unicode.IsSpace(r) || r >= 0x1C && r <= 0x1F }

// unixLines reads CRLF and CR as YAML does (YAML 1.2 §5.4).
func unixLines(s string) string {
	if !strings.Contains(s, "\r") {
		return s
	}
	return strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n")
}

// fits reports whether a body can hold a text, that is, whether reading it back gives the same text.
func (b *body) fits(s string) bool {
	again := readBody([]byte(s), 0, nil)
	return again.present && again.value == s
}

// checkBodyPlace refuses a frontmatter that holds the body's member, or where it could not be added.
func (d *Document) checkBodyPlace() error {
	n := d.root
	for i, token := range d.body.pointer {
		if n.resolved().kind != mapNode {
			if !d.body.present {
				return nil
			}
			return faultAt(n.start, "the body stands for %s, but %s is not a mapping",
				d.opts.Body, d.body.pointer[:i].String())
		}
		c := n.resolved().child(token)
		if c < 0 {
			return nil
		}
		key := n.resolved().keys[c]
		if n = n.resolved().vals[c]; i+1 == len(d.body.pointer) {
			if d.body.present {
				return faultAt(key.start, "%s stands in both places, the frontmatter and the body", d.opts.Body)
			}
			return faultAt(key.start, "%s stands in the frontmatter; in Markdown its only place is the body", d.opts.Body)
		}
	}
	return nil
}

// addTo gives the value of the frontmatter with the body's member; only maps on the way are copied.
func (b *body) addTo(front any) any { return withMember(front, b.pointer, b.value) }

// withMember puts leaf at p, making mappings on the way.
func withMember(v any, p canonical.Pointer, leaf any) any {
	if len(p) == 0 {
		return leaf
	}
	old, _ := v.(map[string]any)
	m := make(map[string]any, len(old)+1)
	for k, e := range old {
		m[k] = e
	}
	m[p[0]] = withMember(old[p[0]], p[1:], leaf)
	return m
}

// split takes the body's member out of a value. A mapping that holds nothing else is dropped, too, where
// the frontmatter of has does not hold it: reading the body creates it again.
func (b *body) split(want, has any) (front any, leaf any, found bool) {
	leaf, found = canonical.Get(want, b.pointer)
	if !found {
		return want, nil, false
	}
	return withoutMember(want, b.pointer, has), leaf, true
}

// withoutMember takes out what stands at p, which must exist.
func withoutMember(v any, p canonical.Pointer, has any) any {
	old := v.(map[string]any)
	m := make(map[string]any, len(old))
	for k, e := range old {
		m[k] = e
	}
	if len(p) == 1 {
		delete(m, p[0])
		return m
	}
	below, known := canonical.Get(has, p[:1])
	rest := withoutMember(old[p[0]], p[1:], below).(map[string]any)
	if len(rest) == 0 && !known {
		delete(m, p[0])
	} else {
		m[p[0]] = rest
	}
	return m
}
