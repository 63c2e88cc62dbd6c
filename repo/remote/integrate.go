package remote

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/open-agent-profile/oap/repo"
	"github.com/open-agent-profile/oap/repo/merging"
)

// integrate makes the local branch contain the remote's tip, with our own commits on top. Everything is worked out
// inside the update, since the branch may move until then.
func (s *session) integrate(ctx context.Context) error {
	s.cleared = map[repo.ID]int{}
	if s.tip == "" {
		return nil
	}
	var rebuilt []merging.Rebuilt
	var joined bool
	q := repo.UpdateRequest{Ref: s.q.Branch, Log: "oap: meet " + s.remote + "/" + short(s.target), Signoff: s.q.Signoff, Hooks: s.q.Hooks, Now: s.q.CommitTime}
	done, err := s.r.Update(ctx, q, func(ctx context.Context, ours *repo.Snapshot) (*repo.Plan, error) {
		rebuilt, joined = nil, false
		bases, plan, err := s.simple(ctx, ours.ID())
		if err != nil || plan != nil || bases == nil {
			return plan, err
		}
		commits, err := s.unpublished(ctx, ours.ID())
		if err != nil {
			return nil, err
		}
		if err := s.nothingLost(ctx, ours.ID()); err != nil {
			return nil, err
		}
		tip, err := s.r.Snapshot(ctx, s.tip)
		if err != nil {
			return nil, err
		}
		if linear(commits, bases) {
			known, err := s.deltas(ctx, ours.ID())
			if err != nil {
				return nil, err
			}
			plan, rebuilt, err = merging.Rebuild(ctx, s.r, tip, commits, merging.RebuildOptions{Now: s.q.Now, Cap: s.q.Cap, Known: func(key string) bool { return known[key] }})
			if !errors.Is(err, merging.ErrNotState) {
				return plan, err
			}
			rebuilt = nil
		}
		joined = true
		b, err := merging.Branches(ctx, s.r, tip, ours.ID(), merging.Options{Widening: s.q.Widening, Text: merging.GitText(ctx, s.q.Env, merging.Labels{}), Now: s.q.Now, By: s.q.By})
		if err != nil {
			return nil, err
		}
		return b.Plan(b.Message(short(s.q.Branch) + " into " + s.remote + "/" + short(s.target))), nil
	})
	if err != nil {
		return err
	}
	return s.record(ctx, done, rebuilt, joined)
}

// simple handles the cases without divergence: nothing to do (no bases, no plan), or only a move. Otherwise it gives
// the common ancestors.
func (s *session) simple(ctx context.Context, local repo.ID) ([]repo.ID, *repo.Plan, error) {
	forward := &repo.Plan{Commits: []repo.PlannedCommit{{FirstParent: s.tip}}}
	switch local {
	case s.tip:
		return nil, nil, nil
	case "":
		return nil, forward, nil
	}
	bases, err := merging.Bases(ctx, s.r, local, s.tip)
	switch {
	case err != nil:
		return nil, nil, err
	case len(bases) == 0:
		return nil, nil, refused("rewritten", s.remote, "the remote's %s at %s and %s here at %s have no common history", short(s.target), s.tip.Short(), short(s.q.Branch), local.Short())
	case bases[0] == s.tip:
		return nil, nil, nil
	case bases[0] == local:
		return nil, forward, nil
	}
	return bases, nil, nil
}

// unpublished gives the commits that the remote branch does not have, oldest first, and refuses those that are not
// ours to publish.
func (s *session) unpublished(ctx context.Context, local repo.ID) ([]*repo.LogEntry, error) {
	o := repo.LogOptions{From: []string{string(local)}, Reverse: true, Changes: true}
	if s.tip != "" {
		o.Not = []string{string(s.tip)}
	} else if base := s.upstream(ctx); base != "" {
		o.Not = []string{string(base)}
	}
	var commits []*repo.LogEntry
	var foreign []*repo.LogEntry
	for c, err := range s.r.Log(ctx, o) {
		if err != nil {
			return nil, err
		}
		commits = append(commits, c)
		if !merging.Ours(c) {
			foreign = append(foreign, c)
		}
	}
	if len(foreign) > 0 && !s.q.PushAll {
		c := foreign[0]
		return nil, refused("foreign-commits", "", "it would publish %d of %d commits that oap did not make, the first of them %s (%s)", len(foreign), len(commits), c.ID.Short(), c.Subject())
	}
	return commits, nil
}

