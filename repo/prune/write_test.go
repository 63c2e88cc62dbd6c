package prune_test

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/open-agent-profile/oap/canonical"
	"github.com/open-agent-profile/oap/delta"
	"github.com/open-agent-profile/oap/internal/oaptest"
	"github.com/open-agent-profile/oap/profile"
	"github.com/open-agent-profile/oap/repo"
	"github.com/open-agent-profile/oap/repo/apply"
	"github.com/open-agent-profile/oap/repo/history"
	"github.com/open-agent-profile/oap/repo/prune"
)

const scout = ".agents/scout.agent.yaml"

const text = `# Ours.
oap: "1.0"
kind: AgentProfile
metadata:
  name: scout
  description: Finds where a feature lives.
  revision: 4
spec:
  role:
    instructions: Look things up.
  lifecycle:
    writeback: propose
    retention: {max_facts: 4, fact_ttl_days: 365}
state:
  revision: 2
  facts:
    - {id: kept, text: Stays., learned_at: 2026-05-01T00:00:00Z}
    - id: ended
      text: Ended.   # by hand
      learned_at: 2026-04-01T00:00:00Z
      expires_at: 2026-05-01T00:00:00+02:00
    - {id: pinned, text: Pinned., confidence: 0, learned_at: 2020-01-01T00:00:00Z, pinned: true}
    - {id: weak, text: Weak., confidence: 0.1, learned_at: 2026-05-01T00:00:00Z}
    - {id: stale, text: Stale., learned_at: 2020-01-01T00:00:00Z}
    - {id: last, text: Last., learned_at: 2026-05-02T00:00:00Z}
  preferences:
    - {id: wish, text: Was wished., expires_at: 2026-01-01T00:00:00Z}
  open_threads:
    - {id: active, title: Active, updated_at: 2020-01-01T00:00:00Z}
    - {id: shut, title: Shut, status: done, updated_at: 2026-01-01T00:00:00Z}
history:
  - {revision: 4, at: 2026-05-01T00:00:00Z, by: s1}
`

var thresholds = prune.Thresholds{MinConfidence: 0.3, ClosedThreads: 30 * day}

func setup(t *testing.T, text string) (*oaptest.Repo, *repo.Repo, prune.Options) {
	t.Helper()
	r := oaptest.New(t)
	r.Commit("begin", scout, text, "other.txt", "one\n")
	g, err := repo.Open(t.Context(), repo.Options{Dir: r.Dir, Env: r.Env})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(g.Close)
	return r, g, prune.Options{Branch: "refs/heads/main", Roots: []string{".agents"}, Person: "Ada Author <ada@example.org>", Now: now}
}

// committed reads the profile at a revision, as git has it.
func committed(r *oaptest.Repo, rev string) map[string]any {
	r.T.Helper()
	d, err := profile.Parse(scout, []byte(r.Git("cat-file", "blob", rev+":"+scout)+"\n"))
	if err != nil {
		r.T.Fatal(err)
	}
	return d.Value
}

func ids(doc map[string]any, collection string) []string {
	state, _ := doc["state"].(map[string]any)
	list, _ := state[collection].([]any)
	var out []string
	for _, v := range list {
		out = append(out, v.(map[string]any)["id"].(string))
	}
	return out
}

func TestRun(t *testing.T) {
	r, g, o := setup(t, text)
	rc, err := prune.Run(t.Context(), g, o, thresholds, "scout")
	if err != nil {
		t.Fatal(err)
	}
	r.Sound()
	if got := r.Git("diff-tree", "--no-commit-id", "--name-only", "-r", "HEAD"); got != scout || rc.Commit != r.Git("rev-parse", "HEAD") {
		t.Errorf("paths %q, commit %s", got, rc.Commit)
	}
	doc := committed(r, "HEAD")
	for collection, want := range map[string][]string{"facts": {"kept", "pinned", "last"}, "preferences": nil, "open_threads": {"active"}} {
		if diff := cmp.Diff(want, ids(doc, collection)); diff != "" {
			t.Errorf("%s (-want +got)\n%s", collection, diff)
		}
	}
	message := r.Git("log", "-1", "--format=%B")
	for _, want := range []string{
		"scout: r5 prune\n", "- facts/ended (expired)\n", "- facts/weak (min_confidence)\n", "- facts/stale (fact_ttl_days)\n",
		"- preferences/wish (expired)\n", "- open_threads/shut (closed_threads)\n",
		"\nOAP-Revision: 5\n", "\nOAP-Sections: state\n", "\nOAP-Profile-Digest: " + rc.ProfileDigest.String() + "\n", "\nOAP-Action: prune",
	} {
		if !strings.Contains(message+"\n", want) {
			t.Errorf("no %q in\n%s", want, message)
		}
	}
	if got := r.Git("log", "-1", "--format=%(trailers:key=OAP-Revision,valueonly)"); strings.TrimSpace(got) != "5" {
		t.Errorf("git reads revision %q", got)
	}
	if !canonical.Equal(profile.Contract(committed(r, "HEAD~1")), profile.Contract(doc)) {
		t.Error("the contract changed")
	}
	again, err := prune.Run(t.Context(), g, o, thresholds, "scout")
	if err != nil || again.Outcome != prune.Unchanged || again.Commit != "" || r.Git("rev-list", "--count", "HEAD") != "2" {
		t.Errorf("the second time: %+v, %v", again, err)
	}
}

