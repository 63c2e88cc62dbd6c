package proposals_test

import (
	"context"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/open-agent-profile/oap/canonical"
	"github.com/open-agent-profile/oap/proposals"
)

// A proposal is one commit on a branch of its own, and only the wished bytes differ.
func TestOpen(t *testing.T) {
	s := newShelf(t, scout)
	main := s.Git("rev-parse", "main")
	o := s.openOne(t, request(t, 7, "sess_1", wantsShell), proposals.StatusOpened)
	if o.Risk != proposals.High || o.Branch != "refs/heads/oap/proposals/scout/"+o.ID {
		t.Errorf("opened %+v", o)
	}
	if diff := cmp.Diff([]string{o.Branch}, s.branches("refs/heads/oap")); diff != "" {
		t.Errorf("branches (-want +got):\n%s", diff)
	}
	diff := s.Git("diff", "--unified=0", "main", o.Branch)
	if !strings.Contains(diff, "-    allow: [read, search]  # reviewed in May\n+    allow: [read, search, git]  # reviewed in May") || strings.Count(diff, "\n+") != 2 {
		t.Errorf("the branch changes more than the wish:\n%s", diff)
	}
	want := `scout: propose replace /spec/tools/allow

Asks to replace /spec/tools/allow

Rationale
  Could not see the history of a file.

Session sess_1
Harness loro

Changes
  /spec/tools/allow
    + git

Risk high
  high /spec/tools/allow: "git" may be used

OAP-Profile: scout
OAP-Path: .agents/scout.agent.yaml
OAP-Proposal: ` + o.ID + `
OAP-Risk: high
OAP-Session: sess_1
OAP-Harness: loro
OAP-Delta: `
	got := s.Git("log", "-1", "--format=%B", o.Branch)
	if !strings.HasPrefix(got, want) {
		t.Errorf("message (-want +got):\n%s", cmp.Diff(want, got))
	}
	// Main may get this commit while the delta's state waits: no reader may take it for that state.
	if strings.Contains(got, "sha256:") || !regexp.MustCompile(`\nOAP-Delta: [0-9a-f]{64}$`).MatchString(strings.TrimSpace(got)) {
		t.Errorf("the delta is named as in a state commit:\n%s", got)
	}
	// The id is checkable without oap.
	sum, err := canonical.Sum(map[string]any{"root": ".agents", "profile": "scout", "path": "/spec/tools/allow", "op": "replace",
		"value": map[string]any{"added": []any{"git"}, "removed": []any{}}})
	if err != nil || !strings.HasPrefix(sum.String(), "sha256:"+o.ID) {
		t.Errorf("id %s, digest %s (%v)", o.ID, sum, err)
	}
	if now := s.Git("rev-parse", "main"); now != main {
		t.Errorf("main moved to %s", now)
	}
	s.Sound()
}

// Asking again is the same branch: one empty commit a delta, and commits of people stay.
func TestOpenAgain(t *testing.T) {
	s := newShelf(t, scout)
	o := s.openOne(t, request(t, 7, "sess_1", wantsShell), proposals.StatusOpened)
	s.openOne(t, request(t, 7, "sess_1", wantsShell), proposals.StatusOpen)

	s.Git("checkout", "-q", "--detach", o.Branch)
	human := s.Commit("a person's word", scoutPath, strings.Replace(s.Read(scoutPath), "search, git]", "search, git/log]", 1))
	s.Git("update-ref", o.Branch, human)
	s.Git("checkout", "-q", "main")

	// The same wish, put in three other ways, and for a list that has moved on.
	for i, rest := range []string{
		strings.Replace(wantsShell, "Could not", "I could not", 1),
		"operations: []\nproposals:\n  - {path: /spec/tools/allow/-, op: add, value: git, rationale: History please.}\n",
		"operations: []\nproposals:\n  - {path: /spec/tools/allow, op: add, value: [search, read, git], rationale: In another order.}\n",
	} {
		again := s.openOne(t, request(t, 7, "sess_"+string(rune('a'+i)), rest), proposals.StatusJoined)
		if again.ID != o.ID {
			t.Errorf("ask %d has the id %s, want %s", i, again.ID, o.ID)
		}
	}
	if got := s.Git("rev-list", "--count", "main.."+o.Branch); got != "5" {
		t.Errorf("%s commits on the branch, want 5", got)
	}
	if got := s.Git("diff", "--stat", human, o.Branch); got != "" {
		t.Errorf("the person's commit was changed:\n%s", got)
	}
	s.Git("merge-base", "--is-ancestor", human, o.Branch)
	s.Sound()
}

