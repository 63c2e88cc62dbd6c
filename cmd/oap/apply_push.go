package main

import (
	"context"
	"slices"

	"github.com/open-agent-profile/oap/repo"
	"github.com/open-agent-profile/oap/repo/apply"
	"github.com/open-agent-profile/oap/repo/remote"
)

// pushes decides whether a run ends with a push: --push, else git config oap.push.
func (a *app) pushes(r *repo.Repo, o applyOptions) (bool, error) {
	if o.dryRun {
		return false, nil
	}
	if o.pushSet {
		return o.push, nil
	}
	return a.switchedOn(r, "push")
}

// finish pushes what the run has put on branches, also by an earlier call whose connection was lost, and
// prints the receipts that waited for it. A receipt is of what the remote has: where the remote had moved,
// the commit was made anew on its tip. When the remote fails, the receipts are of the local commits, and
// the error says that they stand.
func (s *applySession) finish(ctx context.Context) error {
	if len(s.waiting) == 0 {
		return nil
	}
	q, err := s.app.remoteRequest(ctx, s.repo, s.options.remote)
	if err != nil {
		return err
	}
	done, pushErr := s.meet(ctx, q)
	for _, rc := range s.waiting {
		if pushErr == nil {
			replace(rc, done)
		}
		if err := s.app.printReceipt(rc, false); err != nil {
			return err
		}
	}
	if pushErr != nil {
		return s.app.remoteError(pushErr)
	}
	s.app.notef("pushed to %s: %s", done.Remote, plural(done.Pushed, "commit", "commits"))
	return nil
}

// meet pushes the branch, and with it the branches for people that this run has opened or added to.
func (s *applySession) meet(ctx context.Context, q remote.Request) (*remote.Result, error) {
	var refs []string
	for _, rc := range s.waiting {
		if rc.Outcome == apply.Queued {
			refs = append(refs, rc.Branch)
		}
		for _, p := range rc.Proposals {
			if p.Branch != "" {
				refs = append(refs, p.Branch)
			}
		}
	}
	if len(refs) == 0 {
		return remote.Push(ctx, s.repo, q)
	}
	q.Travels = func(ref string) bool { return slices.Contains(refs, ref) }
	return remote.Sync(ctx, s.repo, q)
}

// replace puts what became of a commit on the remote's tip into its receipt.
func replace(rc *apply.Receipt, done *remote.Result) {
	rc.Pushed, rc.Remote = true, done.Remote
	p, moved := done.Placed[repo.ID(rc.Commit)]
	if !moved || rc.Outcome != apply.Applied {
		return
	}
	rc.Commit = string(p.Commit)
	rc.Revision, rc.Previous = p.Revision, p.Revision-1
	rc.ProfileDigest, rc.SpecDigest = p.ProfileDigest, p.SpecDigest
	if p.Dropped {
		rc.Outcome = apply.AlreadyApplied
	}
}