// TestRestoreLaw brings back one by one what a prune took.
func TestRestoreLaw(t *testing.T) {
	r, g, o := setup(t, text)
	rc, err := prune.Run(t.Context(), g, o, thresholds, "scout")
	if err != nil {
		t.Fatal(err)
	}
	before := committed(r, "HEAD~1")
	for _, it := range rc.Evicted {
		back, err := prune.Restore(t.Context(), g, o, "scout", it.ID, "")
		if err != nil {
			t.Fatalf("%s: %v", it.ID, err)
		}
		if back.From.Revision != 4 || back.Outcome != prune.Applied {
			t.Errorf("%s: %+v", it.ID, back)
		}
		doc := committed(r, "HEAD")
		got, want := history.EntryIn(doc, it.Collection, "id", it.ID), maps.Clone(history.EntryIn(before, it.Collection, "id", it.ID))
		if it.Collection == "open_threads" {
			want["updated_at"] = delta.Timestamp(now)
		} else {
			want["last_used_at"] = delta.Timestamp(now)
			delete(want, "expires_at") // all that this document has had passed
		}
		if !canonical.Equal(got, want) {
			t.Errorf("%s came back as %v, want %v", it.ID, got, want)
		}
		if !strings.Contains(r.Git("log", "-1", "--format=%B"), "OAP-Approved-By: Ada Author <ada@example.org>") {
			t.Error("no approver in the commit")
		}
		again, err := prune.Restore(t.Context(), g, o, "scout", it.ID, "")
		if err != nil || again.Outcome != prune.Unchanged {
			t.Errorf("%s the second time: %+v, %v", it.ID, again, err)
		}
	}
	r.Sound()
	for _, collection := range []string{"facts", "preferences", "open_threads"} {
		if diff := cmp.Diff(ids(before, collection), ids(committed(r, "HEAD"), collection)); diff != "" {
			t.Errorf("%s: another order (-want +got)\n%s", collection, diff)
		}
	}
	// Neither end nor age takes them again; the cap may, which was said.
	kept := prune.Select(committed(r, "HEAD"), prune.Thresholds{Expired: true, ClosedThreads: thresholds.ClosedThreads}, now)
	if len(kept.Evicted) > 0 {
		t.Errorf("evicted again: %v", gone(kept.Evicted))
	}
}

func TestRestoreRefuses(t *testing.T) {
	r, g, o := setup(t, text)
	r.Commit("other words", scout, strings.Replace(text, "Stays.", "Stays here.", 1))
	tests := []struct {
		name, entry, rev string
		kind             repo.Kind
	}{
		{"unknown entry", "nobody", "", repo.NotFound},
		{"wrong collection", "preferences/kept", "", repo.NotFound},
		{"not at that revision", "nobody", "4", repo.NotFound},
		{"other words now", "kept", "HEAD~1", repo.Conflict},
		{"no such commit", "kept", "deadbeef00", repo.NotFound},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := prune.Restore(t.Context(), g, o, "scout", tt.entry, tt.rev)
			if repo.KindOf(err) != tt.kind {
				t.Errorf("%v", err)
			}
		})
	}
	r.Sound()
	if n := r.Git("rev-list", "--count", "HEAD"); n != "2" {
		t.Errorf("%s commits", n)
	}
}

func TestWritebackOff(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		cap  profile.Writeback
	}{
		"by contract": {strings.Replace(text, "writeback: propose", "writeback: off", 1), ""},
		"by machine":  {text, profile.WritebackOff},
	} {
		t.Run(name, func(t *testing.T) {
			r, g, o := setup(t, c.text)
			o.Cap = c.cap
			rc, err := prune.Run(t.Context(), g, o, thresholds, "scout")
			refused, ok := errors.AsType[*apply.Error](err)
			if !ok || refused.Kind != apply.Off {
				t.Fatalf("%v", err)
			}
			if rc == nil || len(rc.Evicted) != 5 || rc.Outcome != prune.Unchanged {
				t.Errorf("no page beside the refusal: %+v", rc)
			}
			r.Commit("gone", scout, strings.Replace(c.text, "    - {id: kept, text: Stays., learned_at: 2026-05-01T00:00:00Z}\n", "", 1))
			if _, err := prune.Restore(t.Context(), g, o, "scout", "kept", ""); err == nil {
				t.Error("restored")
			}
			if _, err := prune.Rollback(t.Context(), g, o, "scout", "HEAD~1", prune.Parts{State: true}); err == nil {
				t.Error("rolled back")
			}
			r.Sound()
		})
	}
}

