package audit

import (
	"crypto/sha256"
	"slices"
	"strings"

	"github.com/open-agent-profile/oap/canonical"
	"github.com/open-agent-profile/oap/delta"
	"github.com/open-agent-profile/oap/profile"
)

// sum is a short digest of a part of a document. It compares parts; it proves nothing to anybody outside.
type sum [16]byte

func sumOf(v any) sum {
	text, err := canonical.JCS(v)
	if err != nil {
		return sum{} // a document that was read has no such value
	}
	return sumBytes(text)
}

func sumBytes(text []byte) sum {
	full := sha256.Sum256(text)
	return sum(full[:16])
}

// view is what judging needs to know of one document. Documents themselves are not kept: a history has
// thousands.
type view struct {
	faults []fault // what makes it no valid document
	broken bool    // it is no document at all; the rest is empty then

	name, id  string
	revision  int
	digest    canonical.Digest // of the document
	spec      canonical.Digest // the spec digest
	contract  sum              // of what people own
	state     sum              // without the applicator's two fields
	writeback profile.Writeback
	limit     int // of the history
	history   []logged
	entries   []entry // of state, in order
	bases     []string
}

// logged is an entry of the profile's own history.
type logged struct {
	revision            int
	sum                 sum
	approvedBy, session string
}

// entry is an entry of state that has an identity.
type entry struct {
	place  string // "facts/id:x"
	sum    sum    // without last_used_at: using an entry does not change it
	pinned bool
}

// fault is an error in a document.
type fault struct{ id, pointer, message string }

// collections are the lists of state and what identifies their entries (OAP SPEC, state).
var collections = []struct{ name, member string }{
	{"facts", "id"}, {"preferences", "id"}, {"glossary", "term"}, {"open_threads", "id"},
}

// judge holds a document to rules beside those of its format; nil is none. Only what people own may count, since
// parts of a document are judged apart.
type judge func(*profile.Document) []profile.Finding

// view reads a document whole.
func (j judge) view(path string, text []byte) *view {
	doc, err := profile.Parse(path, text)
	if err != nil {
		return &view{broken: true, faults: []fault{brokenBy(text, err)}}
	}
	v := &view{faults: j.faults(doc, text)}
	if err := v.fill(doc.Value); err != nil {
		// Reading refuses what has no digest, so that this is no document either.
		return &view{broken: true, faults: []fault{{InvalidDocument, "", "the document has no digest: " + err.Error()}}}
	}
	return v
}

func brokenBy(text []byte, err error) fault {
	if marked(text) {
		return fault{ConflictMarkers, "", "git's conflict markers stand in the file"}
	}
	msg := err.Error()
	if se, ok := err.(*profile.SyntaxError); ok {
		msg = se.Msg
	}
	return fault{InvalidDocument, "", "the file is no document: " + msg}
}

// faults gives the errors among the findings of a check. A secret or an id that stands twice has a name of
// its own; the rest is invalidity.
func (j judge) faults(doc *profile.Document, text []byte) []fault {
	var out []fault
	if marked(text) {
		out = append(out, fault{ConflictMarkers, "", "git's conflict markers stand in the file"})
	}
	for _, f := range doc.Check() {
		if f.Severity != profile.Error {
			continue
		}
		id := InvalidDocument
		switch f.Rule {
		case "secret":
			id = Secret
		case "duplicate-id":
			id = DuplicateID
		}
		out = append(out, fault{id, f.Pointer, f.Message})
	}
	if j == nil || len(out) > 0 {
		return out
	}
	for _, f := range j(doc) {
		if f.Severity == profile.Error {
			out = append(out, fault{ManifestGate, f.Pointer, f.Message})
		}
	}
	return out
}

// marked reports whether a text holds the three markers of a merge in their order, each at the start of a line
// (git: xdiff/xmerge.c, default marker size).
func marked(text []byte) bool {
	rest := "\n" + string(text)
	for _, m := range []string{"\n<<<<<<< ", "\n=======", "\n>>>>>>> "} {
		i := strings.Index(rest, m)
		if i < 0 {
			return false
		}
		rest = rest[i+1:]
	}
	return true
}

