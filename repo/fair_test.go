package repo

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/open-agent-profile/oap/internal/oaptest"
)

// commitForever runs git commit again and again without a pause. The function that it gives ends that and
// gives the number of commits.
func commitForever(r *oaptest.Repo) func() int {
	stop, count := make(chan struct{}), make(chan int)
	go func() {
		for n := 0; ; {
			select {
			case <-stop:
				count <- n
				return
			default:
			}
			if _, err := r.Try("", "commit", "-q", "--allow-empty", "-m", "rival"); err == nil {
				n++
			}
		}
	}()
	return func() int { close(stop); return <-count }
}

// A program that commits without a pause does not starve an Update whose plan takes longer than a commit.
func TestRivalThatCommitsForever(t *testing.T) {
	for _, c := range []struct {
		name, why string
		linked    bool
	}{
		{name: "own", why: "the branch is checked out where we stand"},
		{name: "linked", why: "it is checked out in another working tree", linked: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := oaptest.New(t)
			base(r)
			at := r
			if c.linked {
				at = linked(r, "w", "side")
			}
			got := open(t, at)
			end := commitForever(r)
			for i := range scale(2) {
				tries := 0
				ctx, stop := context.WithTimeout(t.Context(), time.Minute) // only where it is broken
				defer stop()
				_, err := got.Update(ctx, toMain, func(ctx context.Context, s *Snapshot) (*Plan, error) {
					for tries++; tries <= patience && ctx.Err() == nil; { // a lost race, for certain
						if now, err := got.RefTip(ctx, toMain.Ref); err != nil || now != s.ID() {
							break
						}
					}
					if tries > patience { // as long as some commits take
						for range 5 {
							r.Git("status")
						}
					}
					return put(profile, fmt.Sprint(i), "s")(ctx, s)
				})
				if err != nil || tries <= patience || tries > patience+2 { // one commit may be on its way
					t.Errorf("update %d: %d tries, %v", i, tries, err)
				}
			}
			if n := end(); n < scale(2)*patience {
				t.Errorf("the rival made %d commits only", n)
			}
			r.Sound()
			debris(t, r)
		})
	}
}

// setPatience makes every Update of a test lock first after so many lost races. Such a test is not parallel.
func setPatience(t *testing.T, n int) {
	old := patience
	patience = n
	t.Cleanup(func() { patience = old })
}

// Whatever comes of an Update that locked first, nothing stays locked.
func TestLockedAhead(t *testing.T) {
	setPatience(t, 0)
	r := oaptest.New(t)
	base(r)
	r.Write("other", "dirty\n")
	got := open(t, r)
	before := state(t, r)
	boom := errors.New("boom")
	lock := r.Path(".git/index.lock")
	for _, c := range []struct {
		name, why string
		plan      func(context.Context, *Snapshot) (*Plan, error)
		kind      Kind
		err       error
	}{
		{name: "nothing", why: "an empty plan", plan: fixed(nil)},
		{name: "the same", why: "a plan without effect", plan: put(profile, "old\nlines\n", "s")},
		{name: "error", why: "of the plan", plan: func(context.Context, *Snapshot) (*Plan, error) { return nil, boom }, err: boom},
		{name: "dirty", why: "a refusal under the locks", plan: put("other", "x", "s"), kind: Refused},
		{name: "dirty after a clean one", why: "the clean file stays", plan: fixed(&Plan{Commits: []PlannedCommit{{Message: Message{Subject: "s"},
			Changes: []Change{{Path: profile, Data: []byte("x")}, {Path: "other", Data: []byte("x")}}}}}), kind: Refused},
	} {
		_, err := got.Update(t.Context(), toMain, func(ctx context.Context, s *Snapshot) (*Plan, error) {
			if _, err := os.Lstat(lock); err != nil {
				t.Errorf("%s: not locked: %v", c.name, err)
			}
			return c.plan(ctx, s)
		})
		if KindOf(err) != c.kind || c.kind == 0 && !errors.Is(err, c.err) {
			t.Errorf("%s: %v", c.name, err)
		}
		if d := cmp.Diff(before, state(t, r)); d != "" {
			t.Errorf("%s: something changed (-before +after):\n%s", c.name, d)
		}
		debris(t, r)
	}
	// Other refs move without the index.
	head := ID(r.Git("rev-parse", "main"))
	must(got.Update(t.Context(), toMain, fixed(&Plan{Refs: []RefUpdate{{Name: "refs/heads/more", New: head}}})))(t)
	// The tree is left for another branch while plan runs: found out, and planned again.
	tries := 0
	must(got.Update(t.Context(), toMain, func(ctx context.Context, s *Snapshot) (*Plan, error) {
		if tries++; tries == 1 {
			r.Git("symbolic-ref", "HEAD", "refs/heads/more")
		}
		return put(profile, "away", "s")(ctx, s)
	}))(t)
	if tries != 2 || r.Read(profile) != "old\nlines\n" {
		t.Errorf("%d tries, %q", tries, r.Read(profile))
	}
	r.Git("symbolic-ref", "HEAD", "refs/heads/main")
	r.Git("checkout", "-q", "main", "--", profile)
	must(got.Update(t.Context(), toMain, put(profile, "2\n", "s")))(t)
	if s := r.Git("status", "--porcelain"); strings.TrimSpace(s) != "M other" || r.Read(profile) != "2\n" {
		t.Errorf("status: %q", s)
	}
	r.Fsck()
	debris(t, r)
}

// A process that locked first and was killed leaves nothing for good.
func TestCrashAhead(t *testing.T) {
	for _, point := range []string{"ahead", "begun", "held", "files", "written"} {
		if point != "ahead" && point != "written" && scale(1) == 1 {
			continue
		}
		t.Run(point, func(t *testing.T) {
			t.Parallel()
			r, _ := crashRepo(t, "checked out")
			crashed(t, r.With(patienceVar+"=0"), true, point)
			if _, err := os.Lstat(r.Path(".git/index.lock")); err != nil {
				t.Errorf("it held no lock: %v", err)
			}
			runChild(t, r, "next")
			if s := r.Git("status", "--porcelain"); strings.TrimSpace(s) != "M other" {
				t.Errorf("status: %q", s)
			}
			r.Fsck()
			debris(t, r)
		})
	}
}

// What was to happen in a lost round counts no more in the next one; the locks do.
func TestJournalSaidAnew(t *testing.T) {
	r := oaptest.New(t)
	base(r)
	got := open(t, r)
	line := must(got.enqueue(t.Context()))(t)
	defer line.release()
	j := must(line.begin(got, &transition{Log: "first"}))(t)
	for _, rec := range []record{
		{Lock: &lockRecord{Path: "index.lock"}},
		{Begin: &transition{Log: "lost", Refs: []RefUpdate{{Name: "refs/heads/main"}}}},
		{Prepare: 1}, {Held: []lockRecord{{Path: "main.lock"}}},
		{Begin: &transition{Log: "next"}},
	} {
		if err := j.add(rec); err != nil {
			t.Fatal(err)
		}
	}
	l := must(line.readJournal())(t)
	j.end()
	if l.change.Log != "next" || len(l.change.Refs) != 0 || len(l.locks) != 2 || l.held || !l.prepare.IsZero() {
		t.Errorf("%+v", l)
	}
}
