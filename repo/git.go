package repo

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"

	"github.com/open-agent-profile/oap/internal/term"
)

// oldestGit is the first version that every command line of this package works with.
const oldestGit = "2.34"

// invocation is one run of git. Dir and Env default to those of the Repo.
type invocation struct {
	dir   string
	env   []string // added to the Repo's environment, last wins
	stdin io.Reader
	files []*os.File // inherited from descriptor 3 on
}

// gitError is a git that ran and said no.
type gitError struct {
	args   []string
	code   int
	stderr string
}

func (e *gitError) Error() string {
	verb := ""
	for i := 0; i < len(e.args) && verb == ""; i++ {
		switch {
		case e.args[i] == "-c" || e.args[i] == "-C":
			i++
		case !strings.HasPrefix(e.args[i], "-"):
			verb = " " + e.args[i]
		}
	}
	return fmt.Sprintf("git%s: exit %d: %s", verb, e.code, firstLine(e.stderr))
}

// firstLine gives what git said first, without the word that says it is fatal. Git says the cause
// first; what follows is advice, which is not ours to give.
func firstLine(s string) string {
	line := "no message"
	for l := range strings.Lines(s) {
		l = strings.TrimSpace(l)
		if l == "" || strings.HasPrefix(l, "warning:") || strings.HasPrefix(l, "hint:") {
			continue
		}
		line = strings.TrimPrefix(strings.TrimPrefix(l, "fatal: "), "error: ")
		break
	}
	return term.Escape(line)
}

// childEnv is the environment of children whose output we read: messages in English, no prompts, and
// no index refreshed behind our back (git: Documentation/git.txt, GIT_OPTIONAL_LOCKS).
func childEnv(env []string) []string {
	return append(slices.Clip(env), "LC_ALL=C", "GIT_TERMINAL_PROMPT=0", "GIT_OPTIONAL_LOCKS=0")
}

// lookup gives the last value of a variable, as execve's receivers read it.
func lookup(env []string, key string) (string, bool) {
	for _, kv := range slices.Backward(env) {
		if v, ok := strings.CutPrefix(kv, key+"="); ok {
			return v, true
		}
	}
	return "", false
}

func (r *Repo) command(ctx context.Context, inv invocation, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Dir = r.dir
	if inv.dir != "" {
		cmd.Dir = inv.dir
	}
	cmd.Env = append(slices.Clip(r.env), inv.env...)
	cmd.Stdin = inv.stdin
	cmd.ExtraFiles = inv.files
	return cmd
}

// run gives the standard output of one git. The error is a *gitError when git ran and failed, else an
// [*Error].
func (r *Repo) run(ctx context.Context, inv invocation, args ...string) ([]byte, error) {
	cmd := r.command(ctx, inv, args...)
	var out, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &stderr
	if err := childError(ctx, args, cmd.Run(), stderr.String()); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// childError sorts what exec.Cmd returned: interrupted, git missing, or git's own refusal, of which a
// full disk and a missing permission are failures of the machine.
func childError(ctx context.Context, args []string, err error, stderr string) error {
	if err == nil {
		return nil
	}
	if ctx.Err() != nil {
		return fmt.Errorf("git interrupted: %w", context.Cause(ctx))
	}
	exit, ok := errors.AsType[*exec.ExitError](err)
	if !ok {
		if errors.Is(err, exec.ErrNotFound) {
			return &Error{Kind: Refused, Reason: "git-missing", Msg: "needs git " + oldestGit + " or newer on the path", Err: err}
		}
		return ioError("git could not be started", err)
	}
	ge := &gitError{args: args, code: exit.ExitCode(), stderr: stderr}
	for text, reason := range map[string]string{
		"No space left on device": "disk-full", "Disk quota exceeded": "disk-full",
		"Permission denied": "permission", "Read-only file system": "permission",
	} {
		if strings.Contains(stderr, text) {
			return &Error{Kind: IO, Reason: reason, Msg: "git could not write or read", Err: ge}
		}
	}
	return ge
}

// wrapGit gives a failing git the kind and reason of its caller; other errors pass.
func wrapGit(err error, kind Kind, reason, path, msg string) error {
	if ge, ok := err.(*gitError); ok {
		return &Error{Kind: kind, Reason: reason, Path: path, Msg: msg, Err: ge}
	}
	return err
}

// tooOld asks for git's version. It is called only after something failed, so that the version costs
// nothing while all is well.
func (r *Repo) tooOld(ctx context.Context) error {
	out, err := r.run(ctx, invocation{}, "version")
	if err != nil {
		return err
	}
	have := versionOf(string(out))
	if have != "" && versionLess(have, oldestGit) {
		return refuse("git-too-old", "", "needs git %s or newer on the path, this one is %s", oldestGit, have)
	}
	return nil
}

// versionOf reads "git version 2.39.5 (Apple Git-154)".
func versionOf(out string) string {
	f := strings.Fields(out)
	if len(f) < 3 {
		return ""
	}
	return f[2]
}

func versionLess(a, b string) bool {
	as, bs := strings.Split(a, "."), strings.Split(b, ".")
	for i := range min(len(as), len(bs)) {
		x, errX := strconv.Atoi(as[i])
		y, errY := strconv.Atoi(bs[i])
		if errX != nil || errY != nil {
			return false
		}
		if x != y {
			return x < y
		}
	}
	return len(as) < len(bs)
}
