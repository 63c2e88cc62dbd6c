package repo

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/open-agent-profile/oap/internal/oaptest"
)

// facts are the exported fields of a Repo that a shape decides.
type facts struct {
	Root, GitDir, CommonDir, Prefix string
	Bare, Shallow                   bool
	Format                          string
}

func TestOpenShapes(t *testing.T) {
	cases := []struct {
		name, why string
		make      func(*oaptest.Repo) Options
		want      func(*oaptest.Repo) facts
	}{
		{"plain", "the usual case", func(r *oaptest.Repo) Options { return Options{Dir: r.Dir} },
			func(r *oaptest.Repo) facts {
				return facts{Root: r.Dir, GitDir: r.Path(".git"), CommonDir: r.Path(".git"), Format: "sha1"}
			}},
		{"subdirectory", "git finds the top from anywhere below", func(r *oaptest.Repo) Options {
			mkdir(r.T, r.Path("a/b"))
			return Options{Dir: r.Path("a/b")}
		}, func(r *oaptest.Repo) facts {
			return facts{Root: r.Dir, GitDir: r.Path(".git"), CommonDir: r.Path(".git"), Prefix: "a/b/", Format: "sha1"}
		}},
		{"bare", "no working tree, no root", func(r *oaptest.Repo) Options {
			r.Git("init", "-q", "--bare", r.Beside("bare.git"))
			return Options{Dir: r.Beside("bare.git")}
		}, func(r *oaptest.Repo) facts {
			return facts{GitDir: r.Beside("bare.git"), CommonDir: r.Beside("bare.git"), Bare: true, Format: "sha1"}
		}},
		{"linked", "the common directory is the main one's", func(r *oaptest.Repo) Options {
			r.Commit("one", "f", "1")
			r.Git("worktree", "add", "-q", "-b", "side", r.Beside("side"))
			return Options{Dir: r.Beside("side")}
		}, func(r *oaptest.Repo) facts {
			return facts{Root: r.Beside("side"), GitDir: r.Path(".git/worktrees/side"), CommonDir: r.Path(".git"), Format: "sha1"}
		}},
		{"worktree of bare", "go-git needs an option of its own for it", func(r *oaptest.Repo) Options {
			r.Commit("one", "f", "1")
			r.Git("clone", "-q", "--bare", ".", r.Beside("b.git"))
			r.At(r.Beside("b.git")).Git("worktree", "add", "-q", "-b", "x", r.Beside("x"))
			return Options{Dir: r.Beside("x")}
		}, func(r *oaptest.Repo) facts {
			return facts{Root: r.Beside("x"), GitDir: r.Beside("b.git/worktrees/x"), CommonDir: r.Beside("b.git"), Format: "sha1"}
		}},
		{"separate git directory", ".git is a file", func(r *oaptest.Repo) Options {
			r.Git("init", "-q", "--separate-git-dir", r.Beside("g"), r.Beside("w"))
			return Options{Dir: r.Beside("w")}
		}, func(r *oaptest.Repo) facts {
			return facts{Root: r.Beside("w"), GitDir: r.Beside("g"), CommonDir: r.Beside("g"), Format: "sha1"}
		}},
		{"GIT_DIR and GIT_WORK_TREE", "the environment wins over discovery", func(r *oaptest.Repo) Options {
			mkdir(r.T, r.Beside("w2"))
			return Options{Dir: r.Home(), Env: append(r.Env, "GIT_DIR="+r.Path(".git"), "GIT_WORK_TREE="+r.Beside("w2"))}
		}, func(r *oaptest.Repo) facts {
			return facts{Root: r.Beside("w2"), GitDir: r.Path(".git"), CommonDir: r.Path(".git"), Format: "sha1"}
		}},
		{"shallow", "history ends early", func(r *oaptest.Repo) Options {
			r.Commit("one", "f", "1")
			r.Commit("two", "f", "2")
			r.Git("clone", "-q", "--depth=1", "file://"+r.Dir, r.Beside("s"))
			return Options{Dir: r.Beside("s")}
		}, func(r *oaptest.Repo) facts {
			return facts{Root: r.Beside("s"), GitDir: r.Beside("s/.git"), CommonDir: r.Beside("s/.git"), Shallow: true, Format: "sha1"}
		}},
		{"sha256", "names have 64 digits", func(r *oaptest.Repo) Options {
			r.Git("init", "-q", "--object-format=sha256", r.Beside("h"))
			return Options{Dir: r.Beside("h")}
		}, func(r *oaptest.Repo) facts {
			return facts{Root: r.Beside("h"), GitDir: r.Beside("h/.git"), CommonDir: r.Beside("h/.git"), Format: "sha256"}
		}},
		{"inside .git", "there is no working tree to be in", func(r *oaptest.Repo) Options { return Options{Dir: r.Path(".git")} },
			func(r *oaptest.Repo) facts {
				return facts{GitDir: r.Path(".git"), CommonDir: r.Path(".git"), Format: "sha1"}
			}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := oaptest.New(t)
			o := c.make(r)
			if o.Env == nil {
				o.Env = r.Env
			}
			got := must(Open(t.Context(), o))(t)
			defer got.Close()
			have := facts{got.Root, got.GitDir, got.CommonDir, got.Prefix, got.Bare, got.Shallow, got.ObjectFormat}
			if d := cmp.Diff(c.want(r), have); d != "" {
				t.Errorf("%s (-want +got):\n%s", c.why, d)
			}
		})
	}
}

