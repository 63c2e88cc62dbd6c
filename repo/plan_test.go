package repo

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/open-agent-profile/oap/internal/oaptest"
)

func fixed(p *Plan) func(context.Context, *Snapshot) (*Plan, error) {
	return func(context.Context, *Snapshot) (*Plan, error) { return p, nil }
}

func TestUpdateNothing(t *testing.T) {
	r := oaptest.New(t)
	base(r)
	got := open(t, r)
	before := state(t, r)
	for _, p := range []*Plan{nil, {}, {Commits: []PlannedCommit{{Message: Message{Subject: "same"}, Changes: []Change{{Path: profile, Data: []byte("old\nlines\n")}}}}}} {
		up := must(got.Update(t.Context(), toMain, fixed(p)))(t)
		if up.Before != up.After || p != nil && len(up.Commits) == 1 && up.Commits[0] != "" {
			t.Errorf("%+v", up)
		}
	}
	boom := errors.New("boom")
	_, err := got.Update(t.Context(), toMain, func(context.Context, *Snapshot) (*Plan, error) { return nil, boom })
	if !errors.Is(err, boom) {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	_, err = got.Update(ctx, toMain, func(context.Context, *Snapshot) (*Plan, error) { cancel(); return put(profile, "x", "s")(ctx, nil) })
	if !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted: %v", err)
	}
	if d := cmp.Diff(before, state(t, r)); d != "" {
		t.Errorf("something changed (-before +after):\n%s", d)
	}
}

func TestUpdateUnborn(t *testing.T) {
	r := oaptest.New(t)
	r.Write("mine", "m\n")
	r.Git("add", "mine")
	got := open(t, r)
	up := must(got.Update(t.Context(), toMain, put("a/b/new", "n\n", "first")))(t)
	if up.Before != "" || r.Git("rev-list", "--count", "main") != "1" || r.Read("a/b/new") != "n\n" {
		t.Errorf("%+v", up)
	}
	if d := cmp.Diff("A  mine", r.Git("status", "--porcelain")); d != "" {
		t.Error(d)
	}
	r.Fsck()
}

func TestUpdateManyChanges(t *testing.T) {
	r := oaptest.New(t)
	base(r)
	r.Commit("deep", "x/y/z", "1", "x/w", "2")
	r.Write("keep", "same\n")
	got := open(t, r)
	up := must(got.Update(t.Context(), toMain, fixed(&Plan{Commits: []PlannedCommit{
		{Message: Message{Subject: "one"}, Changes: []Change{
			{Path: profile, Data: []byte("2\n"), Mode: ModeExecutable}, {Path: "x/y/z", Delete: true}, {Path: "new/n", Data: []byte("n")}, {Path: "keep", Data: []byte("same\n")},
		}},
		{Message: Message{Subject: "nothing"}, Changes: []Change{{Path: "new/n", Data: []byte("n")}}},
		{Message: Message{Subject: "empty"}, AllowEmpty: true},
		{Message: Message{Subject: "three"}, Changes: []Change{{Path: profile, Data: []byte("3\n")}, {Path: "x/w", Delete: true}, {Path: "x/v", Data: nil}}},
	}})))(t)
	if len(up.Commits) != 4 || up.Commits[1] != "" || up.Commits[3] != up.After {
		t.Errorf("%+v", up)
	}
	want := ":100644 100755 M\t" + profile + "\n:000000 100644 A\tkeep\n:000000 100644 A\tnew/n\n:000000 100644 A\tx/v\n:100644 000000 D\tx/w\n:100644 000000 D\tx/y/z"
	raw := r.Git("diff", "--raw", "--no-renames", "--abbrev=0", string(up.Before), "main")
	var lines []string
	for l := range strings.Lines(raw) {
		f := strings.SplitN(strings.TrimSpace(l), " ", 5)
		lines = append(lines, f[0]+" "+f[1]+" "+f[4])
	}
	if d := cmp.Diff(want, strings.Join(lines, "\n")); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	if _, err := os.Stat(r.Path("x/y")); err == nil {
		t.Error("an empty folder is left")
	}
	if fi, _ := os.Stat(r.Path(profile)); fi.Mode()&0o100 == 0 {
		t.Error("the file did not become executable")
	}
	r.Sound()
	debris(t, r)
}

