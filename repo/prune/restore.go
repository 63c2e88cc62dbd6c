package prune

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/open-agent-profile/oap/delta"
	"github.com/open-agent-profile/oap/repo"
	"github.com/open-agent-profile/oap/repo/catalog"
	"github.com/open-agent-profile/oap/repo/history"
)

// lists are the collections of state that entries can be brought back to.
var lists = []struct{ name, member string }{
	{"facts", "id"}, {"preferences", "id"}, {"open_threads", "id"}, {"glossary", "term"},
}

// found is an entry as an older version has it.
type found struct {
	collection, member, id string
	entry                  map[string]any
	before                 []string // ids that stood before it there, the nearest last
	from                   From
}

// Restore brings an entry back, from the version that rev names, or else from the newest that has it.
// entry is an id or term, or COLLECTION/ID. It is the old entry in everything but two things, or the next
// write would evict it again: last_used_at (of a thread: updated_at) is now, and an expires_at that has
// passed is gone. Where the profile has the entry already with the same words, nothing changes; with other
// words, a person has to choose, and the error is of kind [repo.Conflict].
func Restore(ctx context.Context, r *repo.Repo, o Options, name, entry, rev string) (*Receipt, error) {
	tip, err := r.RefTip(ctx, o.Branch)
	if err != nil {
		return nil, err
	}
	f, err := search(ctx, r, tip, o, name, entry, rev)
	if err != nil {
		return nil, err
	}
	var rc *Receipt
	commit, err := run(ctx, r, o, "restore", func(ctx context.Context, s *repo.Snapshot) (*repo.PlannedCommit, error) {
		at, err := find(ctx, s, o, name)
		if err != nil {
			return nil, err
		}
		var c *repo.PlannedCommit
		rc, c, err = f.plan(o, at)
		return c, err
	})
	if err != nil {
		return nil, err
	}
	rc.Commit = string(commit)
	return rc, nil
}

// search finds the entry in history.
func search(ctx context.Context, r *repo.Repo, tip repo.ID, o Options, name, entry, rev string) (*found, error) {
	if rev != "" {
		at, err := history.At(ctx, r, tip, o.Roots, name, rev)
		if err != nil {
			return nil, err
		}
		f, err := lookIn(at, entry)
		if f == nil && err == nil {
			err = refusal(repo.NotFound, "no-entry", at.Path, "%s has no entry %q at %s", name, entry, rev)
		}
		return f, err
	}
	s, err := r.Snapshot(ctx, tip)
	if err != nil {
		return nil, err
	}
	e, path, err := history.Find(ctx, s, o.Roots, name)
	if err != nil {
		return nil, err
	}
	for v, err := range history.Walk(ctx, r, tip, o.Roots, path, history.Options{}) {
		if err != nil {
			return nil, err
		}
		if v.Document == nil {
			continue
		}
		f, err := lookIn(&catalog.At{Entry: &catalog.Entry{Path: v.Path, Document: v.Document}, Commit: v.Commit.ID}, entry)
		if f != nil || err != nil {
			return f, err
		}
	}
	more := ""
	if r.Shallow {
		more = "; this clone is shallow, so its history may be missing"
	}
	return nil, refusal(repo.NotFound, "no-entry", path, "%s never had an entry %q%s", e.Name(), entry, more)
}

// lookIn finds the entry in one version; nil where it is not there.
func lookIn(at *catalog.At, spec string) (*found, error) {
	var all []*found
	for _, l := range lists {
		id := spec
		if name, rest, ok := strings.Cut(spec, "/"); ok && slices.ContainsFunc(lists, func(l struct{ name, member string }) bool { return l.name == name }) {
			if name != l.name {
				continue
			}
			id = rest
		}
		entry := history.EntryIn(at.Document.Value, l.name, l.member, id)
		if entry == nil {
			continue
		}
		f := &found{collection: l.name, member: l.member, id: id, entry: entry,
			from: From{Revision: at.Document.Revision(), Commit: string(at.Commit)}}
		state, _ := at.Document.Value["state"].(map[string]any)
		for _, m := range listOf(state, l.name) {
			if m[l.member] == id {
				break
			}
			other, _ := m[l.member].(string)
			f.before = append(f.before, other)
		}
		all = append(all, f)
	}
	switch len(all) {
	case 0:
		return nil, nil
	case 1:
		return all[0], nil
	}
	return nil, refusal(repo.Conflict, "several-entries", at.Path, "%q is in %s and in %s: say which, as COLLECTION/ID", spec, all[0].collection, all[1].collection)
}

// plan works the restoration out.
func (f *found) plan(o Options, at *target) (*Receipt, *repo.PlannedCommit, error) {
	rc, err := newReceipt("restore", o, at)
	if err != nil {
		return nil, nil, err
	}
	item := itemOf(f.collection, f.entry, "")
	item.ID = f.id
	rc.Entry, rc.From = &item, &f.from
	if now := history.EntryIn(at.doc.Value, f.collection, f.member, f.id); now != nil {
		if history.Words(now) == history.Words(f.entry) {
			return rc, nil, nil
		}
		return nil, nil, refusal(repo.Conflict, "entry-present", at.path, "%s has %s/%s already, with other words than at revision %d", at.doc.Name(), f.collection, f.id, f.from.Revision)
	}
	if err := at.writable(o); err != nil {
		return nil, nil, err
	}
	want := maps.Clone(at.doc.Value)
	state, _ := want["state"].(map[string]any)
	state = maps.Clone(state)
	if state == nil {
		state = map[string]any{}
	}
	old, _ := state[f.collection].([]any)
	place := f.place(old)
	state[f.collection] = slices.Insert(slices.Clone(old), place, any(f.revived(o)))
	want["state"] = state
	rc.evictedNext(want, o)
	label := f.collection + "/" + f.id
	c, err := at.commit(o, action{
		kind: history.Restored, want: want, sections: []string{"state"}, approver: o.Person, by: o.Person,
		summary: "restore " + label, change: fmt.Sprintf("Restored %s from revision %d.", label, f.from.Revision),
		body: fmt.Sprintf("- add /state/%s/%s:%s\n  As it was at revision %d, in commit %s.\n", f.collection, f.member, f.id, f.from.Revision, f.from.Commit),
	}, rc)
	return rc, c, err
}

// revived is the entry with what keeps it from going at once (design section 7).
func (f *found) revived(o Options) map[string]any {
	m := maps.Clone(f.entry)
	now := delta.Timestamp(o.Now)
	switch f.collection {
	case "facts", "preferences":
		m["last_used_at"] = now
		if end := instantOf(m, "expires_at"); !end.IsZero() && !o.Now.Before(end) {
			delete(m, "expires_at")
		}
	case "open_threads":
		m["updated_at"] = now
	}
	return m
}

// place puts the entry behind the nearest of those that stood before it and are still there; else first.
func (f *found) place(list []any) int {
	for _, id := range slices.Backward(f.before) {
		for i, v := range list {
			if m, _ := v.(map[string]any); m != nil && m[f.member] == id {
				return i + 1
			}
		}
	}
	return 0
}
