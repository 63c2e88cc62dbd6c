package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/open-agent-profile/oap/internal/oaptest"
)

// oapIn runs the built binary and gives its exit code and output.
func oapIn(t testing.TB, g *oaptest.Repo, stdin string, args ...string) (int, string) {
	t.Helper()
	cmd := exec.Command(oapBinary(t), args...)
	cmd.Dir, cmd.Env, cmd.Stdin = g.Dir, g.Env, strings.NewReader(stdin)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return exit.ExitCode(), out.String()
	}
	if err != nil {
		t.Error(err)
	}
	return 0, out.String()
}

func writersDelta(profile string, revision int, id string) string {
	return fmt.Sprintf("oap: \"1.0\"\nkind: AgentStateDelta\ntarget: {name: %s, revision: %d}\nsession: {id: sess_%s}\nsummary: Learned %s.\noperations:\n  - {op: add, path: /state/facts/-, value: {id: fact-%s, text: About %s.}}\n", profile, revision, id, id, id, id)
}

const writersProfile = `oap: "1.0"
kind: AgentProfile
metadata:
  name: %s
  description: Finds where a feature lives.
  revision: 1
spec:
  role:
    instructions: Look things up. # and no more
  lifecycle:
    writeback: auto
`

const writersPath = ".agents/scout.agent.yaml"

// TestRebaseTen puts ten state commits on ten others with plain git, once with the merge driver, once with oap check
// --fix at each stop. Both give the same bytes, every fact, and a revision more with each commit.
func TestRebaseTen(t *testing.T) {
	if testing.Short() {
		t.Skip("some hundred processes")
	}
	t.Parallel()
	g := oaptest.New(t)
	path := "PATH=" + filepath.Dir(oapBinary(t)) + string(os.PathListSeparator) + os.Getenv("PATH")
	g = g.With(path, "GIT_EDITOR=true", "OAP_NOW="+oaptest.Date)
	g.Commit("base", writersPath, fmt.Sprintf(writersProfile, "scout"))
	learn := func(prefix string) {
		for i := range 10 {
			if code, out := oapIn(t, g, writersDelta("scout", 1+i, fmt.Sprintf("%s%d", prefix, i)), "apply-delta", "-"); code != 0 {
				t.Fatal(out)
			}
		}
	}
	g.Git("branch", "side")
	learn("a")
	g.Git("checkout", "-q", "side")
	learn("b")
	g.Git("branch", "plain")
	if code, out := oapIn(t, g, "", "init", "--drivers"); code != 0 {
		t.Fatal(out)
	}
	// The attributes stay outside the tree, so that the other rebase can do without.
	attributes := g.Read(".gitattributes")
	if err := os.Remove(g.Path(".gitattributes")); err != nil {
		t.Fatal(err)
	}
	g.Write(".git/info/attributes", attributes)
	g.Git("config", "merge.oap.driver", "oap merge-file --marker-size %L --path %P %O %A %B")
	g.Git("rebase", "-q", "main")
	checkRebased(t, g, "side")

	g.Write(".git/info/attributes", "")
	g.Git("checkout", "-q", "plain")
	stops := 0
	_, err := g.Try("", "rebase", "-q", "main")
	for err != nil && stops < 20 {
		stops++
		if code, out := oapIn(t, g, "", "check", "--fix"); code != 0 {
			t.Fatal(out)
		}
		_, err = g.Try("", "rebase", "--continue")
	}
	if err != nil || stops == 0 {
		t.Fatalf("%d stops: %v", stops, err)
	}
	checkRebased(t, g, "plain")
	if diff := g.Git("diff", "side", "plain"); diff != "" {
		t.Errorf("with and without the driver:\n%s", diff)
	}
}

func checkRebased(t *testing.T, g *oaptest.Repo, branch string) {
	t.Helper()
	text := g.Read(writersPath)
	for _, p := range []string{"a", "b"} {
		for i := range 10 {
			if n := strings.Count(text, fmt.Sprintf("id: fact-%s%d\n", p, i)); n != 1 {
				t.Errorf("%s: fact-%s%d stands there %d times", branch, p, i, n)
			}
		}
	}
	want := 11
	for _, c := range strings.Fields(g.Git("rev-list", "--reverse", "main.."+branch)) {
		want++
		if got := g.Git("show", c+":"+writersPath); !strings.Contains(got, fmt.Sprintf("\n  revision: %d\n", want)) {
			t.Errorf("%s: %s is not revision %d", branch, g.Git("log", "-1", "--format=%s", c), want)
		}
	}
	if want != 21 {
		t.Errorf("%s: the last revision is %d", branch, want)
	}
	if code, out := oapIn(t, g, "", "check"); code != 0 {
		t.Errorf("%s: %s", branch, out)
	}
	g.Sound()
}

