//go:build unix

package main

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// TestKilledAtAnyMoment kills oap, alone or with its children, at random moments. Afterwards git finds a
// sound repository whose branch is at the old or the new revision, and the next run works. It is behaviour test 7 of
// the format.
//
// conformance: L2-A5, L2-A12
func TestKilledAtAnyMoment(t *testing.T) {
	if testing.Short() {
		t.Skip("kills processes for some seconds")
	}
	r, deltas := newCrashRepo(t)
	random := rand.New(rand.NewPCG(7, 11))
	kills, survived := scaled(12), 0
	// Moments are spread over a whole run, however fast this machine is at the moment.
	oapBinary(t) // building it is no part of a run
	began := time.Now()
	if out, err := command(t, r, "apply-delta", writeDelta(t, deltas, "first", 1)).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	longest := time.Since(began) * 5 / 4
	for i := range kills {
		_, before := committed(r)
		name := writeDelta(t, deltas, fmt.Sprintf("f%d", i), before)
		group := i%3 == 2
		cmd := command(t, r, "apply-delta", name)
		cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(random.Int64N(int64(longest))))
		target := cmd.Process.Pid
		if group {
			target = -target
		}
		// The process may have ended already; that is one of the moments.
		_ = syscall.Kill(target, syscall.SIGKILL)
		if cmd.Wait() == nil {
			survived++
		}
		r.Fsck()
		facts, now := committed(r)
		if now != before && now != before+1 || facts[fmt.Sprintf("f%d", i)] != now-before {
			t.Fatalf("kill %d: revision %d after %d, facts %v", i, now, before, facts)
		}
		if out, err := command(t, r, "apply-delta", name).CombinedOutput(); err != nil {
			t.Fatalf("kill %d: the next run: %v\n%s\n%s", i, err, out, r.Git("status", "--porcelain"))
		}
		if facts, now := committed(r); now != before+1 || facts[fmt.Sprintf("f%d", i)] != 1 {
			t.Fatalf("kill %d: after the next run: revision %d after %d, facts %v", i, now, before, facts)
		}
		r.Sound()
	}
	t.Logf("%d kills, %d runs were faster than the kill", kills, survived)
	if survived == kills {
		t.Error("no run was killed: the moments are all too late")
	}
	if left, err := filepath.Glob(filepath.Join(r.Dir, ".git", "*.lock")); err != nil || len(left) > 0 {
		t.Errorf("locks left: %v %v", left, err)
	}
}
