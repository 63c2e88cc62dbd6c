package proposals_test

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/open-agent-profile/oap/delta"
	"github.com/open-agent-profile/oap/profile"
	"github.com/open-agent-profile/oap/proposals"
	"github.com/open-agent-profile/oap/repo"
)

const alex = "Alex <alex@example.org>"

var ctx = context.Background()

func (s *shelf) trailers(rev string) map[string]string {
	s.T.Helper()
	out := map[string]string{}
	for _, l := range strings.Split(s.Git("log", "-1", "--format=%(trailers:only)", rev), "\n") {
		if k, v, ok := strings.Cut(l, ": "); ok {
			out[k] = v
		}
	}
	return out
}

func (s *shelf) main(t testing.TB) *profile.Document {
	t.Helper()
	doc, err := profile.Parse(scoutPath, []byte(s.Git("show", "main:"+scoutPath)+"\n"))
	if err != nil {
		t.Fatal(err)
	}
	if fs := doc.Check(); profile.HasErrors(fs) {
		t.Fatalf("main is not valid: %v", fs)
	}
	return doc
}

func reasonOf(err error) string {
	var e *proposals.Error
	if errors.As(err, &e) {
		return e.Reason
	}
	return ""
}

// A merge commit of two parents that says what was decided, and by whom; the branch goes, its commits stay.
func TestAccept(t *testing.T) {
	s := newShelf(t, scout)
	o := s.openOne(t, request(t, 7, "sess_1", wantsShell), proposals.StatusOpened)
	s.openOne(t, request(t, 7, "sess_2", wantsShell), proposals.StatusJoined)
	s.state(t, 7, "f1")
	s.state(t, 8, "f2")
	items, err := s.book.List(ctx)
	if err != nil || len(items) != 1 || items[0].Sessions != 2 || items[0].Standing != proposals.Behind || items[0].Risk != proposals.High {
		t.Fatalf("list: %+v, %v", items, err)
	}
	main, branch := s.Git("rev-parse", "main"), s.Git("rev-parse", o.Branch)
	if _, err := s.book.Accept(ctx, o.ID[:6], proposals.AcceptOptions{By: alex, Expect: main}); reasonOf(err) != proposals.ReasonMoved {
		t.Fatalf("expect: %v", err)
	}
	got, err := s.book.Accept(ctx, o.ID[:6], proposals.AcceptOptions{By: alex, Expect: branch[:9]})
	if err != nil {
		t.Fatal(err)
	}
	if parents := s.Git("log", "-1", "--format=%P", "main"); parents != main+" "+branch {
		t.Errorf("parents %s", parents)
	}
	doc := s.main(t)
	sum, _ := doc.Digest()
	spec, _ := doc.SpecDigest()
	want := map[string]string{
		"OAP-Profile": "scout", "OAP-Path": scoutPath, "OAP-Revision": "10", "OAP-Sections": "spec",
		"OAP-Profile-Digest": sum.String(), "OAP-Spec-Digest": spec.String(), "OAP-Approved-By": alex,
		"OAP-Proposal": o.ID, "OAP-Risk": "high", "OAP-Decision": "accepted", "OAP-Session": "sess_1", "OAP-Harness": "loro",
	}
	if diff := cmp.Diff(want, s.trailers("main")); diff != "" {
		t.Errorf("trailers (-want +got):\n%s", diff)
	}
	history := doc.Value["history"].([]any)
	entry := map[string]any{"revision": 10.0, "at": "2026-05-04T08:00:00Z", "by": alex, "approved_by": alex, "sections": []any{"spec"},
		"session_id": "sess_1", "harness": "loro", "change": "Could not see the history of a file."}
	if diff := cmp.Diff(entry, history[len(history)-1]); diff != "" || doc.Revision() != 10 || got.Revision != 10 {
		t.Errorf("history (-want +got):\n%s", diff)
	}
	if refs := s.branches("refs/heads/oap"); len(refs) > 0 {
		t.Errorf("branches left: %v", refs)
	}
	s.Git("merge-base", "--is-ancestor", branch, proposals.DecidedPrefix+o.ID)
	if d := s.trailers(proposals.DecidedPrefix + o.ID)["OAP-Decision"]; d != "accepted" {
		t.Errorf("decision %q", d)
	}
	s.openOne(t, request(t, 7, "sess_3", wantsShell), proposals.StatusSatisfied)
	if _, err := s.book.Accept(ctx, o.ID, proposals.AcceptOptions{By: alex}); repo.KindOf(err) != repo.NotFound {
		t.Errorf("accepted again: %v", err)
	}
	if sections, known, err := s.book.Unstamped(ctx, "scout"); err != nil || !known || len(sections) > 0 {
		t.Errorf("unstamped: %v %v %v", sections, known, err)
	}
	s.Sound()
}

