package repo

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/open-agent-profile/oap/internal/oaptest"
)

const profile = "dir/p.yaml"

// shape is a repository that an Update of dir/p.yaml on main must work in.
type shape struct {
	name, why string
	make      func(*oaptest.Repo) Options     // zero Dir and Env are those of the repository
	check     func(*testing.T, *oaptest.Repo) // besides: content of main, fsck, clean status
	lax       bool                            // the test looks at the status itself
}

func base(r *oaptest.Repo) { r.Commit("one", profile, "old\nlines\n", "other", "o\n", "dir/q", "q\n") }

func linked(r *oaptest.Repo, name, branch string) *oaptest.Repo {
	r.Git("worktree", "add", "-q", "-b", branch, r.Beside(name))
	return r.At(r.Beside(name))
}

var shapes = []shape{
	{name: "elsewhere", why: "the branch is checked out in the main tree, we stand in another", make: func(r *oaptest.Repo) Options {
		base(r)
		return Options{Dir: linked(r, "w", "side").Dir}
	}},
	{name: "linked elsewhere", why: "the branch is checked out in a linked tree, we stand in the main one", make: func(r *oaptest.Repo) Options {
		base(r)
		r.Git("checkout", "-q", "-b", "side")
		r.Git("worktree", "add", "-q", r.Beside("w"), "main")
		return Options{}
	}, check: func(t *testing.T, r *oaptest.Repo) {
		w := r.At(r.Beside("w")).For(t)
		w.Sound()
		if w.Read(profile) != "new\nlines\n" || r.Read(profile) != "old\nlines\n" {
			t.Error("the linked tree must follow and ours must not")
		}
	}},
	{name: "gone", why: "a working tree that was deleted does not hold the branch", make: func(r *oaptest.Repo) Options {
		base(r)
		r.Git("checkout", "-q", "-b", "side")
		r.Git("worktree", "add", "-q", r.Beside("w"), "main")
		os.RemoveAll(r.Beside("w"))
		return Options{}
	}},
	{name: "tree of bare", why: "the common directory is bare and its HEAD names the branch too", make: func(r *oaptest.Repo) Options {
		base(r)
		r.Git("clone", "-q", "--bare", ".", r.Beside("b.git"))
		b := r.At(r.Beside("b.git"))
		b.Git("worktree", "add", "-q", "-f", r.Beside("w"), "main")
		r.Dir = r.Beside("w")
		return Options{Dir: r.Dir}
	}},
	{name: "not checked out", why: "only the ref moves", make: func(r *oaptest.Repo) Options {
		base(r)
		r.Git("checkout", "-q", "-b", "side")
		return Options{}
	}},
	{name: "shallow", why: "history ends, work goes on", make: func(r *oaptest.Repo) Options {
		base(r)
		r.Commit("two")
		r.Git("clone", "-q", "--depth=1", "file://"+r.Dir, r.Beside("s"))
		r.Dir = r.Beside("s")
		return Options{Dir: r.Dir}
	}},
	{name: "packed refs", why: "the ref is no file", make: func(r *oaptest.Repo) Options {
		base(r)
		r.Git("pack-refs", "--all", "--prune")
		r.Git("gc", "-q")
		return Options{}
	}},
	{name: "GIT_DIR", why: "the environment says where everything is", make: func(r *oaptest.Repo) Options {
		base(r)
		return Options{Dir: r.Home(), Env: append(r.Env, "GIT_DIR="+r.Path(".git"), "GIT_WORK_TREE="+r.Dir)}
	}},
	{name: "separate git directory", why: ".git is a file", make: func(r *oaptest.Repo) Options {
		base(r)
		r.Git("init", "-q", "--separate-git-dir", r.Beside("g"))
		return Options{}
	}},
	{name: "alternates", why: "objects lie in another repository", make: func(r *oaptest.Repo) Options {
		base(r)
		r.Git("clone", "-q", "--shared", ".", r.Beside("s"))
		r.Dir = r.Beside("s")
		return Options{Dir: r.Dir}
	}},
	{name: "autocrlf", why: "line ends in the working tree are not those of the blob", make: func(r *oaptest.Repo) Options {
		base(r)
		r.Git("config", "core.autocrlf", "true")
		os.Remove(r.Path(profile))
		r.Git("checkout", "-q", "--", profile)
		return Options{}
	}, check: wantFile("new\r\nlines\r\n")},
	{name: "eol attribute", why: "likewise, by attribute", make: func(r *oaptest.Repo) Options {
		base(r)
		r.Commit("attributes", ".gitattributes", "*.yaml text eol=crlf\n")
		os.Remove(r.Path(profile))
		r.Git("checkout", "-q", "--", profile)
		return Options{}
	}, check: wantFile("new\r\nlines\r\n")},
	{name: "mixed line ends", why: "clean to git, which compares what it would store", make: func(r *oaptest.Repo) Options {
		base(r)
		r.Commit("attributes", ".gitattributes", "*.yaml text eol=crlf\n")
		r.Write(profile, "old\r\nlines\n")
		return Options{}
	}, check: wantFile("new\r\nlines\r\n")},
	{name: "sparse", why: "the path is outside the cone: no file is made", make: func(r *oaptest.Repo) Options {
		base(r)
		r.Commit("in", "in/f", "x")
		r.Git("sparse-checkout", "set", "in")
		return Options{}
	}, check: func(t *testing.T, r *oaptest.Repo) {
		if _, err := os.Lstat(r.Path(profile)); err == nil {
			t.Error("a file outside the cone was written")
		}
		if !strings.HasPrefix(r.Git("ls-files", "-t", "--", profile), "S ") {
			t.Error("the skip-worktree bit is gone")
		}
	}},
	{name: "sparse index", why: "the folder is collapsed in the index", make: func(r *oaptest.Repo) Options {
		base(r)
		r.Commit("in", "in/f", "x")
		r.Git("sparse-checkout", "set", "--cone", "--sparse-index", "in")
		return Options{}
	}},
	{name: "split index", why: "only git can read it", make: func(r *oaptest.Repo) Options {
		base(r)
		r.Git("update-index", "--split-index")
		return Options{}
	}},
	{name: "index version 4", why: "names are compressed", make: func(r *oaptest.Repo) Options {
		base(r)
		r.Git("update-index", "--index-version=4")
		return Options{}
	}},
	{name: "assume unchanged", why: "the bit stays, the file follows", make: func(r *oaptest.Repo) Options {
		base(r)
		r.Git("update-index", "--assume-unchanged", profile)
		return Options{}
	}, check: func(t *testing.T, r *oaptest.Repo) {
		if !strings.HasPrefix(r.Git("ls-files", "-v", "--", profile), "h ") {
			t.Error("the assume-unchanged bit is gone")
		}
	}},
	{name: "subdirectory", why: "paths count from the top", make: func(r *oaptest.Repo) Options {
		base(r)
		return Options{Dir: r.Path("dir")}
	}},
	{name: "executable", why: "the mode of the file stays", make: func(r *oaptest.Repo) Options {
		base(r)
		os.Chmod(r.Path(profile), 0o755)
		r.Git("commit", "-q", "-am", "x")
		os.Chmod(r.Path(profile), 0o711)
		return Options{}
	}, check: func(t *testing.T, r *oaptest.Repo) {
		if fi, _ := os.Stat(r.Path(profile)); fi.Mode().Perm() != 0o711 {
			t.Errorf("mode %v", fi.Mode())
		}
		if !strings.HasPrefix(r.Git("ls-tree", "main", profile), "100755 ") {
			t.Error("mode in the tree")
		}
	}},
	{name: "other changes", why: "what others have staged and edited stays byte for byte", lax: true, make: func(r *oaptest.Repo) Options {
		base(r)
		r.Write("other", "dirty\n")
		r.Write("dir/q", "staged\n")
		r.Write("dir/added", "a\n")
		r.Git("add", "dir")
		r.Write("dir/q", "staged and dirty\n")
		r.Write("untracked", "u\n")
		return Options{}
	}, check: func(t *testing.T, r *oaptest.Repo) {
		want := "A  dir/added\nMM dir/q\n M other\n?? untracked"
		if d := cmp.Diff(want, r.Git("status", "--porcelain")); d != "" {
			t.Errorf("status (-want +got):\n%s", d)
		}
		if r.Git("show", ":dir/q") != "staged" || r.Read("dir/q") != "staged and dirty\n" || r.Read("other") != "dirty\n" {
			t.Error("contents")
		}
	}},
	{name: "submodule and odd modes", why: "entries that are not ours keep their bytes", lax: true, make: func(r *oaptest.Repo) Options {
		base(r)
		link := r.Git("rev-parse", "HEAD")
		r.Git("update-index", "--add", "--cacheinfo", "160000,"+link+",dir/sub")
		r.Git("commit", "-q", "-m", "sub")
		raw, _ := r.Try("", "cat-file", "tree", "HEAD")
		odd := strings.Replace(raw, "100644 other", "100664 other", 1)
		tree := r.GitIn(odd, "hash-object", "-t", "tree", "-w", "--stdin", "--literally")
		r.Git("update-ref", "refs/heads/main", r.Git("commit-tree", "-p", "HEAD", "-m", "odd", tree))
		return Options{}
	}, check: func(t *testing.T, r *oaptest.Repo) {
		if !strings.HasPrefix(r.Git("ls-tree", "main", "dir/sub"), "160000 commit") || !strings.Contains(r.Git("cat-file", "tree", "main"), "100664 other") {
			t.Error(r.Git("ls-tree", "-r", "main"))
		}
	}},
	{name: "core.fileMode false", why: "the mode comes from the tree", make: func(r *oaptest.Repo) Options {
		base(r)
		r.Git("config", "core.fileMode", "false")
		os.Chmod(r.Path(profile), 0o755)
		return Options{}
	}, check: func(t *testing.T, r *oaptest.Repo) {
		if !strings.HasPrefix(r.Git("ls-tree", "main", profile), "100644 ") {
			t.Error("mode in the tree")
		}
	}},
	{name: "shared repository", why: "the group may write what we make", make: func(r *oaptest.Repo) Options {
		base(r)
		r.Git("config", "core.sharedRepository", "group")
		return Options{}
	}, check: func(t *testing.T, r *oaptest.Repo) {
		id := r.Git("rev-parse", "main")
		fi, err := os.Stat(filepath.Join(r.Path(".git/objects"), id[:2]))
		if err != nil || fi.Mode().Perm()&0o070 != 0o070 || fi.Mode()&os.ModeSetgid == 0 {
			t.Errorf("object directory: %v %v", fi.Mode(), err)
		}
		if fi, err := os.Stat(r.Path(".git/oap")); err != nil || fi.Mode().Perm()&0o070 != 0o070 {
			t.Errorf("state directory: %v %v", fi.Mode(), err)
		}
	}},
}