func TestOpenOnMovedContract(t *testing.T) {
	const list = "operations: []\nproposals:\n  - {path: /spec/tools/allow, value: %, rationale: Because.}\n"
	tests := []struct {
		name, why string
		edit      func(string) string // of the contract, in a commit with revision 8
		wish      string
		want      string // the line on the branch; empty for none
		status    proposals.Status
		risk      proposals.Risk
	}{
		{
			name: "newer entry stays", why: "the stale list does not know of it",
			edit: swap("[read, search]", "[read, search, web]"), wish: swap("%", "[read, search, git]")(list),
			want: "allow: [read, search, web, git]", status: proposals.StatusOpened, risk: proposals.High,
		},
		{
			name: "removed entry stays removed", why: "the wish only repeats it",
			edit: swap("[read, search]", "[read]"), wish: swap("%", "[read, search, git]")(list),
			want: "allow: [read, git]", status: proposals.StatusOpened, risk: proposals.High,
		},
		{
			name: "satisfied", why: "somebody has granted it meanwhile",
			edit: swap("[read, search]", "[read, search, git]"), wish: swap("%", "[read, search, git]")(list),
			status: proposals.StatusSatisfied,
		},
		{
			name: "brought back", why: "the section that the wish changes was removed",
			edit: swap("    constraints:\n      - Do not edit files.\n      - Name file and line.\n", ""),
			wish: "operations: []\nproposals:\n  - {path: /spec/role/constraints, value: [Do not edit files., Name file and line., Ask.], rationale: Because.}\n",
			want: "- Ask.", status: proposals.StatusOpened, risk: proposals.High,
		},
		{
			name: "invalid", why: "the format knows no such writeback",
			edit: swap("7", "7"), wish: "operations: []\nproposals:\n  - {path: /spec/lifecycle/writeback, value: always, rationale: Because.}\n",
			status: proposals.StatusRefused, risk: proposals.High,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := newShelf(t, scout)
			s.Commit("contract", scoutPath, strings.Replace(tt.edit(scout), "revision: 7\n  updated", "revision: 8\n  updated", 1))
			o := s.openOne(t, request(t, 7, "sess_1", tt.wish), tt.status)
			if tt.want == "" {
				if got := s.branches("refs/heads/oap"); len(got) > 0 || o.Message == "" {
					t.Fatalf("%s: branches %v, message %q", tt.why, got, o.Message)
				}
				return
			}
			if got := s.Git("diff", "main", o.Branch); !strings.Contains(got, tt.want) {
				t.Errorf("%s:\n%s", tt.why, got)
			}
			if o.Risk != tt.risk {
				t.Errorf("risk %s, want %s: %+v", o.Risk, tt.risk, o.Reasons)
			}
			s.Sound()
		})
	}
}

func swap(from, to string) func(string) string {
	return func(s string) string { return strings.Replace(s, from, to, 1) }
}

// Without the document that a delta was made for, a whole list cannot be read.
func TestOpenWithoutBase(t *testing.T) {
	s := newShelf(t, scout)
	o := s.openOne(t, request(t, 3, "sess_1", wantsShell), proposals.StatusRefused)
	if !strings.Contains(o.Message, "history") {
		t.Errorf("message %q", o.Message)
	}
	s.openOne(t, request(t, 3, "sess_1", "operations: []\nproposals:\n  - {path: /metadata/description, value: Finds things where they live., rationale: Shorter.}\n"), proposals.StatusOpened)
}

func TestOpenByHand(t *testing.T) {
	s := newShelf(t, scout)
	for _, want := range []proposals.Status{proposals.StatusOpened, proposals.StatusOpen} {
		o, err := s.book.Open(context.Background(), "scout", byHand("remove", "/spec/tools/deny/0", nil, "Not needed."))
		if err != nil || o.Status != want || o.Pointer != "/spec/tools/deny" {
			t.Fatalf("%+v, %v, want %s", o, err, want)
		}
	}
	s.Sound()
}

func TestQueue(t *testing.T) {
	s := newShelf(t, scout)
	add := "operations:\n  - {op: add, path: /state/facts/-, value: {id: fact-new, text: New.}, reason: Saw it.}\n"

	var first string
	for i := range 2 {
		q, err := s.book.Queue(ctx, request(t, 7, "sess_1", add), "Writeback is propose.")
		if err != nil || q.Known != (i == 1) {
			t.Fatalf("%+v, %v", q, err)
		}
		if i == 0 {
			first = string(q.Commit)
		} else if string(q.Commit) != first {
			t.Errorf("queued again as %s, was %s", q.Commit, first)
		}
	}
	diff := s.Git("diff", "--unified=0", "main", first)
	for _, no := range []string{"revision", "updated_at", "history", "sess_1"} {
		if strings.Contains(diff, no) {
			t.Errorf("a pending state has %q:\n%s", no, diff)
		}
	}
	if !strings.Contains(diff, "+    - id: fact-new") {
		t.Errorf("diff:\n%s", diff)
	}

	// A conflict waits on the revision that it was made for.
	edit := "operations:\n  - {op: replace, path: /state/facts/id:fact-tests, value: {id: fact-tests, text: % }}\n"
	s.Commit("meanwhile", scoutPath, strings.Replace(strings.Replace(scout, "Tests live beside", "Tests live far from", 1), "revision: 7\n  up", "revision: 8\n  up", 1))
	q, err := s.book.Queue(ctx, request(t, 7, "sess_2", strings.Replace(edit, "%", "Elsewhere.", 1)), "conflict")
	if err != nil || len(q.Conflicts) == 0 {
		t.Fatalf("%+v, %v", q, err)
	}
	if got := s.Git("rev-parse", string(q.Commit)+"^"); got != s.Git("rev-parse", "main^") {
		t.Errorf("it stands on %s", got)
	}
	s.Sound()
}
