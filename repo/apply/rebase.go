package apply

import (
	"context"
	"fmt"
	"strings"

	"github.com/open-agent-profile/oap/canonical"
	"github.com/open-agent-profile/oap/delta"
	"github.com/open-agent-profile/oap/profile"
	"github.com/open-agent-profile/oap/repo"
	"github.com/open-agent-profile/oap/repo/catalog"
)

// worked is what a delta makes of the document at the tip.
type worked struct {
	doc         map[string]any
	changed     bool
	warnings    []delta.Warning
	pinned      []delta.PinnedChange
	summaryLost string
}

func workedAt(a *delta.Applied) *worked {
	return &worked{doc: a.Doc, changed: a.Changed, warnings: a.Warnings, pinned: a.Pinned}
}

// fits reports whether the delta was made for the document at the tip as it stands. A digest settles it;
// without one the revision does. A digest that does not fit is never ignored (OAP L2-A3, L2-A4).
func fits(d *delta.Delta, rc *Receipt) bool {
	if d.Target.HasDigest {
		return d.Target.Digest == rc.ProfileDigest
	}
	return d.Target.Revision == rc.Previous
}

// rebase carries a delta that was made for an older revision over to the tip: it is applied to the
// revision it was made for, found in history, and the two are merged by identity. Errors: [*Error] of
// kind Stale or Digest where no base is found or several are, Conflict where entries exclude each other.
func rebase(ctx context.Context, r *repo.Repo, v *view, known *seen, o Options, req *Request, t *target, rc *Receipt) (*worked, error) {
	d := req.Delta
	bases, err := findBases(ctx, r, v, known, d, t)
	if err != nil {
		return nil, err
	}
	if len(bases) == 0 {
		return nil, stale(r, d, t, rc, "")
	}
	var first *delta.Merged
	var theirs *delta.Applied
	for _, base := range bases {
		a, err := delta.Apply(base, d.Operations, delta.Options{LearnedAt: d.LearnedAt(o.Now)})
		if err != nil {
			return nil, refusedOperation(err, req, t)
		}
		m := delta.Merge(base, t.doc.Value, a.Doc, delta.MergeOptions{TheirsEnded: d.Session.EndedAt})
		if first != nil && !canonical.Equal(first.Value, m.Value) {
			return nil, stale(r, d, t, rc, fmt.Sprintf("; %d documents of the history call themselves revision %d, and the delta names no digest", len(bases), d.Target.Revision))
		}
		if first == nil {
			first, theirs = m, a
		}
	}
	if len(first.Conflicts) > 0 {
		return nil, conflict(t, d, first.Conflicts)
	}
	rc.Rebased, rc.RebasedFrom, rc.Met = true, d.Target.Revision, first.Met
	w := workedAt(theirs)
	w.doc, w.changed = first.Value, !canonical.Equal(t.doc.Value, first.Value)
	w.warnings = append(w.warnings, first.Warnings...)
	w.summaryLost = first.SummaryLost
	return w, nil
}

// stale says that the delta was made for something that cannot be found, or not be told apart.
func stale(r *repo.Repo, d *delta.Delta, t *target, rc *Receipt, why string) error {
	details := StaleDetails{Profile: t.doc.Name(), Target: d.Target.Revision, Current: t.doc.Revision()}
	if r.Shallow && why == "" {
		why = "; this clone is shallow, so its history may be missing"
	}
	name := t.doc.Name()
	if d.Target.HasDigest {
		details.TargetDigest, details.CurrentDigest = d.Target.Digest.String(), rc.ProfileDigest.String()
		if d.Target.Revision == t.doc.Revision() {
			return &Error{Kind: Digest, Profile: name, Path: t.path, Details: details,
				Msg: fmt.Sprintf("%s at revision %d is not the document that the delta was made for: its digest is %s, the delta names %s, which the history does not hold%s", name, t.doc.Revision(), rc.ProfileDigest.Short(), d.Target.Digest.Short(), why)}
		}
	}
	if why == "" {
		why = "; the history holds no such document"
	}
	return &Error{Kind: Stale, Profile: name, Path: t.path, Details: details,
		Msg: fmt.Sprintf("the delta was made for revision %d of %s, which is now at revision %d%s", d.Target.Revision, name, t.doc.Revision(), why)}
}

// ConflictDetails is one place that a person has to settle.
type ConflictDetails struct {
	Pointer string `json:"pointer"`
	Reason  string `json:"reason"`
	Base    any    `json:"base"`
	Ours    any    `json:"ours"`   // on the branch
	Theirs  any    `json:"theirs"` // in the delta
}

func conflict(t *target, d *delta.Delta, cs []delta.Conflict) error {
	var details []ConflictDetails
	var lines []string
	for _, c := range cs {
		details = append(details, ConflictDetails{c.Pointer, c.Reason, c.Base, c.Ours, c.Theirs})
		lines = append(lines, fmt.Sprintf("%s (%s; on the branch: %s; in the delta: %s)", c.Pointer, c.Reason, brief(c.Ours), brief(c.Theirs)))
	}
	return &Error{Kind: Conflict, Profile: t.doc.Name(), Path: t.path, Details: details,
		Msg: fmt.Sprintf("the delta for revision %d of %s conflicts with revision %d at %s", d.Target.Revision, t.doc.Name(), t.doc.Revision(), strings.Join(lines, ", "))}
}

