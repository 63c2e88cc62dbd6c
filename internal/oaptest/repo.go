package oaptest

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// Date is the author and committer date of every commit that a test makes without saying otherwise.
const Date = "2026-05-04T10:00:00+02:00"

// Repo is a repository, or a working tree of one. Its methods fail the test.
type Repo struct {
	T   testing.TB
	Dir string
	Env []string
}

// Env is an environment in which nothing of the machine's settings counts but PATH.
func Env(home string) []string {
	return append(Bare(home),
		"GIT_AUTHOR_NAME=Ada Author", "GIT_AUTHOR_EMAIL=ada@example.org", "GIT_AUTHOR_DATE="+Date,
		"GIT_COMMITTER_NAME=Carl Committer", "GIT_COMMITTER_EMAIL=carl@example.org", "GIT_COMMITTER_DATE="+Date,
	)
}

// Bare is Env without an identity.
func Bare(home string) []string {
	return []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + home, "XDG_CONFIG_HOME=" + filepath.Join(home, ".config"),
		"TMPDIR=" + os.Getenv("TMPDIR"), "TZ=UTC", "LC_ALL=C",
		"GIT_CONFIG_NOSYSTEM=1", "GIT_TERMINAL_PROMPT=0",
	}
}

// New makes an empty repository with the branch main; args go to git init.
func New(t testing.TB, args ...string) *Repo {
	t.Helper()
	base := t.TempDir()
	home := filepath.Join(base, "home")
	r := &Repo{T: t, Dir: filepath.Join(base, "repo"), Env: Env(home)}
	for _, d := range []string{home, r.Dir} {
		if err := os.Mkdir(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := Init(r.Dir, args...); err != nil {
		t.Fatal(err)
	}
	return r
}

// settings keep git from starting programs behind a test's back, which would race with its judge.
const settings = "[gc]\n\tauto = 0\n[maintenance]\n\tauto = false\n"

// inits holds what git init made, by its arguments: files by path, folders with a nil.
var inits sync.Map

// Init makes the folder dir, which may exist, an empty repository with the branch main, as git init does
// with these arguments; none of them is a path. Git is asked once a process, and its answer copied.
func Init(dir string, args ...string) error {
	key := strings.Join(args, "\x00")
	made, ok := inits.Load(key)
	if !ok {
		files, err := askInit(args)
		if err != nil {
			return err
		}
		made, _ = inits.LoadOrStore(key, files)
	}
	for _, f := range made.([]initFile) {
		name := filepath.Join(dir, f.name)
		if f.folder {
			if err := os.MkdirAll(name, 0o755); err != nil {
				return err
			}
		} else if err := os.WriteFile(name, f.data, f.mode); err != nil {
			return err
		}
	}
	return nil
}

type initFile struct {
	name   string
	folder bool
	mode   fs.FileMode
	data   []byte
}

func askInit(args []string) (files []initFile, err error) {
	dir, err := os.MkdirTemp("", "oaptest-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	cmd := exec.Command("git", append([]string{"init", "-q", "-b", "main", "--template="}, args...)...)
	cmd.Dir, cmd.Env = dir, Env(dir)
	if out, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("git init: %w\n%s", err, out)
	}
	err = filepath.WalkDir(dir, func(name string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		f := initFile{folder: e.IsDir()}
		if f.name, err = filepath.Rel(dir, name); err != nil || f.folder {
			files = append(files, f)
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		f.mode = info.Mode().Perm()
		if f.data, err = os.ReadFile(name); filepath.Base(name) == "config" {
			f.data = append(f.data, settings...)
		}
		files = append(files, f)
		return err
	})
	return files, err
}

// At is another working tree or repository with the same environment.
func (r *Repo) At(dir string) *Repo { return &Repo{T: r.T, Dir: dir, Env: r.Env} }

// For is the same repository for a test of its own: a subtest, a fuzz input.
func (r *Repo) For(t testing.TB) *Repo { return &Repo{T: t, Dir: r.Dir, Env: r.Env} }

// With is the same repository with more variables, the last of a name wins.
func (r *Repo) With(env ...string) *Repo {
	return &Repo{T: r.T, Dir: r.Dir, Env: append(append([]string{}, r.Env...), env...)}
}

// Beside gives a path next to the repository, for a second one.
func (r *Repo) Beside(name string) string { return filepath.Join(filepath.Dir(r.Dir), name) }

// Home is the HOME of the environment.
func (r *Repo) Home() string { return r.Beside("home") }

// Path gives the file name of a path in the working tree.
func (r *Repo) Path(name string) string { return filepath.Join(r.Dir, filepath.FromSlash(name)) }

// Git runs git and gives its output without the last line end.
func (r *Repo) Git(args ...string) string {
	r.T.Helper()
	return r.GitIn("", args...)
}

// GitIn is Git with a standard input.
func (r *Repo) GitIn(stdin string, args ...string) string {
	r.T.Helper()
	out, err := r.Try(stdin, args...)
	if err != nil {
		r.T.Fatal(err)
	}
	return strings.TrimSuffix(out, "\n")
}

// Try runs git and gives its output; the error has what git said.
func (r *Repo) Try(stdin string, args ...string) (string, error) {
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Env = r.Dir, r.Env
	cmd.Stdin = strings.NewReader(stdin)
	var out, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &stderr
	err := cmd.Run()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return out.String(), fmt.Errorf("git %s: exit %d\n%s%s", strings.Join(args, " "), exit.ExitCode(), out.String(), stderr.String())
	}
	return out.String(), err
}

// Write puts a file into the working tree.
func (r *Repo) Write(name, data string) {
	r.T.Helper()
	p := r.Path(name)
	if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
		r.T.Fatal(err)
	}
	if err := os.WriteFile(p, []byte(data), 0o644); err != nil {
		r.T.Fatal(err)
	}
}

// Read gives a file of the working tree.
func (r *Repo) Read(name string) string {
	r.T.Helper()
	data, err := os.ReadFile(r.Path(name))
	if err != nil {
		r.T.Fatal(err)
	}
	return string(data)
}

// Commit writes files given as name, data, name, data, … and commits them; it gives the commit's id.
func (r *Repo) Commit(message string, files ...string) string {
	r.T.Helper()
	add := []string{"add", "--"}
	for i := 0; i+1 < len(files); i += 2 {
		r.Write(files[i], files[i+1])
		add = append(add, files[i])
	}
	if len(files) > 0 {
		r.Git(add...)
	}
	r.Git("commit", "-q", "--allow-empty", "-m", message)
	return r.Git("rev-parse", "HEAD")
}

// Fsck fails the test unless git fsck --strict has nothing to say. Unreachable objects are no fault.
func (r *Repo) Fsck() {
	r.T.Helper()
	out, err := r.Try("", "-c", "core.commitGraph=false", "-c", "core.multiPackIndex=false", // each is a program more
		"fsck", "--strict", "--no-dangling", "--no-progress")
	if err != nil || strings.TrimSpace(out) != "" {
		r.T.Fatalf("git fsck: %v\n%s", err, out)
	}
}

// Sound is Fsck, and a working tree and index that agree with HEAD.
func (r *Repo) Sound() {
	r.T.Helper()
	r.Fsck()
	if out := r.Git("status", "--porcelain"); out != "" {
		r.T.Fatalf("git status:\n%s", out)
	}
}

// Fill commits n files through git fast-import, 256 folders "profiles/NN", as the only commit of main,
// and checks them out unless the repository is bare.
func (r *Repo) Fill(n int) {
	r.T.Helper()
	var b strings.Builder
	b.WriteString("commit refs/heads/main\ncommitter Carl <carl@example.org> 1777881600 +0000\ndata 4\nfill\n")
	for i := range n {
		text := fmt.Sprintf("name: user-%d\nrevision: 1\nnote: %s\n", i, strings.Repeat("x", 200+i%100))
		fmt.Fprintf(&b, "M 100644 inline profiles/%02x/user-%d.yaml\ndata %d\n%s\n", i%256, i, len(text), text)
	}
	r.GitIn(b.String(), "fast-import", "--quiet")
	if r.Git("rev-parse", "--is-bare-repository") == "false" {
		r.Git("reset", "-q", "--hard")
	}
}
