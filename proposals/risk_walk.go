package proposals

import (
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/open-agent-profile/oap/canonical"
)

// part is a value or its absence. Null is a value: in a document that extends it deletes what a base says.
type part struct {
	v  any
	ok bool
}

// partOf reads a member; a nil map has none.
func partOf(m map[string]any, name string) part {
	v, ok := m[name]
	return part{v, ok}
}

// equal holds two absences for the same, and absence and null for different.
func (p part) equal(q part) bool {
	return p.ok == q.ok && (!p.ok || canonical.Equal(p.v, q.v))
}

// object reads the part as an object; an absent one is empty. False is another form.
func (p part) object() (map[string]any, bool) {
	if !p.ok {
		return nil, true
	}
	m, ok := p.v.(map[string]any)
	return m, ok
}

// list reads the part as a list; an absent one is empty.
func (p part) list() ([]any, bool) {
	if !p.ok {
		return nil, true
	}
	l, ok := p.v.([]any)
	return l, ok
}

// texts reads the part as a list of strings.
func (p part) texts() ([]string, bool) {
	l, ok := p.list()
	if !ok {
		return nil, false
	}
	return texts(l)
}

func texts(l []any) ([]string, bool) {
	out := make([]string, len(l))
	for i, v := range l {
		s, ok := v.(string)
		if !ok {
			return nil, false
		}
		out[i] = s
	}
	return out, true
}

// rater collects reasons while rules walk two documents side by side.
type rater struct {
	before, after         map[string]any // whole documents, for what depends on another place
	baseBefore, baseAfter bool           // whether each leaves to bases what it does not state
	reasons               []Reason
}

// rule rates one place, whose two parts differ.
type rule func(r *rater, at canonical.Pointer, b, a part)

func (r *rater) add(at canonical.Pointer, risk Risk, format string, args ...any) {
	r.reasons = append(r.reasons, Reason{at.String(), risk, fmt.Sprintf(format, args...)})
}

// odd is the answer to a form that the format does not have. A reader may take it for anything.
func (r *rater) odd(at canonical.Pointer) {
	r.add(at, High, "this has a form that the format does not know, so its effect is unknown")
}

// inherited rates a grant or limit that a document with bases begins or stops to state, and reports
// whether it did. Lists replace those of a base as a whole (OAP facts h.1), so even a longer
// deny list can drop what the base denied.
func (r *rater) inherited(at canonical.Pointer, b, a part) bool {
	switch {
	case !b.ok && r.baseBefore:
		r.add(at, High, "this takes the place of what a base says, which may have been narrower")
	case !a.ok && r.baseAfter:
		r.add(at, High, "this is left to the bases, which may be wider")
	default:
		return false
	}
	return true
}

// object rates member by member, so that replacing a section is rated as the sum of what it changes and
// an absent section as one that states nothing. The format's objects are closed: another member is of unknown
// effect.
func object(members map[string]rule) rule {
	return func(r *rater, at canonical.Pointer, b, a part) {
		x, xok := b.object()
		y, yok := a.object()
		if !xok || !yok {
			r.odd(at)
			return
		}
		n := len(r.reasons)
		for _, name := range union(x, y) {
			was, is := partOf(x, name), partOf(y, name)
			if was.equal(is) {
				continue
			}
			if rate, known := members[name]; known {
				rate(r, at.Append(name), was, is)
			} else {
				r.add(at.Append(name), High, "the format has no such member, so its effect is unknown")
			}
		}
		if n == len(r.reasons) && b.ok != a.ok {
			r.add(at, Low, "a section that states nothing %s", comesOrGoes(a))
		}
	}
}

// plain rates any change alike, whatever the form of the values; "subject" begins the sentence.
func plain(risk Risk, subject string) rule {
	return func(r *rater, at canonical.Pointer, b, a part) {
		r.add(at, risk, "%s %s", subject, verb(b, a))
	}
}

// ignored is for what changes with every write or belongs to sessions.
func ignored(*rater, canonical.Pointer, part, part) {}

// records rates any change of a list of objects alike, as long as they have the given members only. Only
// the new list is looked at: to lose a strange entry is no new risk.
func records(risk Risk, subject string, members ...string) rule {
	return func(r *rater, at canonical.Pointer, b, a part) {
		_, bok := b.list()
		list, aok := a.list()
		if !aok || !bok {
			r.odd(at)
			return
		}
		for i, v := range list {
			m, ok := v.(map[string]any)
			for name := range m {
				ok = ok && slices.Contains(members, name)
			}
			if !ok {
				r.odd(at.Append(strconv.Itoa(i)))
			}
		}
		r.add(at, risk, "%s %s", subject, verb(b, a))
	}
}

// union gives the names of both, sorted, so that equal input gives equal output.
func union(x, y map[string]any) []string {
	names := slices.AppendSeq(slices.Collect(maps.Keys(x)), maps.Keys(y))
	slices.Sort(names)
	return slices.Compact(names)
}

func verb(b, a part) string {
	if b.ok && a.ok {
		return "changes"
	}
	return comesOrGoes(a)
}

func comesOrGoes(a part) string {
	if a.ok {
		return "is added"
	}
	return "is removed"
}

// quote makes text from a document safe inside a sentence: one line, nothing hidden, of bounded length.
func quote(s string) string {
	const most = 60
	if len(s) > most { // bytes first: counting the runes of a huge text is not free
		if rs := []rune(s); len(rs) > most {
			s = string(rs[:most]) + "…"
		}
	}
	return strconv.Quote(s)
}
