package remote

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"time"

	"github.com/open-agent-profile/oap/repo"
)

// answer is what one conversation of git with the remote came to.
type answer struct {
	code   int
	stdout string
	stderr string
	late   bool // the time was over
}

// talk runs a git command that speaks to the remote. It ends with the time limit, and with everything that git
// started for it: ssh would otherwise go on, and hold our pipes.
func (s *session) talk(ctx context.Context, args ...string) (*answer, error) {
	limited, cancel := context.WithTimeout(ctx, s.q.Timeout)
	defer cancel()
	cmd := exec.CommandContext(limited, "git", args...)
	cmd.Dir = s.r.Root
	if cmd.Dir == "" {
		cmd.Dir = s.r.GitDir
	}
	env := s.q.Env
	if env == nil {
		env = os.Environ()
	}
	cmd.Env = append(slices.Clip(env), "LC_ALL=C", "GIT_DIR="+s.r.GitDir, "GIT_OPTIONAL_LOCKS=0")
	if !s.q.Prompt {
		cmd.Env = append(cmd.Env, "GIT_TERMINAL_PROMPT=0", "SSH_ASKPASS_REQUIRE=never")
	}
	// Without a terminal of its own, no child can stop to ask: not git, and not the ssh it starts.
	alone(cmd, !s.q.Prompt)
	cmd.WaitDelay = 2 * time.Second
	var out, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &stderr
	if s.q.Progress != nil {
		cmd.Stderr = io.MultiWriter(&stderr, s.q.Progress)
	}
	if s.q.Prompt {
		cmd.Stdin = os.Stdin
	}
	err := cmd.Run()
	a := &answer{stdout: out.String(), stderr: stderr.String()}
	exit, ran := errors.AsType[*exec.ExitError](err)
	switch {
	case ctx.Err() != nil:
		return nil, fmt.Errorf("git interrupted: %w", context.Cause(ctx))
	case limited.Err() != nil:
		a.late, a.code = true, -1
	case ran:
		a.code = exit.ExitCode()
	case err != nil && !errors.Is(err, exec.ErrWaitDelay):
		return nil, &repo.Error{Kind: repo.IO, Reason: "io", Msg: "git could not be started", Err: err}
	}
	return a, nil
}

// meter gives the flag for git's progress. Not --quiet: that would also hide which ref was rejected.
func (s *session) meter() string {
	if s.q.Progress != nil {
		return "--progress"
	}
	return "--no-progress"
}

// unreachable is the error of a conversation that came to nothing.
func (s *session) unreachable(a *answer) error {
	if a.late {
		return failed("timeout", s.remote, "the remote did not answer within %s", s.q.Timeout)
	}
	return failed("unreachable", s.remote, "the remote cannot be reached: %s", said(a.stderr))
}
