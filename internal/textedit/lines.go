package textedit

import (
	"sort"
	"sync"
	"unicode/utf8"
)

// lineIndex turns byte offsets into the lines and columns that editors show. It is only used for
// messages, and so built when the first is asked for.
type lineIndex struct {
	src    []byte
	start  int // length of a byte order mark
	starts func() []int
}

func newLineIndex(src []byte, start int) *lineIndex {
	return &lineIndex{src, start, sync.OnceValue(func() []int {
		starts := []int{start}
		for i := start; i < len(src); i++ {
			if src[i] == '\n' {
				starts = append(starts, i+1)
			}
		}
		return starts
	})}
}

func (l *lineIndex) position(offset int) (line, col int) {
	offset = min(max(offset, l.start), len(l.src))
	starts := l.starts()
	line = sort.SearchInts(starts, offset+1)
	return line, 1 + utf8.RuneCount(l.src[starts[line-1]:offset])
}

// breaks finds the line starts as YAML 1.1 counts them, which is how the parser counts: LF, CR, CRLF,
// NEL, LS and PS end a line (YAML 1.1 §4.2).
type breaks struct {
	text   []byte
	starts []int
	// The last answer. Nodes are asked for in document order, so walking on from the last answer
	// keeps one very long line from costing quadratic time.
	line, col, off int
}

func newBreaks(text []byte) *breaks {
	b := &breaks{text: text, starts: make([]int, 1, 1+len(text)/32), col: 1, line: 1}
	for i := 0; i < len(text); {
		if n := breakLen(text, i); n > 0 {
			i += n
			b.starts = append(b.starts, i)
			continue
		}
		i++
	}
	return b
}

// breakLen gives the length of the line break at i, 0 if there is none.
func breakLen(text []byte, i int) int {
	if i >= len(text) {
		return 0
	}
	switch text[i] {
	case '\n':
		return 1
	case '\r':
		if i+1 < len(text) && text[i+1] == '\n' {
			return 2
		}
		return 1
	case 0xC2:
		if i+1 < len(text) && text[i+1] == 0x85 {
			return 2
		}
	case 0xE2:
		if i+2 < len(text) && text[i+1] == 0x80 && (text[i+2] == 0xA8 || text[i+2] == 0xA9) {
			return 3
		}
	}
	return 0
}

// offset gives the byte at a line and column (1-based, columns in code points). Places past the end
// are clamped: the parser puts some empty nodes there.
func (b *breaks) offset(line, col int) int {
	if line > len(b.starts) {
		return len(b.text)
	}
	if line != b.line || col < b.col && b.col-col > col {
		b.line, b.col, b.off = line, 1, b.starts[line-1]
	}
	for b.col > col && b.off > 0 {
		_, n := utf8.DecodeLastRune(b.text[:b.off])
		b.off -= n
		b.col--
	}
	for b.col < col && b.off < len(b.text) {
		_, n := utf8.DecodeRune(b.text[b.off:])
		b.off += n
		b.col++
	}
	return b.off
}

// lineOf gives the index of the line that holds offset.
func (b *breaks) lineOf(offset int) int {
	return sort.SearchInts(b.starts, offset+1) - 1
}

// lineStart gives the first byte of the line that holds offset.
func (b *breaks) lineStart(offset int) int { return b.starts[b.lineOf(offset)] }

// nextLine gives the first byte of the line after the one that holds offset, or the end of the text.
func (b *breaks) nextLine(offset int) int {
	if i := b.lineOf(offset) + 1; i < len(b.starts) {
		return b.starts[i]
	}
	return len(b.text)
}

// column counts the code points between the start of the line and offset: a 0-based column.
func (b *breaks) column(offset int) int {
	return utf8.RuneCount(b.text[b.lineStart(offset):offset])
}
