package proposals

import (
	"context"
	"fmt"

	"github.com/open-agent-profile/oap/repo"
)

// Refreshed says what a refresh did to an open branch.
type Refreshed struct {
	ID       string   `json:"id"`
	Profile  string   `json:"profile"`
	Branch   string   `json:"branch"`
	Commit   repo.ID  `json:"commit"`   // tip of the open branch
	Standing Standing `json:"standing"` // before
	Moved    bool     `json:"moved"`
	Trouble  string   `json:"trouble,omitempty"`
}

// Refresh merges the tip into an open branch by meaning, as a new commit on top, so that a forge's text
// merge is clean again. It never rewrites: the branch only goes forward. A branch that is up to date,
// merged or broken stays as it is; one that conflicts is an [*Error] of kind Conflict.
func (b *Book) Refresh(ctx context.Context, id string) (*Refreshed, error) {
	ref, err := b.findOpen(ctx, id)
	if err != nil {
		return nil, err
	}
	var out *Refreshed
	done, err := b.update(ctx, b.request(ref.Name, ref.ID, "refresh"), func(ctx context.Context, tip *repo.Snapshot) (*repo.Plan, error) {
		main, err := b.tip(ctx)
		if err != nil {
			return nil, err
		}
		i, err := b.load(ctx, main, repo.Ref{Name: ref.Name, ID: tip.ID()})
		if err != nil {
			return nil, err
		}
		out = &Refreshed{ID: i.ID, Profile: i.Profile, Branch: i.Branch, Commit: i.Commit, Standing: i.Standing, Trouble: i.Trouble}
		if i.Standing == Conflicting {
			return nil, conflictError(i)
		}
		if i.Standing != Behind {
			return nil, nil
		}
		return b.catchUp(i, main)
	})
	if err != nil {
		return nil, err
	}
	if out.Moved = done.After != out.Commit; out.Moved {
		out.Commit = done.After
	}
	return out, nil
}

// catchUp makes the merge. Its tree is that of main with the proposal's profile in it, which is why main is the
// first parent; the branch goes forward all the same, since its tip is the other one.
func (b *Book) catchUp(i *Item, main *repo.Snapshot) (*repo.Plan, error) {
	edited, err := editExactly(i.ours, i.merged)
	if err != nil {
		return nil, err
	}
	m := &body{}
	if i.Asks != "" {
		m.line("%s %s", headAsks, i.Asks)
	}
	m.changes(i.Changes)
	c := repo.PlannedCommit{
		FirstParent:  main.ID(),
		ExtraParents: []repo.ID{i.Commit},
		Changes:      []repo.Change{{Path: i.Path, Data: edited.Text}},
		Message: repo.Message{
			Subject:  fmt.Sprintf("%s: refresh %s", i.Profile, i.ID),
			Body:     m.String(),
			Trailers: append(trailers(keyProfile, i.Profile, keyPath, i.Path), i.origin()...),
		},
	}
	return &repo.Plan{Commits: []repo.PlannedCommit{c}}, nil
}
