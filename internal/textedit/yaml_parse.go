package textedit

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"gopkg.in/yaml.v3"
)

// parseYAML reads one YAML document whose root is a mapping. The library parses and gives positions;
// typing, spans and every check on the value are ours.
func parseYAML(text []byte, o Options) (*node, error) {
	if err := checkYAMLCharacters(text); err != nil {
		return nil, err
	}
	if estimateNodes(text) > o.MaxNodes {
		return nil, faultAt(0, "the file has more than %d values", o.MaxNodes)
	}
	parsed, err := maskDirective(text)
	if err != nil {
		return nil, err
	}
	lines := newBreaks(text)
	doc, second, err := decodeYAML(parsed)
	if err != nil {
		return nil, translate(err, text, lines)
	}
	if doc == nil || len(doc.Content) == 0 {
		return nil, faultAt(0, "the file is empty")
	}
	if second {
		return nil, faultAt(secondDocument(parsed), "a second YAML document begins here; only one is read")
	}
	b := &builder{text: text, lines: lines, opts: o, open: map[*yaml.Node]bool{}, done: map[*yaml.Node]*node{}}
	root, err := b.build(doc.Content[0], place{indent: -1, from: rootFrom(parsed)}, 1)
	if err != nil {
		return nil, err
	}
	if root.kind != mapNode || root.target != nil {
		return nil, faultAt(root.start, "the document must be a mapping")
	}
	return root, nil
}

// decodeYAML gives the first document as nodes and whether a second one follows. Decoding into nodes is
// linear on hostile input; decoding into Go values is not.
func decodeYAML(text []byte) (doc *yaml.Node, second bool, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("the YAML reader gave up: %v", r)
		}
	}()
	dec := yaml.NewDecoder(bytes.NewReader(text))
	doc = new(yaml.Node)
	if err := dec.Decode(doc); err != nil {
		if errors.Is(err, io.EOF) {
			return nil, false, nil
		}
		return nil, false, err
	}
	switch err := dec.Decode(new(yaml.Node)); {
	case err == nil:
		return doc, true, nil
	case errors.Is(err, io.EOF):
		return doc, false, nil
	default:
		return nil, false, err
	}
}

// estimateNodes bounds the number of nodes from above without parsing, since the parser would need
// hundreds of bytes for every "," of a hostile list before anyone could count.
func estimateNodes(text []byte) int {
	count := 0
	for i, c := range text {
		switch c {
		case ',', '[', '{':
			count++
		case ':', '-', '?':
			if i+1 == len(text) || text[i+1] <= ' ' || text[i+1] == ',' {
				count++
			}
		}
	}
	return count
}

// A directive may follow comments and empty lines only.
var directive = lazy(`^(?:[ \t]*(?:#[^\r\n]*)?(?:\r\n|\r|\n))*(%YAML[ \t]+1\.[0-9]+[ \t]*(?:#[^\r\n]*)?(?:\r\n|\r|\n))`)

// maskDirective turns a leading "%YAML 1.2" into a comment of the same length: the library knows only
// version 1.1 and refuses the line.
func maskDirective(text []byte) ([]byte, error) {
	if !bytes.Contains(text, []byte("%YAML")) {
		return text, nil
	}
	m := directive().FindSubmatchIndex(text)
	if m == nil {
		return text, nil
	}
	if _, ok := findMarker(text[m[3]:], "---"); !ok {
		return nil, faultAt(m[2], `a directive must be followed by a line "---"`)
	}
	masked := bytes.Clone(text)
	masked[m[2]] = '#'
	return masked, nil
}

// findMarker finds a line that begins with "---" or "..." and a blank.
func findMarker(text []byte, marker string) (int, bool) {
	for i := 0; i < len(text); {
		if bytes.HasPrefix(text[i:], []byte(marker)) && (i+3 == len(text) || text[i+3] <= ' ') {
			return i, true
		}
		n := bytes.IndexAny(text[i:], "\r\n")
		if n < 0 {
			break
		}
		i += n + 1
	}
	return 0, false
}

// rootFrom gives the first byte where the root may stand: behind "---", if the document begins so.
func rootFrom(text []byte) int {
	i := skipSpace(text, 0)
	for i < len(text) && text[i] == '%' {
		for i < len(text) && breakLen(text, i) == 0 {
			i++
		}
		i = skipSpace(text, i)
	}
	if at, ok := findMarker(text[i:], "---"); ok && at == 0 {
		return i + 3
	}
	return 0
}

// secondDocument finds where the second document begins, for the message.
func secondDocument(text []byte) int {
	from := rootFrom(text)
	if at, ok := findMarker(text[from:], "---"); ok {
		return from + at
	}
	if at, ok := findMarker(text[from:], "..."); ok {
		return skipSpace(text, from+at+3)
	}
	return from
}
