package remote

import (
	"context"
	"io"
	"strings"
	"time"

	"github.com/open-agent-profile/oap/canonical"
	"github.com/open-agent-profile/oap/profile"
	"github.com/open-agent-profile/oap/repo"
	"github.com/open-agent-profile/oap/repo/merging"
)

// Request says what meets what.
type Request struct {
	Remote string // a configured remote; "" is that of the branch, else the only one, else origin
	Branch string // the local branch, full name
	To     string // branch at the remote; "" is the upstream, else the same name

	// With names further local refs to push along, by full name; they go in one atomic push.
	With []string
	// Travels chooses which branches of proposals and pending states [Sync] exchanges; nil takes all.
	Travels func(ref string) bool
	Prefix  string // where those branches are; "" is "refs/heads/oap/"

	PushAll bool          // publish commits that oap did not make as well
	Retries int           // pushes before giving up; 0 is 16
	Timeout time.Duration // for one conversation with the remote; 0 is a minute

	Now        time.Time // for documents
	CommitTime time.Time // for commits; zero is git's own time
	By         string    // who merges, for the history
	Cap        profile.Writeback
	Widening   merging.Widening
	Signoff    bool
	Hooks      bool

	// Turns is a folder of the user's in which the processes of this machine that push to one remote take turns; ""
	// lets them race. Losers of a race have done all their work for nothing, and on one machine they need not.
	Turns string

	Env      []string  // of git; nil is os.Environ()
	Prompt   bool      // a person is there to answer git's questions
	Progress io.Writer // takes git's progress; nil keeps git quiet
}

// Placed is where a local commit ended up.
type Placed struct {
	Commit        repo.ID // "" if dropped
	Profile, Path string
	Revision, Was int
	Dropped       bool // the remote had the delta already
	ProfileDigest canonical.Digest
	SpecDigest    canonical.Digest
}

// RefResult is what became of a ref that travels.
type RefResult struct {
	Name     string
	Action   string // "fetched", "pushed", "joined", "removed", "kept"
	Old, New repo.ID
	Note     string // why it was kept
}

// Result says what a meeting came to.
type Result struct {
	Remote, Branch, Target string // Target is the full name at the remote
	Before, After          repo.ID
	RemoteBefore           repo.ID
	RemoteAfter            repo.ID
	Fetched, Pushed        int // commits
	Merge                  repo.ID
	Tries                  int
	Placed                 map[repo.ID]Placed // by the id before
	Refs                   []RefResult
	Notes                  []string
}

// session is a request under way.
type session struct {
	r      *repo.Repo
	q      Request
	remote string
	target string // full name of the branch at the remote
	track  string // full name of the ref that remembers it here
	out    *Result
	tip    repo.ID // of the remote branch, as far as known; "" is none
	known  bool    // tip was asked for in this run
	travel bool
	broken int // conversations that ended without an answer

	whole   bool            // the remote was seen to have lost nothing; from then on fetch itself watches over that
	cleared map[repo.ID]int // tips of ours that may be published, with the number of commits, against the present tip
}

func start(ctx context.Context, r *repo.Repo, q Request, travel bool) (*session, error) {
	s := &session{r: r, q: q, travel: travel}
	if s.q.Retries <= 0 {
		s.q.Retries = 16
	}
	if s.q.Timeout <= 0 {
		s.q.Timeout = time.Minute
	}
	if s.q.Prefix == "" {
		s.q.Prefix = "refs/heads/oap/"
	}
	short := strings.TrimPrefix(q.Branch, "refs/heads/")
	var err error
	if s.remote, err = s.findRemote(short); err != nil {
		return nil, err
	}
	s.target = q.Branch
	if up, ok := r.Setting("branch." + short + ".merge"); ok && strings.HasPrefix(up, "refs/heads/") {
		if of, _ := r.Setting("branch." + short + ".remote"); of == s.remote {
			s.target = up
		}
	}
	if q.To != "" {
		if s.target, err = r.Branch(q.To); err != nil {
			return nil, err
		}
	}
	s.track = s.tracking(s.target)
	before, err := r.RefTip(ctx, q.Branch)
	if err != nil {
		return nil, err
	}
	if s.tip, err = r.RefTip(ctx, s.track); err != nil {
		return nil, err
	}
	s.out = &Result{Remote: s.remote, Branch: q.Branch, Target: s.target, Before: before, After: before, RemoteBefore: s.tip, Placed: map[repo.ID]Placed{}}
	return s, nil
}

// tracking is the local name of a branch at the remote, as git clone sets it up.
func (s *session) tracking(ref string) string {
	return "refs/remotes/" + s.remote + "/" + strings.TrimPrefix(ref, "refs/heads/")
}

// findRemote chooses as git push does (git: remote.c, pushremote_for_branch).
func (s *session) findRemote(short string) (string, error) {
	configured := func(name string) bool {
		_, ok := s.r.Setting("remote." + name + ".url")
		return ok
	}
	name := s.q.Remote
	for _, key := range []string{"branch." + short + ".pushremote", "remote.pushdefault", "branch." + short + ".remote"} {
		if name == "" {
			name, _ = s.r.Setting(key)
		}
	}
	if name == "" {
		name = "origin"
	}
	if !configured(name) {
		if s.q.Remote == "" && name == "origin" {
			return "", failed("no-remote", "", "no remote is set up to push to")
		}
		return "", failed("no-remote", name, "is not a remote of this repository")
	}
	return name, nil
}