func TestUpdateMergeAndRefs(t *testing.T) {
	r := oaptest.New(t)
	base(r)
	got := open(t, r)
	branch := UpdateRequest{Ref: "refs/heads/oap/proposals/p/1", Base: must(got.RefTip(t.Context(), "refs/heads/main"))(t)}
	prop := must(got.Update(t.Context(), branch, put(profile, "proposed\n", "p: propose")))(t)
	if prop.Before != "" || prop.After != ID(r.Git("rev-parse", branch.Ref)) || r.Git("rev-parse", branch.Ref+"~1") != string(branch.Base) {
		t.Errorf("%+v", prop)
	}
	accept := &Plan{
		Commits: []PlannedCommit{{Message: Message{Subject: "p: accept"}, Changes: []Change{{Path: profile, Data: []byte("proposed\n")}}, ExtraParents: []ID{prop.After}}},
		Refs: []RefUpdate{
			{Name: branch.Ref, Old: prop.After},
			{Name: "refs/oap/decided/1", New: NewCommit(0)},
		},
	}
	up := must(got.Update(t.Context(), toMain, fixed(accept)))(t)
	if d := cmp.Diff(string(up.Before)+" "+string(prop.After), r.Git("log", "-1", "--format=%P", "main")); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff("refs/heads/main\nrefs/oap/decided/1", r.Git("for-each-ref", "--format=%(refname)")); d != "" {
		t.Error(d)
	}
	r.Sound()

	// All or nothing: a ref that is not as expected stops the branch, too.
	before := state(t, r)
	quick := must(Open(t.Context(), Options{Dir: r.Dir, Env: r.Env, LockTimeout: time.Millisecond}))(t)
	defer quick.Close()
	stale := &Plan{Commits: []PlannedCommit{{Message: Message{Subject: "x"}, AllowEmpty: true}}, Refs: []RefUpdate{{Name: "refs/oap/decided/1", New: NewCommit(0)}}}
	_, err := quick.Update(t.Context(), UpdateRequest{Ref: "refs/heads/main", Retries: 2}, fixed(stale))
	want(t, err, Busy, "race")
	_, err = quick.Update(t.Context(), UpdateRequest{Ref: "refs/oap/x"}, fixed(&Plan{Refs: []RefUpdate{{Name: "refs/heads/main", Old: up.After}}}))
	want(t, err, Refused, "checked-out")
	if d := cmp.Diff(before, state(t, r)); d != "" {
		t.Errorf("something changed (-before +after):\n%s", d)
	}

	// A merge whose first parent is another line: the tree starts from there, the working tree follows.
	r.Git("checkout", "-q", "-b", "remote", string(up.Before))
	theirs := ID(r.Commit("theirs", "their/file", "t\n", "other", "changed\n"))
	r.Git("checkout", "-q", "main")
	m := must(got.Update(t.Context(), toMain, fixed(&Plan{Commits: []PlannedCommit{{
		Message: Message{Subject: "merge"}, FirstParent: theirs, ExtraParents: []ID{up.After}, Changes: []Change{{Path: profile, Data: []byte("merged\n")}},
	}}})))(t)
	if d := cmp.Diff(string(theirs)+" "+string(up.After), r.Git("log", "-1", "--format=%P", "main")); d != "" {
		t.Error(d)
	}
	if m.After != ID(r.Git("rev-parse", "main")) || r.Read("their/file") != "t\n" || r.Read(profile) != "merged\n" {
		t.Errorf("%+v", m)
	}
	r.Sound()
}

