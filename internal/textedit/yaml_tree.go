package textedit

import (
	"strings"

	"gopkg.in/yaml.v3"
)

// builder turns the library's nodes into ours: with the end of each node, the place of each mark, and
// the value.
type builder struct {
	text  []byte
	lines *breaks
	opts  Options
	total int // nodes so far, aliases expanded
	open  map[*yaml.Node]bool
	done  map[*yaml.Node]*node // anchored nodes
}

// place is what a node must know about its surroundings.
type place struct {
	indent int  // column of the enclosing block collection, -1 outside of any
	from   int  // where the node may begin: behind its mark
	flow   bool // inside brackets
}

// build reads one node and everything in it, and checks what holds for every kind of node.
func (b *builder) build(y *yaml.Node, p place, depth int) (*node, error) {
	n, err := b.buildNode(y, p, depth)
	if err != nil {
		return nil, err
	}
	if b.total++; n.target != nil {
		b.total += n.size
	}
	if b.total > b.opts.MaxNodes {
		return nil, faultAt(n.start, "the file has more than %d values", b.opts.MaxNodes)
	}
	if depth+n.height > b.opts.MaxDepth {
		return nil, faultAt(n.start, "nested deeper than %d levels", b.opts.MaxDepth)
	}
	// Cheap to check, and what makes a wrong span an error instead of a wrong edit.
	if n.start < p.from || n.content < n.start || n.end < n.content || n.end > len(b.text) {
		return nil, b.lost(p.from)
	}
	return n, nil
}

// lost is the answer where the derived span and the parser disagree. It is better to refuse the file than
// to edit the wrong bytes.
func (b *builder) lost(at int) error {
	return faultAt(at, "this notation is too unusual to be edited safely")
}

// buildNode tells the kinds apart. An anchored node is open until it is complete: an alias inside it would
// never end.
func (b *builder) buildNode(y *yaml.Node, p place, depth int) (*node, error) {
	if y.Kind == yaml.AliasNode {
		return b.buildAlias(y, p)
	}
	if depth > b.opts.MaxDepth {
		return nil, faultAt(p.from, "nested deeper than %d levels", b.opts.MaxDepth)
	}
	n := &node{anchor: y.Anchor, flow: p.flow, from: p.from, head: p.from, entries: noEntries}
	if y.Anchor != "" {
		b.open[y] = true
		defer func() {
			delete(b.open, y)
			b.done[y] = n
		}()
	}
	var err error
	switch y.Kind {
	case yaml.ScalarNode:
		err = b.buildScalar(n, y, p)
	case yaml.SequenceNode:
		n.kind = listNode
		err = b.buildCollection(n, y, p, depth)
	case yaml.MappingNode:
		n.kind = mapNode
		err = b.buildCollection(n, y, p, depth)
	default:
		err = b.lost(p.from)
	}
	if err == nil && n.kind == scalarNode {
		n.size = 1
	}
	return n, err
}

// buildAlias makes a node that shares the value of what it stands for.
func (b *builder) buildAlias(y *yaml.Node, p place) (*node, error) {
	start := b.lines.offset(y.Line, y.Column)
	if b.open[y.Alias] {
		return nil, faultAt(start, "alias *%s contains itself", y.Value)
	}
	target := b.done[y.Alias]
	if target == nil || byteAt(b.text, start) != '*' {
		return nil, b.lost(p.from)
	}
	return &node{
		kind: target.kind, flow: p.flow, from: p.from, head: p.from, start: start, content: start, end: nameEnd(b.text, start+1),
		value: target.value, target: target, size: target.size, height: target.height, entries: noEntries,
	}, nil
}

