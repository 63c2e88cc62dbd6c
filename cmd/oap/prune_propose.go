package main

import (
	"context"
	"fmt"

	"github.com/open-agent-profile/oap/internal/textedit"
	"github.com/open-agent-profile/oap/profile"
	"github.com/open-agent-profile/oap/proposals"
	"github.com/open-agent-profile/oap/repo"
	"github.com/open-agent-profile/oap/repo/apply"
	"github.com/open-agent-profile/oap/repo/prune"
)

// maxOperations is what the format allows in one delta (OAP facts a.8). What is over goes with the next
// proposal.
const maxOperations = 500

// proposePrune puts what would go on a branch of its own, as the state of any delta that waits for a
// person. The delta names no time, so proposing the same again finds the branch that is there.
func (a *app) proposePrune(ctx context.Context, r *repo.Repo, opts prune.Options, rc *prune.Receipt) error {
	operations := []any{}
	for _, it := range rc.Evicted[:min(len(rc.Evicted), maxOperations)] {
		operations = append(operations, map[string]any{"op": "remove", "path": "/state/" + it.Collection + "/id:" + escapeToken(it.ID), "reason": it.Rule})
	}
	v := map[string]any{
		"oap": "1.0", "kind": profile.KindDelta,
		"target":  map[string]any{"name": rc.Profile, "revision": float64(rc.Previous)},
		"session": map[string]any{"id": "oap-prune", "harness": "oap"},
		"summary": fmt.Sprintf("Prune %s.", plural(len(operations), "entry", "entries")), "operations": operations,
	}
	text, err := profile.Encode(v, textedit.JSON)
	if err != nil {
		return err
	}
	doc, err := profile.Parse("prune.delta.json", text)
	if err != nil {
		return err
	}
	req, _, err := apply.NewRequest("prune", doc)
	if err != nil {
		return err
	}
	b := &proposals.Book{Store: r, Branch: opts.Branch, Roots: opts.Roots, Prefix: a.setting(r, "refPrefix"),
		Now: opts.Now, CommitTime: opts.CommitTime, Signoff: opts.Signoff, Hooks: opts.Hooks}
	q, err := b.Queue(ctx, req, "These entries go by retention or by the thresholds of the monthly prune.")
	if err != nil {
		return err
	}
	if err := stays(rc); err != nil {
		return err
	}
	if q.Decision != nil {
		rc.Outcome = prune.Unchanged
		a.warnf("%s: the same was decided already: %s", rc.Profile, q.Decision)
		return nil
	}
	rc.Outcome, rc.Branch, rc.Commit = string(apply.Queued), q.Branch, string(q.Commit)
	return nil
}

// stays makes a receipt say what is on the branch, where nothing came to be.
func stays(rc *prune.Receipt) error {
	text, _ := rc.Texts()
	doc, err := profile.Parse(rc.Path, text)
	if err != nil {
		return err
	}
	rc.DryRun, rc.Revision, rc.Sections = false, rc.Previous, []string{}
	if rc.ProfileDigest, err = doc.Digest(); err != nil {
		return err
	}
	rc.SpecDigest, err = doc.SpecDigest()
	return err
}
