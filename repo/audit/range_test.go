package audit_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/open-agent-profile/oap/canonical"
	"github.com/open-agent-profile/oap/repo"
	"github.com/open-agent-profile/oap/repo/audit"
)

// TestOnlyState is the check of a bot's pull request, on a branch that began before main went on.
func TestOnlyState(t *testing.T) {
	tests := []struct {
		name, why string
		make      func(s *shop)
		want      []string
	}{
		{name: "state", why: "what the bot is for", want: []string{}, make: func(s *shop) { s.session(auto, "fact-a") }},
		{name: "main merged in", why: "what main brings is not the bot's", want: []string{}, make: func(s *shop) {
			s.session(auto, "fact-a")
			s.Git("merge", "-q", "-m", "Merge branch main", "main")
		}},
		{name: "another file", why: "a workflow that would run", want: []string{audit.OutsideState}, make: func(s *shop) {
			s.session(auto, "fact-a")
			s.Commit("x", ".github/workflows/x.yml", "on: push\n")
		}},
		{name: "another file in a merge", why: "hidden where nobody looks", want: []string{audit.OutsideState}, make: func(s *shop) {
			s.Git("merge", "-q", "--no-commit", "--no-ff", "main")
			s.Write("evil.sh", "rm\n")
			s.Git("add", "evil.sh")
			s.Git("commit", "-q", "-m", "Merge branch main")
		}},
		{name: "contract by hand", why: "no commit of state", want: []string{audit.OutsideState, audit.UnstampedContr}, make: func(s *shop) {
			s.Commit("x", auto, reworded(s.Read(auto)))
		}},
		{name: "contract in a state commit", why: "the border", want: []string{audit.StateTouches}, make: func(s *shop) {
			s.record(auto, reworded(learnt(s.Read(auto), "fact-a")), "state", "OAP-Delta: sha256:1")
		}},
		{name: "new profile", why: "not state", want: []string{audit.OutsideState}, make: func(s *shop) {
			s.Commit("x", ".agents/new.agent.yaml", strings.Replace(s.Read(auto), "name: agent-000", "name: new", 1))
		}},
		{name: "profile removed", why: "not state", want: []string{audit.OutsideState}, make: func(s *shop) {
			s.Git("rm", "-q", auto)
			s.Git("commit", "-q", "-m", "x")
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := newShop(t)
			s.Git("checkout", "-q", "-b", "bot")
			s.Git("checkout", "-q", "main")
			s.Commit("reword", propose, reworded(s.Read(propose)), "README.md", "new\n")
			s.stamp(propose, "spec")
			s.Git("checkout", "-q", "bot")
			tt.make(s)
			got := run(t, s.Repo, audit.Options{OnlyState: true, Start: repo.ID(s.Git("rev-parse", "main")), Tip: repo.ID(s.Git("rev-parse", "bot"))})
			if diff := cmp.Diff(tt.want, ids(got)); diff != "" {
				t.Errorf("%s (-want +got):\n%s%+v", tt.why, diff, got.Findings)
			}
		})
	}
}

// What is fine although it is not of the plain kind.
func TestFine(t *testing.T) {
	tests := []struct {
		name, why string
		make      func(s *shop)
	}{
		{name: "merge of branches", why: "each profile moved on one side", make: func(s *shop) {
			s.branches()
			s.Git("merge", "-q", "-m", "Merge branch other", "other")
		}},
		{name: "stamped squash", why: "a person put it on record", make: func(s *shop) {
			s.Commit("Reword (#12)", auto, reworded(s.Read(auto)))
			s.stamp(auto, "spec")
			s.session(auto, "fact-a")
		}},
		{name: "squashed sessions", why: "the history tells of each", make: func(s *shop) {
			s.Git("checkout", "-q", "-b", "bot")
			s.session(auto, "fact-a")
			s.session(auto, "fact-b")
			message := s.Git("log", "-1", "--format=%B")
			s.Git("checkout", "-q", "main")
			s.Git("merge", "-q", "--squash", "bot")
			s.Git("commit", "-q", "-m", message)
		}},
		{name: "renamed file", why: "the document is the same", make: func(s *shop) {
			s.Git("mv", auto, ".agents/moved.agent.yaml")
			s.Git("commit", "-q", "-m", "move")
			s.record(".agents/moved.agent.yaml", learnt(s.Read(".agents/moved.agent.yaml"), "fact-a"), "state", "OAP-Delta: sha256:1")
		}},
		{name: "another encoding", why: "the value is the same", make: func(s *shop) {
			text := "---\n" + s.Read(auto) + "---\n"
			i := strings.Index(text, "    instructions: |\n")
			j := strings.Index(text, "    constraints:")
			body := strings.ReplaceAll(text[i+len("    instructions: |\n"):j], "      ", "")
			s.Git("rm", "-q", auto)
			s.Commit("convert", ".agents/agent-000.agent.md", text[:i]+text[j:]+body)
		}},
		{name: "hand edit of two in one commit", why: "each is judged, and each is stamped", make: func(s *shop) {
			s.Commit("reword", auto, reworded(s.Read(auto)), propose, reworded(s.Read(propose)))
			s.stamp(auto, "spec")
			s.stamp(propose, "spec")
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := newShop(t)
			tt.make(s)
			if got := run(t, s.Repo, audit.Options{}); len(got.Findings) > 0 {
				t.Errorf("%s: %+v", tt.why, got.Findings)
			}
		})
	}
}