// buildScalar finds the span and the value of a scalar.
func (b *builder) buildScalar(n *node, y *yaml.Node, p place) error {
	n.style = scalarStyle(y.Style)
	tagged := y.Style&yaml.TaggedStyle != 0
	if y.Value == "" && n.style == plainStyle && y.Anchor == "" && !tagged {
		// The parser puts an absent value at the next token or past the end of the text.
		n.start, n.content, n.end = p.from, p.from, p.from
		if next := skipSpace(b.text, p.from); byteAt(b.text, next) == '!' {
			return faultAt(next, "%v", errTag)
		}
		return nil
	}
	n.start = b.lines.offset(y.Line, y.Column)
	n.content = n.start
	if err := b.properties(n, p.flow, y.Value == "" && n.style == plainStyle); err != nil {
		return err
	}
	if !b.scalarEnd(n, y.Value, p) {
		return b.lost(max(p.from, n.start))
	}
	switch {
	case tagged:
		v, err := coreTagged(y.ShortTag(), y.Value)
		if err != nil {
			return faultAt(n.start, "%v", err)
		}
		n.value = v
	case n.style != plainStyle:
		n.value = y.Value
	default:
		v, err := corePlain(y.Value)
		if err != nil {
			return faultAt(n.content, "%v", err)
		}
		n.value = v
	}
	return nil
}

// scalarStyle translates the library's style bits.
func scalarStyle(s yaml.Style) style {
	switch {
	case s&yaml.DoubleQuotedStyle != 0:
		return doubleStyle
	case s&yaml.SingleQuotedStyle != 0:
		return singleStyle
	case s&yaml.LiteralStyle != 0:
		return literalStyle
	case s&yaml.FoldedStyle != 0:
		return foldedStyle
	}
	return plainStyle
}

// properties moves n.content behind one anchor and one tag. An absent value ends right there.
func (b *builder) properties(n *node, flow, absent bool) error {
	end := n.content
	for range 2 {
		i := n.content
		switch byteAt(b.text, i) {
		case '&':
			i = nameEnd(b.text, i+1)
		case '!':
			for i < len(b.text) && !isBlank(b.text[i]) && breakLen(b.text, i) == 0 &&
				!(flow && strings.IndexByte(",]}", b.text[i]) >= 0) {
				i++
			}
			// "!" alone is the non-specific tag. The library drops it and gets the value wrong.
			if i == n.content+1 {
				return faultAt(n.content, "%v", errTag)
			}
		default:
			return nil
		}
		end, n.head = i, i
		n.content = skipSpace(b.text, i)
	}
	if absent {
		n.content = end
	}
	return nil
}

// buildCollection reads tag and anchor, and leaves the entries to buildFlow or buildBlock.
func (b *builder) buildCollection(n *node, y *yaml.Node, p place, depth int) error {
	n.entries = new(entries)
	n.start = b.lines.offset(y.Line, y.Column)
	n.content = n.start
	tagged := y.Style&yaml.TaggedStyle != 0
	if want := map[kind]string{listNode: "!!seq", mapNode: "!!map"}[n.kind]; tagged && y.ShortTag() != want {
		return faultAt(n.start, "%v", errTag)
	}
	n.flow = p.flow || y.Style&yaml.FlowStyle != 0
	// In a block mapping without properties a leading "&" belongs to the first key.
	if y.Anchor != "" || tagged || n.flow && byteAt(b.text, n.start) == '!' {
		if err := b.collectionProperties(n, y, tagged); err != nil {
			return err
		}
	}
	if n.flow {
		return b.buildFlow(n, y, p, depth)
	}
	return b.buildBlock(n, y, depth)
}

// collectionProperties skips exactly as many properties as the collection has; what follows may be
// those of its first entry.
func (b *builder) collectionProperties(n *node, y *yaml.Node, tagged bool) error {
	anchored := y.Anchor != ""
	for anchored || tagged {
		i := n.content
		switch c := byteAt(b.text, i); {
		case c == '&' && anchored:
			anchored = false
			i = nameEnd(b.text, i+1)
		case c == '!' && tagged:
			tagged = false
			for i < len(b.text) && !isBlank(b.text[i]) && breakLen(b.text, i) == 0 {
				i++
			}
		case c == '!':
			return faultAt(i, "%v", errTag)
		default:
			return b.lost(n.start)
		}
		n.head = i
		n.content = skipSpace(b.text, i)
	}
	if n.flow && byteAt(b.text, n.content) == '!' {
		return faultAt(n.content, "%v", errTag)
	}
	return nil
}
