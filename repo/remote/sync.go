package remote

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"math/rand/v2"
	"path/filepath"
	"slices"
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
		done, waited, err := s.turn(ctx)
		if err != nil {
			return err
		}
		began := time.Now()
		specs, v, err := s.try(ctx, hope && !waited) // after somebody else's turn there is nothing to hope for
		done()
		if err != nil {
			return err
		}
		switch v {
		case accepted:
			s.finish(ctx, specs)
			return nil
		case moved:
			s.along()
		case broken:
			if s.broken++; s.broken > 2 {
				return failed("unreachable", s.remote, "the remote ended the conversation without an answer, %d times", s.broken)
			}
		}
		if s.out.Tries >= s.q.Retries {
			return failed("moved", s.remote, "the remote moved each time, %d times in a row", s.out.Tries)
		}
		if err := pause(ctx, wait(time.Since(began), s.out.Tries)); err != nil {
			return err
		}
		hope = false
	}
}

// try is one round: learn what the remote has, unless it is hoped that it has not moved, join, and push.
func (s *session) try(ctx context.Context, hope bool) ([]spec, verdict, error) {
	if !hope {
		if err := s.fetch(ctx); err != nil {
			return nil, broken, err
		}
		if err := s.integrate(ctx); err != nil {
			return nil, broken, err
		}
	}
	specs, err := s.specs(ctx)
	if err != nil || len(specs) == 0 {
		return specs, accepted, err
	}
	v, err := s.push(ctx, specs)
	return specs, v, err
}

// maxTurn bounds the wait for a turn: longer than a crowd on one machine needs, shorter than a conversation that hangs.
const maxTurn = 30 * time.Second

// turn waits for the other processes of this machine that push to the same place.
func (s *session) turn(ctx context.Context) (done func(), waited bool, err error) {
	if s.q.Turns == "" {
		return func() {}, false, nil
	}
	url, ok := s.r.Setting("remote." + s.remote + ".pushurl")
	if !ok {
		url, _ = s.r.Setting("remote." + s.remote + ".url")
	}
	sum := sha256.Sum256([]byte(url))
	return repo.Turn(ctx, filepath.Join(s.q.Turns, hex.EncodeToString(sum[:8])), maxTurn)
}

// along lets the refs that were to go with the branch meet the remote's, since one of them may be what was in the
// way: the same wish may have been opened elsewhere.
func (s *session) along() {
	if with := s.q.With; len(with) > 0 {
		s.travel, s.q.With = true, nil
		s.q.Travels = func(ref string) bool { return slices.Contains(with, ref) }
	}
}

// maxWait bounds one pause.
const maxWait = 10 * time.Second

// wait is how long a loser stands back, in rounds of its own length, since that grows with how busy everybody is. The
// first losses tell how many there are: each makes it longer. From then on it gets shorter, so that those who have lost
// often go before those who come fresh; a pause that only grew would starve them.
func wait(round time.Duration, losses int) time.Duration {
	rounds := float64(losses)
	switch {
	case losses > 9:
		rounds = 0.1
	case losses > 4:
		rounds = float64(10-losses) / 2
	}
	return min(time.Duration(float64(round)*rounds*(0.5+rand.Float64())), maxWait)
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
		n, known := s.cleared[local]
		if !known {
			commits, err := s.unpublished(ctx, local)
			if err != nil {
				return nil, err
			}
			n = len(commits)
		}
		s.out.Pushed = n
		if n > 0 || s.tip == "" {
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
	if len(more) == 0 {
		s.travel = false // nothing waits for it, so further tries are about the branch alone
	}
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
