package draft

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/open-agent-profile/oap/canonical"
	"github.com/open-agent-profile/oap/delta"
)

// New gives the delta that writes e into profile, in the members of the schema. The digest is that of
// the profile as the session read it; "" leaves it out. What is learned is dated with the end of the
// session where that is known, else with now.
//
// An error is a [*InputError], an [*UnknownError], or wraps [ErrNothing] or [ErrNotProfile]. Warnings
// come with ErrNothing too.
func New(profile map[string]any, digest string, e Evidence, now time.Time) (map[string]any, []Warning, error) {
	target, err := targetOf(profile, digest)
	if err != nil {
		return nil, nil, err
	}
	session, err := e.Session.doc()
	if err != nil {
		return nil, nil, err
	}
	summary, err := text("summary", "text", e.Summary, maxSummary)
	if err != nil {
		return nil, nil, err
	}
	if !e.Session.EndedAt.IsZero() {
		now = e.Session.EndedAt
	}
	w, err := newWriter(profile, now)
	if err == nil {
		err = w.write(e)
	}
	if err != nil {
		return nil, w.warnings, err
	}
	doc := map[string]any{"oap": "1.0", "kind": delta.Kind, "target": target, "session": session}
	if summary != "" {
		doc["summary"] = summary
	}
	if len(w.operations) > 0 {
		doc["operations"] = w.operations
	}
	if len(w.proposals) > 0 {
		doc["proposals"] = w.proposals
	}
	// Where a caller brings what no reader could, better no delta than one that cannot be hashed.
	if err := canonical.Check(doc); err != nil {
		return nil, w.warnings, fmt.Errorf("%w: %w", ErrNotProfile, err)
	}
	return doc, w.warnings, nil
}

// newWriter reads what the profile knows. It is never nil.
func newWriter(profile map[string]any, now time.Time) (*writer, error) {
	w := &writer{
		profile: profile, now: now.UTC().Truncate(time.Second),
		known: map[string]*known{}, reserved: map[string]bool{},
		said: map[Ref]string{}, moved: map[Ref]bool{}, wishes: map[string]*wished{},
	}
	if _, err := stamp("now", w.now); err != nil {
		return w, err
	}
	for _, k := range kinds {
		c, err := knownOf(profile, k)
		if err != nil {
			return w, err
		}
		w.known[k.collection] = c
		for _, id := range c.ids {
			w.reserved[id] = w.reserved[id] || k.prefix != ""
		}
	}
	return w, nil
}

// write goes through the evidence. Removals come after everything that may speak of what they remove.
func (w *writer) write(e Evidence) error {
	err := inTurn(
		func() error { return w.learn(e) },
		func() error { return w.used(e.Used) },
		func() error { return w.forget(e.Forget) },
		func() error { return w.summary(e.StateSummary) },
		func() error { return w.wish(e.Proposals) },
		func() error { return w.request(e.Tools) },
	)
	if err != nil {
		return err
	}
	switch o, p := len(w.operations), len(w.proposals); {
	case o > maxOperations:
		return refuse("", "there are %d operations, and %d fit into a delta", o, maxOperations)
	case p > maxProposals:
		return refuse("", "there are %d proposals, and %d fit into a delta", p, maxProposals)
	case o+p == 0:
		return ErrNothing
	}
	return nil
}

// learn writes what was learned. All pieces are checked first: an id that a later one wishes for must
// not be made for an earlier one.
func (w *writer) learn(e Evidence) error {
	f, err1 := pieces(e.Facts, facts.fromEntry)
	p, err2 := pieces(e.Preferences, preferences.fromEntry)
	g, err3 := pieces(e.Terms, terms.fromTerm)
	t, err4 := pieces(e.Threads, threads.fromThread)
	if err := first(err1, err2, err3, err4); err != nil {
		return err
	}
	for _, piece := range slices.Concat(f, p, t) {
		w.reserved[piece.id] = true
	}
	return inTurn(
		func() error { return w.speak(facts, f) },
		func() error { return w.speak(preferences, p) },
		func() error { return w.speak(terms, g) },
		func() error { return w.speak(threads, t) },
	)
}

// inTurn stops at the first error, so that nothing is said about what comes after it.
func inTurn(steps ...func() error) error {
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

func pieces[T any](list []T, check func(int, T) (*piece, error)) ([]*piece, error) {
	out := make([]*piece, len(list))
	for i, v := range list {
		p, err := check(i, v)
		if err != nil {
			return nil, err
		}
		out[i] = p
	}
	return out, nil
}

// summary rewrites the summary of state.
func (w *writer) summary(s string) error {
	s, err := text("state summary", "text", s, maxStateSummary)
	if err == nil && s != "" {
		state, _ := w.profile["state"].(map[string]any)
		w.set(canonical.Pointer{"state"}, state, "summary", s)
	}
	return err
}

// targetOf says what the delta is for. The id goes along, so that a renamed profile is recognised.
func targetOf(profile map[string]any, digest string) (map[string]any, error) {
	metadata, _ := profile["metadata"].(map[string]any)
	name, _ := metadata["name"].(string)
	if name == "" {
		return nil, fmt.Errorf("%w: /metadata/name is missing", ErrNotProfile)
	}
	target := map[string]any{"name": name, "revision": 1.0} // absent means 1 (OAP facts a.4)
	if v, has := metadata["revision"]; has {
		n, ok := v.(float64)
		if !ok || !(n >= 1 && n <= canonical.MaxSafeInteger && math.Trunc(n) == n) {
			return nil, fmt.Errorf("%w: /metadata/revision is no whole number from 1 up", ErrNotProfile)
		}
		target["revision"] = n
	}
	if id, _ := metadata["id"].(string); id != "" {
		target["id"] = id
	}
	if digest = strings.TrimSpace(digest); digest != "" {
		d, err := canonical.ParseDigest(digest)
		if err != nil {
			return nil, refuse("digest", "%v", err)
		}
		target["digest"] = d.String()
	}
	return target, nil
}