// upstream is what a new branch at the remote is compared with: the branch that ours follows there.
func (s *session) upstream(ctx context.Context) repo.ID {
	if s.q.To == "" {
		return ""
	}
	name := s.q.Branch
	if up, ok := s.r.Setting("branch." + short(s.q.Branch) + ".merge"); ok {
		name = up
	}
	id, err := s.r.RefTip(ctx, s.tracking(name))
	if err != nil {
		return ""
	}
	return id
}

// linear reports whether commits are one chain of state commits that starts where the histories part.
func linear(commits []*repo.LogEntry, bases []repo.ID) bool {
	if len(commits) == 0 || len(bases) != 1 {
		return false
	}
	at := bases[0]
	for _, c := range commits {
		if !merging.IsState(c) || c.Parents[0] != at {
			return false
		}
		at = c.ID
	}
	return true
}

// nothingLost holds what git remembers of the remote branch against what it is now.
func (s *session) nothingLost(ctx context.Context, local repo.ID) error {
	if s.whole {
		return nil
	}
	s.whole = true
	olds := s.remembered(ctx)
	if len(olds) == 0 {
		return nil
	}
	args := []string{"rev-list", "--max-count=1"}
	for _, id := range olds {
		args = append(args, string(id))
	}
	out, err := s.r.Git(ctx, append(args, "^"+string(s.tip), "--")...)
	if err != nil || strings.TrimSpace(string(out)) == "" {
		return nil // All of it is still there; or git no longer has the old commits, and so neither have we.
	}
	return s.lost(ctx, olds, s.tip)
}

// deltas gives the keys of the deltas that the remote has and we have not, wherever in a message they stand: a squash
// merge keeps them in the middle.
func (s *session) deltas(ctx context.Context, local repo.ID) (map[string]bool, error) {
	known := map[string]bool{}
	const mark, length = "OAP-Delta: ", len("sha256:") + 64
	for c, err := range s.r.Log(ctx, repo.LogOptions{From: []string{string(s.tip)}, Not: []string{string(local)}}) {
		if err != nil {
			return nil, err
		}
		for rest := c.Message; ; {
			_, after, found := strings.Cut(rest, mark)
			if !found {
				break
			}
			known[after[:min(length, len(after))]] = true
			rest = after
		}
	}
	return known, nil
}

// record notes what the update did to our commits, also to those that an earlier try had moved already.
func (s *session) record(ctx context.Context, done *repo.Updated, rebuilt []merging.Rebuilt, joined bool) error {
	s.out.Notes = append(s.out.Notes, done.Notes...)
	if done.Before == done.After {
		return nil
	}
	n := 0
	for _, b := range rebuilt {
		p := Placed{Profile: b.Profile, Path: b.Path, Revision: b.Revision, Was: b.Was, Dropped: b.Dropped, ProfileDigest: b.ProfileDigest, SpecDigest: b.SpecDigest}
		if !b.Dropped {
			p.Commit = done.Commits[n]
			n++
		}
		s.placed(b.From.ID, p)
	}
	if joined && len(done.Commits) > 0 {
		s.out.Merge = done.Commits[0]
	}
	if len(rebuilt) > 0 {
		s.cleared[done.After] = n
	}
	s.out.After = done.After
	return nil
}

func (s *session) placed(from repo.ID, p Placed) {
	for first, was := range s.out.Placed {
		if was.Commit == from && from != "" {
			p.Was = was.Was
			s.out.Placed[first] = p
			return
		}
	}
	s.out.Placed[from] = p
}

// count gives the number of commits in one history and not in another.
func (s *session) count(ctx context.Context, in, not repo.ID) int {
	if in == "" || in == not {
		return 0
	}
	args := []string{"rev-list", "--count", string(in)}
	if not != "" {
		args = append(args, "^"+string(not))
	}
	out, err := s.r.Git(ctx, append(args, "--")...)
	if err != nil {
		return 0
	}
	n := 0
	for _, c := range slices.Clone(out) {
		if c >= '0' && c <= '9' {
			n = n*10 + int(c-'0')
		}
	}
	return n
}
