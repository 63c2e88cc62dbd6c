package delta

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/open-agent-profile/oap/canonical"
)

// Mark is what the history entry of a write says (OAP facts f.5). Texts longer than the format takes
// are cut with "…"; the commit has all of them.
type Mark struct {
	Now        time.Time // written in UTC and whole seconds
	By         string    // the session, else the actor
	SessionID  string
	Harness    string
	Change     string   // what happened, in a sentence
	ApprovedBy string   // empty where nobody was asked
	Sections   []string // of "metadata", "spec", "state"; with "state", the state's own counter moves too
}

// Mark gives the mark of a delta that changed state. The actor stands in where the session has no id,
// and is on record as approver only where approval was given.
func (d *Delta) Mark(now time.Time, actor string, approved bool) Mark {
	m := Mark{
		Now: now, By: d.Session.ID, SessionID: d.Session.ID, Harness: d.Session.Harness,
		Change: d.Summary, Sections: []string{"state"},
	}
	if m.By == "" {
		m.By = actor
	}
	if approved {
		m.ApprovedBy = actor
	}
	if m.Change == "" {
		m.Change = fmt.Sprintf("%d state operations", len(d.Operations))
		if len(d.Operations) == 1 {
			m.Change = "1 state operation"
		}
	}
	return m
}

// Stamped is a document that is ready to be written.
type Stamped struct {
	Doc      map[string]any
	Revision int // the new one
	Trimmed  int // history entries that went
	Warnings []Warning
}

// RuleTrimmed warns that the default limit cut a log that had been longer.
const RuleTrimmed = "history-trimmed"

// ErrNotProfile is wrapped by errors of Stamp on values that no schema would pass.
var ErrNotProfile = errors.New("not a profile")

// Stamp makes doc the next revision: metadata.revision and updated_at, where state changed its own two,
// a history entry, and the log trimmed to max_history. The result shares everything else with doc,
// which is not changed.
func Stamp(doc map[string]any, m Mark) (*Stamped, error) {
	metadata, err := objectOf(doc, "metadata", true)
	if err != nil {
		return nil, err
	}
	revision, err := next(metadata, "revision", 1)
	if err != nil {
		return nil, err
	}
	out := maps.Clone(doc)
	now := Timestamp(m.Now)
	metadata["revision"], metadata["updated_at"] = float64(revision), now
	out["metadata"] = metadata
	if slices.Contains(m.Sections, "state") {
		state, err := objectOf(doc, "state", false)
		if err != nil {
			return nil, err
		}
		counted, err := next(state, "revision", 0)
		if err != nil {
			return nil, err
		}
		state["revision"], state["updated_at"] = float64(counted), now
		out["state"] = state
	}
	s := &Stamped{Doc: out, Revision: revision}
	return s, s.log(m.entry(revision, now))
}

// log appends to the history and trims it. Without max_history the first write to a longer log would
// cut it silently, so that is said.
func (s *Stamped) log(entry map[string]any) error {
	old, ok := s.Doc["history"].([]any)
	if !ok && s.Doc["history"] != nil {
		return fmt.Errorf("%w: /history is no list", ErrNotProfile)
	}
	limit := PolicyOf(s.Doc).MaxHistory
	if limit == nil {
		n := DefaultMaxHistory
		limit = &n
		if len(old) > n {
			s.Warnings = append(s.Warnings, Warning{
				Index: noIndex, Pointer: "/history", Rule: RuleTrimmed,
				Message: fmt.Sprintf("%d entries went, since without max_history only %d stay", len(old)+1-n, n),
			})
		}
	}
	full := append(slices.Clip(old), entry)
	kept := TrimHistory(full, *limit)
	s.Trimmed = len(full) - len(kept)
	if len(kept) > 0 || ok {
		s.Doc["history"] = slices.Clone(kept)
	}
	return nil
}

// entry writes the members that have something to say, cut to the bounds of OAP facts a.7.
func (m Mark) entry(revision int, now string) map[string]any {
	e := map[string]any{"revision": float64(revision), "at": now}
	for _, f := range []struct {
		name, text string
		limit      int
	}{
		{"by", m.By, 200}, {"session_id", m.SessionID, 200}, {"harness", m.Harness, 120},
		{"change", m.Change, 1000}, {"approved_by", m.ApprovedBy, 200},
	} {
		if f.text != "" {
			e[f.name] = cut(f.text, f.limit)
		}
	}
	if len(m.Sections) > 0 {
		sections := make([]any, len(m.Sections))
		for i, s := range m.Sections {
			sections[i] = s
		}
		e["sections"] = sections
	}
	return e
}

// cut shortens a text to a number of code points, the last of which is "…" where something went.
func cut(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	n, end := 0, 0
	for i := range s {
		if n == limit-1 {
			end = i
		}
		if n == limit {
			return s[:end] + "…"
		}
		n++
	}
	return s
}

// objectOf gives a copy of a member that has to be an object.
func objectOf(doc map[string]any, name string, required bool) (map[string]any, error) {
	m, ok := doc[name].(map[string]any)
	if !ok && (required || doc[name] != nil) {
		return nil, fmt.Errorf("%w: /%s is no object", ErrNotProfile, name)
	}
	if m == nil {
		return map[string]any{}, nil
	}
	return maps.Clone(m), nil
}

// next counts a revision up from what is there, or from what its absence means.
func next(m map[string]any, name string, absent int) (int, error) {
	v, present := m[name]
	if !present {
		return absent + 1, nil
	}
	n, ok := whole(v)
	if !ok || n < absent || n >= canonical.MaxSafeInteger {
		return 0, fmt.Errorf("%w: a %s is no number that can be counted up", ErrNotProfile, name)
	}
	return n + 1, nil
}