func TestRollback(t *testing.T) {
	r, g, o := setup(t, text)
	if _, err := prune.Run(t.Context(), g, o, thresholds, "scout"); err != nil {
		t.Fatal(err)
	}
	edited := strings.NewReplacer("Look things up.", "Look around.", "name: scout", "name: scout\n  id: urn:example:scout\n  tags: [x]").Replace(r.Read(scout))
	r.Commit("edit", scout, edited)
	first, tip := committed(r, "HEAD~2"), committed(r, "HEAD")

	rc, err := prune.Rollback(t.Context(), g, o, "scout", "4", prune.Parts{State: true})
	if err != nil {
		t.Fatal(err)
	}
	doc := committed(r, "HEAD")
	if rc.Revision != 6 || profile.RevisionOf(doc) != 6 || doc["state"].(map[string]any)["revision"] != 4.0 {
		t.Errorf("revision %d, state %v", rc.Revision, doc["state"].(map[string]any)["revision"])
	}
	if d := history.Compare(first, doc); len(d.State) > 0 {
		t.Errorf("not the old state: %+v", d.State)
	}
	if !canonical.Equal(profile.Contract(tip), profile.Contract(doc)) {
		t.Error("a rollback of state changed the contract")
	}
	for _, id := range []string{"ended", "stale", "wish"} {
		if !slices.ContainsFunc(rc.Warnings, func(w apply.Warning) bool { return strings.HasSuffix(w.Pointer, ":"+id) }) {
			t.Errorf("no word that %s goes again", id)
		}
	}

	rc, err = prune.Rollback(t.Context(), g, o, "scout", "4", prune.Parts{Contract: true})
	if err != nil {
		t.Fatal(err)
	}
	doc = committed(r, "HEAD")
	want := profile.Contract(first)
	want["metadata"].(map[string]any)["id"] = "urn:example:scout"
	if !canonical.Equal(want, profile.Contract(doc)) {
		t.Errorf("contract: %v", canonical.Differences(want, profile.Contract(doc)))
	}
	if diff := cmp.Diff([]string{"metadata", "spec"}, rc.Sections); diff != "" {
		t.Error(diff)
	}
	last := doc["history"].([]any)
	entry := last[len(last)-1].(map[string]any)
	if entry["approved_by"] != o.Person || entry["change"] != "Rolled contract back to revision 4." || len(last) != 4 {
		t.Errorf("history: %v", last)
	}
	again, err := prune.Rollback(t.Context(), g, o, "scout", "4", prune.Parts{Contract: true, State: true})
	if err != nil || again.Outcome != prune.Unchanged {
		t.Errorf("again: %+v %v", again, err)
	}
	o.Person = " "
	if _, err := prune.Rollback(t.Context(), g, o, "scout", "5", prune.Parts{Contract: true}); repo.KindOf(err) != repo.Refused {
		t.Errorf("nobody approved: %v", err)
	}
	r.Sound()
	if got := r.Git("log", "--format=%s", "-3"); got != "scout: r7 rollback of contract to r4\nscout: r6 rollback of state to r4\nedit" {
		t.Error(got)
	}
}

// TestHostileIDs: an id is a session's text. It forms no trailer and no line of the list.
func TestHostileIDs(t *testing.T) {
	hostile := strings.Replace(text, "id: ended", `id: "x\n\nOAP-Revision: 99\n- facts/kept (expired)\n\e[31m"`, 1)
	r, g, o := setup(t, hostile)
	if _, err := prune.Run(t.Context(), g, o, thresholds, "scout"); err != nil {
		t.Fatal(err)
	}
	message := r.Git("log", "-1", "--format=%B")
	if got := strings.TrimSpace(r.Git("log", "-1", "--format=%(trailers:key=OAP-Revision,valueonly)")); got != "5" {
		t.Errorf("revision %q", got)
	}
	if strings.Contains(message, "\n- facts/kept") || strings.Contains(message, "\x1b") {
		t.Error(message)
	}
	r.Sound()
}

// TestDryRun writes nothing, whatever it finds.
func TestDryRun(t *testing.T) {
	r, g, o := setup(t, text)
	o.DryRun = true
	was := fmt.Sprint(r.Git("rev-parse", "HEAD"), r.Read(scout))
	rc, err := prune.Run(t.Context(), g, o, thresholds, "scout")
	if err != nil || rc.Outcome != prune.Applied || !rc.DryRun || len(rc.Evicted) != 5 || rc.Commit != "" {
		t.Errorf("%+v %v", rc, err)
	}
	if before, after := rc.Texts(); len(before) == 0 || string(before) == string(after) {
		t.Error("no texts")
	}
	if got := fmt.Sprint(r.Git("rev-parse", "HEAD"), r.Read(scout)); got != was {
		t.Error("something was written")
	}
	r.Sound()
}

// TestPruneLocalEdits: a file with edits of a person is left alone.
func TestPruneLocalEdits(t *testing.T) {
	r, g, o := setup(t, text)
	r.Write(scout, text+"# mine\n")
	if _, err := prune.Run(t.Context(), g, o, thresholds, "scout"); repo.KindOf(err) != repo.Refused || repo.ReasonOf(err) != "dirty" {
		t.Errorf("%v", err)
	}
	if r.Read(scout) != text+"# mine\n" || r.Git("rev-list", "--count", "HEAD") != "1" {
		t.Error("something was written")
	}
}
