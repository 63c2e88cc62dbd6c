package audit

import (
	"bytes"
	"crypto/sha256"
	"slices"

	"github.com/open-agent-profile/oap/canonical"
)

// compose makes the view of a document from its parts.
func (p *parts) compose(n *version) *view {
	v := *n.base
	v.faults, v.revision = nil, n.revision()
	v.entries, v.history = nil, nil
	total := 0
	for _, list := range n.lists {
		total += len(list)
	}
	v.entries, v.history = slices.Grow(v.entries, total), slices.Grow(v.history, len(n.history))
	for _, c := range collections {
		for _, e := range n.lists[c.name] {
			v.entries = append(v.entries, e.entry)
		}
	}
	for _, e := range n.history {
		v.history = append(v.history, e.logged)
	}
	b := &p.out
	b.Reset()
	p.writeState(n, false)
	v.state = sumBytes(b.Bytes())
	b.Reset()
	p.write(n)
	v.digest = canonical.Digest(sha256.Sum256(b.Bytes()))
	return &v
}

// write puts the document into its canonical form (RFC 8785 §3.2.3: members in the order of their names,
// which are plain letters here).
func (p *parts) write(n *version) {
	names := slices.Clone(n.keys)
	names = append(names, "metadata")
	if n.hasState {
		names = append(names, "state")
	}
	if n.hasHistory {
		names = append(names, "history")
	}
	slices.Sort(names)
	b := &p.out
	for i, name := range names {
		p.member(i, name)
		switch name {
		case "metadata":
			writeMembers(b, n.metadata)
		case "state":
			p.writeState(n, true)
		case "history":
			writeList(b, n.history)
		default:
			b.Write(n.contract[slices.Index(n.keys, name)].json)
		}
	}
	b.WriteByte('}')
}

func (p *parts) member(i int, name string) {
	p.out.WriteString(map[bool]string{true: `{"`, false: `,"`}[i == 0])
	p.out.WriteString(name)
	p.out.WriteString(`":`)
}

func writeMembers(b *bytes.Buffer, m map[string]*part) {
	names := make([]string, 0, len(m))
	for name := range m {
		names = append(names, name)
	}
	slices.Sort(names)
	b.WriteByte('{')
	for i, name := range names {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(`"` + name + `":`)
		b.Write(m[name].json)
	}
	b.WriteByte('}')
}

func writeList(b *bytes.Buffer, list []*part) {
	b.WriteByte('[')
	for i, e := range list {
		if i > 0 {
			b.WriteByte(',')
		}
		b.Write(e.json)
	}
	b.WriteByte(']')
}

// writeState writes state, or what it is without the applicator's own two members.
func (p *parts) writeState(n *version, own bool) {
	var names []string
	for name := range n.state {
		if own || name != "revision" && name != "updated_at" {
			names = append(names, name)
		}
	}
	for name := range n.lists {
		names = append(names, name)
	}
	slices.Sort(names)
	b := &p.out
	b.WriteByte('{')
	for i, name := range names {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(`"` + name + `":`)
		if e := n.state[name]; e != nil {
			b.Write(e.json)
		} else {
			writeList(b, n.lists[name])
		}
	}
	b.WriteByte('}')
}
