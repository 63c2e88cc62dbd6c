package textedit

import (
	"bytes"
	"regexp"
	"strconv"
	"strings"
)

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
	// The library gives no column, and no line for the first one.
	line = min(max(line, 1), len(lines.starts))
	start := lines.starts[line-1]
	return faultAt(start+columnOf(m[2], string(text[start:lineEnd(text, start)])), "%s", msg)
}

// columnOf finds the place of a problem in its line, where the line alone tells it; otherwise it gives the first
// character that is not blank.
func columnOf(problem, line string) int {
	marks := scanLine(line)
	at := -1
	switch problem {
	case "did not find expected ',' or ']'":
		at = marks.innermost('[')
	case "did not find expected ',' or '}'":
		at = marks.innermost('{')
	case "found unexpected end of stream", "found unexpected document indicator":
		at = marks.quote
	case "mapping values are not allowed in this context":
		// A single ":" may be right, and the line be indented wrongly.
		if len(marks.colons) > 1 {
			at = marks.colons[1]
		}
	case "found unknown escape character":
		at = firstMatch(badEscape(), line)
	case "found invalid Unicode character escape code":
		at = firstMatch(badCharacter(), line)
	}
	if at < 0 {
		at = len(line) - len(strings.TrimLeft(line, " \t"))
	}
	return at
}

// YAML 1.2 §5.7. The first group is what is wrong; the rest goes over escapes that are right.
var (
	badEscape    = lazy(`^(?:[^\\]|\\[0abt\tnvfre "/\\N_LPxuU])*(\\[^0abt\tnvfre "/\\N_LPxuU])`)
	badCharacter = lazy(`^(?:[^\\]|\\[^uU]|\\u(?:[^dD]|[dD][0-7])|\\U000)*(\\[uU])`)
)

func firstMatch(r *regexp.Regexp, line string) int {
	if m := r.FindStringSubmatchIndex(line); m != nil {
		return m[2]
	}
	return -1
}

// lineMarks are the places in a line that problems are about. Nothing is known of the lines before, so that a
// line inside a quoted text may be misread: then the place is wrong, not the line.
type lineMarks struct {
	line   string
	open   []int // brackets that are not closed, the innermost last
	colons []int // outside of brackets
	quote  int   // of a text that is not closed, or -1
}

func scanLine(line string) lineMarks {
	m := lineMarks{line: line, quote: -1}
	b := &builder{text: []byte(line)}
	begins := true // a value may begin here
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case begins && (c == '"' || c == '\''):
			n := &node{content: i}
			if !b.quotedEnd(n, c) {
				m.quote = i
				return m
			}
			i = n.end - 1
		case c == '#' && (i == 0 || isBlank(line[i-1])):
			return m
		case begins && (c == '[' || c == '{'):
			m.open = append(m.open, i)
			continue
		case (c == ']' || c == '}') && len(m.open) > 0:
			if line[m.open[len(m.open)-1]] != c-2 { // in ASCII both pairs are two apart
				return m
			}
			m.open = m.open[:len(m.open)-1]
		case c == ':' && len(m.open) == 0 && (i+1 == len(line) || isBlank(line[i+1])):
			m.colons = append(m.colons, i)
		}
		begins = isBlank(line[i]) || line[i] == ',' && len(m.open) > 0
	}
	return m
}

// innermost gives the last bracket that is not closed, if it is of the wanted kind.
func (m lineMarks) innermost(bracket byte) int {
	if n := len(m.open); n > 0 && m.line[m.open[n-1]] == bracket {
		return m.open[n-1]
	}
	return -1
}
