package repo

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/open-agent-profile/oap/internal/oaptest"
)

// state is everything that a refused Update must leave alone: refs, HEADs, indexes, reflogs, files.
func state(t testing.TB, r *oaptest.Repo) map[string]string {
	t.Helper()
	out := map[string]string{}
	_ = filepath.WalkDir(filepath.Dir(r.Dir), func(p string, d os.DirEntry, err error) error {
		if err != nil {
			return nil
		}
		if d.IsDir() {
			if n := d.Name(); n == "objects" || n == "oap" {
				return filepath.SkipDir
			}
			out[p] = "directory"
			return nil
		}
		data, _ := os.ReadFile(p)
		fi, _ := os.Lstat(p)
		out[p] = fi.Mode().String() + " " + string(data)
		return nil
	})
	return out
}

// refusal is a repository in which an Update must change nothing.
type refusal struct {
	name   string
	make   func(*oaptest.Repo)
	kind   Kind
	reason string
	in     string // path that the message must name
	req    UpdateRequest
	change Change
	env    []string
}

func conflict(r *oaptest.Repo, with ...string) {
	base(r)
	r.Git("checkout", "-q", "-b", "side")
	r.Commit("side", "other", "side\n")
	r.Git("checkout", "-q", "main")
	r.Commit("main", "other", "main\n")
	if _, err := r.Try("", with...); err == nil {
		r.T.Fatal("no conflict")
	}
}

var refusals = []refusal{
	{name: "dirty", reason: "dirty", in: profile, make: func(r *oaptest.Repo) { base(r); r.Write(profile, "mine\n") }},
	{name: "staged", reason: "staged", in: profile, make: func(r *oaptest.Repo) {
		base(r)
		r.Write(profile, "mine\n")
		r.Git("add", profile)
		r.Write(profile, "old\nlines\n")
	}},
	{name: "staged mode", reason: "staged", make: func(r *oaptest.Repo) { base(r); r.Git("update-index", "--chmod=+x", profile) }},
	{name: "staged removal", reason: "staged", make: func(r *oaptest.Repo) { base(r); r.Git("rm", "-q", "--cached", profile) }},
	{name: "deleted", reason: "missing", make: func(r *oaptest.Repo) { base(r); os.Remove(r.Path(profile)) }},
	{name: "intent to add", reason: "staged", change: Change{Path: "n"}, make: func(r *oaptest.Repo) { base(r); r.Write("n", "x"); r.Git("add", "-N", "n") }},
	{name: "untracked", reason: "untracked", change: Change{Path: "n"}, make: func(r *oaptest.Repo) { base(r); r.Write("n", "x") }},
	{name: "ignored file in the way", reason: "untracked", change: Change{Path: "n"}, make: func(r *oaptest.Repo) {
		base(r)
		r.Write("n", "x")
		r.Write(".git/info/exclude", "n\n")
	}},
	{name: "file is a link", reason: "symlink", make: func(r *oaptest.Repo) {
		base(r)
		os.Rename(r.Path(profile), r.Path("real"))
		os.Symlink("../real", r.Path(profile))
	}},
	{name: "folder is a link", reason: "symlink", make: func(r *oaptest.Repo) {
		base(r)
		os.Rename(r.Path("dir"), r.Beside("dir"))
		os.Symlink("../dir", r.Path("dir"))
	}},
	{name: "link in the tree", reason: "symlink", change: Change{Path: "link"}, make: func(r *oaptest.Repo) {
		os.Symlink("x", r.Path("link"))
		r.Git("add", "link")
		base(r)
	}},
	{name: "below a link in the tree", reason: "symlink", change: Change{Path: "link/x"}, make: func(r *oaptest.Repo) {
		os.Symlink("dir", r.Path("link"))
		r.Git("add", "link")
		base(r)
	}},
	{name: "gitlink", reason: "gitlink", change: Change{Path: "sub"}, make: func(r *oaptest.Repo) {
		base(r)
		r.Git("update-index", "--add", "--cacheinfo", "160000,"+r.Git("rev-parse", "HEAD")+",sub")
		r.Git("commit", "-q", "-m", "sub")
	}},
	{name: "folder in the way", reason: "directory", change: Change{Path: "dir"}, make: base},
	{name: "file in the way", reason: "path-clash", change: Change{Path: "other/x"}, make: base},
	{name: "untracked file in the way of a folder", reason: "path-clash", change: Change{Path: "n/x"}, make: func(r *oaptest.Repo) { base(r); r.Write("n", "") }},
	{name: "letter case of a file", reason: "letter-case", change: Change{Path: "dir/P.yaml"}, make: base},
	{name: "letter case of a folder", reason: "letter-case", change: Change{Path: "Dir/x"}, make: base},
	{name: "letter case of two that exist", reason: "letter-case", make: func(r *oaptest.Repo) {
		base(r)
		r.Commit("two", "dir/P.yaml", "x")
		r.Git("config", "core.ignoreCase", "true")
	}},
	{name: "bad path", kind: Invalid, reason: "bad-path", change: Change{Path: "a/../b"}, make: base},
	{name: "delete nothing", kind: NotFound, reason: "no-path", change: Change{Path: "none", Delete: true}, make: base},
	{name: "merge", reason: "operation-in-progress", make: func(r *oaptest.Repo) { conflict(r, "merge", "side") }},
	{name: "cherry-pick", reason: "operation-in-progress", make: func(r *oaptest.Repo) { conflict(r, "cherry-pick", "side") }},
	{name: "revert", reason: "operation-in-progress", make: func(r *oaptest.Repo) { conflict(r, "revert", "side") }},
	{name: "rebase of the branch", reason: "operation-in-progress", make: func(r *oaptest.Repo) { conflict(r, "rebase", "side") }},
	{name: "bisect", reason: "operation-in-progress", make: func(r *oaptest.Repo) {
		base(r)
		r.Commit("two")
		r.Commit("three")
		r.Git("bisect", "start", "HEAD", "HEAD~2")
	}},
	{name: "conflict without an operation", reason: "conflicted", make: func(r *oaptest.Repo) {
		base(r)
		id := r.Git("rev-parse", "HEAD:"+profile)
		r.GitIn("100644 "+id+" 1\t"+profile+"\n100644 "+id+" 2\t"+profile+"\n", "update-index", "--index-info")
	}},
	{name: "dirty in another tree", reason: "dirty", in: profile, make: func(r *oaptest.Repo) {
		base(r)
		r.Git("checkout", "-q", "-b", "side")
		r.Git("worktree", "add", "-q", r.Beside("w"), "main")
		r.At(r.Beside("w")).Write(profile, "mine\n")
	}},
	{name: "locked tree that is not there", reason: "worktree-missing", make: func(r *oaptest.Repo) {
		base(r)
		r.Git("checkout", "-q", "-b", "side")
		r.Git("worktree", "add", "-q", "--lock", r.Beside("w"), "main")
		os.RemoveAll(r.Beside("w"))
	}},
	{name: "no identity", reason: "no-identity", make: base, env: []string{"GIT_AUTHOR_NAME=", "GIT_AUTHOR_EMAIL=", "GIT_COMMITTER_NAME=", "GIT_COMMITTER_EMAIL="}},
	{name: "signer", reason: "signer", make: func(r *oaptest.Repo) {
		base(r)
		r.Git("config", "commit.gpgsign", "true")
		r.Git("config", "gpg.program", "/bin/false")
	}},
	{name: "signer that signs nothing", reason: "signer", make: func(r *oaptest.Repo) {
		base(r)
		r.Git("config", "commit.gpgsign", "true")
		r.Git("config", "gpg.program", "/bin/true")
	}},
	{name: "pre-commit hook", reason: "hook", req: UpdateRequest{Hooks: true}, make: func(r *oaptest.Repo) { base(r); hook(r, "pre-commit", "echo no >&2; exit 1") }},
	{name: "commit-msg hook", reason: "hook", req: UpdateRequest{Hooks: true}, make: func(r *oaptest.Repo) { base(r); hook(r, "commit-msg", "exit 1") }},
	{name: "reference-transaction hook", reason: "hook", make: func(r *oaptest.Repo) {
		base(r)
		hook(r, "reference-transaction", `test "$1" != prepared`)
	}},
	{name: "ref name", reason: "ref-name", req: UpdateRequest{Ref: "refs/heads/main/x"}, make: base},
	{name: "bad ref", kind: Invalid, reason: "bad-ref", req: UpdateRequest{Ref: "main"}, make: base},
	{name: "symbolic ref", reason: "symbolic-ref", req: UpdateRequest{Ref: "refs/heads/alias"}, make: func(r *oaptest.Repo) { base(r); r.Git("symbolic-ref", "refs/heads/alias", "refs/heads/main") }},
	{name: "index lock held", kind: Busy, reason: "index-lock", make: func(r *oaptest.Repo) { base(r); r.Write(".git/index.lock", "") }},
	{name: "ref lock held", kind: Busy, reason: "race", make: func(r *oaptest.Repo) { base(r); r.Write(".git/refs/heads/main.lock", "") }, req: UpdateRequest{Retries: 2}},
	{name: "HEAD lock held", kind: Busy, reason: "race", make: func(r *oaptest.Repo) { base(r); r.Write(".git/HEAD.lock", "") }, req: UpdateRequest{Retries: 2}},
	{name: "damaged index", kind: Invalid, reason: "bad-index", make: func(r *oaptest.Repo) { base(r); r.Write(".git/index", "DIRC broken") }},
}

