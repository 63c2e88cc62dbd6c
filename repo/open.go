package repo

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

// Options say where a repository is and how to behave in it. The zero value is the current directory
// with the environment of this process.
type Options struct {
	Dir         string        // any directory of the repository; "" is the current one
	Env         []string      // nil is os.Environ(); GIT_DIR, GIT_WORK_TREE and the like count, as in git
	LockTimeout time.Duration // how long to wait for locks; 0 is the setting oap.lockTimeout, else 10 s
}

// Repo is an opened repository. Its facts are those of the moment of opening. Close it.
type Repo struct {
	Root         string // top of the working tree, absolute; "" if there is none
	GitDir       string // of this working tree
	CommonDir    string // shared by all working trees of the repository
	Prefix       string // current directory inside the working tree: "" or "a/b/"
	Bare         bool
	Shallow      bool
	ObjectFormat string // "sha1" or "sha256"

	dir        string
	userEnv    []string      // as given: for hooks and signers
	env        []string      // for children whose output we read
	timeout    time.Duration // for locks
	settings   settings
	indexPath  string
	objectsDir string
	hooksDir   string

	mu      sync.Mutex // guards cat, commits and idents
	cat     *catFile
	commits map[ID]*Commit
	idents  map[string]Signature
}

// Open finds the repository of a directory as git does and reads its facts and settings. Whether the
// repository may be used at all (owner, format) is git's verdict.
func Open(ctx context.Context, o Options) (*Repo, error) {
	env := o.Env
	if env == nil {
		env = os.Environ()
	}
	dir := o.Dir
	if dir == "" {
		dir = "."
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, ioError("current directory", err)
	}
	if fi, err := os.Stat(dir); err != nil || !fi.IsDir() {
		return nil, &Error{Kind: NotFound, Reason: "no-directory", Path: o.Dir, Msg: "no such directory"}
	}
	r := &Repo{dir: dir, userEnv: slices.Clip(env), env: childEnv(env), commits: map[ID]*Commit{}}

	// Two programs at once: neither needs the other's answer.
	var config []byte
	var configErr error
	done := make(chan struct{})
	go func() {
		defer close(done)
		config, configErr = r.run(ctx, invocation{}, "config", "--list", "-z")
	}()
	facts, err := r.run(ctx, invocation{}, "rev-parse", "--path-format=absolute",
		"--is-bare-repository", "--is-shallow-repository", "--show-object-format",
		"--git-dir", "--git-common-dir", "--git-path", "index", "--git-path", "objects", "--git-path", "hooks",
		"--show-prefix", "--show-cdup")
	<-done
	if err != nil {
		return nil, r.openError(ctx, err)
	}
	if configErr != nil {
		return nil, wrapGit(configErr, Refused, "unreadable-config", "", "git cannot read its settings")
	}
	r.settings = parseSettings(config)
	if r.timeout, err = r.lockTimeout(o.LockTimeout); err != nil {
		return nil, err
	}
	return r, r.takeFacts(string(facts))
}

// takeFacts reads the lines of rev-parse. --show-cdup prints nothing where there is no working tree,
// so it stands last.
func (r *Repo) takeFacts(out string) error {
	l := strings.Split(strings.TrimSuffix(out, "\n"), "\n")
	if len(l) == 9 {
		l = append(l, "")
		r.Root = "-"
	}
	if len(l) != 10 {
		return invalid("unreadable-path", r.dir, "git describes this repository in %d lines instead of 10; a path with a line end cannot be used", len(l))
	}
	r.Bare, r.Shallow, r.ObjectFormat = l[0] == "true", l[1] == "true", l[2]
	r.GitDir, r.CommonDir, r.indexPath, r.objectsDir, r.hooksDir, r.Prefix = l[3], l[4], l[5], l[6], l[7], l[8]
	if r.Root == "-" || r.Bare {
		r.Root = ""
		return nil
	}
	if filepath.IsAbs(l[9]) {
		r.Root = filepath.Clean(l[9])
		return nil
	}
	// cdup is relative to the directory itself, not to the symbolic link that led there.
	real, err := filepath.EvalSymlinks(r.dir)
	if err != nil {
		return ioError("current directory", err)
	}
	r.Root = filepath.Join(real, l[9])
	return nil
}

// openError turns git's refusal to open into one sentence. The texts are those of git 2.34 to 2.50
// under LC_ALL=C (git: setup.c).
func (r *Repo) openError(ctx context.Context, err error) error {
	ge, ok := err.(*gitError)
	if !ok {
		return err
	}
	has := func(s string) bool { return strings.Contains(ge.stderr, s) }
	switch {
	case has("dubious ownership"), has("unsafe repository"):
		return refuse("foreign-owner", r.dir, "the repository belongs to another user, and git's safe.directory does not list it")
	case has("unknown repository extension"), has("expected git repo version"), has("unknown object format"),
		has("unknown ref storage"), has("repo version is"), has("invalid value for 'extensions"):
		return &Error{Kind: Refused, Reason: "unreadable-format", Path: r.dir, Msg: "this git cannot read the repository's format", Err: ge}
	case has("not a git repository"), has("invalid gitfile format"):
		return notFound("not-a-repository", r.dir, "not inside a git repository")
	}
	if old := r.tooOld(ctx); old != nil {
		return old
	}
	return &Error{Kind: Refused, Reason: "git", Path: r.dir, Msg: "git cannot open the repository", Err: ge}
}

// Close ends the child that reads objects. The Repo may be used again afterwards; it starts a new one.
func (r *Repo) Close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.cat.stop()
	r.cat = nil
}
