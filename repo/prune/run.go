package prune

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/open-agent-profile/oap/delta"
	"github.com/open-agent-profile/oap/internal/term"
	"github.com/open-agent-profile/oap/repo"
	"github.com/open-agent-profile/oap/repo/history"
)

// Run prunes one profile: one commit, or none where nothing goes. The receipt has the page of the review
// also where the profile's writeback forbids the commit, beside the error, and where nothing goes.
func Run(ctx context.Context, r *repo.Repo, o Options, t Thresholds, name string) (*Receipt, error) {
	var rc *Receipt
	commit, err := run(ctx, r, o, "prune", func(ctx context.Context, s *repo.Snapshot) (*repo.PlannedCommit, error) {
		at, err := find(ctx, s, o, name)
		if err != nil {
			return nil, err
		}
		var c *repo.PlannedCommit
		rc, c, err = plan(o, t, at)
		return c, err
	})
	if rc == nil {
		return nil, err
	}
	if rc.Commit = string(commit); err != nil {
		// What was worked out did not come about; the page is true all the same.
		rc.Outcome, rc.Revision = Unchanged, rc.Previous
	}
	return rc, err
}

// plan works out one profile.
func plan(o Options, t Thresholds, at *target) (*Receipt, *repo.PlannedCommit, error) {
	rc, err := newReceipt("prune", o, at)
	if err != nil {
		return nil, nil, err
	}
	s := Select(at.doc.Value, t, o.Now)
	rc.Page = Review(at.doc.Value, s, t, o.Now)
	rc.warn(s.Warnings)
	if len(s.Evicted) == 0 {
		return rc, nil, nil
	}
	if err := at.writable(o); err != nil {
		return rc, nil, err
	}
	want := maps.Clone(at.doc.Value)
	want["state"] = s.Kept
	counts := tally(s.Evicted)
	c, err := at.commit(o, action{
		kind: history.Pruned, want: want, sections: []string{"state"}, by: "oap prune", summary: "prune",
		change: fmt.Sprintf("Pruned %s.", counts), body: evictions(s.Evicted),
	}, rc)
	return rc, c, err
}

// tally counts by rule: "3 entries (2 expired, 1 unused)".
func tally(es []delta.Eviction) string {
	count := map[string]int{}
	for _, e := range es {
		count[e.Rule]++
	}
	var parts []string
	for _, rule := range slices.Sorted(maps.Keys(count)) {
		parts = append(parts, fmt.Sprintf("%d %s", count[rule], rule))
	}
	noun := "entries"
	if len(es) == 1 {
		noun = "entry"
	}
	return fmt.Sprintf("%d %s (%s)", len(es), noun, strings.Join(parts, ", "))
}

// evictions lists everything that goes, in the form that package history reads back. Texts stay out of
// it: the commit itself shows them.
func evictions(es []delta.Eviction) string {
	var b strings.Builder
	b.WriteString(history.EvictionHeading + "prune\n")
	for _, e := range es {
		// An id is a session's text: it must not start lines of its own.
		fmt.Fprintf(&b, "- %s/%s (%s)\n", e.Collection, term.Escape(e.ID), e.Rule)
	}
	return b.String()
}

// refusal is what a person has to settle first, or cannot have.
func refusal(kind repo.Kind, reason, path, format string, args ...any) error {
	return &repo.Error{Kind: kind, Reason: reason, Path: path, Msg: fmt.Sprintf(format, args...)}
}
