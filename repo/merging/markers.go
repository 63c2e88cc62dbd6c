package merging

import (
	"bytes"
	"strings"
)

// Markers gives the line, from 1, of the first conflict that git left in a text; 0 where there is none. A lone row of
// equals signs is a heading in Markdown, so only the whole of a conflict counts.
func Markers(text []byte) int {
	_, _, _, at := split(text)
	return at
}

// split takes a text with conflict markers apart: what ours, the base and theirs say, and the line of the first marker, 0
// where there is no whole conflict. The base is nil unless every conflict shows it (merge.conflictStyle diff3).
func split(text []byte) (ours, base, theirs []byte, first int) {
	var o, b, t bytes.Buffer
	const outside, inOurs, inBase, inTheirs = 0, 1, 2, 3
	state, based, start := outside, true, 0
	n := 0
	for line := range bytes.Lines(text) {
		n++
		switch {
		case state == outside && marks(line, '<'):
			state, start = inOurs, n
			based = based && showsBase(text, n)
			continue
		case state == inOurs && marks(line, '|'):
			state = inBase
			continue
		case (state == inOurs || state == inBase) && marks(line, '='):
			state = inTheirs
			continue
		case state == inTheirs && marks(line, '>'):
			state = outside
			if first == 0 {
				first = start
			}
			continue
		}
		if state == outside || state == inOurs {
			o.Write(line)
		}
		if state == outside || state == inBase {
			b.Write(line)
		}
		if state == outside || state == inTheirs {
			t.Write(line)
		}
	}
	if state != outside || first == 0 {
		return text, nil, text, 0
	}
	if based {
		base = b.Bytes()
	}
	return o.Bytes(), base, t.Bytes(), first
}

// showsBase reports whether the conflict that starts at a line has a part for the base.
func showsBase(text []byte, start int) bool {
	n := 0
	for line := range bytes.Lines(text) {
		n++
		switch {
		case n <= start:
		case marks(line, '|'):
			return true
		case marks(line, '='), marks(line, '>'):
			return false
		}
	}
	return false
}

// marks reports whether a line is a marker: seven or more of a character, and nothing else but a label after a blank.
func marks(line []byte, c byte) bool {
	s := strings.TrimRight(string(line), "\r\n")
	rest := strings.TrimLeft(s, string(c))
	if len(s)-len(rest) < 7 {
		return false
	}
	if c == '=' {
		return rest == ""
	}
	return rest == "" || rest[0] == ' '
}
