package main

import (
	"cmp"
	"slices"
	"strings"

	"github.com/open-agent-profile/oap/repo"
	"github.com/open-agent-profile/oap/repo/remote"
)

// printSync says what the meeting came to.
func (a *app) printSync(r *remote.Result) error {
	out := synced{
		Type: "sync", Outcome: "synced", Remote: r.Remote, Branch: r.Branch, Target: r.Target,
		Before: string(r.Before), After: string(r.After), Fetched: r.Fetched, Pushed: r.Pushed, Tries: r.Tries,
		Merge: string(r.Merge), Rebuilt: []syncedMove{}, Refs: []syncedRef{},
	}
	for from, p := range r.Placed {
		out.Rebuilt = append(out.Rebuilt, syncedMove{p.Profile, p.Path, string(from), string(p.Commit), p.Revision, p.Was, p.Dropped})
	}
	slices.SortFunc(out.Rebuilt, func(x, y syncedMove) int {
		return cmp.Or(cmp.Compare(x.Path, y.Path), cmp.Compare(x.Previous, y.Previous), cmp.Compare(x.From, y.From))
	})
	for _, ref := range r.Refs {
		out.Refs = append(out.Refs, syncedRef{ref.Name, ref.Action, ref.Note})
	}
	if r.Fetched == 0 && r.Pushed == 0 && len(r.Refs) == 0 && r.Before == r.After {
		out.Outcome = "unchanged"
	}
	if a.json {
		return a.emit(out)
	}
	for _, n := range r.Notes {
		a.notef("%s", n)
	}
	a.syncLines(r, out)
	return nil
}

func (a *app) syncLines(r *remote.Result, out synced) {
	branch, target := strings.TrimPrefix(r.Branch, "refs/heads/"), r.Remote+"/"+strings.TrimPrefix(r.Target, "refs/heads/")
	if out.Outcome == "unchanged" {
		a.printf("unchanged %s and %s are at %s\n", branch, target, r.After.Short())
		return
	}
	a.printf("synced    %s with %s at %s  %s fetched, %s pushed\n", branch, target, r.After.Short(),
		plural(r.Fetched, "commit", "commits"), plural(r.Pushed, "commit", "commits"))
	for _, m := range out.Rebuilt {
		if m.Dropped {
			a.printf("dropped   %s r%d: the remote has this delta already\n", m.Profile, m.Previous)
			continue
		}
		a.printf("rebuilt   %s r%d -> r%d  %s\n", m.Profile, m.Previous, m.Revision, repo.ID(m.Commit).Short())
	}
	if r.Merge != "" {
		a.printf("merged    %s\n", r.Merge.Short())
	}
	for _, ref := range out.Refs {
		line := ref.Action
		if ref.Note != "" {
			line += ": " + ref.Note
		}
		a.printf("branch    %s  %s\n", strings.TrimPrefix(ref.Name, "refs/heads/"), line)
	}
}
