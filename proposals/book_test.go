package proposals_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/open-agent-profile/oap/delta"
	"github.com/open-agent-profile/oap/internal/oaptest"
	"github.com/open-agent-profile/oap/internal/textedit"
	"github.com/open-agent-profile/oap/profile"
	"github.com/open-agent-profile/oap/proposals"
	"github.com/open-agent-profile/oap/repo"
	"github.com/open-agent-profile/oap/repo/apply"
)

const scoutPath = ".agents/scout.agent.yaml"

const scout = `# Who may change this: the platform team.
oap: "1.0"
kind: AgentProfile

metadata:
  name: scout
  description: Finds where a feature lives in this repository.
  revision: 7
  updated_at: 2026-05-01T10:00:00Z   # by oap
  tags: [a, b]

spec:
  role:
    instructions: |
      Look things up.

    constraints:
      - Do not edit files.
      - Name file and line.

  tools:
    allow: [read, search]  # reviewed in May
    deny:
      - shell

  lifecycle:
    writeback: auto

# What sessions learned.
state:
  revision: 12
  summary: Knows the tests.

  facts:
    - id: fact-tests
      text: Tests live beside the code.   # by hand
      pinned: true

history:
  - revision: 7
    at: 2026-05-01T10:00:00Z
    by: sess_0
    change: Learned about CI.
    sections: [state]
`

var now = time.Date(2026, 5, 4, 8, 0, 0, 0, time.UTC)

// shelf is a repository with one profile and a book over it.
type shelf struct {
	*oaptest.Repo
	r    *repo.Repo
	book *proposals.Book
}

func newShelf(t testing.TB, text string) *shelf {
	t.Helper()
	g := oaptest.New(t)
	g.Commit("base", scoutPath, text)
	return openShelf(t, g)
}

func openShelf(t testing.TB, g *oaptest.Repo) *shelf {
	t.Helper()
	r, err := repo.Open(context.Background(), repo.Options{Dir: g.Dir, Env: g.Env})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.Close)
	return &shelf{g, r, &proposals.Book{Store: r, Branch: "refs/heads/main", Roots: []string{".agents"}, Now: now}}
}

// request parses a delta; what stands for target, session and version is filled in.
func request(t testing.TB, revision int, session, rest string) *apply.Request {
	t.Helper()
	text := fmt.Sprintf("oap: \"1.0\"\nkind: AgentStateDelta\ntarget: {name: scout, revision: %d}\nsession: {id: %s, harness: loro}\nsummary: Learned a thing.\n%s", revision, session, rest)
	doc, err := profile.ParseAs("test.delta.yaml", []byte(text), textedit.YAML)
	if err != nil {
		t.Fatal(err)
	}
	req, _, err := apply.NewRequest("test.delta.yaml", doc)
	if err != nil {
		t.Fatal(err)
	}
	return req
}

const wantsShell = `operations: []
proposals:
  - path: /spec/tools/allow
    op: replace
    value: [read, search, git]
    rationale: Could not see the history of a file.
    risk: low
`

func (s *shelf) openAll(t testing.TB, req *apply.Request) []*proposals.Opened {
	t.Helper()
	got, err := s.book.OpenAll(context.Background(), req, false)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// openOne opens the only proposal of a delta and wants a status.
func (s *shelf) openOne(t testing.TB, req *apply.Request, want proposals.Status) *proposals.Opened {
	t.Helper()
	got := s.openAll(t, req)
	if len(got) != 1 || got[0].Status != want {
		t.Fatalf("opened %+v, want one that is %s", got[0], want)
	}
	return got[0]
}

// branches lists the branches below a prefix by git's word.
func (s *shelf) branches(prefix string) []string {
	s.T.Helper()
	return strings.Fields(s.Git("for-each-ref", "--format=%(refname)", prefix))
}

// state applies one more fact under main, so that the branch moves on.
func (s *shelf) state(t testing.TB, revision int, id string) {
	t.Helper()
	req := request(t, revision, "sess_"+id, "operations:\n  - {op: add, path: /state/facts/-, value: {id: "+id+", text: Fact "+id+"}}\n")
	err := apply.Run(context.Background(), s.r, apply.Options{Branch: s.book.Branch, Roots: s.book.Roots, Now: now}, []*apply.Request{req}, func(r apply.Result) error { return r.Err })
	if err != nil {
		t.Fatal(err)
	}
}

// byHand is a wish of a person.
func byHand(op, path string, value any, rationale string) proposals.Ask {
	return proposals.Ask{Proposal: delta.Proposal{Op: op, Path: path, Value: value, HasValue: op != "remove", Rationale: rationale}}
}
