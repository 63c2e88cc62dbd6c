package history_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/open-agent-profile/oap/internal/oaptest"
	"github.com/open-agent-profile/oap/profile"
	"github.com/open-agent-profile/oap/repo"
	"github.com/open-agent-profile/oap/repo/history"
)

const scout = ".agents/scout.agent.yaml"

// text is a profile with facts given as "id=text".
func text(name string, revision int, facts ...string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "oap: \"1.0\"\nkind: AgentProfile\nmetadata:\n  name: %s\n  id: urn:example:scout\n  description: Finds where a feature lives.\n  revision: %d\n", name, revision)
	b.WriteString("spec:\n  role:\n    instructions: Look things up.\nstate:\n  facts:\n")
	for _, f := range facts {
		id, words, _ := strings.Cut(f, "=")
		fmt.Fprintf(&b, "    - {id: %s, text: %q}\n", id, words)
	}
	if len(facts) == 0 {
		b.WriteString("    []\n")
	}
	return b.String()
}

func open(t testing.TB, r *oaptest.Repo) *repo.Repo {
	t.Helper()
	g, err := repo.Open(t.Context(), repo.Options{Dir: r.Dir, Env: r.Env})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(g.Close)
	return g
}

func walk(t testing.TB, r *oaptest.Repo, path string) []*history.Version {
	t.Helper()
	g := open(t, r)
	tip, err := g.RefTip(t.Context(), "refs/heads/main")
	if err != nil {
		t.Fatal(err)
	}
	var out []*history.Version
	for v, err := range history.Walk(t.Context(), g, tip, []string{".agents"}, path, history.Options{}) {
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, v)
	}
	return out
}

// told writes versions as "kind rN path [sections]".
func told(vs []*history.Version) []string {
	var out []string
	for _, v := range vs {
		n := 0
		if v.Document != nil {
			n = v.Document.Revision()
		}
		out = append(out, fmt.Sprintf("%s r%d %s %v", v.Kind, n, filepath.Base(v.Path), v.Sections))
	}
	return out
}