func hook(r *oaptest.Repo, name, script string) {
	r.Write(".git/hooks/"+name, "#!/bin/sh\n"+script+"\n")
	if err := os.Chmod(r.Path(".git/hooks/"+name), 0o755); err != nil {
		r.T.Fatal(err)
	}
}

func TestUpdateRefusals(t *testing.T) {
	for _, c := range refusals {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := oaptest.New(t)
			c.make(r)
			if c.kind == 0 {
				c.kind = Refused
			}
			if c.change.Path == "" {
				c.change.Path = profile
			}
			if !c.change.Delete {
				c.change.Data = []byte("new\nlines\n")
			}
			if c.req.Ref == "" {
				c.req.Ref = "refs/heads/main"
			}
			got := must(Open(t.Context(), Options{Dir: r.Dir, Env: append(r.Env, c.env...), LockTimeout: 50 * time.Millisecond}))(t)
			defer got.Close()
			before := state(t, r)
			_, err := got.Update(t.Context(), c.req, func(context.Context, *Snapshot) (*Plan, error) {
				return &Plan{Commits: []PlannedCommit{{Changes: []Change{c.change}, Message: Message{Subject: "s"}}}}, nil
			})
			want(t, err, c.kind, c.reason)
			if !strings.Contains(err.Error(), c.in) || strings.ContainsAny(err.Error(), "\n") {
				t.Errorf("message: %q", err)
			}
			if d := cmp.Diff(before, state(t, r)); d != "" {
				t.Errorf("something changed (-before +after):\n%s", d)
			}
			if _, err := os.Stat(r.Path(".git/oap/journal")); err == nil {
				t.Error("the journal is left")
			}
		})
	}
}
