package proposals

import (
	"context"
	"fmt"
	"strings"

	"github.com/open-agent-profile/oap/repo"
)

// archive plans the end of an open item: a commit that records the decision on top of what was decided,
// the archived ref that keeps both reachable, and the branch's removal. Earlier decisions on the same stay
// reachable as a further parent. The commit stands for NewCommit(0), so it comes first in a plan.
func (b *Book) archive(ctx context.Context, i *Item, v Verdict, by, reason string) (*repo.PlannedCommit, []repo.RefUpdate, error) {
	name := DecidedPrefix + i.ID
	earlier, err := b.Store.RefTip(ctx, name)
	if err != nil {
		return nil, nil, err
	}
	m := &body{}
	what := i.Asks
	if i.Kind == KindPending {
		what = i.Summary
		m.text(headSummary, i.Summary)
	} else if i.Asks != "" {
		m.line("%s %s", headAsks, i.Asks)
	}
	m.text(headReason, reason)
	edited := ""
	if i.Edited && v == Accepted {
		edited = "yes"
	}
	c := &repo.PlannedCommit{
		FirstParent: i.Commit,
		AllowEmpty:  true,
		Message: repo.Message{
			Subject: fmt.Sprintf("%s: %s %s", i.Profile, v, what),
			Body:    m.String(),
			Trailers: append(append(trailers(keyProfile, i.Profile, keyPath, i.Path), i.origin()...),
				trailers(keyApproved, approver(v, by), keyDecision, string(v), keyEdited, edited)...),
		},
	}
	if earlier != "" {
		c.ExtraParents = []repo.ID{earlier}
	}
	return c, []repo.RefUpdate{{Name: name, Old: earlier, New: repo.NewCommit(0)}, {Name: i.Branch, Old: i.Commit}}, nil
}

// approver: a rejection approves nothing; who rejected is the author of the commit.
func approver(v Verdict, by string) string {
	if v == Accepted {
		return by
	}
	return ""
}

// Reject closes an open item with a decision. Nothing changes on the branch. A rejected wish is not opened
// again unless somebody asks for that.
func (b *Book) Reject(ctx context.Context, id, by, reason string) (*Outcome, error) {
	return b.close(ctx, id, Rejected, by, reason)
}

// close archives an item under a verdict.
func (b *Book) close(ctx context.Context, id string, v Verdict, by, reason string) (*Outcome, error) {
	ref, err := b.findOpen(ctx, id)
	if err != nil {
		return nil, err
	}
	var out *Outcome
	name := DecidedPrefix + b.ID(ref.Name)
	done, err := b.update(ctx, b.request(name, ref.ID, strings.ToLower(string(v))), func(ctx context.Context, _ *repo.Snapshot) (*repo.Plan, error) {
		i, err := b.reload(ctx, ref.Name)
		if err != nil {
			return nil, err
		}
		c, refs, err := b.archive(ctx, i, v, by, reason)
		if err != nil {
			return nil, err
		}
		out = &Outcome{
			ID: i.ID, Kind: i.Kind, Verdict: v, Profile: i.Profile, Path: i.Path, Branch: b.Branch, By: approver(v, by),
			Risk: i.Risk, Reasons: i.Reasons, Changes: i.Changes, Edited: i.Edited,
		}
		// The archived ref is the one that this update is about, so it moves by itself.
		return &repo.Plan{Commits: []repo.PlannedCommit{*c}, Refs: refs[1:]}, nil
	})
	if err != nil {
		return nil, err
	}
	if len(done.Commits) == 1 {
		out.Decision = done.Commits[0]
	}
	return out, nil
}

// reload reads an open item anew, under the queue lock of an update.
func (b *Book) reload(ctx context.Context, name string) (*Item, error) {
	main, err := b.tip(ctx)
	if err != nil {
		return nil, err
	}
	tip, err := b.Store.RefTip(ctx, name)
	if err != nil {
		return nil, err
	}
	if tip == "" {
		return nil, refuse(repo.NotFound, ReasonUnknown, "the branch %s is gone", name).about(b.ID(name), "")
	}
	return b.load(ctx, main, repo.Ref{Name: name, ID: tip})
}
