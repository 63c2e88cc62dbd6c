package textedit

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// foldWidth is where folded text breaks. Only text that stands beside folded text is folded.
const foldWidth = 80

// style decides the style of a text. self says that the template is the text's own former node,
// whose style stays if it can.
func (w *yamlWriter) style(s string, t template, self, flow bool) style {
	like := t.scalar()
	hint := plainStyle // what the template asks for
	if like != nil {
		hint = like.style
	}
	// Beside folded siblings, a short new text still goes on one line.
	long := self || utf8.RuneCountInString(s) > foldWidth-8
	if !flow && !w.inlineOnly {
		lines := strings.Contains(s, "\n")
		// A text with lines that was written with \n stays so.
		escaped := self && hint == doubleStyle && lines
		switch {
		case hint == foldedStyle && long && foldedSafe(s):
			return foldedStyle
		case (lines && !escaped || hint == literalStyle && long) && literalSafe(s):
			return literalStyle
		}
	}
	if !hint.quoted() && plainSafe(s, flow) && !readsOtherwise(s) && (!isTimestamp(s) || w.plainTime(like)) {
		return plainStyle
	}
	if strings.ContainsFunc(s, needsEscape) {
		return doubleStyle
	}
	if hint == singleStyle || hint != doubleStyle && w.quote == '\'' {
		return singleStyle
	}
	return doubleStyle
}

// plainTime lets a timestamp stand unquoted where its siblings do: YAML 1.1 readers see dates there already,
// and would see two types if we quoted.
func (w *yamlWriter) plainTime(like *node) bool {
	if like == nil {
		return w.plainTimes
	}
	s, _ := like.value.(string)
	return isTimestamp(s) && like.style == plainStyle || !isTimestamp(s) && w.plainTimes
}

// appendText writes s; column is that of the lines of a block text.
func (w *yamlWriter) appendText(dst []byte, s string, st style, column int) []byte {
	switch st {
	case plainStyle:
		return append(dst, s...)
	case singleStyle:
		return append(append(append(dst, '\''), strings.ReplaceAll(s, "'", "''")...), '\'')
	case doubleStyle:
		return appendDoubleQuoted(dst, s)
	}
	body, clip := strings.CutSuffix(s, "\n")
	header := byte('|')
	if st == foldedStyle {
		header = '>'
		width := w.width
		if width == 0 {
			width = foldWidth
		}
		body = fold(body, width-column)
	}
	dst = append(dst, header)
	if !clip {
		dst = append(dst, '-')
	}
	for line := range strings.SplitSeq(body, "\n") {
		dst = append(dst, w.eol...)
		if line != "" {
			dst = append(append(dst, bytes.Repeat([]byte{' '}, column)...), line...)
		}
	}
	return dst
}

// fold breaks at single blanks between words, and doubles the breaks of the text itself.
func fold(s string, width int) string {
	var b strings.Builder
	for i, line := range strings.Split(s, "\n") {
		if i > 0 {
			b.WriteByte('\n')
			// Between two lines with text, one break would be read as a blank.
			if line != "" {
				b.WriteByte('\n')
			}
		}
		foldLine(&b, line, max(width, 20))
	}
	return b.String()
}

// foldLine breaks one line of text. Only a single blank between two words may become a break: it is the only
// thing that a break is read back as.
func foldLine(b *strings.Builder, line string, width int) {
	for utf8.RuneCountInString(line) > width {
		cut, count := -1, 0
		for i, r := range line {
			if r == ' ' && line[i-1] != ' ' && line[i+1] != ' ' {
				if count > width && cut >= 0 {
					break
				}
				cut = i
			}
			if count++; count > width && cut >= 0 {
				break
			}
		}
		if cut < 0 {
			break
		}
		b.WriteString(line[:cut])
		b.WriteByte('\n')
		line = line[cut+1:]
	}
	b.WriteString(line)
}

// appendDoubleQuoted writes a text with the escapes of YAML 1.2 §5.7 that JSON shares, where possible.
func appendDoubleQuoted(dst []byte, s string) []byte {
	const hex = "0123456789ABCDEF"
	dst = append(dst, '"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			dst = append(dst, '\\', byte(r))
		case r == '\n':
			dst = append(dst, '\\', 'n')
		case r == '\t':
			dst = append(dst, '\\', 't')
		case r == '\r':
			dst = append(dst, '\\', 'r')
		case needsEscape(r):
			dst = append(dst, '\\', 'u', hex[r>>12&15], hex[r>>8&15], hex[r>>4&15], hex[r&15])
		default:
			dst = utf8.AppendRune(dst, r)
		}
	}
	return append(dst, '"')
}