func TestAcceptLinear(t *testing.T) {
	s := newShelf(t, scout)
	o := s.openOne(t, request(t, 7, "sess_1", wantsShell), proposals.StatusOpened)
	if _, err := s.book.Accept(ctx, o.ID, proposals.AcceptOptions{By: alex, Linear: true}); err != nil {
		t.Fatal(err)
	}
	if n := s.Git("rev-list", "--count", "main"); n != "2" {
		t.Errorf("%s commits, want 2", n)
	}
	s.Sound()
}

func TestAcceptRefusals(t *testing.T) {
	tests := []struct {
		name, why, reason string
		branch            func(s *shelf, text string) // on a checkout of the branch
		main              func(string) string
	}{
		{name: "another file", why: "a decision is about one contract", reason: proposals.ReasonBoundary,
			branch: func(s *shelf, _ string) { s.Commit("x", "Makefile", "all:\n") }},
		{name: "state", why: "state has its own way", reason: proposals.ReasonBoundary,
			branch: func(s *shelf, text string) {
				s.Commit("x", scoutPath, strings.Replace(text, "Knows the tests", "Trusts everybody", 1))
			}},
		{name: "revision", why: "only the applicator writes it", reason: proposals.ReasonBoundary,
			branch: func(s *shelf, text string) {
				s.Commit("x", scoutPath, strings.Replace(text, "revision: 7\n  up", "revision: 99\n  up", 1))
			}},
		{name: "invalid", why: "a person broke it", reason: proposals.ReasonBoundary,
			branch: func(s *shelf, text string) {
				s.Commit("x", scoutPath, strings.Replace(text, "writeback: auto", "writeback: always", 1))
			}},
		{name: "conflict", why: "two texts of one instruction", reason: proposals.ReasonConflict,
			branch: func(s *shelf, text string) {
				s.Commit("x", scoutPath, strings.Replace(text, "Look things up.", "Look up.", 1))
			},
			main: swap("Look things up.", "Find things.")},
		{name: "together too much", why: "the branch lifts what denied the tool that is asked for", reason: proposals.ReasonConflict,
			branch: func(s *shelf, text string) {
				s.Commit("x", scoutPath, strings.Replace(text, "search, git]", "search, git, shell]", 1))
			},
			main: swap("    deny:\n      - shell\n", "")},
		{name: "unstamped", why: "an accept would cover what nobody decided", reason: "unstamped",
			main: swap("Find", "Finds out")},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := newShelf(t, scout)
			o := s.openOne(t, request(t, 7, "sess_1", wantsShell), proposals.StatusOpened)
			if tt.branch != nil {
				s.Git("checkout", "-q", strings.TrimPrefix(o.Branch, "refs/heads/"))
				tt.branch(s, s.Read(scoutPath))
				s.Git("checkout", "-q", "main")
			}
			if tt.main != nil {
				s.Commit("by hand", scoutPath, tt.main(scout))
				if tt.reason != "unstamped" {
					if _, err := s.book.Stamp(ctx, "scout", proposals.StampOptions{By: alex, ApprovedBy: alex}); err != nil {
						t.Fatal(err)
					}
				}
			}
			before := s.Git("for-each-ref")
			_, err := s.book.Accept(ctx, o.ID, proposals.AcceptOptions{By: alex})
			if reasonOf(err) != tt.reason {
				t.Errorf("%s: %v, want reason %s", tt.why, err, tt.reason)
			}
			if after := s.Git("for-each-ref"); after != before {
				t.Errorf("refs moved:\n%s", cmp.Diff(before, after))
			}
			s.Sound()
		})
	}
}

