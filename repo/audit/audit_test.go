package audit_test

import (
	"context"
	"testing"

	"github.com/open-agent-profile/oap/internal/oaptest"
	"github.com/open-agent-profile/oap/repo"
	"github.com/open-agent-profile/oap/repo/audit"
)

var ctx = context.Background()

// run audits a branch of a repository.
func run(t testing.TB, r *oaptest.Repo, o audit.Options) *audit.Report {
	t.Helper()
	opened, err := repo.Open(ctx, repo.Options{Dir: r.Dir, Env: r.Env})
	if err != nil {
		t.Fatal(err)
	}
	defer opened.Close()
	if o.Tip == "" {
		o.Tip = repo.ID(r.Git("rev-parse", "main"))
	}
	if o.Roots == nil {
		o.Roots = []string{".agents"}
	}
	report, err := audit.Run(ctx, opened, o)
	if err != nil {
		t.Fatal(err)
	}
	return report
}

func TestGrownHistoryIsClean(t *testing.T) {
	r := oaptest.New(t)
	r.Grow(oaptest.History{Seed: 4, Revisions: 300, Profiles: 4})
	r.Fsck()
	got := run(t, r, audit.Options{})
	for _, f := range got.Findings {
		t.Errorf("%+v", f)
	}
	t.Log(got.Commits, got.Documents, len(got.Names), len(got.Approvals))
}
