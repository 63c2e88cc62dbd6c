package apply

import (
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/open-agent-profile/oap/canonical"
	"github.com/open-agent-profile/oap/delta"
	"github.com/open-agent-profile/oap/profile"
	"github.com/open-agent-profile/oap/repo"
)

const (
	keyDelta    = "OAP-Delta"
	keyRevision = "OAP-Revision"
)

// slack is how far clocks may disagree: history is searched this much further back than the session's
// end, so that a machine whose clock runs behind is still recognised.
const slack = time.Hour

// stray is how many commits older than what is looked for are passed on the way down a line of history
// before the line is given up: dates lie now and then (a rebase, a wrong clock), and a commit with an
// old date must not hide its ancestors.
const stray = 16

// fewCommits is how many commits are read one by one before git log is started for the rest: a process
// costs more than reading some dozens of commits.
const fewCommits = 96

// seen knows which requests the branch already holds. What was read of history is kept for the next
// request of the run.
type seen struct {
	repo  *repo.Repo
	tip   repo.ID            // the commit that the memories below end at
	files map[string]*memory // by path
	since *memory
	// bases are documents of the history that a delta may have been made for, by path, revision and digest.
	bases map[string][]map[string]any
}

// memory is a stretch of history that was read.
type memory struct {
	first int       // of a file: back to this revision
	from  time.Time // else: back to this time; zero is all
	keys  map[canonical.Digest]string
}

// lookup finds the commit that carries a request, or "". Two ways lead to it. Where the profile's own
// history names the session, the commits of the file are read back to the session's first entry, whatever
// their dates say. Else, since an entry may have been trimmed, or reverted by a person who does not want it
// back, the commits since the session are read.
func (s *seen) lookup(ctx context.Context, tip repo.ID, t *target, req *Request, now time.Time) (string, error) {
	if tip == "" {
		return "", nil
	}
	if s.tip != tip {
		s.tip, s.files, s.since, s.bases = tip, map[string]*memory{}, nil, map[string][]map[string]any{}
	}
	if first := firstEntry(t.doc.Value, req.Delta.Session.ID); first > 0 {
		if commit, err := s.inFile(ctx, t.path, req.Key, first); commit != "" || err != nil {
			return commit, err
		}
	}
	since := searchFrom(req.Delta, t.doc.Value, now)
	if m := s.since; m != nil && (m.from.IsZero() || !since.IsZero() && !since.Before(m.from)) {
		return m.keys[req.Key], nil
	}
	if !since.IsZero() {
		commit, done, err := s.nearby(ctx, tip, req.Key, since)
		if commit != "" || done || err != nil {
			return commit, err
		}
	}
	m := &memory{from: since, keys: map[canonical.Digest]string{}}
	for c, err := range s.repo.Log(ctx, repo.LogOptions{From: []string{string(tip)}, Since: since}) {
		if err != nil {
			return "", err
		}
		m.collect(&c.Commit)
	}
	s.since = m
	return m.keys[req.Key], nil
}

// moved tells that the run itself took the branch from one commit to another with these requests.
func (s *seen) moved(from, to repo.ID, keys map[canonical.Digest]string) {
	if s.tip != from {
		return
	}
	s.tip = to
	if s.since != nil {
		maps.Copy(s.since.keys, keys)
	}
	for _, m := range s.files {
		maps.Copy(m.keys, keys)
	}
}

func (m *memory) collect(c *repo.Commit) {
	for _, key := range keysIn(c.Message) {
		m.keys[key] = string(c.ID)
	}
}

// firstEntry is the revision of the first entry that a session has in the profile's history, 0 for none.
func firstEntry(doc map[string]any, session string) int {
	entries, _ := doc["history"].([]any)
	for _, e := range entries {
		m, _ := e.(map[string]any)
		if n, ok := m["revision"].(float64); ok && m["session_id"] == any(session) {
			return int(n)
		}
	}
	return 0
}

// inFile reads the commits that changed a file, until one that made an older revision than first.
func (s *seen) inFile(ctx context.Context, path string, key canonical.Digest, first int) (string, error) {
	if m := s.files[path]; m != nil && m.first <= first {
		return m.keys[key], nil
	}
	m := &memory{first: first, keys: map[canonical.Digest]string{}}
	for c, err := range s.repo.Log(ctx, repo.LogOptions{From: []string{string(s.tip)}, Paths: []string{path}, FullHistory: true}) {
		if err != nil {
			return "", err
		}
		m.collect(&c.Commit)
		if made := revisionOf(c.Message); made > 0 && made < first {
			break
		}
	}
	s.files[path] = m
	return m.keys[key], nil
}

// revisionOf is the revision that a commit says it made, 0 where it says nothing.
func revisionOf(message string) int {
	for _, t := range repo.ParseTrailers(message) {
		if t.Key == keyRevision {
			n, _ := strconv.Atoi(t.Value)
			return n
		}
	}
	return 0
}

// nearby walks commits from the tip and looks for the key. done is false where there are more than a few
// that may hold it.
func (s *seen) nearby(ctx context.Context, tip repo.ID, key canonical.Digest, since time.Time) (commit string, done bool, err error) {
	type step struct {
		id  repo.ID
		old int // how many commits in a row were older
	}
	queued := map[repo.ID]bool{tip: true}
	queue := []step{{tip, 0}}
	for n := 0; len(queue) > 0; n++ {
		if n == fewCommits {
			return "", false, nil
		}
		next := queue[0]
		queue = queue[1:]
		c, err := s.repo.ReadCommit(ctx, next.id)
		if repo.KindOf(err) == repo.NotFound && n > 0 {
			continue // beyond the boundary of a shallow clone
		}
		if err != nil {
			return "", false, err
		}
		if slices.Contains(keysIn(c.Message), key) {
			return string(c.ID), true, nil
		}
		if c.Committer.When.Before(since) {
			if next.old++; next.old >= stray {
				continue
			}
		} else {
			next.old = 0
		}
		for _, p := range c.Parents {
			if !queued[p] {
				queued[p] = true
				queue = append(queue, step{p, next.old})
			}
		}
	}
	return "", true, nil
}

// keysIn gives the requests that a message carries: as a trailer of ours, or in the middle of a text that a
// squash glued together, where git indents it by four spaces. Text that a delta brought cannot look like
// either: it is written with another indent (repo.Message), so no session can pass another's request off
// as done.
func keysIn(message string) []canonical.Digest {
	var keys []canonical.Digest
	for line := range strings.Lines(message) {
		line = strings.TrimPrefix(strings.TrimRight(line, "\r\n"), "    ")
		if text, ok := strings.CutPrefix(line, keyDelta+": "); ok {
			if d, err := canonical.ParseDigest(text); err == nil {
				keys = append(keys, d)
			}
		}
	}
	return keys
}

// searchFrom says how far back a request may have been applied. It cannot have been applied before its
// session ended or, where that is not told, before the revision that it names was made; zero where nothing
// is known. A time in the future counts as now, since a clock that runs ahead must not hide a commit.
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

// inHistory reports whether a session has an entry in the profile's own history.
func inHistory(doc *profile.Document, session string) bool { return firstEntry(doc.Value, session) > 0 }