func TestUpdateSignoffAndTime(t *testing.T) {
	r := oaptest.New(t)
	base(r)
	got := open(t, r)
	at := time.Date(2026, 7, 1, 12, 0, 0, 0, time.FixedZone("", 2*3600))
	q := UpdateRequest{Ref: "refs/heads/main", Signoff: true, Now: at}
	must(got.Update(t.Context(), q, put(profile, "2\n", "s")))(t)
	want := "2026-07-01T12:00:00+02:00 2026-07-01T12:00:00+02:00\nOAP-Profile: p\nSigned-off-by: Carl Committer <carl@example.org>\n"
	if d := cmp.Diff(want, r.Git("log", "-1", "--format=%aI %cI%n%(trailers)")); d != "" {
		t.Error(d)
	}
}

func TestIdentityByGitsRules(t *testing.T) {
	r := oaptest.New(t)
	base(r)
	r.Env = oaptest.Bare(r.Home())
	if err := os.WriteFile(filepath.Join(r.Home(), ".gitconfig"), []byte("[includeIf \"gitdir:"+r.Dir+"/\"]\n\tpath = work\n[user]\n\tuseConfigOnly = true\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(r.Home(), "work"), []byte("[user]\n\tname = Wim\n\temail = wim@work\n[committer]\n\temail = robot@work\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	got := open(t, r)
	must(got.Update(t.Context(), toMain, put(profile, "2\n", "s")))(t)
	if d := cmp.Diff("Wim <wim@work> Wim <robot@work>", r.Git("log", "-1", "--format=%an <%ae> %cn <%ce>")); d != "" {
		t.Error(d)
	}
}

func TestHooks(t *testing.T) {
	r := oaptest.New(t)
	base(r)
	r.Write("other", "dirty\n")
	hook(r, "pre-commit", `git diff --cached --name-only > `+r.Beside("seen")+`; git show :`+profile+` >> `+r.Beside("seen"))
	hook(r, "commit-msg", `echo "Reviewed-by: hook" >> "$1"`)
	hook(r, "reference-transaction", `echo "$1" >> `+r.Beside("refs"))
	got := open(t, r)
	must(got.Update(t.Context(), UpdateRequest{Ref: "refs/heads/main", Hooks: true}, put(profile, "2\n", "s")))(t)
	seen, _ := os.ReadFile(r.Beside("seen"))
	if d := cmp.Diff(profile+"\n2\n", string(seen)); d != "" {
		t.Errorf("pre-commit (-want +got):\n%s", d)
	}
	if d := cmp.Diff("OAP-Profile: p\nReviewed-by: hook\n", r.Git("log", "-1", "--format=%(trailers)")); d != "" {
		t.Error(d)
	}
	must(got.Update(t.Context(), toMain, put(profile, "3\n", "s")))(t)
	if strings.Contains(r.Git("log", "-1", "--format=%B"), "hook") {
		t.Error("hooks ran unasked")
	}
	refs, _ := os.ReadFile(r.Beside("refs"))
	if d := cmp.Diff("prepared\ncommitted\nprepared\ncommitted\n", string(refs)); d != "" {
		t.Errorf("reference-transaction (-want +got):\n%s", d)
	}
}

func TestSigning(t *testing.T) {
	for _, format := range []string{"ssh", "openpgp"} {
		for _, object := range []string{"sha1", "sha256"} {
			t.Run(format+" "+object, func(t *testing.T) {
				r := oaptest.New(t, "--object-format="+object)
				base(r)
				key := newKey(t, r, format)
				r.Git("config", "gpg.format", format)
				r.Git("config", "user.signingkey", key)
				r.Git("config", "commit.gpgsign", "true")
				got := open(t, r)
				up := must(got.Update(t.Context(), toMain, put(profile, "2\n", "ü")))(t)
				if out, err := r.Try("", "verify-commit", "main"); err != nil {
					t.Error(out, err)
				}
				if c := must(got.ReadCommit(t.Context(), up.After))(t); !c.Signed || c.Author.Name != "Ada Author" {
					t.Errorf("%+v", c)
				}
				up = must(got.Update(t.Context(), UpdateRequest{Ref: "refs/heads/main", NoSign: true}, put(profile, "3\n", "s")))(t)
				if c := must(got.ReadCommit(t.Context(), up.After))(t); c.Signed {
					t.Error("signed although told not to")
				}
				r.Sound()
			})
		}
	}
}

// newKey makes a signing key and lets git trust it.
func newKey(t *testing.T, r *oaptest.Repo, format string) string {
	t.Helper()
	run := func(name string, args ...string) {
		t.Helper()
		cmd := exec.Command(name, args...)
		cmd.Env = r.Env
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Skipf("no %s here: %v %s", name, err, out)
		}
	}
	if format == "openpgp" {
		home, err := os.MkdirTemp("", "oap-gpg") // the agent's socket needs a short path
		if err != nil {
			t.Fatal(err)
		}
		r.Env = append(r.Env, "GNUPGHOME="+home)
		t.Cleanup(func() {
			cmd := exec.Command("gpgconf", "--kill", "all")
			cmd.Env = r.Env
			_ = cmd.Run()
			os.RemoveAll(home)
		})
		run("gpg", "--batch", "--passphrase", "", "--quick-generate-key", "Carl <carl@example.org>", "ed25519", "sign", "never")
		return "carl@example.org"
	}
	key := r.Beside("key")
	run("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", key)
	pub, err := os.ReadFile(key + ".pub")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(r.Beside("allowed"), append([]byte("carl@example.org "), bytes.TrimSpace(pub)...), 0o644); err != nil {
		t.Fatal(err)
	}
	r.Git("config", "gpg.ssh.allowedSignersFile", r.Beside("allowed"))
	return key
}

func TestStatusAndWorkFile(t *testing.T) {
	r := oaptest.New(t)
	base(r)
	r.Commit("more", "staged", "1", "missing", "1", "both", "1")
	r.Write("other", "edited\n")
	r.Write("staged", "2")
	r.Git("add", "staged")
	os.Remove(r.Path("missing"))
	r.Write("new", "n")
	r.Write(".git/info/exclude", "ignored\n")
	r.Write("ignored", "i")
	id := r.Git("rev-parse", "HEAD:both")
	r.GitIn("0 "+strings.Repeat("0", 40)+"\tboth\n100644 "+id+" 2\tboth\n100644 "+id+" 3\tboth\n", "update-index", "--index-info")
	got := open(t, r)
	for p, want := range map[string]Status{profile: Clean, "other": Modified, "staged": Staged, "missing": Missing, "new": Untracked, "ignored": Untracked, "both": Conflicted} {
		if s := must(got.StatusOf(t.Context(), p))(t); s != want {
			t.Errorf("%s: %s, want %s", p, s, want)
		}
	}
	_, err := got.StatusOf(t.Context(), "none")
	want(t, err, NotFound, "no-path")
	if data := must(got.WorkFile("other"))(t); string(data) != "edited\n" {
		t.Errorf("%q", data)
	}
	_, err = got.WorkFile("missing")
	want(t, err, NotFound, "no-path")
	os.Symlink("/etc/passwd", r.Path("out"))
	_, err = got.WorkFile("out")
	want(t, err, Refused, "symlink")
	_, err = got.WorkFile("../x")
	want(t, err, Invalid, "bad-path")
	if p := must(got.PathOf("dir/../other"))(t); p != "other" {
		t.Error(p)
	}
	_, err = got.PathOf("../../x")
	want(t, err, Refused, "outside")
	r.Git("checkout", "-q", "-f", "--detach")
	_, err = got.CurrentBranch(t.Context())
	want(t, err, Refused, "detached")
}