// TestManyClones has sessions on several clones apply deltas to three profiles and push each, all at once, while
// somebody commits by hand and git collects in the remote. What was acknowledged is in the remote once. OAP_SOAK sets
// the number of clones, OAP_BATCH how many deltas go into one call.
func TestManyClones(t *testing.T) {
	if testing.Short() {
		t.Skip("some hundred processes")
	}
	calls, batch := 3, 1
	if os.Getenv("OAP_SOAK") != "" {
		calls = 5
	}
	if n, err := strconv.Atoi(os.Getenv("OAP_BATCH")); err == nil && n > 0 {
		batch = n
	}
	names := []string{"pa", "pb", "pc"}
	seed := oaptest.New(t)
	var files []string
	for _, n := range names {
		files = append(files, ".agents/"+n+".agent.yaml", fmt.Sprintf(writersProfile, n))
	}
	seed.Commit("base", files...)
	bare := seed.At(seed.Beside("bare"))
	seed.Git("clone", "-q", "--bare", "--template=", seed.Dir, bare.Dir)
	oapBinary(t)

	var mu sync.Mutex
	acked, failed, longest := map[string]bool{}, 0, time.Duration(0)
	began := time.Now()
	var all sync.WaitGroup
	for i := range scaled(5) {
		c := seed.At(seed.Beside(fmt.Sprintf("clone%d", i)))
		seed.Git("clone", "-q", "--template=", bare.Dir, c.Dir)
		all.Go(func() {
			for call := range calls {
				dir := seed.At(seed.Beside(fmt.Sprintf("deltas%d-%d", i, call)))
				var ids []string
				for d := range batch {
					id := fmt.Sprintf("c%d-%d", i, call*batch+d)
					dir.Write(fmt.Sprintf("%03d.delta.yaml", d), writersDelta(names[(i+call+d)%len(names)], 1, id))
					ids = append(ids, id)
				}
				start := time.Now()
				code, out := oapIn(t, c, "", "apply-delta", "--push", "--retries", "40", dir.Dir)
				waited := time.Since(start)
				mu.Lock()
				longest = max(longest, waited)
				if code == 0 {
					for _, id := range ids {
						acked[id] = true
					}
				} else if failed++; code != 7 {
					t.Errorf("%s: exit %d: %s", ids[0], code, out)
				}
				mu.Unlock()
			}
		})
	}
	stop := make(chan struct{})
	var beside sync.WaitGroup
	hand := seed.At(seed.Beside("hand"))
	seed.Git("clone", "-q", "--template=", bare.Dir, hand.Dir)
	beside.Go(func() { byHand(hand, bare, stop) })
	all.Wait()
	took := time.Since(began)
	close(stop)
	beside.Wait()
	t.Logf("%d deltas acknowledged, %d calls not, in %s: %.1f a second; the longest call took %s",
		len(acked), failed, took.Round(time.Millisecond), float64(len(acked))/took.Seconds(), longest.Round(time.Millisecond))
	checkMet(t, seed, bare, names, acked)
}

// byHand commits, pushes and collects as people and servers do, until told to stop. Losing a race is no fault.
func byHand(hand, bare *oaptest.Repo, stop chan struct{}) {
	for n := 0; ; n++ {
		select {
		case <-stop:
			return
		case <-time.After(2 * time.Second):
		}
		_, _ = hand.Try("", "commit", "-q", "--allow-empty", "-m", fmt.Sprintf("by hand %d", n))
		_, _ = hand.Try("", "pull", "-q", "--rebase")
		_, _ = hand.Try("", "push", "-q")
		if n%4 == 3 {
			_, _ = bare.Try("", "gc", "-q")
		}
	}
}

// checkMet asks git alone.
func checkMet(t *testing.T, seed, bare *oaptest.Repo, names []string, acked map[string]bool) {
	t.Helper()
	bare.Fsck()
	subjects := strings.Split(bare.Git("log", "--format=%s", "main"), "\n")
	for id := range acked {
		n := 0
		for _, s := range subjects {
			if strings.HasSuffix(s, " Learned "+id+".") {
				n++
			}
		}
		if n != 1 {
			t.Errorf("%s is in the remote %d times", id, n)
		}
	}
	for _, name := range names {
		path := ".agents/" + name + ".agent.yaml"
		text := bare.Git("show", "main:"+path)
		revision := 0
		for _, c := range strings.Fields(bare.Git("log", "--first-parent", "--reverse", "--format=%H", "main", "--", path)) {
			revision++
			if !strings.Contains(bare.Git("show", c+":"+path), fmt.Sprintf("\n  revision: %d\n", revision)) {
				t.Errorf("%s: %s is not revision %d", name, bare.Git("log", "-1", "--format=%s", c), revision)
			}
		}
		if !strings.Contains(text, "# and no more") {
			t.Errorf("%s lost its comment", name)
		}
	}
	facts := 0
	for _, name := range names {
		facts += strings.Count(bare.Git("show", "main:.agents/"+name+".agent.yaml"), "id: fact-c")
	}
	if facts < len(acked) {
		t.Errorf("%d facts for %d deltas", facts, len(acked))
	}
	last := seed.At(seed.Beside("last"))
	seed.Git("clone", "-q", bare.Dir, last.Dir)
	if code, out := oapIn(t, last, "", "check"); code != 0 {
		t.Errorf("oap check: %s", out)
	}
	dirs, err := filepath.Glob(seed.Beside("clone*"))
	if err != nil || len(dirs) == 0 {
		t.Fatal(err, "no clones")
	}
	slices.Sort(dirs)
	for _, d := range dirs {
		seed.At(d).Sound()
	}
}
