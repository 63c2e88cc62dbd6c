package audit_test

import (
	"bytes"
	"fmt"
	"os/exec"
	"testing"

	"github.com/open-agent-profile/oap/internal/oaptest"
	"github.com/open-agent-profile/oap/repo/audit"
)

// BenchmarkAudit stands beside what git alone takes to name the commits and to give the bytes of the same
// blobs. A repository of the larger size is made in some seconds, outside of what is measured.
func BenchmarkAudit(b *testing.B) {
	for _, size := range []oaptest.History{
		{Seed: 1, Revisions: 500, Profiles: 10},
		{Seed: 1, Revisions: 10_000, Profiles: 100},
		{Seed: 1, Revisions: 10_000, Profiles: 100, Linear: true},
	} {
		name := fmt.Sprintf("%dx%d", size.Revisions, size.Profiles)
		if size.Linear {
			name += "-linear"
		}
		b.Run(name, func(b *testing.B) {
			r := oaptest.New(b)
			r.Grow(size)
			r.Git("gc", "-q")
			blobs := blobsOf(r)
			b.Run("git", func(b *testing.B) {
				for b.Loop() {
					r.Git("log", "--format=%H", "--", ".agents")
					cat(b, r, blobs)
				}
			})
			b.Run("audit", func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if got := run(b, r, audit.Options{}); len(got.Findings) > 0 {
						b.Fatal(got.Findings[0])
					}
				}
			})
		})
	}
}

// blobsOf names every version of every profile, newest first, a line each.
func blobsOf(r *oaptest.Repo) string {
	var ids bytes.Buffer
	seen := map[string]bool{}
	for line := range bytes.Lines([]byte(r.Git("log", "--raw", "--no-abbrev", "--full-history", "-m", "--format=", "--", ".agents") + "\n")) {
		if f := bytes.Fields(line); len(f) > 4 && !seen[string(f[3])] {
			seen[string(f[3])] = true
			fmt.Fprintf(&ids, "%s\n", f[3])
		}
	}
	return ids.String()
}

func cat(b *testing.B, r *oaptest.Repo, ids string) {
	cmd := exec.Command("git", "cat-file", "--batch")
	cmd.Dir, cmd.Env = r.Dir, r.Env
	cmd.Stdin = bytes.NewReader([]byte(ids))
	if err := cmd.Run(); err != nil {
		b.Fatal(err)
	}
}