func TestOpenThroughSymlink(t *testing.T) {
	r := oaptest.New(t)
	mkdir(t, r.Path("a/b"))
	if err := os.Symlink(r.Path("a/b"), r.Beside("link")); err != nil {
		t.Skip("no symbolic links here:", err)
	}
	got := must(Open(t.Context(), Options{Dir: r.Beside("link"), Env: r.Env}))(t)
	if got.Root != r.Dir || got.Prefix != "a/b/" {
		t.Errorf("root %q prefix %q, want %q and a/b/", got.Root, got.Prefix, r.Dir)
	}
}

func TestOpenRefusals(t *testing.T) {
	r := oaptest.New(t)
	_, err := Open(t.Context(), Options{Dir: r.Home(), Env: append(r.Env, "GIT_CEILING_DIRECTORIES="+filepath.Dir(r.Dir))})
	want(t, err, NotFound, "not-a-repository")
	_, err = Open(t.Context(), Options{Dir: r.Path("none"), Env: r.Env})
	want(t, err, NotFound, "no-directory")
	_, err = Open(t.Context(), Options{Dir: r.Dir, Env: append(r.Env, "GIT_TEST_ASSUME_DIFFERENT_OWNER=1")})
	want(t, err, Refused, "foreign-owner")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Open(ctx, Options{Dir: r.Dir, Env: r.Env}); err == nil {
		t.Error("an interrupted Open succeeded")
	}
	r.Git("config", "core.repositoryformatversion", "1")
	r.Git("config", "extensions.fancy", "true")
	_, err = Open(t.Context(), Options{Dir: r.Dir, Env: r.Env})
	want(t, err, Refused, "unreadable-format")
}

