package history_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/open-agent-profile/oap/internal/oaptest"
	"github.com/open-agent-profile/oap/profile"
	"github.com/open-agent-profile/oap/repo/history"
)

// lived is a history with everything that can happen to an entry.
func lived(t *testing.T) *oaptest.Repo {
	r := oaptest.New(t)
	r.Commit("begin", scout, text("scout", 1))
	r.Commit("learn", scout, text("scout", 2, "a=one", "b=two"))
	r.Commit("change", scout, text("scout", 3, "a=other", "b=two"))
	used := strings.ReplaceAll(text("scout", 4, "a=other", "b=two"), `text: "other"}`, `text: "other", last_used_at: 2026-05-04T10:00:00Z}`)
	r.Commit("use", scout, used)
	r.Commit("evict\n\nEvicted by retention\n- facts/a (max_facts/oldest)\n- facts/b (expired)\n\nMore.", scout, text("scout", 5, "b=two"))
	r.Commit("back", scout, text("scout", 6, "b=two", "a=other"))
	r.Commit("forget", scout, text("scout", 7, "b=two"))
	// Both sides of a merge change the profile; neither fact is new to the merge.
	r.Git("checkout", "-qb", "side")
	r.Commit("side", scout, text("scout", 8, "b=two", "c=three"))
	r.Git("checkout", "-q", "main")
	r.Commit("main", scout, text("scout", 8, "d=four", "b=two"))
	r.Git("merge", "-q", "-s", "ours", "--no-commit", "side")
	r.Commit("merge", scout, text("scout", 9, "d=four", "b=two", "c=three"))
	return r
}

func TestLife(t *testing.T) {
	versions := walk(t, lived(t), scout)
	show := func(id string) []string {
		var out []string
		for _, e := range history.Life(versions, id) {
			out = append(out, strings.TrimSpace(fmt.Sprintf("%s %s %s/%s %v %s", e.Version.Commit.Subject(), e.What, e.Collection, e.ID, e.Fields, e.Rule)))
		}
		return out
	}
	want := []string{
		"forget removed facts/a []",
		"back restored facts/a []",
		"evict evicted facts/a [] max_facts/oldest",
		"use used facts/a [last_used_at]",
		"change changed facts/a [text]",
		"learn added facts/a []",
	}
	if diff := cmp.Diff(want, show("a")); diff != "" {
		t.Errorf("a (-want +got)\n%s", diff)
	}
	// The commit also claims to have evicted b, which is still there.
	for id, want := range map[string][]string{
		"b": {"learn added facts/b []"}, "facts/c": {"side added facts/c []"}, "d": {"main added facts/d []"}, "preferences/d": nil, "x": nil,
	} {
		if diff := cmp.Diff(want, show(id)); diff != "" {
			t.Errorf("%s (-want +got)\n%s", id, diff)
		}
	}
}

func TestBlame(t *testing.T) {
	r := lived(t)
	tip := text("scout", 10, "d=four", "b=two", "c=three", "a=other")
	r.Commit("back again", scout, tip)
	doc, err := profile.Parse(scout, []byte(tip))
	if err != nil {
		t.Fatal(err)
	}
	versions := walk(t, r, scout)
	all, err := history.Blame(doc, func(yield func(*history.Version, error) bool) {
		for _, v := range versions {
			if !yield(v, nil) {
				return
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, o := range all {
		got = append(got, fmt.Sprintf("%s/%s %s %s", o.Collection, o.ID, o.Text, o.Version.Commit.Subject()))
	}
	want := []string{"facts/d four main", "facts/b two learn", "facts/c three side", "facts/a other back again"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}
