package repo

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/open-agent-profile/oap/internal/oaptest"
)

// TestFolderThatGainsAndLoses wants a folder to stay that loses its last old file in the commit that gives it
// a new one below.
func TestFolderThatGainsAndLoses(t *testing.T) {
	r := oaptest.New(t)
	r.Commit("base", "d/old", "old\n", "keep", "k\n")
	got := open(t, r)
	add, remove := Change{Path: "d/sub/x", Data: []byte("x\n")}, Change{Path: "d/old", Delete: true}
	for _, changes := range [][]Change{{add, remove}, {remove, add}} {
		r.Git("reset", "-q", "--hard", r.Git("rev-list", "--max-parents=0", "HEAD"))
		must(got.Update(t.Context(), toMain, fixed(&Plan{Commits: []PlannedCommit{{Message: Message{Subject: "both"}, Changes: changes}}})))(t)
		if d := cmp.Diff("d/sub/x\nkeep", r.Git("ls-tree", "-r", "--name-only", "main")); d != "" {
			t.Errorf("%s first (-want +got):\n%s", changes[0].Path, d)
		}
		r.Sound()
	}
}
