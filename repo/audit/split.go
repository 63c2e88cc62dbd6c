package audit

import (
	"slices"
	"strings"
)

// Most versions of a profile have most of their text in common with their neighbours. The functions here cut the
// text of a YAML document into members of mappings and entries of lists, so that what is the same bytes needs no
// second reading. They take a careful subset: whatever is unusual is not cut, and is then read whole. A cut is
// made only in front of a line that starts a member or an entry at the column of its siblings. Where a quoted
// text or a flow collection spans that line, the part in front of it is no YAML by itself, which its reader
// notices; block and plain scalars cannot span it (YAML 1.2.2 §8.1.1.1, §7.3.3).

// piece is a member of a mapping: its key, the whole text of it, and where its value begins below the key's line.
type piece struct {
	key, text string
	head      int  // length of the key's line
	bare      bool // the key's line has nothing behind the colon
}

// empty reports whether a member says that it is an empty collection, and nothing but comments follow.
func (m piece) empty(brackets string) bool {
	if strings.TrimLeft(m.text[:m.head], " ") != m.key+": "+brackets+"\n" {
		return false
	}
	for line := range strings.Lines(m.text[m.head:]) {
		if indentOf(line) >= 0 {
			return false
		}
	}
	return true
}

// cuttable refuses characters that break lines, indent or mark in ways that the cutting does not look for, and
// what may be an anchor or alias, since those reach over a cut.
func cuttable(text string) bool {
	for _, c := range []byte{'\t', '\r', 0} {
		if strings.IndexByte(text, c) >= 0 {
			return false
		}
	}
	for _, s := range []string{"\u0085", "\u2028", "\u2029", "\ufeff"} {
		if strings.Contains(text, s) {
			return false
		}
	}
	return strings.HasSuffix(text, "\n") && !property(text, '&') && !property(text, '*')
}

// property reports whether a character may start an anchor or alias somewhere.
func property(text string, mark byte) bool {
	for at := 0; ; at++ {
		i := strings.IndexByte(text[at:], mark)
		if i < 0 {
			return false
		}
		at += i
		if at == 0 || at+1 < len(text) && strings.IndexByte(" \n[{,", text[at-1]) >= 0 && text[at+1] != ' ' {
			return true
		}
	}
}

// indentOf gives the column of a line's text; -1 for a blank line or a comment.
func indentOf(line string) int {
	i := 0
	for i < len(line) && line[i] == ' ' {
		i++
	}
	if i == len(line) || line[i] == '\n' || line[i] == '#' {
		return -1
	}
	return i
}

// members cuts a mapping whose keys stand at the column of its first line. into is used again.
func members(text string, into []piece) ([]piece, bool) {
	column, start := -1, 0
	for at := 0; at < len(text); {
		end := at + strings.IndexByte(text[at:], '\n') + 1
		line := text[at:end]
		in := indentOf(line)
		switch {
		case in < 0, column >= 0 && in > column:
		case column >= 0 && in < column:
			return nil, false
		case column >= 0 && line[in] == '-' && into[len(into)-1].bare:
			// A list at the column of the key that it belongs to.
		default:
			key := keyOfLine(line[in:])
			if key == "" {
				return nil, false
			}
			if column < 0 {
				column = in
			} else {
				into[len(into)-1].text = text[start:at]
				start = at
			}
			rest := strings.TrimLeft(line[in+len(key)+1:], " ")
			into = append(into, piece{key: key, head: end - start, bare: rest == "\n"})
		}
		at = end
	}
	if column < 0 {
		return nil, false
	}
	into[len(into)-1].text = text[start:]
	return into, !repeated(into)
}

func repeated(list []piece) bool {
	for i := range list {
		for j := range i {
			if list[i].key == list[j].key {
				return true
			}
		}
	}
	return false
}

// keyOfLine gives a plain key of lower-case letters and underscores, "" for anything else, and for the
// words that are no texts.
func keyOfLine(s string) string {
	i := 0
	for i < len(s) && (s[i] >= 'a' && s[i] <= 'z' || s[i] == '_') {
		i++
	}
	if i == 0 || i+1 >= len(s) || s[i] != ':' || s[i+1] != ' ' && s[i+1] != '\n' {
		return ""
	}
	switch key := s[:i]; key {
	case "true", "false", "null":
		return ""
	default:
		return key
	}
}

// items cuts a list whose dashes stand at the column of its first line.
func items(text string, into []string) ([]string, bool) {
	column, start := -1, 0
	for at := 0; at < len(text); {
		end := at + strings.IndexByte(text[at:], '\n') + 1
		line := text[at:end]
		in := indentOf(line)
		switch {
		case in < 0, column >= 0 && in > column:
		case in+1 >= len(line) || line[in] != '-' || line[in+1] != ' ' || column >= 0 && in < column:
			return nil, false
		case column < 0:
			column = in
		default:
			into = append(into, text[start:at])
			start = at
		}
		at = end
	}
	if column < 0 {
		return nil, false
	}
	return append(into, text[start:]), true
}

// field is a member of an entry.
type field struct {
	key   string
	value any
}

// plainEntry reads an entry of a list that is a mapping of plain scalars, a line each.
func plainEntry(text string, into []field) ([]field, bool) {
	column := -1
	for at := 0; at < len(text); {
		end := at + strings.IndexByte(text[at:], '\n') + 1
		line := text[at:end]
		at = end
		in := indentOf(line)
		if in < 0 {
			continue
		}
		if column < 0 {
			if !strings.HasPrefix(line[in:], "- ") {
				return nil, false
			}
			in += 2
			column = in
		}
		if in != column {
			return nil, false
		}
		key := keyOfLine(line[in:])
		if key == "" {
			return nil, false
		}
		v, ok := plainScalar(strings.Trim(line[in+len(key)+1:], " \n"))
		if !ok || slices.ContainsFunc(into, func(f field) bool { return f.key == key }) {
			return nil, false
		}
		into = append(into, field{key, v})
	}
	return into, column >= 0
}
