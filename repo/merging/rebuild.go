package merging

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"
	"time"

	"github.com/open-agent-profile/oap/canonical"
	"github.com/open-agent-profile/oap/delta"
	"github.com/open-agent-profile/oap/profile"
	"github.com/open-agent-profile/oap/repo"
)

// RebuildOptions say how commits are put on another tip.
type RebuildOptions struct {
	Now time.Time         // of the new revisions, and for retention
	Cap profile.Writeback // the machine's own limit; "" is none
	// Known reports whether the new tip has a delta already, by the value of its OAP-Delta trailer.
	Known func(key string) bool
}

// Rebuilt is a state commit on its way to another tip.
type Rebuilt struct {
	From     *repo.LogEntry
	Profile  string
	Path     string
	Revision int    // on the new tip
	Was      int    // before
	Dropped  bool   // the new tip has the delta already
	Lost     string // the summary that gave way
	Warnings []delta.Warning

	ProfileDigest, SpecDigest canonical.Digest // of the document on the new tip
}

// ErrNotState is wrapped where a commit is not a state commit as its trailers say, so that it cannot be rebuilt.
var ErrNotState = errors.New("no state commit")

// Rebuild puts state commits, oldest first, on another tip: each is what its session did, carried over by identity, as
// apply-delta does with a stale delta, and becomes the next revision there. The first planned commit has the tip as its
// parent. What the contract at the tip says about writeback counts. Errors: [*ConflictError]; Refused with the reason
// "writeback"; [ErrNotState].
func Rebuild(ctx context.Context, r *repo.Repo, tip *repo.Snapshot, commits []*repo.LogEntry, o RebuildOptions) (*repo.Plan, []Rebuilt, error) {
	b := &rebuilder{r: r, tip: tip, o: o, docs: map[string]*profile.Document{}, places: map[string]string{}}
	plan := &repo.Plan{}
	var out []Rebuilt
	for _, c := range commits {
		one, planned, err := b.commit(ctx, c)
		if err != nil {
			return nil, nil, err
		}
		if planned != nil {
			if len(plan.Commits) == 0 {
				planned.FirstParent = tip.ID()
			}
			plan.Commits = append(plan.Commits, *planned)
		}
		out = append(out, one)
	}
	if len(plan.Commits) == 0 {
		plan.Commits = []repo.PlannedCommit{{FirstParent: tip.ID()}} // nothing is left of ours: only the branch moves
	}
	return plan, out, nil
}

type rebuilder struct {
	r      *repo.Repo
	tip    *repo.Snapshot
	o      RebuildOptions
	docs   map[string]*profile.Document // by path on the new tip, with what was rebuilt so far
	places map[string]string            // path in our commits to path on the new tip
}

func (b *rebuilder) commit(ctx context.Context, c *repo.LogEntry) (Rebuilt, *repo.PlannedCommit, error) {
	out := Rebuilt{From: c}
	if !IsState(c) {
		return out, nil, fmt.Errorf("%s: %w", c.ID.Short(), ErrNotState)
	}
	ch := c.Changes[0]
	var docs [2]*profile.Document
	for i, id := range []repo.ID{ch.Old, ch.New} {
		data, err := b.tip.Blob(ctx, id)
		if err != nil {
			return out, nil, err
		}
		if docs[i], err = Read(ch.Path, data); err != nil {
			return out, nil, fmt.Errorf("%s: %w: %w", c.ID.Short(), ErrNotState, err)
		}
	}
	base, theirs := docs[0], docs[1]
	if len(sections(base.Value, theirs.Value)) != 1 || sections(base.Value, theirs.Value)[0] != "state" {
		return out, nil, fmt.Errorf("%s: %w", c.ID.Short(), ErrNotState)
	}
	out.Profile, out.Was = theirs.Name(), theirs.Revision()
	key := trailer(&c.Commit, "OAP-Delta")
	if key != "" && b.o.Known != nil && b.o.Known(key) {
		out.Dropped = true
		return out, nil, nil
	}
	path, ours, err := b.place(ctx, ch.Path, base)
	if err != nil {
		return out, nil, err
	}
	out.Path = path
	if err := b.permit(c, ours); err != nil {
		return out, nil, err
	}
	return b.carry(c, out, base, ours, theirs)
}

// place finds the profile on the new tip: at its path, else by id or name.
func (b *rebuilder) place(ctx context.Context, path string, base *profile.Document) (string, *profile.Document, error) {
	at, known := b.places[path]
	if !known {
		at = path
	}
	if d := b.docs[at]; d != nil {
		return at, d, nil
	}
	d, err := documentAt(ctx, b.r, b.tip.ID(), at)
	if err != nil {
		return "", nil, err
	}
	if d == nil || !same(d, base) {
		if at, d, err = b.search(ctx, base); err != nil {
			return "", nil, err
		}
	}
	if d == nil {
		return "", nil, &ConflictError{[]FileConflict{{base.Name(), path, delta.Conflict{
			Base: base.Value, Theirs: base.Value, Reason: "ours has no such profile any more, theirs changed its state"}}}}
	}
	b.places[path], b.docs[at] = at, d
	return at, d, nil
}

