package merging_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/open-agent-profile/oap/internal/oaptest"
	"github.com/open-agent-profile/oap/profile"
	"github.com/open-agent-profile/oap/repo"
	"github.com/open-agent-profile/oap/repo/merging"
)

// state commits a text the way apply-delta does, with its trailers.
func state(t testing.TB, g *oaptest.Repo, text, subject, key string, more ...string) string {
	t.Helper()
	doc, err := profile.Parse(scout, []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	m := repo.Message{Subject: subject, Body: "Learned it.\n\n- add /state/facts/id:x", Trailers: merging.Trailers(scout, doc, []string{"state"})}
	m.Trailers = append(m.Trailers, repo.Trailer{Key: "OAP-Delta", Value: key})
	for i := 0; i < len(more); i += 2 {
		m.Trailers = append(m.Trailers, repo.Trailer{Key: more[i], Value: more[i+1]})
	}
	g.Write(scout, text)
	g.Git("add", scout)
	g.GitIn(m.Text(), "commit", "-q", "-F", "-")
	return g.Git("rev-parse", "HEAD")
}

// rebuild puts main's commits since base on side.
func rebuild(t testing.TB, g *oaptest.Repo, o merging.RebuildOptions) ([]merging.Rebuilt, error) {
	t.Helper()
	r := open(t, g)
	ctx := t.Context()
	side, err := r.Resolve(ctx, "side")
	if err != nil {
		t.Fatal(err)
	}
	o.Now = noon
	var out []merging.Rebuilt
	_, err = r.Update(ctx, repo.UpdateRequest{Ref: "refs/heads/main", Now: noon}, func(ctx context.Context, ours *repo.Snapshot) (*repo.Plan, error) {
		var commits []*repo.LogEntry
		for c, err := range r.Log(ctx, repo.LogOptions{From: []string{string(ours.ID())}, Not: []string{string(side)}, Reverse: true, Changes: true}) {
			if err != nil {
				return nil, err
			}
			commits = append(commits, c)
		}
		tip, err := r.Snapshot(ctx, side)
		if err != nil {
			return nil, err
		}
		var plan *repo.Plan
		plan, out, err = merging.Rebuild(ctx, r, tip, commits, o)
		return plan, err
	})
	return out, err
}

func TestRebuild(t *testing.T) {
	theirs := learned(t, base, "8", "2026-05-03T10:00:00Z", "fact-b")
	g := sides(t, nil, map[string]string{scout: theirs})
	a := learned(t, base, "8", "2026-05-02T10:00:00Z", "fact-a")
	state(t, g, a, "scout: r8 About r88 and r8", "sha256:"+strings.Repeat("1", 64), "Signed-off-by", "Ada <ada@example.org>")
	b := edit(t, a, "  revision: 8\n", "  revision: 9\n", "      text: About fact-a.\n", "      text: About fact-a.\n    - id: fact-c\n      text: C.\n",
		"    by: sess_fact-a\n", "    by: sess_fact-a\n  - revision: 9\n    at: 2026-05-02T11:00:00Z\n    by: sess_c\n    session_id: sess_c\n    change: Learned C.\n")
	state(t, g, b, "scout: r9 About C", "sha256:"+strings.Repeat("2", 64))
	got, err := rebuild(t, g, merging.RebuildOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != 2 || got[0].Revision != 9 || got[1].Revision != 10 || got[1].Was != 9 {
		t.Errorf("got %+v", got)
	}
	text := g.Read(scout)
	for _, s := range []string{"fact-a", "fact-b", "fact-c", "  revision: 10\n", "by: sess_fact-a\n", "change: Learned C.", "# for now"} {
		if !strings.Contains(text, s) {
			t.Errorf("no %q in\n%s", s, text)
		}
	}
	if n := strings.Count(text, "  - revision: "); n != 4 {
		t.Errorf("%d entries in the history, want the base's, theirs' and one for each commit:\n%s", n, text)
	}
	if got, want := g.Git("log", "--format=%s", "side..main"), "scout: r10 About C\nscout: r9 About r88 and r8"; got != want {
		t.Errorf("subjects %q, want %q", got, want)
	}
	if got := g.Git("log", "-1", "--skip=1", "--format=%(trailers:key=Signed-off-by,valueonly)%(trailers:key=OAP-Revision,valueonly)%(trailers:key=OAP-Delta,valueonly)"); !strings.HasPrefix(got, "Ada <ada@example.org>\n9\nsha256:111") && !strings.HasPrefix(got, "9\nsha256:111") {
		t.Errorf("trailers %q", got)
	}
	if got := g.Git("log", "-1", "--format=%b"); !strings.HasPrefix(got, "Learned it.\n\n- add /state/facts/id:x\n\nOAP-Profile: scout\n") {
		t.Errorf("body %q", got)
	}
	g.Sound()
}

func TestRebuildKnown(t *testing.T) {
	theirs := learned(t, base, "8", "2026-05-03T10:00:00Z", "fact-b")
	g := sides(t, nil, map[string]string{scout: theirs})
	key := "sha256:" + strings.Repeat("1", 64)
	state(t, g, learned(t, base, "8", "2026-05-02T10:00:00Z", "fact-b"), "scout: r8 x", key)
	got, err := rebuild(t, g, merging.RebuildOptions{Known: func(k string) bool { return k == key }})
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != 1 || !got[0].Dropped || g.Git("rev-parse", "main") != g.Git("rev-parse", "side") {
		t.Errorf("got %+v at %s: a delta that is there already must not come twice", got, g.Git("log", "--oneline", "main"))
	}
	g.Sound()
}

func TestRebuildRefused(t *testing.T) {
	key := "sha256:" + strings.Repeat("1", 64)
	ours := learned(t, base, "8", "2026-05-02T10:00:00Z", "fact-a")
	tests := []struct {
		name, why, ours, theirs string
		approved                bool
		check                   func(error) bool
	}{
		{"conflict", "a person has to choose", edit(t, ours, "every push", "every night"), edit(t, learned(t, base, "8", "2026-05-03T10:00:00Z", "fact-b"), "every push", "Mondays"), false,
			func(err error) bool { _, ok := errors.AsType[*merging.ConflictError](err); return ok }},
		{"writeback off", "the contract at the tip counts", ours, edit(t, base, "writeback: auto", "writeback: off"), false,
			func(err error) bool { return repo.ReasonOf(err) == "writeback" }},
		{"writeback propose", "nobody approved it", ours, edit(t, base, "writeback: auto", "writeback: propose"), false,
			func(err error) bool { return repo.ReasonOf(err) == "writeback" }},
		{"approved", "somebody did", ours, edit(t, base, "writeback: auto", "writeback: propose"), true,
			func(err error) bool { return err == nil }},
		{"contract", "a commit that says state and touches more is no state commit", edit(t, ours, "Look things up.", "Do as you like."), learned(t, base, "8", "2026-05-03T10:00:00Z", "fact-b"), false,
			func(err error) bool { return errors.Is(err, merging.ErrNotState) }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			g := sides(t, nil, map[string]string{scout: tt.theirs})
			more := []string{}
			if tt.approved {
				more = []string{"OAP-Approved-By", "Alex"}
			}
			tip := state(t, g, tt.ours, "scout: r8 x", key, more...)
			_, err := rebuild(t, g, merging.RebuildOptions{})
			if !tt.check(err) {
				t.Errorf("%s: got %v", tt.why, err)
			}
			if now := g.Git("rev-parse", "main"); (now == tip) != (err != nil) {
				t.Errorf("main is at %s", now)
			}
			g.Sound()
		})
	}
}
