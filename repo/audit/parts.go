package audit

import (
	"bytes"
	"slices"
	"strings"
	"unsafe"

	"github.com/open-agent-profile/oap/internal/textedit"
	"github.com/open-agent-profile/oap/profile"
)

// part is a piece of text that was read: its value in canonical bytes, and whether it is known to be fine in
// its place.
type part struct {
	text   string
	list   string // that it is an entry of, if any
	value  any
	json   []byte
	clean  bool
	logged logged // of an entry of history
	entry  entry  // of an entry of state that has an identity
	named  bool
}

// version is a document in parts.
type version struct {
	contract             []*part // members of the document but metadata, state and history
	keys                 []string
	metadata             map[string]*part
	state                map[string]*part   // members that are no lists of entries
	lists                map[string][]*part // those that are
	history              []*part
	hasState, hasHistory bool

	owned string // the text without state and history
	base  *view  // of that text, or of an earlier one with the same contract
}

// parts reads the versions of one path. It keeps the last, and takes over from it what did not change.
type parts struct {
	last     *version
	pool     map[string]*part // entries of the last version by their text
	pieces   [3][]piece
	texts    []string
	fields   []field
	out      bytes.Buffer
	skeleton *skeleton
	judge    judge
}

func newParts(j judge) *parts { return &parts{skeleton: newSkeleton(), judge: j} }

// most is how many entries a list may have to be judged by its entries; more are read whole, since the schema
// bounds lists.
const most = 500

// view reads a document. It is [judge.view], and faster where the version before differs little.
func (p *parts) view(path string, text []byte) *view {
	if profile.EncodingOf(path) != textedit.YAML || len(text) > 1<<20 {
		return p.judge.view(path, text)
	}
	n := p.cut(unsafe.String(unsafe.SliceData(text), len(text))) // nobody writes to it, and copies would be a third of the time
	if n == nil {
		p.last, p.pool = nil, nil
		return p.judge.view(path, text)
	}
	p.keep(n)
	if n.base == nil {
		// What people own is judged in a document that holds nothing else: the rules for it look at nothing else.
		n.base = p.judge.view(path, []byte(n.owned))
	}
	if len(n.base.faults) > 0 || !p.skeleton.valid(n) || !n.proven() {
		return p.judge.view(path, text)
	}
	return p.compose(n)
}

// keep makes a version the one that the next is compared with.
func (p *parts) keep(n *version) {
	p.last = n
	if p.pool == nil {
		p.pool = map[string]*part{}
	}
	clear(p.pool)
	for _, list := range n.lists {
		for _, e := range list {
			p.pool[e.text] = e
		}
	}
	for _, e := range n.history {
		p.pool[e.text] = e
	}
}

// cut takes a text apart; nil where it is not of the careful subset.
func (p *parts) cut(text string) *version {
	if !cuttable(text) {
		return nil
	}
	top, ok := members(text, p.pieces[0][:0])
	if !ok {
		return nil
	}
	p.pieces[0] = top
	n := &version{metadata: map[string]*part{}, state: map[string]*part{}, lists: map[string][]*part{}}
	same := p.last != nil
	for _, m := range top {
		switch m.key {
		case "metadata":
			ok, same = p.cutMetadata(n, m, same)
		case "state":
			n.hasState = true
			ok = p.cutState(n, m)
		case "history":
			n.hasHistory = true
			n.history, ok = p.cutList(m, "history")
		default:
			var e *part
			if p.last != nil {
				if i := slices.Index(p.last.keys, m.key); i >= 0 && p.last.contract[i].text == m.text {
					e = p.last.contract[i]
				}
			}
			if e == nil {
				same = false
				e = leaf(m)
			}
			ok = e != nil
			n.contract, n.keys = append(n.contract, e), append(n.keys, m.key)
		}
		if !ok {
			return nil
		}
	}
	if same && len(n.contract) == len(p.last.contract) {
		n.base = p.last.base
		return n
	}
	var owned strings.Builder
	for _, m := range top {
		if m.key != "state" && m.key != "history" {
			owned.WriteString(m.text)
		}
	}
	n.owned = owned.String()
	return n
}

// cutMetadata tells whether what people own in the metadata is as before.
func (p *parts) cutMetadata(n *version, m piece, same bool) (ok, still bool) {
	list, ok := p.below(1, m)
	if !ok {
		return false, false
	}
	for _, f := range list {
		own := f.key == "revision" || f.key == "updated_at"
		if p.last != nil && p.last.metadata[f.key] != nil && p.last.metadata[f.key].text == f.text {
			n.metadata[f.key] = p.last.metadata[f.key]
			continue
		}
		e := leaf(f)
		if e == nil {
			return false, false
		}
		same = same && own
		n.metadata[f.key] = e
	}
	// A member that went is a change, too.
	if p.last != nil {
		for key := range p.last.metadata {
			same = same && (n.metadata[key] != nil || key == "revision" || key == "updated_at")
		}
	}
	return true, same
}

// below cuts the members of a member.
func (p *parts) below(level int, m piece) ([]piece, bool) {
	if m.empty("{}") {
		return nil, true
	}
	if !m.bare {
		return nil, false
	}
	list, ok := members(m.text[m.head:], p.pieces[level][:0])
	if ok {
		p.pieces[level] = list
	}
	return list, ok
}

func (p *parts) cutState(n *version, m piece) bool {
	list, ok := p.below(2, m)
	if !ok {
		return false
	}
	for _, f := range list {
		if slices.ContainsFunc(collections, func(c struct{ name, member string }) bool { return c.name == f.key }) {
			if n.lists[f.key], ok = p.cutList(f, f.key); !ok {
				return false
			}
			continue
		}
		if p.last != nil && p.last.state[f.key] != nil && p.last.state[f.key].text == f.text {
			n.state[f.key] = p.last.state[f.key]
			continue
		}
		e := leaf(f)
		if e == nil {
			return false
		}
		n.state[f.key] = e
	}
	return true
}

// cutList reads a list of mappings.
func (p *parts) cutList(m piece, name string) ([]*part, bool) {
	if m.empty("[]") {
		return []*part{}, true
	}
	if !m.bare {
		return nil, false
	}
	texts, ok := items(m.text[m.head:], p.texts[:0])
	if !ok || len(texts) > most {
		return nil, false
	}
	p.texts = texts
	list := make([]*part, len(texts))
	for i, text := range texts {
		if e := p.pool[text]; e != nil && e.list == name {
			list[i] = e
			continue
		}
		if list[i] = p.readEntry(text, name); list[i] == nil {
			return nil, false
		}
	}
	return list, true
}