func (b *rebuilder) search(ctx context.Context, base *profile.Document) (string, *profile.Document, error) {
	entries, err := b.tip.List(ctx, "", profile.IsProfilePath)
	if err != nil {
		return "", nil, err
	}
	for _, e := range entries {
		d, err := documentAt(ctx, b.r, b.tip.ID(), e.Path)
		if err != nil {
			return "", nil, err
		}
		if d != nil && same(d, base) {
			return e.Path, d, nil
		}
	}
	return "", nil, nil
}

// permit holds the commit against writeback as it is on the new tip (design section 3).
func (b *rebuilder) permit(c *repo.LogEntry, ours *profile.Document) error {
	mode := ours.Writeback()
	if b.o.Cap != "" {
		mode = mode.Lesser(b.o.Cap)
	}
	switch {
	case mode == profile.WritebackOff:
		return refuse("writeback", ours.Path, "writeback of %s is off where the commit %s would go", ours.Name(), c.ID.Short())
	case mode == profile.WritebackPropose && trailer(&c.Commit, "OAP-Approved-By") == "":
		return refuse("writeback", ours.Path, "writeback of %s is propose where the commit %s would go, and nobody approved it", ours.Name(), c.ID.Short())
	}
	return nil
}

// carry merges what the commit did to state, ages it and stamps it.
func (b *rebuilder) carry(c *repo.LogEntry, out Rebuilt, base, ours, theirs *profile.Document) (Rebuilt, *repo.PlannedCommit, error) {
	m := delta.Merge(base.Value, ours.Value, unstamped(theirs.Value, base.Value), delta.MergeOptions{})
	if len(m.Conflicts) > 0 {
		e := &ConflictError{}
		for _, conflict := range m.Conflicts {
			e.Conflicts = append(e.Conflicts, FileConflict{ours.Name(), out.Path, conflict})
		}
		return out, nil, e
	}
	doc := maps.Clone(m.Value)
	state, _ := doc["state"].(map[string]any)
	kept, evicted, warnings := delta.Retain(state, delta.PolicyOf(doc), b.o.Now)
	doc["state"] = kept
	s, err := delta.Stamp(doc, markOf(theirs.Value, later(b.o.Now, doc)))
	if err != nil {
		return out, nil, err
	}
	e, err := ours.Edit(s.Doc)
	if err == nil {
		_, err = e.Document.Validate()
	}
	if err != nil {
		return out, nil, &InvalidError{err}
	}
	b.docs[out.Path] = e.Document
	out.Revision, out.Lost, out.Warnings = e.Document.Revision(), m.SummaryLost, append(m.Warnings, warnings...)
	if out.ProfileDigest, err = e.Document.Digest(); err != nil {
		return out, nil, err
	}
	if out.SpecDigest, err = e.Document.SpecDigest(); err != nil {
		return out, nil, err
	}
	var notes []string
	if len(evicted) > 0 {
		notes = append(notes, "Evicted by retention\n"+evictedLines(evicted))
	}
	if m.SummaryLost != "" {
		notes = append(notes, summaryGone+"\n"+indented(m.SummaryLost))
	}
	return out, &repo.PlannedCommit{
		Changes: []repo.Change{{Path: out.Path, Data: e.Text}},
		Message: remake(&c.Commit, Trailers(out.Path, e.Document, []string{"state"}), strings.Join(notes, "\n")),
	}, nil
}

// unstamped is a document as it was before the stamp: what the session did and no more. The times stay, since
// retention went by them; the stamp will replace them.
func unstamped(v, base map[string]any) map[string]any {
	out := restamped(v, base)
	for _, name := range []string{"metadata", "state"} {
		was, _ := v[name].(map[string]any)
		m, _ := out[name].(map[string]any)
		if m == nil {
			continue
		}
		m = maps.Clone(m)
		if at, ok := was["updated_at"]; ok {
			m["updated_at"] = at
		}
		if base[name] == nil {
			delete(m, "revision")
		}
		out[name] = m
	}
	return out
}

// later is the time for a stamp: our clock, unless the document was written by one that is ahead of it, or while we
// waited for our turn. Times in the history do not fall.
func later(now time.Time, doc map[string]any) time.Time {
	if t := latest(map[string]any{"metadata": doc["metadata"]}); t.After(now) {
		return t
	}
	return now
}

// markOf takes the mark from the last entry of the commit's own history.
func markOf(v map[string]any, now time.Time) delta.Mark {
	m := delta.Mark{Now: now, Sections: []string{"state"}}
	entries, _ := v["history"].([]any)
	if len(entries) == 0 {
		return m
	}
	e, _ := entries[len(entries)-1].(map[string]any)
	for name, into := range map[string]*string{
		"by": &m.By, "session_id": &m.SessionID, "harness": &m.Harness, "change": &m.Change, "approved_by": &m.ApprovedBy,
	} {
		*into, _ = e[name].(string)
	}
	return m
}