// A rejected wish stays rejected, whoever asks next; asking anyhow opens it anew, and both decisions stay.
func TestReject(t *testing.T) {
	s := newShelf(t, scout)
	o := s.openOne(t, request(t, 7, "sess_1", wantsShell), proposals.StatusOpened)
	branch := s.Git("rev-parse", o.Branch)
	if _, err := s.book.Reject(ctx, o.ID, alex, "History holds secrets.\n\nOAP-Decision: accepted"); err != nil {
		t.Fatal(err)
	}
	first := s.Git("rev-parse", proposals.DecidedPrefix+o.ID)
	s.Git("merge-base", "--is-ancestor", branch, first)
	third := s.openOne(t, request(t, 7, "sess_3", wantsShell), proposals.StatusDecided)
	if d := third.Decision; d == nil || d.Verdict != proposals.Rejected || !strings.Contains(third.Message, "History holds secrets.") || !strings.Contains(third.Message, "2026-05-04") {
		t.Errorf("told %q, %+v", third.Message, third.Decision)
	}
	if refs := s.branches("refs/heads/oap"); len(refs) > 0 {
		t.Errorf("branches: %v", refs)
	}
	again, err := s.book.OpenAll(ctx, request(t, 7, "sess_4", wantsShell), true)
	if err != nil || again[0].Status != proposals.StatusOpened {
		t.Fatalf("again: %+v, %v", again, err)
	}
	if _, err := s.book.Reject(ctx, o.ID, alex, "Still."); err != nil {
		t.Fatal(err)
	}
	s.Git("merge-base", "--is-ancestor", first, proposals.DecidedPrefix+o.ID)
	s.Sound()
}

// What a person made of a wish on its branch is what comes in, and the wish counts as decided.
func TestAcceptEdited(t *testing.T) {
	s := newShelf(t, scout)
	o := s.openOne(t, request(t, 7, "sess_1", wantsShell), proposals.StatusOpened)
	s.Git("checkout", "-q", strings.TrimPrefix(o.Branch, "refs/heads/"))
	s.Commit("narrower", scoutPath, strings.Replace(s.Read(scoutPath), "search, git]", "search, git/log]", 1))
	s.Git("checkout", "-q", "main")
	got, err := s.book.Accept(ctx, o.ID, proposals.AcceptOptions{By: alex})
	if err != nil || !got.Edited {
		t.Fatalf("%+v, %v", got, err)
	}
	if text := s.Read(scoutPath); !strings.Contains(text, "allow: [read, search, git/log]  # reviewed in May") {
		t.Errorf("main:\n%s", text)
	}
	next := s.openOne(t, request(t, 7, "sess_2", wantsShell), proposals.StatusDecided)
	if next.Decision.Verdict != proposals.Accepted {
		t.Errorf("%+v", next.Decision)
	}
	s.Sound()
}

// After a refresh a text merge is clean where it was not.
func TestRefresh(t *testing.T) {
	s := newShelf(t, scout)
	o := s.openOne(t, request(t, 7, "sess_1", wantsShell), proposals.StatusOpened)
	s.Commit("reviewed again", scoutPath, strings.NewReplacer("reviewed in May", "reviewed in June", "[read, search]", "[read, search, web]").Replace(scout), "other.txt", "new\n")
	if _, err := s.book.Stamp(ctx, "scout", proposals.StampOptions{By: alex, ApprovedBy: alex}); err != nil {
		t.Fatal(err)
	}
	if out, err := s.Try("", "merge-tree", "--write-tree", "main", o.Branch); err == nil {
		t.Fatalf("the text merge is clean already: %s", out)
	}
	old := s.Git("rev-parse", o.Branch)
	r, err := s.book.Refresh(ctx, o.ID)
	if err != nil || !r.Moved {
		t.Fatalf("%+v, %v", r, err)
	}
	s.Git("merge-base", "--is-ancestor", old, o.Branch)
	s.Git("merge-tree", "--write-tree", "main", o.Branch)
	if diff := s.Git("diff", "--unified=0", "main", o.Branch); strings.Count(diff, "\n+") != 2 || !strings.Contains(diff, "+    allow: [read, search, web, git]  # reviewed in June") {
		t.Errorf("diff:\n%s", diff)
	}
	if r, err = s.book.Refresh(ctx, o.ID); err != nil || r.Moved {
		t.Errorf("again: %+v, %v", r, err)
	}
	s.Sound()
}

