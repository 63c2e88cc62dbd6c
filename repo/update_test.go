package repo

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/open-agent-profile/oap/internal/oaptest"
)

// put gives a plan that writes one file.
func put(path, data, subject string) func(context.Context, *Snapshot) (*Plan, error) {
	return func(context.Context, *Snapshot) (*Plan, error) {
		return &Plan{Commits: []PlannedCommit{{
			Changes: []Change{{Path: path, Data: []byte(data)}},
			Message: Message{Subject: subject, Trailers: []Trailer{{"OAP-Profile", "p"}}},
		}}}, nil
	}
}

var toMain = UpdateRequest{Ref: "refs/heads/main", Log: "oap: test"}

func TestUpdateCheckedOut(t *testing.T) {
	for _, format := range []string{"sha1", "sha256"} {
		t.Run(format, func(t *testing.T) {
			r := oaptest.New(t, "--object-format="+format)
			one := r.Commit("one", "a/b/x.yaml", "x\n", "a/y.yaml", "y\n", "z", "z")
			got := open(t, r)
			up := must(got.Update(t.Context(), toMain, put("a/b/x.yaml", "x2\n", "p: r2")))(t)
			if string(up.Before) != one || string(up.After) != r.Git("rev-parse", "main") || len(up.Commits) != 1 {
				t.Errorf("updated: %+v", up)
			}
			r.Sound()
			if r.Read("a/b/x.yaml") != "x2\n" {
				t.Error("working tree has the old file")
			}
			if d := cmp.Diff("a/b/x.yaml", r.Git("diff", "--name-only", "HEAD~1")); d != "" {
				t.Error(d)
			}
			if d := cmp.Diff("oap: test", r.Git("log", "-1", "-g", "--format=%gs")); d != "" {
				t.Error(d)
			}
			if d := cmp.Diff("Ada Author ada@example.org 2026-05-04T10:00:00+02:00 Carl Committer|p", r.Git("log", "-1", "--format=%an %ae %aI %cn|%(trailers:key=OAP-Profile,valueonly,separator=)")); d != "" {
				t.Error(d)
			}
			r.Git("commit", "-q", "-a", "--allow-empty", "-m", "human")
			if r.Git("show", "HEAD:a/b/x.yaml") != "x2" {
				t.Error("a person's commit reverted ours")
			}
			r.Sound()
		})
	}
}

func TestUpdateBare(t *testing.T) {
	r := oaptest.New(t, "--bare")
	r.Fill(20)
	got := open(t, r)
	must(got.Update(t.Context(), toMain, put("profiles/00/user-0.yaml", "x2\n", "p: r2")))(t)
	must(got.Update(t.Context(), toMain, put("new/dir/f", "n", "p: new")))(t)
	r.Fsck()
	if got := r.Git("show", "main:profiles/00/user-0.yaml", "main:new/dir/f"); got != "x2\nn" {
		t.Errorf("%q", got)
	}
}