func wantFile(data string) func(*testing.T, *oaptest.Repo) {
	return func(t *testing.T, r *oaptest.Repo) {
		if d := cmp.Diff(data, r.Read(profile)); d != "" {
			t.Errorf("file (-want +got):\n%s", d)
		}
	}
}

func TestUpdateShapes(t *testing.T) {
	for _, c := range shapes {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := oaptest.New(t)
			o := c.make(r)
			if o.Dir == "" {
				o.Dir = r.Dir
			}
			if o.Env == nil {
				o.Env = r.Env
			}
			before := r.Git("rev-parse", "main")
			got := must(Open(t.Context(), o))(t)
			defer got.Close()
			up := must(got.Update(t.Context(), toMain, put(profile, "new\nlines\n", "p: r2")))(t)
			if string(up.After) != r.Git("rev-parse", "main") || r.Git("rev-parse", "main~1") != before {
				t.Fatalf("%s: %+v", c.why, up)
			}
			if d := cmp.Diff("M\t"+profile, r.Git("diff", "--name-status", "main~1", "main")); d != "" {
				t.Errorf("%s (-want +got):\n%s", c.why, d)
			}
			if r.Git("show", "main:"+profile) != "new\nlines" {
				t.Errorf("%s: content", c.why)
			}
			if c.lax {
				if out, err := r.Try("", "fsck", "--no-dangling"); err != nil {
					t.Errorf("%v %s", err, out)
				}
			} else {
				r.For(t).Sound()
			}
			if c.check != nil {
				c.check(t, r.For(t))
			}
			debris(t, r)
		})
	}
}

// debris fails if anything of ours is left but the queue lock.
func debris(t *testing.T, r *oaptest.Repo) {
	t.Helper()
	_ = filepath.WalkDir(filepath.Dir(r.Dir), func(p string, d os.DirEntry, err error) error {
		n := filepath.Base(p)
		if err == nil && !d.IsDir() && (strings.HasSuffix(n, ".lock") || strings.Contains(n, "oap-") || strings.HasPrefix(n, tempState) || strings.HasPrefix(n, tempObject) || n == "journal") {
			t.Errorf("left behind: %s", p)
		}
		return nil
	})
}