// A commit about two profiles is judged for each.
func TestTwoInOneCommit(t *testing.T) {
	s := newShop(t)
	at := s.Commit("reword", auto, reworded(s.Read(auto)), propose, reworded(s.Read(propose)))
	s.stamp(propose, "spec")
	got := run(t, s.Repo, audit.Options{})
	if len(got.Findings) != 1 || got.Findings[0].ID != audit.UnstampedContr || got.Findings[0].Profile != "agent-000" ||
		got.Findings[0].Commit != repo.ID(at) || got.Findings[0].Pointer != "/spec/role/instructions" {
		t.Errorf("%+v", got.Findings)
	}
	if got := run(t, s.Repo, audit.Options{Names: []string{"agent-001"}}); len(got.Findings) > 0 {
		t.Errorf("of the other: %+v", got.Findings)
	}
	if got := run(t, s.Repo, audit.Options{Start: repo.ID(at)}); len(got.Findings) > 0 {
		t.Errorf("after it: %+v", got.Findings)
	}
}

func TestShallow(t *testing.T) {
	s := newShop(t)
	s.session(auto, "fact-a")
	s.session(auto, "fact-b")
	clone := s.At(s.Beside("shallow"))
	s.Git("clone", "-q", "--depth=2", "file://"+s.Dir, clone.Dir)
	got := run(t, clone, audit.Options{})
	if diff := cmp.Diff([]string{audit.HistoryShallow}, ids(got)); diff != "" || !got.Shallow {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := run(t, clone, audit.Options{Start: repo.ID(clone.Git("rev-parse", "HEAD~1"))}); len(got.Findings) > 0 {
		t.Errorf("within what is there: %+v", got.Findings)
	}
}

func TestFind(t *testing.T) {
	s := newShop(t)
	first := s.session(auto, "fact-a")
	digest := digestOf(t, s.Read(auto))
	byHand := s.Commit("by hand", auto, strings.Replace(s.Read(auto), "about fact-a", "else", 1))
	hand := digestOf(t, s.Read(auto))
	// A trailer that names a digest is no proof that the commit holds it.
	s.Commit("lie\n\nOAP-Profile: agent-001\nOAP-Profile-Digest: "+hand.String(), propose, s.Read(propose)+"# x\n")
	o, err := repo.Open(ctx, repo.Options{Dir: s.Dir, Env: s.Env})
	if err != nil {
		t.Fatal(err)
	}
	defer o.Close()
	opts := audit.Options{Roots: []string{".agents"}, Tip: repo.ID(s.Git("rev-parse", "HEAD"))}
	for _, tt := range []struct {
		name    string
		digest  canonical.Digest
		commit  string
		current bool
	}{
		{"by trailer", digest, first, false},
		{"by the walk", hand, byHand, true},
		{"none", canonical.Digest{1}, "", false},
	} {
		m, err := audit.Find(ctx, o, opts, tt.digest)
		if err != nil {
			t.Fatal(err)
		}
		if (m == nil) != (tt.commit == "") || m != nil && (m.Commit != repo.ID(tt.commit) || m.Current != tt.current || m.Profile != "agent-000" || m.Kind != "profile") {
			t.Errorf("%s: %+v", tt.name, m)
		}
	}
}
