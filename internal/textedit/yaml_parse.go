package textedit

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

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

// The library's parser (not its scanner) gives lines that count from 0 (engine notes: the context mark is
// not advanced), and the line where the enclosing construct begins.
var parserProblems = map[string]string{
	"did not find expected ',' or ']'":       `this list needs "," or "]"`,
	"did not find expected ',' or '}'":       `this mapping needs "," or "}"`,
	"did not find expected '-' indicator":    `an entry of this list does not begin with "-"; check the indentation`,
	"did not find expected key":              "a key was expected in this mapping; check the indentation",
	"did not find expected node content":     "a value was expected here",
	"did not find expected <document start>": "text follows the end of the document",
	"found duplicate %YAML directive":        "the %YAML directive stands here twice",
	"found duplicate %TAG directive":         "a %TAG directive stands here twice",
	"found incompatible YAML document":       "this version of YAML is not read",
	"found undefined tag handle":             "the tag's handle was never declared",
}

// The scanner's lines are right.
var scannerProblems = map[string]string{
	"mapping values are not allowed in this context":               `":" cannot stand here; quote the text or check the indentation`,
	"mapping keys are not allowed in this context":                 "a key cannot stand here; check the indentation",
	"block sequence entries are not allowed in this context":       `"- " cannot stand here`,
	"could not find expected ':'":                                  `a key without ":"`,
	"found character that cannot start any token":                  "this character cannot begin a value; a tab cannot indent, and @ and ` need quotes",
	"found a tab character that violates indentation":              "a tab cannot indent",
	"found a tab character where an indentation space is expected": "a tab cannot indent",
	"found unexpected end of stream":                               "a quoted text is not closed",
	"found unexpected document indicator":                          "a quoted text is not closed before the document ends",
	"found unknown escape character":                               "unknown escape in a quoted text",
	"found invalid Unicode character escape code":                  "an escape that stands for no character (a lone surrogate, or beyond U+10FFFF)",
	"did not find expected hexdecimal number":                      "an escape needs hexadecimal digits",
	"did not find expected comment or line break":                  "only a comment may follow here",
	"did not find expected alphabetic or numeric character":        "an anchor or alias needs a name",
	"did not find expected whitespace or line break":               "a blank must follow the tag",
	"found an indentation indicator equal to 0":                    "the indentation of a block text cannot be 0",
	"found unknown directive name":                                 "unknown directive",
	"exceeded max depth of 10000":                                  "nested too deeply",
}

var libraryError = lazy(`^(?:yaml: )?(?:line (\d+): )?(?s:(.*))$`)

// translate gives a library error a place and words of our own.
func translate(err error, text []byte, lines *breaks) error {
	m := libraryError().FindStringSubmatch(err.Error())
	line, _ := strconv.Atoi(m[1])
	msg := m[2]
	if name, ok := strings.CutPrefix(msg, "unknown anchor '"); ok {
		name, _, _ = strings.Cut(name, "'")
		at := max(bytes.Index(text, []byte("*"+name)), 0)
		return faultAt(at, "alias *%s has no anchor before it", name)
	}
	if own := parserProblems[msg]; own != "" {
		line++
		msg = own
	} else if own := scannerProblems[msg]; own != "" {
		msg = own
	} else {
		msg = "not valid YAML: " + msg
	}
	// The library gives no column, and no line for the first one; the first character of the line must do.
	line = min(max(line, 1), len(lines.starts))
	at := lines.starts[line-1]
	for at < len(text) && (text[at] == ' ' || text[at] == '\t') {
		at++
	}
	return faultAt(at, "%s", msg)
}
