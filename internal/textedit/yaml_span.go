package textedit

// The library gives where a node begins, not where it ends. These functions follow its scanner
// (scannerc.go: scan_plain_scalar, scan_flow_scalar, scan_block_scalar) closely enough to find the end.

// byteAt gives 0 outside of text, which is no character of YAML or JSON.
func byteAt(text []byte, i int) byte {
	if i < 0 || i >= len(text) {
		return 0
	}
	return text[i]
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' }

// skipSpace goes over blanks, line breaks and comments. It is called between tokens only, where the scanner
// takes every "#" for a comment.
func skipSpace(text []byte, i int) int {
	for i < len(text) {
		switch {
		case isBlank(text[i]):
			i++
		case breakLen(text, i) > 0:
			i += breakLen(text, i)
		case text[i] == '#':
			i = lineEnd(text, i)
		default:
			return i
		}
	}
	return i
}

// lineEnd gives the place of the line break at or after i, or the end of the text.
func lineEnd(text []byte, i int) int {
	for i < len(text) && breakLen(text, i) == 0 {
		i++
	}
	return i
}

// nameEnd goes over the name of an anchor or alias.
func nameEnd(text []byte, i int) int {
	for i < len(text) {
		c := text[i]
		if (c < '0' || c > '9') && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z') && c != '_' && c != '-' {
			break
		}
		i++
	}
	return i
}

// scalarEnd sets n.end for a scalar whose text begins at n.content. It reports whether text and style
// agree.
func (b *builder) scalarEnd(n *node, value string, p place) bool {
	switch n.style {
	case doubleStyle:
		return byteAt(b.text, n.content) == '"' && b.quotedEnd(n, '"')
	case singleStyle:
		return byteAt(b.text, n.content) == '\'' && b.quotedEnd(n, '\'')
	case literalStyle:
		return byteAt(b.text, n.content) == '|' && b.blockEnd(n, p.indent)
	case foldedStyle:
		return byteAt(b.text, n.content) == '>' && b.blockEnd(n, p.indent)
	}
	return b.plainEnd(n, value)
}

// quotedEnd looks for the closing quote: \" and ” do not close.
func (b *builder) quotedEnd(n *node, quote byte) bool {
	for i := n.content + 1; i < len(b.text); i++ {
		switch {
		case quote == '"' && b.text[i] == '\\':
			i++
		case quote == '\'' && b.text[i] == quote && byteAt(b.text, i+1) == quote:
			i++
		case b.text[i] == quote:
			n.end = i + 1
			return true
		}
	}
	return false
}

// plainEnd follows the value: line folding only changes white space, so the other characters of value
// and text are the same, in the same order.
func (b *builder) plainEnd(n *node, value string) bool {
	i := n.content
	n.end = i
	for v := 0; v < len(value); {
		if w := whiteLen([]byte(value[v:min(v+3, len(value))])); w > 0 {
			v += w
			continue
		}
		for i < len(b.text) {
			w := whiteLen(b.text[i:min(i+3, len(b.text))])
			if w == 0 {
				break
			}
			i += w
		}
		if byteAt(b.text, i) != value[v] || i >= len(b.text) {
			return false
		}
		i++
		v++
		n.end = i
	}
	return true
}

// whiteLen gives the length of the blank or line break that text begins with.
func whiteLen(text []byte) int {
	if len(text) > 0 && isBlank(text[0]) {
		return 1
	}
	return min(breakLen(text, 0), len(text))
}

// blockEnd finds the last line of a literal or folded text.
func (b *builder) blockEnd(n *node, parent int) bool {
	h := readBlockHeader(b.text, n.content)
	n.end = h.end
	i := lineEnd(b.text, h.end)
	if i >= len(b.text) {
		return true
	}
	i += breakLen(b.text, i)
	// Content begins at the indicator's column behind the parent, or where the first line with text does.
	indent := h.indent
	if indent > 0 {
		indent += max(parent, 0)
	} else {
		indent = max(b.leadingIndent(i), parent+1, 1)
	}
	for i < len(b.text) {
		width, first := indentOf(b.text, i, indent)
		end := lineEnd(b.text, first)
		// A line with more blanks than the indentation is text, even if nothing else stands in it.
		blank := end == first
		if !blank && width < indent {
			break
		}
		if !blank || h.chomp == '+' {
			n.end = end
		}
		i = end + breakLen(b.text, end)
	}
	return true
}

// leadingIndent is the widest indentation among leading blank lines and the first line with text.
func (b *builder) leadingIndent(i int) int {
	widest := 0
	for i < len(b.text) {
		width, first := indentOf(b.text, i, len(b.text))
		widest = max(widest, width)
		n := breakLen(b.text, first)
		if n == 0 {
			break
		}
		i = first + n
	}
	return widest
}

// indentOf counts the spaces at i, at most limit, and gives the byte behind them.
func indentOf(text []byte, i, limit int) (width, first int) {
	first = i
	for first < len(text) && text[first] == ' ' && width < limit {
		first++
		width++
	}
	return width, first
}

// blockHeader is the line "|2-" of a block text.
type blockHeader struct {
	indent int  // the indicator, 0 if there is none
	chomp  byte // '+', '-' or 0
	end    int  // behind the indicators
}

// readBlockHeader reads the two indicators, which come in either order (YAML 1.2 §8.1.1).
func readBlockHeader(text []byte, i int) blockHeader {
	h := blockHeader{end: i + 1}
	for range 2 {
		switch c := byteAt(text, h.end); {
		case c == '+' || c == '-':
			h.chomp = c
			h.end++
		case c >= '1' && c <= '9':
			h.indent = int(c - '0')
			h.end++
		}
	}
	return h
}
