package textedit

import "github.com/open-agent-profile/oap/canonical"

type kind uint8

const (
	scalarNode kind = iota
	listNode
	mapNode
)

type style uint8

const (
	plainStyle style = iota
	singleStyle
	doubleStyle
	literalStyle // |
	foldedStyle  // >
)

func (s style) block() bool  { return s == literalStyle || s == foldedStyle }
func (s style) quoted() bool { return s == singleStyle || s == doubleStyle }

// node is one value in the text; JSON and YAML share its shape. Offsets count from the start of
// Document.text.
type node struct {
	kind  kind
	style style // scalars
	flow  bool  // collections in brackets, and all that lies inside them
	bare  bool  // a pair without braces inside a flow list: [a: b]

	from    int // behind the mark, where the value may begin
	head    int // behind anchor and tag, else from
	start   int // first byte, with anchor and tag
	content int // first byte behind anchor and tag
	// end is behind the last byte. Block collections end with their last entry; block scalars end
	// before the break of their last line (with "+" before that of the last blank line they own).
	end int

	value  any
	target *node // what an alias stands for
	anchor string
	*entries

	size   int // nodes in this subtree, aliases expanded
	height int // levels below this node, aliases expanded
}

// entries are the parts of a collection. A list has no keys. marks holds the place of "-" or ":", -1 where the
// text has none; starts the first byte of an entry: its "-", "?" or key.
type entries struct {
	keys, vals    []*node
	marks, starts []int
	col           int // block collections: 0-based column of the entries
}

// noEntries is shared by all scalars, which are most of the nodes.
var noEntries = new(entries)

func (n *node) resolved() *node {
	if n.target != nil {
		return n.target
	}
	return n
}

// empty reports a value that has no byte of its own, as behind "key:".
func (n *node) empty() bool {
	return n.kind == scalarNode && n.style == plainStyle && n.target == nil && n.content == n.end
}

// entryEnd gives the byte behind entry i of a collection.
func (n *node) entryEnd(i int) int {
	end := max(n.vals[i].end, n.marks[i]+1)
	if n.kind == mapNode {
		end = max(end, n.keys[i].end)
	}
	return end
}

// lastLeaf gives the scalar that ends n.
func (n *node) lastLeaf() *node {
	for n.target == nil && !n.flow && len(n.vals) > 0 {
		n = n.vals[len(n.vals)-1]
	}
	return n
}

// child gives the index of the entry that a pointer token names, or -1.
func (n *node) child(token string) int {
	switch n.kind {
	case mapNode:
		for i, k := range n.keys {
			if k.value == token {
				return i
			}
		}
	case listNode:
		if i, ok := canonical.Index(token); ok && i < len(n.vals) {
			return i
		}
	}
	return -1
}

// seal computes what follows from the children.
func (n *node) seal() {
	n.size = 1
	for i, v := range n.vals {
		n.size += v.size
		n.height = max(n.height, v.height+1)
		if n.kind == mapNode {
			n.size += n.keys[i].size
		}
	}
	switch n.kind {
	case listNode:
		list := make([]any, len(n.vals))
		for i, v := range n.vals {
			list[i] = v.value
		}
		n.value = list
	case mapNode:
		m := make(map[string]any, len(n.vals))
		for i, v := range n.vals {
			m[n.keys[i].value.(string)] = v.value
		}
		n.value = m
	}
}
