package textedit

import (
	"unicode/utf8"

	"gopkg.in/yaml.v3"
)

// buildBlock reads the entries of a collection that indentation structures.
func (b *builder) buildBlock(n *node, y *yaml.Node, depth int) error {
	// The library's column would be that of a tag or an anchor before the first entry.
	column := b.lines.column(n.content)
	n.col = column
	next := n.content
	step := 1
	if n.kind == mapNode {
		step = 2
	}
	seen := make(map[string]bool, len(y.Content)/step)
	for i := 0; i+step <= len(y.Content); i += step {
		if i > 0 {
			next = skipSpace(b.text, n.end)
		}
		var err error
		if n.kind == listNode {
			if byteAt(b.text, next) != '-' {
				return b.lost(next)
			}
			err = b.addItem(n, y.Content[i], next, place{indent: column, from: next + 1}, depth)
		} else {
			err = b.addMember(n, y.Content[i], y.Content[i+1], next, place{indent: column, from: next}, seen, depth)
		}
		if err != nil {
			return err
		}
	}
	if len(n.vals) == 0 {
		return b.lost(n.start)
	}
	n.seal()
	return nil
}

// buildFlow reads the entries of a collection in brackets.
func (b *builder) buildFlow(n *node, y *yaml.Node, p place, depth int) error {
	opener, closer := byte('['), byte(']')
	if n.kind == mapNode {
		opener, closer = '{', '}'
	}
	n.end = n.content
	switch {
	case byteAt(b.text, n.content) == opener:
		n.end++
	// [a: b] holds a mapping of one pair that has no braces.
	case n.kind == mapNode && p.flow && len(y.Content) == 2:
		n.bare = true
	default:
		return b.lost(n.start)
	}
	step := 1
	if n.kind == mapNode {
		step = 2
	}
	seen := make(map[string]bool, len(y.Content)/step)
	for i := 0; i+step <= len(y.Content); i += step {
		next := skipSpace(b.text, n.end)
		if i > 0 && byteAt(b.text, next) == ',' {
			next = skipSpace(b.text, next+1)
		}
		var err error
		inside := place{indent: p.indent, from: next, flow: true}
		if n.kind == listNode {
			err = b.addItem(n, y.Content[i], next, inside, depth)
		} else {
			err = b.addMember(n, y.Content[i], y.Content[i+1], next, inside, seen, depth)
		}
		if err != nil {
			return err
		}
	}
	n.seal()
	if n.bare {
		return nil
	}
	end := skipSpace(b.text, n.end)
	if byteAt(b.text, end) == ',' {
		end = skipSpace(b.text, end+1)
	}
	if byteAt(b.text, end) != closer {
		return b.lost(n.start)
	}
	n.end = end + 1
	return nil
}

// addItem reads an entry of a list; start is its "-", or its first byte in brackets.
func (b *builder) addItem(n *node, y *yaml.Node, start int, p place, depth int) error {
	v, err := b.build(y, p, depth+1)
	if err != nil {
		return err
	}
	n.vals = append(n.vals, v)
	n.starts = append(n.starts, start)
	n.marks = append(n.marks, start)
	n.end = v.end
	return nil
}

// addMember reads a key and its value. The library does not report duplicate keys when it gives nodes, and takes
// an unquoted "<<" for a YAML 1.1 merge.
func (b *builder) addMember(n *node, yk, yv *yaml.Node, start int, p place, seen map[string]bool, depth int) error {
	if byteAt(b.text, start) == '?' && (start+1 == len(b.text) || isBlank(byteAt(b.text, start+1)) || breakLen(b.text, start+1) > 0) {
		p.from = start + 1
	}
	if yk.Kind == yaml.ScalarNode && yk.Tag == "!!merge" && yk.Value == "<<" {
		return faultAt(b.lines.offset(yk.Line, yk.Column), `merge keys ("<<") are not part of YAML 1.2 and are not read`)
	}
	k, err := b.build(yk, p, depth+1)
	if err != nil {
		return err
	}
	name, ok := k.value.(string)
	if !ok {
		return faultAt(k.start, "a key must be text; quote it")
	}
	if seen[name] {
		return faultAt(k.start, "the key %s stands here twice", quoteForMessage(name))
	}
	seen[name] = true
	// Behind "? key" the ":" may stand on another line, or not at all; {a} has none either.
	mark := skipSpace(b.text, k.end)
	p.from = mark + 1
	if byteAt(b.text, mark) != ':' {
		mark, p.from = -1, k.end
	}
	v, err := b.build(yv, p, depth+1)
	if err != nil {
		return err
	}
	n.keys = append(n.keys, k)
	n.vals = append(n.vals, v)
	n.starts = append(n.starts, start)
	n.marks = append(n.marks, mark)
	n.end = max(v.end, k.end)
	return nil
}

// quoteForMessage shows a key without letting it write to a terminal.
func quoteForMessage(s string) string {
	if utf8.RuneCountInString(s) > 60 {
		s = string([]rune(s)[:60]) + "…"
	}
	return string(appendJSONString(nil, s, true))
}
