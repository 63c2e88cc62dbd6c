package apply

import (
	"context"
	"strings"
	"time"

	"github.com/open-agent-profile/oap/canonical"
	"github.com/open-agent-profile/oap/delta"
	"github.com/open-agent-profile/oap/repo"
)

// slack is how far clocks may disagree: history is searched this much further back than the session's
// start, so that a machine whose clock runs behind is still recognised.
const slack = time.Hour

const digestMark = "sha256:"

// seen knows which requests the branch already holds. A key counts wherever it stands in a commit
// message: as a trailer of our own, or in the middle of a message that a squash merge glued together.
type seen struct {
	repo *repo.Repo
	tip  repo.ID
	from time.Time // commits back to here were read; zero means all
	all  bool
	keys map[canonical.Digest]string
}

func (s *seen) add(key canonical.Digest, commit string) {
	if s.keys != nil {
		s.keys[key] = commit
	}
}

// lookup finds the commit that carries key on the branch whose tip is given, reading history back to
// since; a zero since reads all of it.
func (s *seen) lookup(ctx context.Context, tip repo.ID, key canonical.Digest, since time.Time) (string, error) {
	if s.keys == nil || s.tip != tip && !s.extends(ctx, tip) || !s.reaches(since) {
		if err := s.read(ctx, tip, since); err != nil {
			return "", err
		}
	}
	return s.keys[key], nil
}

func (s *seen) reaches(since time.Time) bool {
	return s.all || !since.IsZero() && !since.Before(s.from)
}

// extends reads what came on top of the tip that is known. It is false where history did not simply
// grow, and then everything is read anew.
func (s *seen) extends(ctx context.Context, tip repo.ID) bool {
	if s.tip == "" || tip == "" {
		return false
	}
	found := map[canonical.Digest]string{}
	meets := false
	for c, err := range s.repo.Log(ctx, repo.LogOptions{From: []string{string(tip)}, Not: []string{string(s.tip)}}) {
		if err != nil {
			return false
		}
		for _, p := range c.Parents {
			meets = meets || p == s.tip
		}
		collect(found, &c.Commit)
	}
	if !meets {
		return false
	}
	for k, c := range found {
		s.keys[k] = c
	}
	s.tip = tip
	return true
}

// read searches history anew, back to since.
func (s *seen) read(ctx context.Context, tip repo.ID, since time.Time) error {
	keys := map[canonical.Digest]string{}
	done := tip == ""
	if !done && !since.IsZero() {
		var err error
		if done, err = s.nearby(ctx, keys, tip, since); err != nil {
			return err
		}
	}
	if !done {
		for c, err := range s.repo.Log(ctx, repo.LogOptions{From: []string{string(tip)}, Since: since}) {
			if err != nil {
				return err
			}
			collect(keys, &c.Commit)
		}
	}
	s.keys, s.tip, s.from, s.all = keys, tip, since, since.IsZero()
	return nil
}

// fewCommits is how many commits are read one by one before git log is started for the rest: a process
// costs more than reading some dozens of commits.
const fewCommits = 64

// nearby walks the commits that are not older than since, newest first as git log does, and collects
// their keys. It is false where there are more than a few.
func (s *seen) nearby(ctx context.Context, keys map[canonical.Digest]string, tip repo.ID, since time.Time) (bool, error) {
	queued := map[repo.ID]bool{tip: true}
	queue := []repo.ID{tip}
	for n := 0; len(queue) > 0; n++ {
		if n == fewCommits {
			return false, nil
		}
		c, err := s.repo.ReadCommit(ctx, queue[0])
		if repo.KindOf(err) == repo.NotFound && n > 0 {
			queue = queue[1:] // beyond the boundary of a shallow clone
			continue
		}
		if err != nil {
			return false, err
		}
		queue = queue[1:]
		if c.Committer.When.Before(since) {
			continue
		}
		collect(keys, c)
		for _, p := range c.Parents {
			if !queued[p] {
				queued[p] = true
				queue = append(queue, p)
			}
		}
	}
	return true, nil
}

// collect takes the digests out of a message.
func collect(keys map[canonical.Digest]string, c *repo.Commit) {
	for rest := c.Message; ; {
		i := strings.Index(rest, digestMark)
		if i < 0 {
			return
		}
		end := min(i+len(digestMark)+2*len(canonical.Digest{}), len(rest))
		if d, err := canonical.ParseDigest(rest[i:end]); err == nil {
			keys[d] = string(c.ID)
		}
		rest = rest[i+len(digestMark):]
	}
}

// searchFrom says how far back a request may have been applied. It cannot have been applied before its
// session started, or before the revision that it names was made; zero where nothing is known. A time in
// the future counts as now, since a clock that runs ahead must not hide a commit.
func searchFrom(d *delta.Delta, doc map[string]any, now time.Time) time.Time {
	from := now
	known := false
	bound := func(text string) {
		if t, ok := delta.Instant(text); ok {
			known = true
			if t.Before(from) {
				from = t
			}
		}
	}
	bound(d.Session.StartedAt)
	bound(d.Session.EndedAt)
	if !known {
		bound(madeAt(doc, d.Target.Revision))
	}
	if !known {
		return time.Time{}
	}
	return from.Add(-slack)
}

// madeAt is the time at which history says that a revision was made, or "".
func madeAt(doc map[string]any, revision int) string {
	entries, _ := doc["history"].([]any)
	for _, e := range entries {
		m, _ := e.(map[string]any)
		if n, ok := m["revision"].(float64); ok && int(n) == revision {
			at, _ := m["at"].(string)
			return at
		}
	}
	return ""
}
