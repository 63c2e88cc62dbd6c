package proposals

import (
	"context"
	"slices"

	"github.com/open-agent-profile/oap/canonical"
	"github.com/open-agent-profile/oap/delta"
	"github.com/open-agent-profile/oap/repo"
)

// Settle closes as accepted what the branch has already, by a person's merge or in any other way. What
// somebody has checked out stays open and is given back by name.
func (b *Book) Settle(ctx context.Context) (done []*Outcome, stay []string, err error) {
	items, err := b.List(ctx)
	if err != nil {
		return nil, nil, err
	}
	for _, i := range items {
		if i.Standing != Merged {
			continue
		}
		out, err := b.conclude(ctx, i.ID, Accepted, "")
		if repo.ReasonOf(err) == "checked-out" {
			stay = append(stay, i.Branch)
			continue
		}
		if err != nil {
			return done, stay, err
		}
		done = append(done, out)
	}
	return done, stay, nil
}

// Close archives an open item without a decision, because its branch went elsewhere. It blocks nothing: the
// same wish opens again. Where a decision on it is known, the branch only goes.
func (b *Book) Close(ctx context.Context, id, reason string) (*Outcome, error) {
	return b.conclude(ctx, id, Closed, reason)
}

// conclude closes an item, unless a decision that came from elsewhere holds all of its commits already.
func (b *Book) conclude(ctx context.Context, id string, v Verdict, reason string) (*Outcome, error) {
	ref, err := b.findOpen(ctx, id)
	if err != nil {
		return nil, err
	}
	id = b.ID(ref.Name)
	d, err := b.decision(ctx, id)
	if err != nil {
		return nil, err
	}
	known := false
	if d != nil {
		if known, err = b.contains(ctx, d.Commit, ref.ID); err != nil {
			return nil, err
		}
	}
	if !known {
		return b.close(ctx, id, v, "", reason)
	}
	_, err = b.update(ctx, b.request(DecidedPrefix+id, "", "conclude"), func(context.Context, *repo.Snapshot) (*repo.Plan, error) {
		return &repo.Plan{Refs: []repo.RefUpdate{{Name: ref.Name, Old: ref.ID}}}, nil
	})
	if err != nil {
		return nil, err
	}
	return &Outcome{
		ID: id, Kind: d.Kind, Verdict: d.Verdict, Profile: d.Profile, Path: d.Path, Branch: b.Branch, Decision: d.Commit, By: d.By,
		Reasons: []Reason{}, Changes: []Change{}, Edited: d.Edited,
	}, nil
}

// recogniseDecided finds accepted proposals whose change the branch has and the record has not: their
// branches were closed before the change was put on record.
func (b *Book) recogniseDecided(ctx context.Context, main *repo.Snapshot, r *record, known []string) ([]string, error) {
	decided, err := b.Decisions(ctx)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, d := range decided {
		if d.Verdict != Accepted || d.Kind != KindProposal || d.Path != r.at.path || slices.Contains(known, d.ID) {
			continue
		}
		i, err := b.loadAs(ctx, main, repo.Ref{Name: DecidedPrefix + d.ID, ID: d.Commit}, KindProposal, d.Profile, d.ID)
		if err != nil {
			return nil, err
		}
		if i.Standing != Merged || i.base == nil || canonical.Equal(i.base.Value, i.theirs.Value) {
			continue
		}
		before := delta.Merge(i.base.Value, r.contract.Value, i.theirs.Value, delta.MergeOptions{})
		if !canonical.Equal(contractPart(before.Value), contractPart(r.contract.Value)) {
			out = append(out, d.ID)
		}
	}
	return out, nil
}