// brief shows a value in a sentence: canonical JSON, at most 80 characters of it.
func brief(v any) string {
	if v == nil {
		return "nothing"
	}
	b, err := canonical.JCS(v)
	if err != nil {
		return "?"
	}
	if rs := []rune(string(b)); len(rs) > 80 {
		return string(rs[:80]) + "…"
	}
	return string(b)
}

// findBases gives the distinct documents of the profile's history that the delta may have been made for:
// of its target.revision and, where it names one, its digest. A document that names its digest is one.
func findBases(ctx context.Context, r *repo.Repo, v *view, known *seen, d *delta.Delta, t *target) ([]map[string]any, error) {
	w := &baseSearch{repo: r, snapshot: v.snapshot, delta: d, seen: map[repo.ID]bool{}, name: t.doc.Name(), id: t.doc.ID(), roots: v.roots}
	// Documents that earlier deltas of the same call have made are not in git yet.
	for _, doc := range v.made[t.path] {
		w.consider(doc)
	}
	if w.enough {
		return w.found, nil
	}
	// Deltas of one call are often made for one revision.
	key := fmt.Sprintf("%s\x00%d\x00%s", t.path, d.Target.Revision, d.Target.Digest)
	old, kept := known.bases[key]
	if !kept {
		made := w.found
		w.found = nil
		path, from := t.path, v.snapshot.ID()
		for from != "" && !w.enough {
			next, err := w.walk(ctx, path, from)
			if err != nil {
				return nil, err
			}
			path, from = next.path, next.from
		}
		old, w.found = w.found, made
		if d.Target.Revision <= t.doc.Revision() { // what this run makes later is of a later one
			known.bases[key] = old
		}
	}
	return append(w.found, old...), nil
}

// baseSearch walks the versions of a profile from new to old.
type baseSearch struct {
	repo     *repo.Repo
	snapshot *repo.Snapshot
	delta    *delta.Delta
	roots    []string
	name     string
	id       string
	seen     map[repo.ID]bool
	found    []map[string]any
	enough   bool
}

type place struct {
	path string
	from repo.ID
}

// walk reads the versions of one path. Where the path begins, the profile may have had another name: the
// place it had before is given, or nothing.
func (w *baseSearch) walk(ctx context.Context, path string, from repo.ID) (place, error) {
	var oldest *repo.LogEntry
	for c, err := range w.repo.Log(ctx, repo.LogOptions{From: []string{string(from)}, Paths: []string{path}, FullHistory: true, Changes: true}) {
		if err != nil {
			return place{}, err
		}
		oldest = c
		for _, ch := range c.Changes {
			if ch.Path != path || ch.New == "" || w.seen[ch.New] {
				continue
			}
			w.seen[ch.New] = true
			data, err := w.snapshot.Blob(ctx, ch.New)
			if err != nil {
				return place{}, err
			}
			if revision, ok := profile.RevisionIn(path, data); ok && revision != w.delta.Target.Revision {
				w.passed(revision)
				continue
			}
			if doc, err := profile.Parse(path, data); err == nil {
				w.consider(doc)
			}
		}
		if w.enough {
			return place{}, nil
		}
	}
	if oldest == nil || len(oldest.Parents) == 0 {
		return place{}, nil
	}
	return w.before(ctx, path, oldest.Parents[0])
}

// passed notes a version of another revision. The walk goes from new to old, so a version older than the wanted one
// ends it once there is a candidate.
func (w *baseSearch) passed(revision int) {
	if revision < w.delta.Target.Revision {
		w.enough = len(w.found) > 0
	}
}

// consider takes a version in.
func (w *baseSearch) consider(doc *profile.Document) {
	d := w.delta
	switch {
	case doc.Revision() != d.Target.Revision:
		w.passed(doc.Revision())
	case !d.Target.HasDigest:
		w.found = append(w.found, doc.Value)
	default:
		if sum, err := doc.Digest(); err == nil && sum == d.Target.Digest {
			w.found, w.enough = append(w.found, doc.Value), true
		}
	}
}

// before finds the profile, by id or by name, in the commit before its path began.
func (w *baseSearch) before(ctx context.Context, path string, commit repo.ID) (place, error) {
	s, err := w.repo.Snapshot(ctx, commit)
	if err != nil {
		return place{}, err
	}
	all, err := catalog.List(ctx, catalog.Commit{Snapshot: s}, w.roots)
	if err != nil {
		return place{}, err
	}
	for _, e := range all {
		if e.Document == nil || e.Path == path {
			continue
		}
		if w.id != "" && e.Document.ID() == w.id || w.id == "" && e.Name() == w.name {
			return place{e.Path, commit}, nil
		}
	}
	return place{}, nil
}