func TestAcceptPending(t *testing.T) {
	s := newShelf(t, scout)
	edit := "operations:\n  - {op: replace, path: /state/facts/id:fact-tests, value: {id: fact-tests, text: Elsewhere., pinned: true}}\n"
	q, err := s.book.Queue(ctx, request(t, 7, "sess_1", edit), "A person has to approve.")
	if err != nil {
		t.Fatal(err)
	}
	s.Commit("by hand", scoutPath, strings.Replace(scout, "Tests live beside the code.", "Far from it.", 1))
	if _, err := s.book.Accept(ctx, q.ID, proposals.AcceptOptions{By: alex}); reasonOf(err) != proposals.ReasonConflict {
		t.Fatalf("conflict: %v", err)
	}
	theirs := delta.Theirs
	if _, err := s.book.Accept(ctx, q.ID, proposals.AcceptOptions{By: alex, Favour: &theirs}); err != nil {
		t.Fatal(err)
	}
	tr := s.trailers("main")
	if tr["OAP-Sections"] != "state" || tr["OAP-Session"] != "sess_1" || tr["OAP-Approved-By"] != alex || !strings.HasPrefix(tr["OAP-Delta"], "sha256:"+q.ID) {
		t.Errorf("trailers: %v", tr)
	}
	if text := s.Read(scoutPath); !strings.Contains(text, "text: Elsewhere.") || !strings.Contains(text, "revision: 8\n") || !strings.Contains(text, "revision: 13\n") {
		t.Errorf("main:\n%s", text)
	}
	s.Sound()
}

// A merge by plain git is clean and text-only, and is put on record afterwards with who merged it.
func TestStampMerge(t *testing.T) {
	s := newShelf(t, scout)
	o := s.openOne(t, request(t, 7, "sess_1", wantsShell), proposals.StatusOpened)
	for i := range 5 {
		s.state(t, 7+i, "f"+string(rune('a'+i)))
	}
	s.With("GIT_AUTHOR_NAME=Mia", "GIT_AUTHOR_EMAIL=mia@example.org").Git("merge", "-q", "--no-edit", strings.TrimPrefix(o.Branch, "refs/heads/"))
	if _, err := s.book.Stamp(ctx, "scout", proposals.StampOptions{By: alex, Approvers: []string{"kim@example.org"}}); reasonOf(err) != proposals.ReasonApprover {
		t.Errorf("not on the list: %v", err)
	}
	got, err := s.book.Stamp(ctx, "scout", proposals.StampOptions{By: alex, Approvers: []string{"Mia <mia@example.org>"}})
	if err != nil {
		t.Fatal(err)
	}
	want := &proposals.Stamped{Revision: 13, Previous: 12, Sections: []string{"spec"}, ApprovedBy: "Mia <mia@example.org>", Proposals: []string{o.ID}, Risk: proposals.High}
	if got.Revision != want.Revision || got.ApprovedBy != want.ApprovedBy || got.Risk != want.Risk || cmp.Diff(want.Sections, got.Sections)+cmp.Diff(want.Proposals, got.Proposals) != "" {
		t.Errorf("stamped %+v, want %+v", got, want)
	}
	s.main(t)
	if tr := s.trailers("main"); tr["OAP-Proposal"] != o.ID || tr["OAP-Revision"] != "13" || tr["OAP-Profile-Digest"] != got.ProfileDigest.String() {
		t.Errorf("trailers %v", tr)
	}
	if refs := s.branches("refs/heads/oap"); len(refs) > 0 {
		t.Errorf("the merged branch is still open: %v", refs)
	}
	head := s.Git("rev-parse", "main")
	if again, err := s.book.Stamp(ctx, "scout", proposals.StampOptions{By: alex}); err != nil || again.Commit != "" || s.Git("rev-parse", "main") != head {
		t.Errorf("again: %+v, %v", again, err)
	}
	s.Sound()
}

