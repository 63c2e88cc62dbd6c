package repo

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/open-agent-profile/oap/internal/oaptest"
)

func TestLog(t *testing.T) {
	r := oaptest.New(t)
	one := ID(r.Commit("one\n\nA: b", "f", "1", "g", "1"))
	r.Git("config", "log.showSignature", "true")
	r.Git("config", "diff.noprefix", "true")
	r.Git("config", "color.ui", "always")
	two := ID(r.Commit("empty\n\n:100644 looks like a change"))
	r.Git("checkout", "-q", "-b", "side")
	side := ID(r.Commit("side", "odd\tname", "x"))
	r.Git("checkout", "-q", "main")
	three := ID(r.With("GIT_COMMITTER_DATE=2026-06-01T00:00:00Z").Commit("three", "f", "3"))
	r.Git("merge", "-q", "--no-ff", "-m", "merge", "side")
	merge := ID(r.Git("rev-parse", "HEAD"))
	got := open(t, r)
	ids := func(o LogOptions) []ID {
		t.Helper()
		var out []ID
		for e, err := range got.Log(t.Context(), o) {
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, e.ID)
		}
		return out
	}
	for _, c := range []struct {
		name string
		o    LogOptions
		want []ID
	}{
		{"all", LogOptions{}, []ID{merge, three, side, two, one}},
		{"first parent", LogOptions{FirstParent: true}, []ID{merge, three, two, one}},
		{"path", LogOptions{Paths: []string{"f"}}, []ID{three, one}},
		{"not", LogOptions{Not: []string{string(two)}}, []ID{merge, three, side}},
		{"since", LogOptions{Since: time.Date(2026, 5, 20, 0, 0, 0, 0, time.UTC), FirstParent: true}, []ID{three}},
		{"max and reverse", LogOptions{Max: 2, Reverse: true, FirstParent: true}, []ID{three, merge}},
		{"from", LogOptions{From: []string{"refs/heads/side"}}, []ID{side, two, one}},
	} {
		if c.name == "since" {
			c.o.From = []string{string(three)}
		}
		if d := cmp.Diff(c.want, ids(c.o)); d != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, d)
		}
	}
	var all []LogEntry
	for e, err := range got.Log(t.Context(), LogOptions{Changes: true}) {
		if err != nil {
			t.Fatal(err)
		}
		plain := must(got.ReadCommit(t.Context(), e.ID))(t)
		if d := cmp.Diff(plain.Author.line(), e.Author.line()); d != "" || plain.Message != e.Message || len(plain.Parents) != len(e.Parents) {
			t.Errorf("log and commit disagree: %+v, %+v", plain, e)
		}
		all = append(all, *e)
	}
	if d := cmp.Diff([]int{1, 1, 1, 0, 2}, counts(all)); d != "" {
		t.Errorf("changes (-want +got):\n%s", d)
	}
	if c := all[2].Changes[0]; c.Path != "odd\tname" || c.Old != "" || c.New == "" || c.NewMode != ModeFile {
		t.Errorf("change: %+v", c)
	}
	for range got.Log(t.Context(), LogOptions{}) {
		break // git is stopped
	}
}

func counts(all []LogEntry) (n []int) {
	for _, e := range all {
		n = append(n, len(e.Changes))
	}
	return n
}

func TestLogErrors(t *testing.T) {
	got := open(t, oaptest.New(t))
	for _, o := range []LogOptions{{}, {From: []string{"nope"}}, {From: []string{"--all"}}, {Not: []string{"^x"}}} {
		var last error
		for _, err := range got.Log(t.Context(), o) {
			last = err
		}
		want(t, last, NotFound, "no-revision")
	}
}
