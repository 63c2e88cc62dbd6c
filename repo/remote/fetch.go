package remote

import (
	"context"
	"strings"

	"github.com/open-agent-profile/oap/repo"
	"github.com/open-agent-profile/oap/repo/merging"
)

// fetch learns what the remote has. A remote branch that was rewritten does not overwrite our memory of it unless
// nothing of ours is lost with it.
func (s *session) fetch(ctx context.Context) error {
	old := s.tip
	a, err := s.talk(ctx, s.fetchArgs("", true)...)
	if err != nil {
		return err
	}
	gone := a.code != 0 && strings.Contains(a.stderr, "couldn't find remote ref")
	switch {
	case gone:
		if err := s.withoutBranch(ctx, old); err != nil {
			return err
		}
		s.tip = ""
	case a.code != 0 && strings.Contains(a.stderr, "[rejected]"):
		if err := s.rewritten(ctx, old); err != nil {
			return err
		}
	case a.code != 0 || a.late:
		return s.unreachable(a)
	}
	if !gone {
		if s.tip, err = s.r.RefTip(ctx, s.track); err != nil {
			return err
		}
	}
	if !s.known {
		s.out.RemoteBefore, s.known = s.tip, true
	}
	return nil
}

// fetchArgs name every ref with its place here, whatever the remote's own settings say.
func (s *session) fetchArgs(force string, branch bool) []string {
	args := []string{"-c", "fetch.prune=false", "-c", "fetch.pruneTags=false", "fetch", s.meter(), "--no-tags", "--no-recurse-submodules", "--no-auto-gc", "--no-write-fetch-head", "--refmap="}
	if s.travel {
		args = append(args, "--prune")
	}
	args = append(args, "--", s.remote)
	if branch {
		args = append(args, force+s.target+":"+s.track)
	}
	if s.travel {
		args = append(args, "+"+s.q.Prefix+"*:"+s.tracking(s.q.Prefix)+"*", "+"+decided+"*:"+s.decidedThere()+"*")
	}
	return args
}

// withoutBranch handles a remote that has no such branch: a new one, or one that lost what it had.
func (s *session) withoutBranch(ctx context.Context, old repo.ID) error {
	if old != "" && s.q.To == "" {
		return refused("rewritten", s.remote, "the remote no longer has %s, which was at %s; here it is at %s", short(s.target), old.Short(), s.out.Before.Short())
	}
	if !s.travel {
		return nil
	}
	a, err := s.talk(ctx, s.fetchArgs("", false)...)
	if err == nil && (a.code != 0 || a.late) {
		err = s.unreachable(a)
	}
	return err
}

// rewritten looks at a remote branch that does not contain what it had. That is our business only if commits that we
// have went missing there.
func (s *session) rewritten(ctx context.Context, old repo.ID) error {
	a, err := s.talk(ctx, "ls-remote", "--quiet", "--", s.remote, s.target)
	if err != nil {
		return err
	}
	if a.code != 0 || a.late {
		return s.unreachable(a)
	}
	id, _, _ := strings.Cut(a.stdout, "\t")
	if err := s.lost(ctx, []repo.ID{old}, repo.ID(id)); err != nil {
		return err
	}
	a, err = s.talk(ctx, s.fetchArgs("+", true)...)
	if err == nil && (a.code != 0 || a.late) {
		err = s.unreachable(a)
	}
	return err
}

// lost refuses if a commit that the remote had, and that our branch has, is not in the new tip.
func (s *session) lost(ctx context.Context, olds []repo.ID, tip repo.ID) error {
	local, err := s.r.RefTip(ctx, s.q.Branch)
	if err != nil || local == "" || tip == "" || len(olds) == 0 {
		return err
	}
	for _, old := range olds {
		bases, err := merging.Bases(ctx, s.r, old, local)
		if err != nil {
			return err
		}
		for _, b := range bases {
			kept, err := merging.Ancestor(ctx, s.r, b, tip)
			if err != nil {
				return err
			}
			if !kept {
				return refused("rewritten", s.remote, "the remote's %s was rewritten: it is at %s and no longer contains %s, which it had", short(s.target), tip.Short(), b.Short())
			}
		}
	}
	return nil
}

// remembered gives former tips of the remote branch, as far as git keeps a log of them.
func (s *session) remembered(ctx context.Context) []repo.ID {
	out, err := s.r.Git(ctx, "log", "-g", "--format=%H", "--max-count=50", s.track, "--")
	if err != nil {
		return nil // no log is kept
	}
	var ids []repo.ID
	seen := map[string]bool{}
	for l := range strings.FieldsSeq(string(out)) {
		if !seen[l] {
			seen[l] = true
			ids = append(ids, repo.ID(l))
		}
	}
	return ids
}
