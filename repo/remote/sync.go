package remote

import (
	"context"
	"math/rand/v2"
	"time"

	"github.com/open-agent-profile/oap/repo"
	"github.com/open-agent-profile/oap/repo/merging"
)

// Sync fetches, joins by meaning and pushes, until both sides have everything. Proposals and pending states travel
// along. The error tells what is missing at the remote; what was joined locally stands. Kinds: Remote, Refused,
// Conflict is a [*merging.ConflictError].
func Sync(ctx context.Context, r *repo.Repo, q Request) (*Result, error) {
	s, err := start(ctx, r, q, true)
	if err != nil {
		return nil, err
	}
	return s.out, s.run(ctx, false)
}

// Push brings commits of the branch to the remote. It asks for the remote's state only where a first push shows that
// it has moved.
func Push(ctx context.Context, r *repo.Repo, q Request) (*Result, error) {
	s, err := start(ctx, r, q, false)
	if err != nil {
		return nil, err
	}
	// Hoping pays where our commits follow what the remote had last. Where it seems to have them all, only the
	// remote itself can say so.
	hope := s.tip != "" && s.tip != s.out.Before
	if hope {
		if hope, err = merging.Ancestor(ctx, r, s.tip, s.out.Before); err != nil {
			return nil, err
		}
	}
	return s.out, s.run(ctx, hope)
}

func (s *session) run(ctx context.Context, hope bool) error {
	for {
		s.out.Tries++
		began := time.Now()
		before := s.tip
		if !hope {
			if err := s.fetch(ctx); err != nil {
				return err
			}
			if err := s.integrate(ctx); err != nil {
				return err
			}
		}
		specs, err := s.specs(ctx)
		if err != nil {
			return err
		}
		v := accepted
		if len(specs) > 0 {
			if v, err = s.push(ctx, specs); err != nil {
				return err
			}
		}
		switch v {
		case accepted:
			s.finish(ctx, specs)
			return nil
		case broken:
			if s.broken++; s.broken > 2 {
				return failed("unreachable", s.remote, "the remote ended the conversation without an answer, %d times", s.broken)
			}
		}
		if s.out.Tries >= s.q.Retries {
			return failed("moved", s.remote, "the remote moved each time, %d times in a row", s.out.Tries)
		}
		others := 1
		if !hope && before != "" {
			others = max(1, s.count(ctx, s.tip, before))
		}
		if err := pause(ctx, wait(time.Since(began), others, s.out.Tries)); err != nil {
			return err
		}
		hope = false
	}
}

// maxWait bounds one pause.
const maxWait = 3 * time.Second

// wait is how long a loser stands back. While it worked for one round, others pushed so many times; standing back for
// as long as they all need lets them through. Who has lost often waits less and so goes first, since a pause that grew
// with each loss would starve the unlucky ones.
func wait(round time.Duration, others, losses int) time.Duration {
	w := round * time.Duration(min(others, 16)) / time.Duration(losses)
	return min(w/2+rand.N(w+1), maxWait)
}

func pause(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// specs says what the remote lacks, after asking whether it may be published.
func (s *session) specs(ctx context.Context) ([]spec, error) {
	local, err := s.r.RefTip(ctx, s.q.Branch)
	if err != nil {
		return nil, err
	}
	s.out.After = local
	var specs []spec
	if local != "" && local != s.tip {
		commits, err := s.unpublished(ctx, local)
		if err != nil {
			return nil, err
		}
		s.out.Pushed = len(commits)
		if len(commits) > 0 || s.tip == "" {
			specs = append(specs, spec{from: local, to: s.target})
		}
	}
	for _, ref := range s.q.With {
		id, err := s.r.RefTip(ctx, ref)
		if err != nil {
			return nil, err
		}
		if id != "" {
			specs = append(specs, spec{from: id, to: ref})
		}
	}
	if !s.travel {
		return specs, nil
	}
	more, err := s.travelling(ctx)
	return append(specs, more...), err
}

// finish notes the end state. Git has moved the remote-tracking ref where the remote's settings map it; where they do
// not, our memory follows by itself at the next fetch.
func (s *session) finish(ctx context.Context, specs []spec) {
	s.out.RemoteAfter = s.tip
	for _, p := range specs {
		if p.to == s.target {
			s.out.RemoteAfter = p.from
		}
	}
	if s.out.RemoteAfter == s.tip {
		s.out.Pushed = 0
	}
	if s.known {
		s.out.Fetched = s.count(ctx, s.tip, s.out.Before)
	}
}
