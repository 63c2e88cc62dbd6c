package main

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/open-agent-profile/oap/internal/term"
	"github.com/open-agent-profile/oap/repo"
	"github.com/open-agent-profile/oap/repo/catalog"
)

// app is one run of oap: its streams, its environment and the flags that every command has.
type app struct {
	ctx    context.Context // of the run; cancelled when it is interrupted
	in     io.Reader
	out    io.Writer
	err    io.Writer
	getenv func(string) string

	dir     string
	roots   []string
	branch  string
	now     string
	color   string
	json    bool
	quiet   bool
	verbose bool

	environ []string // of git's processes; nil is the process's own
	opened  *repo.Repo
	outbox  *outbox // in the hands of this run
}

func newApp(in io.Reader, out, errw io.Writer, getenv func(string) string) *app {
	return &app{ctx: context.Background(), in: in, out: out, err: errw, getenv: getenv}
}

// repo opens the repository at -C once; later calls give the same one.
func (a *app) repo(ctx context.Context) (*repo.Repo, error) {
	if a.opened != nil {
		return a.opened, nil
	}
	wait, err := a.lockTimeout()
	if err != nil {
		return nil, err
	}
	r, err := repo.Open(ctx, repo.Options{Dir: a.dir, Env: a.environ, LockTimeout: wait})
	if err != nil {
		return nil, err
	}
	a.opened = r
	return r, nil
}

// lockTimeout is OAP_LOCK_TIMEOUT; 0 leaves it to git config oap.lockTimeout.
func (a *app) lockTimeout() (time.Duration, error) {
	s := a.getenv("OAP_LOCK_TIMEOUT")
	if s == "" {
		return 0, nil
	}
	d, err := time.ParseDuration(s)
	if err != nil || d < 0 {
		return 0, usagef("OAP_LOCK_TIMEOUT is %q, which is no duration such as 2s", s)
	}
	return max(d, time.Nanosecond), nil // not to wait at all is said, too
}

func (a *app) close() {
	a.outbox.close()
	a.outbox = nil
	if a.opened != nil {
		a.opened.Close()
		a.opened = nil
	}
}

// setting looks a value up where the design says: OAP_* variable, then git config oap.*; flags are the
// caller's. The empty string means that it is set nowhere.
func (a *app) setting(r *repo.Repo, name string) string {
	if v := a.getenv(envVariable(name)); v != "" {
		return v
	}
	if r == nil {
		return ""
	}
	v, _ := r.Setting("oap." + name)
	return v
}

// envVariable turns refPrefix into OAP_REF_PREFIX.
func envVariable(name string) string {
	var b strings.Builder
	b.WriteString("OAP_")
	for _, c := range name {
		if c >= 'A' && c <= 'Z' {
			b.WriteByte('_')
		}
		b.WriteRune(c)
	}
	return strings.ToUpper(b.String())
}

// switchedOn reads a setting as git reads a boolean.
func (a *app) switchedOn(r *repo.Repo, name string) (bool, error) {
	yes, ok := truth(a.setting(r, name))
	if !ok {
		return false, usagef("the setting %s is %q, which is neither true nor false", name, a.setting(r, name))
	}
	return yes, nil
}

// truth reads a word as git reads a boolean; no word is false.
func truth(word string) (yes, ok bool) {
	switch strings.ToLower(word) {
	case "", "false", "no", "off", "0":
		return false, true
	case "true", "yes", "on", "1":
		return true, true
	}
	return false, false
}

// profileRoots gives the folders that hold profiles, relative to the top of the tree.
func (a *app) profileRoots(r *repo.Repo) ([]string, error) {
	roots := a.roots
	if len(roots) == 0 {
		if v := a.getenv("OAP_ROOT"); v != "" {
			roots = strings.Split(v, ":")
		} else if r != nil {
			roots = r.Settings("oap.root")
		}
	}
	clean, err := catalog.CleanRoots(roots)
	if err != nil {
		return nil, &usageError{err.Error()}
	}
	return clean, nil
}

// branchRef gives the full name of the branch to read and write: --branch, then oap.branch, then what HEAD
// names.
func (a *app) branchRef(ctx context.Context, r *repo.Repo) (string, error) {
	name := a.branch
	if name == "" {
		name = a.setting(r, "branch")
	}
	if name != "" {
		ref, err := r.Branch(name)
		if repo.KindOf(err) == repo.Invalid {
			err = &usageError{err.Error()}
		}
		return ref, err
	}
	head, err := r.Head(ctx)
	if err != nil {
		return "", err
	}
	if head.Detached {
		return "", &repo.Error{Kind: repo.Refused, Reason: "detached", Msg: "HEAD is detached, so there is no branch to use"}
	}
	return head.Ref, nil
}

// time is --now, or OAP_NOW, or the clock.
func (a *app) time() (time.Time, error) {
	t, err := a.fixedTime()
	if err == nil && t.IsZero() {
		t = time.Now()
	}
	return t, err
}

// fixedTime is --now, or OAP_NOW; zero where neither is given, and then commits take git's own time.
func (a *app) fixedTime() (time.Time, error) {
	s := a.now
	if s == "" {
		s = a.getenv("OAP_NOW")
	}
	if s == "" {
		return time.Time{}, nil
	}
	t, err := time.Parse(time.RFC3339, s)
	if err != nil {
		return time.Time{}, usagef("%q is not an RFC 3339 time such as 2026-08-14T19:48:31Z", s)
	}
	// Git reads no other years back from a commit (git: date.c).
	if year := t.UTC().Year(); year < 1970 || year > 2099 {
		return time.Time{}, usagef("%q is not between 1970 and 2099, and a commit cannot have another time", s)
	}
	return t, nil
}

// printf writes a result for a person.
func (a *app) printf(format string, args ...any) {
	fmt.Fprintf(a.out, format, args...)
}

// notef writes what is good to know beside the result; --quiet drops it.
func (a *app) notef(format string, args ...any) {
	if !a.quiet {
		fmt.Fprintf(a.err, "oap: "+format+"\n", args...)
	}
}

// warnf writes a warning; like every message it shows foreign text escaped.
func (a *app) warnf(format string, args ...any) {
	if !a.quiet {
		fmt.Fprintf(a.err, "oap: warning: %s\n", term.Escape(fmt.Sprintf(format, args...)))
	}
}