// fill takes from a value what judging needs. It is robust against any value: faults are listed elsewhere.
func (v *view) fill(doc map[string]any) (err error) {
	if v.digest, err = canonical.Sum(doc); err != nil {
		return err
	}
	if v.spec, err = profile.SpecDigest(doc); err != nil {
		return err
	}
	d := &profile.Document{Value: doc}
	v.name, v.id, v.revision, v.writeback = d.Name(), d.ID(), d.Revision(), d.Writeback()
	v.contract = sumOf(profile.Contract(doc))
	v.limit = limitOf(doc)
	v.bases = basesOf(doc)
	v.fillState(doc["state"])
	history, _ := doc["history"].([]any)
	for _, e := range history {
		v.history = append(v.history, loggedOf(e, sumOf(e)))
	}
	return nil
}

// limitOf is how many entries of history stay.
func limitOf(doc map[string]any) int {
	if n := delta.PolicyOf(doc).MaxHistory; n != nil {
		return *n
	}
	return delta.DefaultMaxHistory
}

func (v *view) fillState(state any) {
	m, _ := state.(map[string]any)
	own := make(map[string]any, len(m))
	for k, x := range m {
		if k != "revision" && k != "updated_at" {
			own[k] = x
		}
	}
	v.state = sumOf(own)
	for _, c := range collections {
		list, _ := m[c.name].([]any)
		for _, e := range list {
			if one, ok := entryOf(c.name, c.member, e, nil); ok {
				v.entries = append(v.entries, one)
			}
		}
	}
}

// entryOf reads an entry of state, whose canonical text the caller may have.
func entryOf(collection, member string, e any, json []byte) (entry, bool) {
	m, _ := e.(map[string]any)
	id, _ := m[member].(string)
	if id == "" {
		return entry{}, false
	}
	pinned, _ := m["pinned"].(bool)
	one := entry{place: collection + "/" + member + ":" + id, pinned: pinned}
	if _, used := m["last_used_at"]; used {
		own := make(map[string]any, len(m))
		for k, x := range m {
			if k != "last_used_at" {
				own[k] = x
			}
		}
		m, json = own, nil
	}
	if json != nil {
		one.sum = sumBytes(json)
	} else {
		one.sum = sumOf(m)
	}
	return one, true
}

func loggedOf(e any, s sum) logged {
	m, _ := e.(map[string]any)
	n, _ := m["revision"].(float64)
	l := logged{revision: int(n), sum: s}
	l.approvedBy, _ = m["approved_by"].(string)
	l.session, _ = m["session_id"].(string)
	return l
}

// basesOf lists the names that a document extends.
func basesOf(doc map[string]any) []string {
	var names []string
	add := func(v any) {
		switch x := v.(type) {
		case string:
			names = append(names, x)
		case map[string]any:
			if s, ok := x["name"].(string); ok {
				names = append(names, s)
			}
		}
	}
	if list, ok := doc["extends"].([]any); ok {
		for _, x := range list {
			add(x)
		}
	} else {
		add(doc["extends"])
	}
	return names
}

// entryFor gives the history's last entry for a revision.
func (v *view) entryFor(revision int) (logged, bool) {
	for _, l := range slices.Backward(v.history) {
		if l.revision == revision {
			return l, true
		}
	}
	return logged{}, false
}

// same compares by id where both have one, else by name.
func (v *view) same(o *view) bool {
	if v.id != "" && o.id != "" {
		return v.id == o.id
	}
	return v.name != "" && v.name == o.name
}

// recordable reports whether two versions differ in anything that a revision is for.
func (v *view) recordable(o *view) bool {
	return v.contract != o.contract || v.state != o.state || v.revision != o.revision ||
		!slices.EqualFunc(v.history, o.history, func(a, b logged) bool { return a.sum == b.sum })
}
