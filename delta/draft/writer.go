package draft

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/open-agent-profile/oap/canonical"
	"github.com/open-agent-profile/oap/delta"
)

// writer collects the delta while evidence is gone through.
type writer struct {
	profile    map[string]any
	known      map[string]*known // by collection
	now        time.Time         // when the session learned, in whole seconds
	reserved   map[string]bool   // ids of the profile, and those that evidence wishes for or got
	said       map[Ref]string    // entries that evidence speaks of, with the piece
	moved      map[Ref]bool      // entries whose time of use was looked at
	operations []any
	proposals  []any
	wishes     map[string]*wished
	warnings   []Warning
}

// wished is a proposal that another piece of evidence may join.
type wished struct {
	doc    map[string]any
	source string
}

func (w *writer) warn(source, format string, args ...any) {
	w.warnings = append(w.warnings, Warning{source, fmt.Sprintf(format, args...)})
}

// operation adds one; a removal has no value.
func (w *writer) operation(op string, at canonical.Pointer, value any) {
	m := map[string]any{"op": op, "path": at.String()}
	if op != delta.OpRemove {
		m["value"] = value
	}
	w.operations = append(w.operations, m)
}

// set makes a member of an entry hold v, and reports whether it did not before. White space at the ends
// of a text is layout of the file.
func (w *writer) set(at canonical.Pointer, entry map[string]any, member string, v any) bool {
	was, has := entry[member]
	switch {
	case has && (canonical.Equal(was, v) || trimmed(was) == v):
		return false
	case !has && member == "status" && v == statuses[0]:
		return false // the default of the format (OAP facts a.6)
	case has:
		w.operation(delta.OpReplace, at.Append(member), v)
	default:
		w.operation(delta.OpAdd, at.Append(member), v)
	}
	return true
}

func trimmed(v any) any {
	if s, ok := v.(string); ok {
		return strings.TrimSpace(s)
	}
	return nil
}

// move sets a time that only goes forward: evidence of an older session does not turn it back.
func (w *writer) move(k kind, id, member string) {
	// An entry can be learned again and used in one session; the second operation would replace the first.
	ref, entry := Ref{k.collection, id}, w.known[k.collection].entries[id]
	if w.moved[ref] {
		return
	}
	w.moved[ref] = true
	was, _ := entry[member].(string)
	if t, ok := delta.Instant(was); ok && !t.Before(w.now) {
		return
	}
	w.set(k.at(id), entry, member, delta.Timestamp(w.now))
}

// speak writes down what pieces say of a collection. Only known entries are noted in said: a new one
// cannot be forgotten or used in the same breath, since nobody knows its id yet.
func (w *writer) speak(k kind, pieces []*piece) error {
	subjects, warnings, err := w.known[k.collection].gather(k, pieces)
	w.warnings = append(w.warnings, warnings...)
	if err != nil {
		return err
	}
	for _, s := range subjects {
		if s.old != nil {
			w.said[Ref{k.collection, s.id}] = s.source
			err = w.update(k, s)
		} else {
			err = w.create(k, s)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// create adds an entry.
func (w *writer) create(k kind, s *subject) error {
	if s.words == "" {
		return &UnknownError{s.source, Ref{k.collection, s.id}, near(s.id, w.known[k.collection].ids)}
	}
	if s.id == "" {
		taken := func(id string) bool { return w.reserved[id] }
		if s.id = EntryID(k.prefix, s.words, taken); taken(s.id) {
			return refuse(s.source, "every id for this %s is taken by other words", k.words)
		}
	}
	w.reserved[s.id] = true
	// The times are written here and not left to whoever applies: a fact without them is the first to be
	// evicted by other tools.
	entry := map[string]any{k.identity: s.id, k.words: s.words}
	for member, v := range s.rest {
		entry[member] = v
	}
	if k.collection == threads.collection && entry["status"] == nil {
		entry["status"] = statuses[0]
	}
	for _, member := range k.created {
		entry[member] = delta.Timestamp(w.now)
	}
	tags, err := more(s, nil)
	if err != nil {
		return err
	}
	if len(tags) > 0 {
		entry["tags"] = tags
	}
	w.operation(delta.OpAdd, canonical.Pointer{"state", k.collection, "-"}, entry)
	return nil
}

// update changes a known entry member by member. What is not mentioned stays, with one exception: other
// words take down what vouched for the old ones, since nobody has said that it holds for these.
func (w *writer) update(k kind, s *subject) error {
	at, changed := k.at(s.id), false
	was, _ := s.old[k.words].(string)
	reworded := s.words != "" && oneLine(s.words) != oneLine(was)
	if reworded {
		changed = w.set(at, s.old, k.words, s.words)
		if other := w.known[k.collection].byWords[oneLine(s.words)]; other != "" {
			w.warn(s.source, "%q says this already, and %q will say it too", other, s.id)
		}
	}
	for _, member := range k.rest {
		v, given := s.rest[member]
		_, had := s.old[member]
		switch {
		case given:
			changed = w.set(at, s.old, member, v) || changed
		case reworded && had && slices.Contains(k.vouch, member):
			w.operation(delta.OpRemove, at.Append(member), nil)
			w.warn(s.source, "the %s of %q was given for other words and goes with them", member, s.id)
		}
	}
	old, listed := s.old["tags"].([]any)
	tags, err := more(s, old)
	switch {
	case err != nil:
		return err
	case listed:
		// One by one, so that a tag that another session adds meanwhile stays.
		for _, tag := range tags {
			w.operation(delta.OpAdd, at.Append("tags", "-"), tag)
		}
	case len(tags) > 0:
		w.set(at, s.old, "tags", tags)
	}
	if k.mentioned != "" && (k.always || changed) {
		w.move(k, s.id, k.mentioned)
	} else if !changed {
		w.warn(s.source, "this says of %q what the profile says already", s.id)
	}
	return nil
}

// more gives the tags that are not there yet, each once.
func more(s *subject, old []any) ([]any, error) {
	var add []any
	for _, tag := range s.tags {
		if !slices.Contains(old, any(tag)) && !slices.Contains(add, any(tag)) {
			add = append(add, tag)
		}
	}
	if n := len(old) + len(add); len(add) > 0 && n > maxTags {
		return nil, refuse(s.source, "there would be %d tags, and %d fit", n, maxTags)
	}
	return add, nil
}