func TestStampSquash(t *testing.T) {
	s := newShelf(t, scout)
	o := s.openOne(t, request(t, 7, "sess_1", wantsShell), proposals.StatusOpened)
	s.state(t, 7, "fa")
	s.Git("merge", "-q", "--squash", strings.TrimPrefix(o.Branch, "refs/heads/"))
	s.With("GIT_AUTHOR_EMAIL=agent@example.org").Git("commit", "-q", "-m", "Let scout see history (#12)")
	if _, err := s.book.Stamp(ctx, "scout", proposals.StampOptions{By: alex}); reasonOf(err) != proposals.ReasonNoApprover {
		t.Fatalf("squashed: %v", err)
	}
	got, err := s.book.Stamp(ctx, "scout", proposals.StampOptions{By: alex, ApprovedBy: alex})
	if err != nil || cmp.Diff([]string{o.ID}, got.Proposals) != "" || got.Revision != 9 {
		t.Fatalf("%+v, %v", got, err)
	}
	s.Sound()
}

func TestStampState(t *testing.T) {
	s := newShelf(t, scout)
	s.state(t, 7, "fa")
	text := s.Read(scoutPath)
	s.Commit("a person tidies", scoutPath, strings.Replace(text, "Knows the tests.", "Knows all tests.", 1))
	got, err := s.book.Stamp(ctx, "scout", proposals.StampOptions{By: alex})
	if err != nil || got.Revision != 9 || got.ApprovedBy != "" || cmp.Diff([]string{"state"}, got.Sections) != "" {
		t.Fatalf("%+v, %v", got, err)
	}
	// A revert brings an old revision back; the next one is new all the same.
	s.Git("revert", "--no-edit", "HEAD")
	if got, err = s.book.Stamp(ctx, "scout", proposals.StampOptions{By: alex}); err != nil || got.Revision != 10 {
		t.Fatalf("after a revert: %+v, %v", got, err)
	}
	s.Commit("conflict markers", scoutPath, strings.Replace(s.Read(scoutPath), "state:\n", "state:\n<<<<<<< HEAD\n", 1))
	if _, err := s.book.Stamp(ctx, "scout", proposals.StampOptions{By: alex}); err == nil {
		t.Error("a broken text was stamped")
	}
}

func TestStampShallow(t *testing.T) {
	s := newShelf(t, scout)
	s.Commit("by hand", scoutPath, strings.Replace(scout, "Finds where", "Tells where", 1))
	dir := s.Beside("shallow")
	s.Git("clone", "-q", "--depth=1", "file://"+s.Dir, dir)
	c := openShelf(t, s.At(dir))
	c.book.Shallow = c.r.Shallow
	if _, err := c.book.Stamp(ctx, "scout", proposals.StampOptions{By: alex, ApprovedBy: alex}); reasonOf(err) != proposals.ReasonShallow {
		t.Errorf("shallow: %v", err)
	}
}

func TestEdit(t *testing.T) {
	s := newShelf(t, scout)
	edit := func(from, to string) (*proposals.Stamped, error) {
		text, err := os.ReadFile(s.Path(scoutPath))
		if err != nil {
			t.Fatal(err)
		}
		return s.book.Edit(ctx, "scout", text, []byte(strings.Replace(string(text), from, to, 1)), proposals.StampOptions{By: alex, ApprovedBy: alex})
	}
	if got, err := edit("x y z", ""); err != nil || got.Commit != "" {
		t.Errorf("nothing: %+v, %v", got, err)
	}
	if got, err := edit("# reviewed in May", "# reviewed in June"); err != nil || got.Commit == "" || got.Revision != 7 {
		t.Errorf("a comment: %+v, %v", got, err)
	}
	if got, err := edit("[read, search]", "[read]"); err != nil || got.Revision != 8 || got.Risk != proposals.Low {
		t.Errorf("narrower: %+v, %v", got, err)
	}
	if _, err := edit("revision: 8", "revision: 80"); reasonOf(err) != proposals.ReasonBoundary {
		t.Errorf("revision: %v", err)
	}
	var invalid *profile.InvalidError
	if _, err := edit("writeback: auto", "writeback: always"); !errors.As(err, &invalid) {
		t.Errorf("invalid: %v", err)
	}
	if sections, _, err := s.book.Unstamped(ctx, "scout"); err != nil || len(sections) > 0 {
		t.Errorf("unstamped %v, %v", sections, err)
	}
	s.Sound()
}
