package prune

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/open-agent-profile/oap/canonical"
	"github.com/open-agent-profile/oap/delta"
	"github.com/open-agent-profile/oap/profile"
	"github.com/open-agent-profile/oap/repo"
	"github.com/open-agent-profile/oap/repo/catalog"
	"github.com/open-agent-profile/oap/repo/history"
)

// Parts says what a rollback brings back.
type Parts struct{ State, Contract bool }

// Rollback makes a new revision whose state, or contract, is that of an older version; history goes on
// and is never rewritten. The name and id of the profile stay what they are, since files and branches hang
// on them. Nothing changes where the parts are equal already. The person of the options is recorded as
// approver; a contract without one is refused.
func Rollback(ctx context.Context, r *repo.Repo, o Options, name, rev string, parts Parts) (*Receipt, error) {
	if parts.Contract && strings.TrimSpace(o.Person) == "" {
		return nil, refusal(repo.Refused, "no-approver", "", "a contract is brought back by a person, and none is named")
	}
	tip, err := r.RefTip(ctx, o.Branch)
	if err != nil {
		return nil, err
	}
	old, err := history.At(ctx, r, tip, o.Roots, name, rev)
	if err != nil {
		return nil, err
	}
	var rc *Receipt
	commit, err := run(ctx, r, o, "rollback", func(ctx context.Context, s *repo.Snapshot) (*repo.PlannedCommit, error) {
		at, err := find(ctx, s, o, name)
		if err != nil {
			return nil, err
		}
		var c *repo.PlannedCommit
		rc, c, err = back(o, at, old, parts)
		return c, err
	})
	if err != nil {
		return nil, err
	}
	rc.Commit = string(commit)
	return rc, nil
}

// back works the rollback out.
func back(o Options, at *target, old *catalog.At, parts Parts) (*Receipt, *repo.PlannedCommit, error) {
	rc, err := newReceipt("rollback", o, at)
	if err != nil {
		return nil, nil, err
	}
	rc.From = &From{Revision: old.Document.Revision(), Commit: string(old.Commit)}
	want := maps.Clone(at.doc.Value)
	if parts.Contract {
		want = contractOf(at.doc.Value, old.Document.Value)
		if old.Document.Name() != at.doc.Name() || old.Document.ID() != at.doc.ID() {
			rc.warn([]delta.Warning{{Rule: "identity-kept", Pointer: "/metadata", Message: "name and id stay what they are now"}})
		}
	}
	if parts.State {
		stateOf(want, old.Document.Value)
	}
	d := history.Compare(at.doc.Value, want)
	rc.Changes = slices.Concat(d.Contract, d.State)
	if len(rc.Changes) == 0 {
		return rc, nil, nil
	}
	if len(d.State) > 0 {
		if err := at.writable(o); err != nil {
			return nil, nil, err
		}
		rc.evictedNext(want, o)
	}
	a := action{kind: history.RolledBack, want: want, approver: o.Person, by: o.Person}
	var what []string
	if len(d.Contract) > 0 {
		what = append(what, "contract")
		a.sections = contractSections(at.doc.Value, want)
	}
	if len(d.State) > 0 {
		what = append(what, "state")
		a.sections = append(a.sections, "state")
	}
	a.summary = fmt.Sprintf("rollback of %s to r%d", strings.Join(what, " and "), rc.From.Revision)
	a.change = fmt.Sprintf("Rolled %s back to revision %d.", strings.Join(what, " and "), rc.From.Revision)
	a.body = changed(rc)
	c, err := at.commit(o, a, rc)
	return rc, c, err
}

// contractOf is the old contract around what is the profile's own now: name, id, the applicator's fields,
// state and history.
func contractOf(now, old map[string]any) map[string]any {
	want := profile.Contract(old)
	metadata, _ := want["metadata"].(map[string]any)
	metadata = maps.Clone(metadata)
	current, _ := now["metadata"].(map[string]any)
	for _, name := range []string{"name", "id", "revision", "updated_at"} {
		delete(metadata, name)
		if v, ok := current[name]; ok {
			metadata[name] = v
		}
	}
	want["metadata"] = metadata
	for _, name := range []string{"state", "history"} {
		if v, ok := now[name]; ok {
			want[name] = v
		}
	}
	return want
}

// stateOf puts the old state into a document, with the counters of the present one, which only grow.
func stateOf(want, old map[string]any) {
	was, had := old["state"].(map[string]any)
	now, has := want["state"].(map[string]any)
	if !had && !has {
		return
	}
	state := maps.Clone(was)
	if state == nil {
		state = map[string]any{}
	}
	for _, name := range []string{"revision", "updated_at"} {
		delete(state, name)
		if v, ok := now[name]; ok {
			state[name] = v
		}
	}
	want["state"] = state
}

// contractSections names the blocks in which two contracts differ; what is in neither block counts as
// spec, since the format's history knows no other word.
func contractSections(a, b map[string]any) []string {
	x, y := profile.Contract(a), profile.Contract(b)
	var out []string
	if !canonical.Equal(x["metadata"], y["metadata"]) {
		out = append(out, "metadata")
	}
	delete(x, "metadata")
	delete(y, "metadata")
	if !canonical.Equal(x, y) {
		out = append(out, "spec")
	}
	return out
}

// evictedNext warns of what retention takes again with the next write.
func (rc *Receipt) evictedNext(want map[string]any, o Options) {
	state, _ := want["state"].(map[string]any)
	_, next, _ := delta.Retain(state, delta.PolicyOf(want), o.Now)
	for _, e := range next {
		rc.warn([]delta.Warning{{Index: -1, Rule: "evicted-next", Pointer: "/state/" + e.Collection + "/id:" + canonical.Escape(e.ID),
			Message: fmt.Sprintf("the next write evicts this entry (%s)", e.Rule)}})
	}
}

// changed is the body of the commit: what differs, place by place, and from where.
func changed(rc *Receipt) string {
	var b strings.Builder
	fmt.Fprintf(&b, "As it was at revision %d, in commit %s.\n\n", rc.From.Revision, rc.From.Commit)
	for _, c := range rc.Changes {
		fmt.Fprintf(&b, "- %s %s", c.What, c.Pointer)
		if len(c.Fields) > 0 {
			fmt.Fprintf(&b, " (%s)", strings.Join(c.Fields, ", "))
		}
		b.WriteString("\n")
	}
	return b.String()
}