// A stand-in for git that answers nothing but its version.
func TestOpenOldOrMissingGit(t *testing.T) {
	r := oaptest.New(t)
	dir := t.TempDir()
	t.Setenv("PATH", dir)
	_, err := Open(t.Context(), Options{Dir: r.Dir, Env: r.Env})
	want(t, err, Refused, "git-missing")
	script := "#!/bin/sh\nif [ \"$1\" = version ]; then echo git version 2.25.1; else echo unknown option >&2; exit 129; fi\n"
	if err := os.WriteFile(filepath.Join(dir, "git"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	_, err = Open(t.Context(), Options{Dir: r.Dir, Env: r.Env})
	want(t, err, Refused, "git-too-old")
}

func TestSettings(t *testing.T) {
	r := oaptest.New(t)
	r.Git("config", "--add", "oap.root", "a")
	r.Git("config", "--add", "oap.root", "b\nc")
	r.Git("config", "remote.Up.Stream.url", "x")
	f, err := os.OpenFile(r.Path(".git/config"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString("[oap]\n\tHooks\n\tpush = 0\n"); err != nil {
		t.Fatal(err)
	}
	f.Close()
	got := open(t, r)
	if d := cmp.Diff([]string{"a", "b\nc"}, got.Settings("OAP.Root")); d != "" {
		t.Errorf("several values (-want +got):\n%s", d)
	}
	if v, ok := got.Setting("oap.root"); v != "b\nc" || !ok {
		t.Errorf("last value: %q %v", v, ok)
	}
	if v, _ := got.Setting("Remote.Up.Stream.URL"); v != "x" {
		t.Errorf("subsection keeps its case: %q", v)
	}
	if _, ok := got.Setting("remote.up.stream.url"); ok {
		t.Error("a subsection is not folded")
	}
	if !got.BoolSetting("oap.hooks", false) || got.BoolSetting("oap.push", true) || !got.BoolSetting("oap.none", true) {
		t.Error("booleans")
	}
}

func TestLockTimeout(t *testing.T) {
	r := oaptest.New(t)
	for _, c := range []struct {
		name, why, setting string
		option, want       time.Duration
		bad                bool
	}{
		{name: "default", why: "nothing says otherwise", want: 10 * time.Second},
		{name: "setting", why: "git config", setting: "2s", want: 2 * time.Second},
		{name: "option", why: "it wins", setting: "2s", option: time.Minute, want: time.Minute},
		{name: "option over nonsense", why: "the setting does not count", setting: "soon", option: time.Minute, want: time.Minute},
		{name: "zero", why: "no waiting", setting: "0", want: 0},
		{name: "no unit", why: "seconds or milliseconds?", setting: "10", bad: true},
		{name: "word", why: "not a duration", setting: "soon", bad: true},
		{name: "negative", why: "not a time to wait", setting: "-1s", bad: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			at := r
			if c.setting != "" {
				at = r.With("GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=oap.lockTimeout", "GIT_CONFIG_VALUE_0="+c.setting)
			}
			got, err := Open(t.Context(), Options{Dir: r.Dir, Env: at.Env, LockTimeout: c.option})
			if c.bad {
				want(t, err, Invalid, "bad-setting")
				return
			}
			if err != nil || got.timeout != c.want {
				t.Errorf("%s: %v, want %v", c.why, err, c.want)
			}
		})
	}
}

func TestHead(t *testing.T) {
	r := oaptest.New(t)
	got := open(t, r)
	h := must(got.Head(t.Context()))(t)
	if d := cmp.Diff(Head{Ref: "refs/heads/main", Unborn: true}, h); d != "" {
		t.Errorf("unborn (-want +got):\n%s", d)
	}
	id := ID(r.Commit("one", "f", "1"))
	h = must(got.Head(t.Context()))(t)
	if d := cmp.Diff(Head{Ref: "refs/heads/main", Commit: id}, h); d != "" {
		t.Errorf("branch (-want +got):\n%s", d)
	}
	r.Git("checkout", "-q", "--detach")
	h = must(got.Head(t.Context()))(t)
	if d := cmp.Diff(Head{Commit: id, Detached: true}, h); d != "" {
		t.Errorf("detached (-want +got):\n%s", d)
	}
}

func TestRefTipIsExact(t *testing.T) {
	r := oaptest.New(t)
	id := ID(r.Commit("one", "f", "1"))
	two := ID(r.Commit("two", "f", "2"))
	got := open(t, r)
	r.Git("update-ref", "refs/tags/refs/heads/x", string(id))
	r.Git("tag", "main", string(id))
	tip := func(ref string) ID { t.Helper(); return must(got.RefTip(t.Context(), ref))(t) }
	if tip("refs/heads/main") != two {
		t.Error("a tag of the same name was taken for the branch")
	}
	if tip("refs/heads/x") != "" {
		t.Error("a missing branch was found through git's name expansion")
	}
	r.Git("pack-refs", "--all")
	if tip("refs/heads/main") != two || tip("refs/heads/x") != "" {
		t.Error("packed refs")
	}
	refs := must(got.Refs(t.Context(), "refs/heads/"))(t)
	if d := cmp.Diff([]Ref{{"refs/heads/main", two}}, refs); d != "" {
		t.Errorf("refs (-want +got):\n%s", d)
	}
	if id2 := must(got.Resolve(t.Context(), "refs/heads/main~1"))(t); id2 != id {
		t.Errorf("resolve: %s", id2)
	}
	for _, rev := range []string{"", "nope", "-x", "main:f", "a\nb"} {
		_, err := got.Resolve(t.Context(), rev)
		want(t, err, NotFound, "no-revision")
	}
}

func TestBranchNames(t *testing.T) {
	r := &Repo{}
	g := oaptest.New(t)
	for _, name := range []string{"main", "a/b", "refs/heads/x", "a..b", "x.lock", ".x", "a/.b", "-x", "a b", "a~", "x.", "a//b",
		"@{", "a@{b", "ü", "a\x01", "", "/a", "a/", "HEAD", "refs/heads/", "@", "a\\b", "a[b", "a/lock", "x.lock/y", "refs/tags/x"} {
		_, err := r.Branch(name)
		short := name
		if len(short) > 11 && short[:11] == "refs/heads/" {
			short = short[11:]
		}
		_, gitErr := g.Try("", "check-ref-format", "--branch", short)
		if name == "refs/heads/" || name == "@" {
			continue // git expands these with --branch
		}
		if (err == nil) != (gitErr == nil) {
			t.Errorf("%q: we say %v, git says %v", name, err, gitErr)
		}
	}
}
