package remote

import (
	"context"
	"strings"

	"github.com/open-agent-profile/oap/repo"
)

// verdict is how the remote took a push.
type verdict uint8

const (
	accepted verdict = iota
	moved            // somebody else was faster
	broken           // no answer: the remote may have taken it or not
)

// spec is one ref of a push. From "" deletes.
type spec struct {
	from repo.ID
	to   string
	old  repo.ID // what a ref to be deleted must be at
}

// push sends commits, all or none. The error is the remote's refusal.
func (s *session) push(ctx context.Context, specs []spec) (verdict, error) {
	// Without --force git moves a remote branch forward only, so the remote itself holds the old value.
	args := []string{"push", "--porcelain", s.meter(), "--no-follow-tags", "--recurse-submodules=no"}
	if len(specs) > 1 {
		args = append(args, "--atomic")
	}
	var refs []string
	for _, p := range specs {
		if p.from == "" {
			args = append(args, "--force-with-lease="+p.to+":"+string(p.old)) // delete exactly what was looked at
		}
		refs = append(refs, string(p.from)+":"+p.to)
	}
	args = append(args, "--", s.remote)
	a, err := s.talk(ctx, append(args, refs...)...)
	if err != nil {
		return broken, err
	}
	if a.code == 0 {
		return accepted, nil
	}
	return s.judge(a)
}

// judge reads the lines of --porcelain: "flag TAB from:to TAB summary (reason)" (git: transport.c,
// print_ref_status).
func (s *session) judge(a *answer) (verdict, error) {
	race := false
	for line := range strings.Lines(a.stdout) {
		f := strings.SplitN(strings.TrimSuffix(line, "\n"), "\t", 3)
		if len(f) != 3 || f[0] != "!" {
			continue
		}
		_, ref, _ := strings.Cut(f[1], ":")
		switch why := f[2]; {
		case lostRace(why):
			race = true
		case strings.Contains(why, "failed to report status"), strings.Contains(why, "expecting report"):
			return broken, nil
		case strings.Contains(why, "atomic"):
			// The other ref of the push tells why.
		default:
			return broken, failed("rejected", short(ref), "the remote %s refused it: %s", s.remote, reason(why, a.stderr))
		}
	}
	switch {
	case race:
		return moved, nil
	case a.late:
		return broken, s.unreachable(a)
	case strings.Contains(a.stderr, "does not support --atomic"):
		return broken, failed("no-atomic", s.remote, "the remote cannot take several refs at once")
	case strings.Contains(a.stderr, "hung up"), strings.Contains(a.stderr, "unexpected disconnect"), strings.Contains(a.stderr, "early EOF"),
		strings.Contains(a.stderr, "Connection reset"), strings.Contains(a.stderr, "Broken pipe"), strings.Contains(a.stderr, "RPC failed"):
		return broken, nil
	case a.code == 1:
		return broken, failed("rejected", s.remote, "git did not push: %s", said(a.stderr))
	}
	return broken, s.unreachable(a)
}

// lostRace knows what git and receive-pack say when a ref is no longer what it was (git: send-pack.c,
// builtin/receive-pack.c, refs/files-backend.c).
func lostRace(why string) bool {
	for _, s := range []string{
		"fetch first", "non-fast-forward", "stale info", "failed to update ref", "cannot lock ref", "failed to lock",
		"incorrect old value", "reference already exists", "Unable to create", "unable to lock", "remote ref updated since checkout",
	} {
		if strings.Contains(why, s) {
			return true
		}
	}
	return false
}

// reason prefers the words of the hook to those of git.
func reason(why, stderr string) string {
	why = strings.TrimSuffix(why[strings.LastIndex(why, "(")+1:], ")")
	for l := range strings.Lines(stderr) {
		if text, ok := strings.CutPrefix(strings.TrimSpace(l), "remote:"); ok && strings.TrimSpace(text) != "" {
			return said(stderr) + " (" + why + ")"
		}
	}
	return why
}
