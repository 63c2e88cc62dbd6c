package proposals

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/open-agent-profile/oap/repo"
)

// Group is several open proposals that ask the same of different profiles, on one branch.
type Group struct {
	Branch string
	Commit repo.ID
	Items  []*Item
}

// Groups finds equal wishes of different profiles among open items: the same change of the contract,
// wherever it is made. Groups of one are left out.
func Groups(items []*Item) [][]*Item {
	by := map[string][]*Item{}
	var order []string
	for _, i := range items {
		if i.Kind != KindProposal || i.Standing != UpToDate && i.Standing != Behind {
			continue
		}
		key := i.Asks + "\n" + changeLines(i.Changes)
		if len(by[key]) == 0 {
			order = append(order, key)
		}
		by[key] = append(by[key], i)
	}
	var out [][]*Item
	for _, key := range order {
		if len(by[key]) > 1 {
			out = append(out, by[key])
		}
	}
	return out
}

// Group puts equal wishes on one branch for one pull request: a merge of their branches on the tip, so that
// whoever merges it has merged each of them. The branches themselves stay as they are.
func (b *Book) Group(ctx context.Context, items []*Item) (*Group, error) {
	main, err := b.tip(ctx)
	if err != nil {
		return nil, err
	}
	ids := make([]any, len(items))
	for n, i := range items {
		ids[n] = i.ID
	}
	id, err := idOf(map[string]any{"group": ids})
	if err != nil {
		return nil, err
	}
	g := &Group{Branch: b.prefix() + "groups/" + id, Items: items}
	c, err := groupCommit(main, items)
	if err != nil {
		return nil, err
	}
	done, err := b.update(ctx, b.request(g.Branch, main.ID(), "group"), func(ctx context.Context, at *repo.Snapshot) (*repo.Plan, error) {
		// The same proposals on the same tip are the same group.
		if old := at.Commit(); old != nil && slices.Equal(old.Parents, append([]repo.ID{main.ID()}, c.ExtraParents...)) {
			return nil, nil
		}
		next := *c
		if exists, err := b.Store.RefTip(ctx, g.Branch); err != nil || exists != "" {
			next.ExtraParents = append([]repo.ID{exists}, next.ExtraParents...)
			if err != nil {
				return nil, err
			}
		}
		return &repo.Plan{Commits: []repo.PlannedCommit{next}}, nil
	})
	if err != nil {
		return nil, err
	}
	g.Commit = done.After
	return g, nil
}

func groupCommit(main *repo.Snapshot, items []*Item) (*repo.PlannedCommit, error) {
	m := &body{}
	m.line("%s %s", headAsks, items[0].Asks)
	m.gap()
	c := &repo.PlannedCommit{FirstParent: main.ID()}
	for _, i := range items {
		edited, err := editExactly(i.ours, i.merged)
		if err != nil {
			return nil, err
		}
		m.line("%s %s", i.ID, i.Profile)
		c.Changes = append(c.Changes, repo.Change{Path: i.Path, Data: edited.Text})
		c.ExtraParents = append(c.ExtraParents, i.Commit)
		c.Message.Trailers = append(c.Message.Trailers, trailers(keyProfile, i.Profile, keyPath, i.Path, keyProposal, i.ID, keyRisk, i.Risk.String())...)
	}
	m.changes(items[0].Changes)
	c.Message.Subject = fmt.Sprintf("%d profiles: propose %s", len(items), items[0].Asks)
	c.Message.Body = strings.TrimSpace(m.String())
	return c, nil
}