// trailers claims a revision of the document in text.
func trailers(t testing.TB, subject, text, more string) string {
	t.Helper()
	d, err := profile.Parse("x.agent.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	sum, err := d.Digest()
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%s\n\nOAP-Profile: %s\nOAP-Revision: %d\nOAP-Profile-Digest: %s\n%s", subject, d.Name(), d.Revision(), sum, more)
}

func TestKinds(t *testing.T) {
	r := oaptest.New(t)
	r.Commit("begin", scout, text("scout", 1))
	two := text("scout", 2, "a=one")
	r.Commit(trailers(t, "scout: r2 Learned.", two, "OAP-Delta: sha256:0\nOAP-Session: s1\n"), scout, two)
	r.Commit("by hand", scout, text("scout", 2, "a=changed"))
	three := text("scout", 3, "a=changed")
	r.Commit(trailers(t, "scout: r3 stamp", three, "OAP-Approved-By: Ada <ada@example.org>\n"), scout, three)
	four := text("scout", 4)
	r.Commit(trailers(t, "scout: r4 prune", four, "OAP-Action: prune\n"), scout, four)
	five := strings.ReplaceAll(text("scout", 5), "Look things up.", "Look around.")
	r.Commit(trailers(t, "scout: r5 accept", five, "OAP-Decision: accepted\nOAP-Proposal: 0123456789ab\n"), scout, five)
	// The trailers of another revision, and of other content, are not this commit's.
	r.Commit(trailers(t, "scout: r6 lie", text("scout", 6, "b=other"), "OAP-Delta: sha256:0\nOAP-Session: s9\n"), scout, text("scout", 6, "b=two"))
	got := walk(t, r, scout)
	want := []string{
		"edit r6 scout.agent.yaml [spec state]",
		"accept r5 scout.agent.yaml [spec]",
		"prune r4 scout.agent.yaml [state]",
		"stamp r3 scout.agent.yaml []",
		"edit r2 scout.agent.yaml [state]",
		"state r2 scout.agent.yaml [state]",
		"create r1 scout.agent.yaml [metadata spec state]",
	}
	if diff := cmp.Diff(want, told(got)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if got[0].Claim.Session != "" || got[5].Claim.Session != "s1" || got[3].Claim.ApprovedBy == "" {
		t.Errorf("claims: %+v, %+v, %+v", got[0].Claim, got[3].Claim, got[5].Claim)
	}
	if s := got[5].Summary(); s != "Learned." {
		t.Errorf("summary %q", s)
	}
}

func TestRenames(t *testing.T) {
	tests := []struct {
		name, why string
		make      func(*oaptest.Repo)
		path      string
		want      []string
	}{
		{"moved", "the file goes, the profile stays", func(r *oaptest.Repo) {
			r.Commit("begin", scout, text("scout", 1))
			r.Git("mv", scout, ".agents/guide.agent.yaml")
			r.Git("commit", "-qm", "move")
			r.Commit("edit", ".agents/guide.agent.yaml", text("scout", 2))
		}, ".agents/guide.agent.yaml", []string{"edit r2 guide.agent.yaml []", "edit r1 guide.agent.yaml []", "create r1 scout.agent.yaml [metadata spec state]"}},
		{"renamed and edited", "the id tells", func(r *oaptest.Repo) {
			r.Commit("begin", scout, text("scout", 1))
			r.Git("rm", "-q", scout)
			r.Commit("rename", ".agents/guide.agent.yaml", text("guide", 2, "a=one"))
		}, ".agents/guide.agent.yaml", []string{"edit r2 guide.agent.yaml [metadata state]", "create r1 scout.agent.yaml [metadata spec state]"}},
		{"there and back", "the path has two lives of one profile", func(r *oaptest.Repo) {
			r.Commit("begin", scout, text("scout", 1))
			r.Git("mv", scout, ".agents/guide.agent.yaml")
			r.Git("commit", "-qm", "there")
			r.Commit("between", ".agents/guide.agent.yaml", text("scout", 2))
			r.Git("mv", ".agents/guide.agent.yaml", scout)
			r.Git("commit", "-qm", "back")
		}, scout, []string{"edit r2 scout.agent.yaml []", "edit r2 guide.agent.yaml []", "edit r1 guide.agent.yaml []", "create r1 scout.agent.yaml [metadata spec state]"}},
		{"another took the path", "a profile that goes as this one begins is not its former self", func(r *oaptest.Repo) {
			r.Commit("begin", ".agents/old.agent.yaml", strings.ReplaceAll(text("old", 1), "urn:example:scout", "urn:example:old"))
			r.Git("rm", "-q", ".agents/old.agent.yaml")
			r.Commit("new", scout, text("scout", 1))
		}, scout, []string{"create r1 scout.agent.yaml [metadata spec state]"}},
		{"deleted and made again", "a log says so", func(r *oaptest.Repo) {
			r.Commit("begin", scout, text("scout", 1))
			r.Git("rm", "-q", scout)
			r.Git("commit", "-qm", "away")
			r.Commit("again", scout, text("scout", 1))
		}, scout, []string{"create r1 scout.agent.yaml [metadata spec state]", "delete r0 scout.agent.yaml [metadata spec state]", "create r1 scout.agent.yaml [metadata spec state]"}},
		{"renamed on a branch", "the merge has the other line under the old name", func(r *oaptest.Repo) {
			r.Commit("begin", scout, text("scout", 1))
			r.Git("checkout", "-qb", "side")
			r.Git("mv", scout, ".agents/guide.agent.yaml")
			r.Git("commit", "-qm", "move")
			r.Git("checkout", "-q", "main")
			r.Commit("main goes on", scout, text("scout", 2, "a=one"))
			r.Git("merge", "-q", "--no-edit", "side")
		}, ".agents/guide.agent.yaml", []string{"merge r2 guide.agent.yaml []", "edit r1 guide.agent.yaml []", "edit r2 scout.agent.yaml [state]", "create r1 scout.agent.yaml [metadata spec state]"}},
		{"format changed", "the encoding is no part of it", func(r *oaptest.Repo) {
			r.Commit("begin", scout, text("scout", 1))
			d, _ := profile.Parse(scout, []byte(text("scout", 1)))
			json, _ := profile.Encode(d.Value, profile.EncodingOf("x.json"))
			r.Git("rm", "-q", scout)
			r.Commit("as json", ".agents/scout.agent.json", string(json))
		}, ".agents/scout.agent.json", []string{"edit r1 scout.agent.json []", "create r1 scout.agent.yaml [metadata spec state]"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := oaptest.New(t)
			tt.make(r)
			if diff := cmp.Diff(tt.want, told(walk(t, r, tt.path))); diff != "" {
				t.Errorf("%s (-want +got)\n%s", tt.why, diff)
			}
		})
	}
}

// TestReadsNoOtherProfile takes the blobs of all other profiles out of the repository: a walk that asked
// for one would fail.
func TestReadsNoOtherProfile(t *testing.T) {
	r := oaptest.New(t)
	others := 0
	for i := range 5 {
		files := []string{scout, text("scout", i+1, fmt.Sprintf("a=%d", i))}
		for n := range 4 {
			name := fmt.Sprintf("other-%d", n)
			files = append(files, ".agents/"+name+".agent.yaml", text(name, i+1))
			others++
		}
		r.Commit(fmt.Sprint("all ", i), files...)
	}
	r.Git("mv", scout, ".agents/guide.agent.yaml")
	r.Git("commit", "-qm", "move")
	mine := map[string]bool{}
	for _, rev := range strings.Fields(r.Git("rev-list", "HEAD~1")) {
		mine[r.Git("rev-parse", rev+":"+scout)] = true
	}
	removed := 0
	for _, line := range strings.Split(r.Git("cat-file", "--batch-all-objects", "--batch-check=%(objectname) %(objecttype)"), "\n") {
		id, kind, _ := strings.Cut(line, " ")
		if kind != "blob" || mine[id] {
			continue
		}
		if err := os.Remove(r.Path(".git/objects/" + id[:2] + "/" + id[2:])); err != nil {
			t.Fatal(err)
		}
		removed++
	}
	if removed != others {
		t.Fatalf("%d blobs taken out, want %d", removed, others)
	}
	if got := walk(t, r, ".agents/guide.agent.yaml"); len(got) != 6 {
		t.Errorf("%d versions: %v", len(got), told(got))
	}
}

func TestAt(t *testing.T) {
	r := oaptest.New(t)
	first := r.Commit("begin", scout, text("scout", 1))
	r.Commit("two", scout, text("scout", 2, "a=one"))
	r.Git("rm", "-q", scout)
	r.Commit("rename", ".agents/guide.agent.yaml", text("guide", 3, "a=one"))
	g := open(t, r)
	tip, err := g.RefTip(t.Context(), "refs/heads/main")
	if err != nil {
		t.Fatal(err)
	}
	for rev, want := range map[string]int{"1": 1, "2": 2, "3": 3, first: 1, "HEAD~1": 2, "HEAD": 3} {
		at, err := history.At(context.Background(), g, tip, []string{".agents"}, "guide", rev)
		if err != nil {
			t.Errorf("%s: %v", rev, err)
			continue
		}
		if at.Document.Revision() != want {
			t.Errorf("%s: revision %d, want %d", rev, at.Document.Revision(), want)
		}
	}
	if _, err := history.At(t.Context(), g, tip, []string{".agents"}, "guide", "9"); err == nil {
		t.Error("a revision that never was is found")
	}
}
