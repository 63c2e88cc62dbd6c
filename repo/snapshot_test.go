package repo

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/open-agent-profile/oap/internal/oaptest"
)

func TestSnapshot(t *testing.T) {
	for _, format := range []string{"sha1", "sha256"} {
		t.Run(format, func(t *testing.T) {
			r := oaptest.New(t, "--object-format="+format)
			id := ID(r.Commit("one", "a/b/x.yaml", "x\n", "a/y.yaml", "y\n", "z", "z"))
			got := open(t, r)
			s := must(got.Snapshot(t.Context(), id))(t)
			f := must(s.File(t.Context(), "a/b/x.yaml"))(t)
			if string(f.Data) != "x\n" || f.Mode != ModeFile || string(f.ID) != r.Git("rev-parse", "HEAD:a/b/x.yaml") {
				t.Errorf("file: %+v", f)
			}
			_, err := s.File(t.Context(), "a/none")
			want(t, err, NotFound, "no-path")
			_, err = s.File(t.Context(), "z/x")
			want(t, err, NotFound, "no-path")
			_, err = s.File(t.Context(), "a/b")
			want(t, err, Refused, "directory")
			_, err = s.File(t.Context(), "../z")
			want(t, err, Invalid, "bad-path")
			list := must(s.List(t.Context(), "a", func(p string) bool { return strings.HasSuffix(p, ".yaml") }))(t)
			var paths []string
			for _, e := range list {
				paths = append(paths, e.Path)
			}
			if d := cmp.Diff([]string{"a/y.yaml", "a/b/x.yaml"}, paths); d != "" {
				t.Errorf("list (-want +got):\n%s", d)
			}
			if l := must(s.List(t.Context(), "nowhere", nil))(t); l != nil {
				t.Errorf("a missing folder: %v", l)
			}
			if l := must(s.List(t.Context(), ".", nil))(t); len(l) != 3 {
				t.Errorf("top: %v", l)
			}
			c := s.Commit()
			if c.Author.String() != "Ada Author <ada@example.org>" || c.Committer.When.Format("-0700") != "+0200" || c.Subject() != "one" {
				t.Errorf("commit: %+v", c)
			}
		})
	}
}

func TestSnapshotEmpty(t *testing.T) {
	got := open(t, oaptest.New(t))
	s := must(got.Snapshot(t.Context(), ""))(t)
	_, err := s.File(t.Context(), "x")
	want(t, err, NotFound, "no-path")
	if l := must(s.List(t.Context(), "", nil))(t); l != nil || s.ID() != "" {
		t.Errorf("empty tree: %v", l)
	}
	_, err = got.Snapshot(t.Context(), ID(strings.Repeat("1", 40)))
	want(t, err, NotFound, "no-object")
	_, err = got.Snapshot(t.Context(), "main")
	want(t, err, Invalid, "bad-id")
}

// Many folders are asked for at once; neither side may wait on a full pipe.
func TestSnapshotWide(t *testing.T) {
	r := oaptest.New(t, "--bare")
	r.Fill(3000)
	got := open(t, r)
	s := must(got.Snapshot(t.Context(), must(got.RefTip(t.Context(), "refs/heads/main"))(t)))(t)
	if l := must(s.List(t.Context(), "", nil))(t); len(l) != 3000 {
		t.Errorf("%d files", len(l))
	}
}

// What git moves meanwhile (packs, alternates) the reader must find again.
func TestSnapshotThroughGCAndAlternates(t *testing.T) {
	r := oaptest.New(t)
	id := ID(r.Commit("one", "f", "1"))
	got := open(t, r)
	must(got.Snapshot(t.Context(), id))(t)
	two := ID(r.Commit("two", "f", "2"))
	r.Git("gc", "-q", "--prune=now")
	s := must(got.Snapshot(t.Context(), two))(t)
	if f := must(s.File(t.Context(), "f"))(t); string(f.Data) != "2" {
		t.Errorf("after gc: %q", f.Data)
	}
	r.Git("clone", "-q", "--shared", ".", r.Beside("alt"))
	alt := open(t, r.At(r.Beside("alt")))
	s = must(alt.Snapshot(t.Context(), two))(t)
	if f := must(s.File(t.Context(), "f"))(t); string(f.Data) != "2" {
		t.Errorf("through alternates: %q", f.Data)
	}
	got.Close()
	must(got.Head(t.Context()))(t) // a closed Repo starts a new reader
}

func TestFollow(t *testing.T) {
	r := oaptest.New(t)
	link := func(name, target string) {
		if err := os.Symlink(target, r.Path(name)); err != nil {
			t.Skip("no symbolic links here:", err)
		}
	}
	r.Write("real/p.yaml", "p")
	link("direct", "real/p.yaml")
	link("real/up", "../real/./p.yaml")
	link("dir", "real")
	link("out", "../outside")
	link("abs", "/etc/passwd")
	link("broken", "nothing")
	link("loop", "loop")
	link("chain", "dir/up")
	r.Git("add", "-A")
	id := ID(r.Commit("links"))
	got := open(t, r)
	s := must(got.Snapshot(t.Context(), id))(t)
	for _, c := range []struct {
		path, to, reason string
		kind             Kind
	}{
		{path: "real/p.yaml", to: "real/p.yaml"},
		{path: "direct", to: "real/p.yaml"},
		{path: "real/up", to: "real/p.yaml"},
		{path: "dir/p.yaml", to: "real/p.yaml"},
		{path: "chain", to: "real/p.yaml"},
		{path: "out", kind: Refused, reason: "symlink"},
		{path: "abs", kind: Refused, reason: "symlink"},
		{path: "loop", kind: Refused, reason: "symlink"},
		{path: "broken", kind: NotFound, reason: "no-path"},
	} {
		to, err := s.Follow(t.Context(), c.path)
		if c.kind != 0 {
			want(t, err, c.kind, c.reason)
		} else if to != c.to || err != nil {
			t.Errorf("%s: %q, %v", c.path, to, err)
		}
	}
	_, err := s.File(t.Context(), "direct")
	want(t, err, Refused, "symlink")
	_, err = s.File(t.Context(), "dir/p.yaml")
	want(t, err, Refused, "symlink")
}

func TestCheckPath(t *testing.T) {
	for _, p := range []string{"", "/a", "a/", "a//b", ".", "a/../b", "./a", ".git/x", "a/.GIT/b", "GIT~1", ".git. /x", ".git::$INDEX/x",
		".g\u200cit/x", "a\nb", "a\x1bb", "a\\b", "\xff", strings.Repeat("x", 256), "a\x7f"} {
		if KindOf(CheckPath(p)) != Invalid {
			t.Errorf("%q is allowed", p)
		}
	}
	for _, p := range []string{"a", ".agents/x.yaml", "a/.gitignore", "ü/😀", "git~10", ".gitx", "a b", "...", "-x"} {
		if err := CheckPath(p); err != nil {
			t.Errorf("%q: %v", p, err)
		}
	}
}
