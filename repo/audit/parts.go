package audit

import (
	"bytes"
	"crypto/sha256"
	"slices"
	"strings"
	"unsafe"

	"github.com/open-agent-profile/oap/canonical"
	"github.com/open-agent-profile/oap/internal/secrets"
	"github.com/open-agent-profile/oap/internal/textedit"
	"github.com/open-agent-profile/oap/profile"
	"github.com/open-agent-profile/oap/schemas"
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
}

func newParts() *parts { return &parts{skeleton: newSkeleton()} }

// most is how many entries a list may have to be judged by its entries; more are read whole, since the schema
// bounds lists.
const most = 500

// view reads a document. It is [viewOf], and faster where the version before differs little.
func (p *parts) view(path string, text []byte) *view {
	if profile.EncodingOf(path) != textedit.YAML || len(text) > 1<<20 {
		return viewOf(path, text)
	}
	n := p.cut(unsafe.String(unsafe.SliceData(text), len(text))) // nobody writes to it, and copies would be a third of the time
	if n == nil {
		p.last, p.pool = nil, nil
		return viewOf(path, text)
	}
	p.keep(n)
	if n.base == nil {
		// What people own is judged in a document that holds nothing else: the rules for it look at nothing else.
		n.base = viewOf(path, []byte(n.owned))
	}
	if len(n.base.faults) > 0 || !p.skeleton.valid(n) || !n.proven() {
		return viewOf(path, text)
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

// readEntry reads an entry; a plain one without the detour over the real reader and writer.
func (p *parts) readEntry(text, name string) *part {
	fields, ok := plainEntry(text, p.fields[:0])
	var e *part
	if ok {
		p.fields = fields
		e = plainPart(text, fields)
	} else {
		list, _ := parsed(text).([]any)
		if len(list) != 1 {
			return nil
		}
		value, ok := list[0].(map[string]any)
		if !ok {
			return nil
		}
		e = finished(text, value)
	}
	if e == nil {
		return nil
	}
	e.list = name
	value := e.value.(map[string]any)
	if name == "history" {
		e.logged = loggedOf(value, sumBytes(e.json))
		return e
	}
	i := slices.IndexFunc(collections, func(c struct{ name, member string }) bool { return c.name == name })
	e.entry, e.named = entryOf(name, collections[i].member, value, e.json)
	return e
}

// plainPart makes a part of plain fields.
func plainPart(text string, fields []field) *part {
	value := make(map[string]any, len(fields))
	json := make([]byte, 1, len(text))
	json[0] = '{'
	slices.SortFunc(fields, func(a, b field) int { return strings.Compare(a.key, b.key) })
	ok := true
	for i, f := range fields {
		if i > 0 {
			json = append(json, ',')
		}
		json = append(append(append(json, '"'), f.key...), `":`...)
		if json, ok = appendPlain(json, f.value); !ok {
			for _, f := range fields {
				value[f.key] = f.value
			}
			return finished(text, value)
		}
		value[f.key] = f.value
	}
	return &part{text: strings.Clone(text), value: value, json: append(json, '}')}
}

// leaf reads a member whole.
func leaf(m piece) *part {
	if !strings.Contains(m.text[:m.head], "#") && strings.Trim(m.text[m.head:], " \n") == "" {
		if v, ok := plainScalar(strings.Trim(m.text[strings.IndexByte(m.text, ':')+1:m.head], " \n")); ok {
			if json, ok := appendPlain(nil, v); ok {
				return &part{text: strings.Clone(m.text), value: v, json: json}
			}
			return finished(m.text, v)
		}
	}
	one, _ := parsed(m.text).(map[string]any)
	v, ok := one[m.key]
	if len(one) != 1 || !ok {
		return nil
	}
	return finished(m.text, v)
}

// parsed reads a piece of YAML as the document would be read; nil where it is none by itself.
func parsed(text string) any {
	d, err := textedit.Parse([]byte(text), textedit.YAML, textedit.Options{MaxDepth: 50})
	if err != nil {
		return nil
	}
	return d.Value()
}

// finished makes a part of a text and its value. The text is copied, since it would hold the whole document
// in memory.
func finished(text string, v any) *part {
	json, err := canonical.JCS(v)
	if err != nil {
		return nil
	}
	return &part{text: strings.Clone(text), value: v, json: json}
}

// skeleton is a valid document into which parts are put to see whether they are valid. The schema judges members
// of state and entries of lists each by itself (a test reads that in it).
type skeleton struct {
	doc, metadata, state map[string]any
}

func newSkeleton() *skeleton {
	k := &skeleton{metadata: map[string]any{"name": "a", "description": "Finds where a feature lives."}, state: map[string]any{}}
	k.doc = map[string]any{
		"oap": "1.0", "kind": profile.KindProfile, "metadata": k.metadata, "state": k.state,
		"spec": map[string]any{"role": map[string]any{"instructions": "Look."}},
	}
	return k
}

// valid reports whether the parts of a version that are new are valid and hold no credential, and marks them so.
func (k *skeleton) valid(n *version) bool {
	clear(k.state)
	delete(k.doc, "history")
	delete(k.metadata, "revision")
	delete(k.metadata, "updated_at")
	some := false
	put := func(into map[string]any, list map[string]*part, keys ...string) {
		for key, e := range list {
			if !e.clean && (len(keys) == 0 || slices.Contains(keys, key)) {
				into[key], some = e.value, true
			}
		}
	}
	put(k.metadata, n.metadata, "revision", "updated_at")
	put(k.state, n.state)
	fresh := func(list []*part) (values []any) {
		for _, e := range list {
			if !e.clean {
				values, some = append(values, e.value), true
			}
		}
		return values
	}
	for name, list := range n.lists {
		if values := fresh(list); values != nil {
			k.state[name] = values
		}
	}
	if values := fresh(n.history); values != nil {
		k.doc["history"] = values
	}
	if some && (len(schemas.Profile(k.doc)) > 0 || len(secrets.Scan(k.doc)) > 0) {
		return false
	}
	n.vouch()
	return true
}

// vouch marks all parts of a document without faults.
func (n *version) vouch() {
	n.each(func(e *part) { e.clean = true })
}

func (n *version) each(f func(*part)) {
	for _, key := range []string{"revision", "updated_at"} {
		if e := n.metadata[key]; e != nil {
			f(e)
		}
	}
	for _, e := range n.state {
		f(e)
	}
	for _, list := range n.lists {
		for _, e := range list {
			f(e)
		}
	}
	for _, e := range n.history {
		f(e)
	}
}

// proven reports whether a document has no fault, given that what people own has none. Besides the parts there
// are the rules across them (package profile: duplicate ids, order of the history).
func (n *version) proven() bool {
	for _, list := range n.lists {
		seen := make(map[string]bool, len(list))
		for _, e := range list {
			if !e.named || seen[e.entry.place] {
				return false
			}
			seen[e.entry.place] = true
		}
	}
	last := 0
	for _, e := range n.history {
		if e.logged.revision < last {
			return false
		}
		last = e.logged.revision
	}
	return last <= n.revision()
}

func (n *version) revision() int {
	if e := n.metadata["revision"]; e != nil {
		if f, ok := e.value.(float64); ok {
			return int(f)
		}
	}
	return 1
}

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
