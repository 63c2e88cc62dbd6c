package repo

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/open-agent-profile/oap/internal/oaptest"
)

// scale gives a number that OAP_TEST_SCALE multiplies, for long runs. Matrices of cases are whole where it
// is more than 1.
func scale(n int) int {
	if f, err := strconv.Atoi(os.Getenv("OAP_TEST_SCALE")); err == nil && f > 0 {
		return n * f
	}
	return n
}

// Processes of ours and a person's commits on one branch: every acknowledged line is in the file once.
func TestProcessesBesideGit(t *testing.T) {
	r := oaptest.New(t)
	r.Commit("one", profile, "lines:\n", "human", "0\n")
	workers, each := 3, scale(4)
	stop := make(chan struct{})
	human := make(chan int)
	go func() {
		ok := 0
		for i := 0; ; i++ {
			select {
			case <-stop:
				human <- ok
				return
			case <-time.After(20 * time.Millisecond):
			}
			r.Write("human", fmt.Sprintln(i))
			// Git does not wait for locks; a person would just try again.
			if _, err := r.Try("", "commit", "-q", "-m", "human", "--", "human"); err == nil {
				ok++
			}
			if i%10 == 3 {
				_, _ = r.Try("", "pack-refs", "--all")
			}
			if i%20 == 7 {
				_, _ = r.Try("", "gc", "-q")
			}
		}
	}()
	var wg sync.WaitGroup
	acked := make([]string, workers)
	for w := range workers {
		wg.Go(func() {
			cmd := childCommand(r, fmt.Sprintf("append %s %d w%d", profile, each, w))
			var stderr bytes.Buffer
			cmd.Stderr = &stderr
			out, err := cmd.Output()
			if err != nil {
				t.Errorf("worker %d: %v %s", w, err, stderr.String())
			}
			acked[w] = string(out)
		})
	}
	wg.Wait()
	close(stop)
	if <-human == 0 {
		t.Error("no commit of a person came through")
	}
	text := r.Git("show", "main:"+profile) + "\n"
	for l := range strings.Lines(strings.Join(acked, "")) {
		if strings.Count(text, "\n"+l) != 1 {
			t.Errorf("%q is in the file %d times", l, strings.Count(text, "\n"+l))
		}
	}
	if n := strings.Count(strings.Join(acked, ""), "\n"); n != workers*each {
		t.Errorf("%d of %d acknowledged", n, workers*each)
	}
	r.Git("checkout", "-q", "--", "human")
	r.Sound()
	debris(t, r)
}

func TestIndexLockIsWaitedFor(t *testing.T) {
	r := oaptest.New(t)
	base(r)
	got := open(t, r)
	r.Write(".git/index.lock", "a person's")
	time.AfterFunc(300*time.Millisecond, func() { os.Remove(r.Path(".git/index.lock")) })
	must(got.Update(t.Context(), toMain, put(profile, "2\n", "s")))(t)
	r.Sound()
}

func TestQueueIsBusyWhileAnotherLives(t *testing.T) {
	r := oaptest.New(t)
	base(r)
	a, b := open(t, r), must(Open(t.Context(), Options{Dir: r.Dir, Env: r.Env, LockTimeout: 30 * time.Millisecond}))(t)
	defer b.Close()
	_, err := a.Update(t.Context(), toMain, func(ctx context.Context, s *Snapshot) (*Plan, error) {
		_, err := b.Update(ctx, toMain, put(profile, "2\n", "s"))
		want(t, err, Busy, "queue")
		return nil, nil
	})
	if err != nil {
		t.Error(err)
	}
}

// The branch moves between plan and move: the plan is made anew on the new tip.
func TestLostRaceIsPlannedAgain(t *testing.T) {
	setPatience(t, 2)
	r := oaptest.New(t)
	base(r)
	got := open(t, r)
	tries := 0
	must(got.Update(t.Context(), toMain, func(ctx context.Context, s *Snapshot) (*Plan, error) {
		if tries++; tries <= patience {
			r.Commit("human", "other", fmt.Sprint(tries))
		}
		f := must(s.File(ctx, "other"))(t)
		return put(profile, string(f.Data), "s")(ctx, s)
	}))(t)
	if tries != 3 || r.Read(profile) != "2" {
		t.Errorf("%d tries, %q", tries, r.Read(profile))
	}
	r.Sound()
	// And the branch is switched away from, or to.
	must(got.Update(t.Context(), toMain, func(ctx context.Context, s *Snapshot) (*Plan, error) {
		if r.Git("symbolic-ref", "HEAD") == "refs/heads/main" {
			r.Git("checkout", "-q", "-b", "side")
		}
		return put(profile, "away", "s")(ctx, s)
	}))(t)
	r.Sound()
	if r.Read(profile) != "2" || r.Git("show", "main:"+profile) != "away" {
		t.Error("a branch that nobody has checked out changed a file")
	}
}

// A process killed at any moment leaves the old or the new state, and the next Update works.
func TestKill(t *testing.T) {
	for _, shape := range []string{"checked out", "elsewhere", "bare"} {
		for _, group := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s group=%v", shape, group), func(t *testing.T) {
				t.Parallel()
				killLoop(t, shape, group, scale(2))
			})
		}
	}
}

func killLoop(t *testing.T, shape string, group bool, times int) {
	r := oaptest.New(t)
	r.Commit("one", profile, "lines:\n", "other", "o\n")
	r.Write("other", "dirty\n")
	at := r
	switch shape {
	case "elsewhere":
		at = linked(r, "w", "side")
	case "bare":
		r.Git("clone", "-q", "--bare", ".", r.Beside("bare.git"))
		r = r.At(r.Beside("bare.git"))
		at = r
	}
	start := time.Now()
	runChild(t, at, "first")
	span := time.Since(start)
	expect := "lines:\nfirst-0\n"
	for i := range times {
		word := fmt.Sprintf("k%d", i)
		cmd := childCommand(at, "append "+profile+" 1 "+word)
		ownGroup(cmd)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(span/8 + rand.N(span))
		kill(cmd, group)
		_ = cmd.Wait()
		// What git says right after the kill: the branch is at the old or the new content.
		text := r.Git("show", "main:"+profile) + "\n"
		if text != expect && text != expect+word+"-0\n" {
			t.Fatalf("between old and new: %q", text)
		}
		runChild(t, at, "after"+word)
		text = r.Git("show", "main:"+profile) + "\n"
		if text != expect+"after"+word+"-0\n" && text != expect+word+"-0\nafter"+word+"-0\n" {
			t.Fatalf("after recovery: %q", text)
		}
		expect = text
		if shape != "bare" {
			if d := r.Git("status", "--porcelain"); d != "M other" && d != " M other" {
				t.Fatalf("status after recovery: %q", d)
			}
			if r.Read(profile) != expect || r.Read("other") != "dirty\n" {
				t.Fatalf("files after recovery: %q", r.Read(profile))
			}
		}
	}
	r.Fsck()
	debris(t, r)
}

func runChild(t *testing.T, r *oaptest.Repo, word string) {
	t.Helper()
	if out, err := childCommand(r, "append "+profile+" 1 "+word).CombinedOutput(); err != nil {
		t.Fatalf("the next update: %v %s", err, out)
	}
}

// kill ends a child, or everything in its process group, without a chance to clean up.
func kill(cmd *exec.Cmd, group bool) {
	if group {
		killGroup(cmd.Process.Pid)
		return
	}
	_ = cmd.Process.Kill()
}
