package textedit

// template is a choice of nodes that stand in the same role as a new one; the first that fits gives its
// style to the new text.
type template []*node

// maxTemplates bounds how many siblings are asked.
const maxTemplates = 8

func (t template) scalar() *node {
	for _, n := range t {
		if _, ok := n.value.(string); ok && n.kind == scalarNode && n.target == nil {
			return n
		}
	}
	return nil
}

// collection gives the first filled collection of a kind.
func (t template) collection(k kind) *node {
	for _, n := range t {
		if n.kind == k && n.target == nil && len(n.vals) > 0 {
			return n
		}
	}
	return nil
}

// member gives what stands under a name in the mappings of t.
func (t template) member(name string) template {
	var out template
	for _, n := range t {
		if n.kind != mapNode || n.target != nil {
			continue
		}
		if i := n.child(name); i >= 0 {
			out = append(out, n.vals[i])
		}
	}
	return out
}

// items gives the last entries of the lists of t, latest first.
func (t template) items() template {
	var out template
	for _, n := range t {
		if n.kind != listNode || n.target != nil {
			continue
		}
		for i := len(n.vals) - 1; i >= 0 && len(out) < maxTemplates; i-- {
			out = append(out, n.vals[i])
		}
	}
	return out
}
