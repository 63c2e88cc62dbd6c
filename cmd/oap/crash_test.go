package main

import (
	"bytes"
	"context"
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

// binary builds oap once for the tests that need processes which can be killed.
var binary = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "oap-test-")
	if err != nil {
		return "", err
	}
	name := filepath.Join(dir, "oap")
	out, err := exec.Command("go", "build", "-o", name, ".").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("go build: %w\n%s", err, out)
	}
	return name, nil
})

func oapBinary(t testing.TB) string {
	t.Helper()
	name, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	return name
}

// scaled gives the size of a test: the usual one, or what OAP_SOAK asks for.
func scaled(usual int) int {
	if n, err := strconv.Atoi(os.Getenv("OAP_SOAK")); err == nil && n > 0 {
		return n
	}
	return usual
}

const crashProfile = `oap: "1.0"
kind: AgentProfile
metadata:
  name: scout
  description: Finds where a feature lives.
  revision: 1
spec:
  role:
    instructions: Look things up.
  lifecycle: {writeback: auto}
state:
  facts: []   # learned
history: []
`

// factDelta is a delta that adds one fact with the given id.
func factDelta(id string, revision int) string {
	return fmt.Sprintf(`oap: "1.0"
kind: AgentStateDelta
target: {name: scout, revision: %d}
session: {id: "s-%s", ended_at: %s}
operations:
  - {op: add, path: /state/facts/-, value: {id: "%s", text: "learned %s"}}
`, revision, id, time.Now().UTC().Format(time.RFC3339), id, id)
}

// newCrashRepo is a repository with the profile scout, and a folder for deltas beside it.
func newCrashRepo(t testing.TB) (*oaptest.Repo, string) {
	r := clocked(oaptest.New(t))
	r.Commit("base", ".agents/scout.agent.yaml", crashProfile, "other.txt", "one\n")
	deltas := r.Beside("deltas")
	if err := os.MkdirAll(deltas, 0o755); err != nil {
		t.Fatal(err)
	}
	return r, deltas
}

func writeDelta(t testing.TB, dir, id string, revision int) string {
	name := filepath.Join(dir, id+".delta.yaml")
	if err := os.WriteFile(name, []byte(factDelta(id, revision)), 0o644); err != nil {
		t.Error(err)
	}
	return name
}

// command runs oap in the repository. A minute is far more than any run takes, and less than a test may hang.
func command(t testing.TB, r *oaptest.Repo, args ...string) *exec.Cmd {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, oapBinary(t), args...)
	cmd.Dir, cmd.Env = r.Dir, r.Env
	return cmd
}

// clocked drops the fixed dates of the test environment: what is looked for in history is bounded by
// time, so commits need times of their own.
func clocked(r *oaptest.Repo) *oaptest.Repo {
	c := r.At(r.Dir)
	c.Env = slices.DeleteFunc(slices.Clone(r.Env), func(kv string) bool { return strings.Contains(kv, "_DATE=") })
	return c
}

// committed reads the facts and the revision that git has at HEAD, without oap.
func committed(r *oaptest.Repo) (facts map[string]int, revision int) {
	text := r.Git("cat-file", "blob", "HEAD:.agents/scout.agent.yaml")
	facts = map[string]int{}
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if id, ok := strings.CutPrefix(line, "- id: "); ok {
			facts[strings.Trim(id, `"`)]++
		}
		if n, ok := strings.CutPrefix(line, "revision: "); ok && revision == 0 {
			revision, _ = strconv.Atoi(n)
		}
	}
	return facts, revision
}

// TestManyProcesses lets processes write one profile at once, each with deltas against the revision it
// sees, beside a person who commits to the same branch. Nothing acknowledged is lost.
func TestManyProcesses(t *testing.T) {
	if testing.Short() {
		t.Skip("runs processes for some seconds")
	}
	r, deltas := newCrashRepo(t)
	const each = 4
	writers := scaled(5)
	stop := make(chan struct{})
	var person, all sync.WaitGroup
	byHand := 0
	person.Add(1)
	go func() {
		defer person.Done()
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
			}
			if err := os.WriteFile(r.Path("other.txt"), []byte(strconv.Itoa(i)), 0o644); err != nil {
				t.Error(err)
				return
			}
			if _, err := r.Try("", "commit", "-q", "-m", "by hand", "other.txt"); err == nil {
				byHand++
			}
			time.Sleep(100 * time.Millisecond)
		}
	}()
	var mu sync.Mutex
	acknowledged := map[string]bool{}
	for w := range writers {
		all.Add(1)
		go func() {
			defer all.Done()
			for i := range each {
				id := fmt.Sprintf("w%d-%d", w, i)
				if applyUntilDone(t, r, deltas, id) {
					mu.Lock()
					acknowledged[id] = true
					mu.Unlock()
				}
			}
		}()
	}
	all.Wait()
	close(stop)
	person.Wait()
	facts, revision := committed(r)
	for id := range acknowledged {
		if facts[id] != 1 {
			t.Errorf("%s was acknowledged and stands %d times", id, facts[id])
		}
	}
	if want := writers * each; len(acknowledged) != want || revision != want+1 {
		t.Errorf("%d of %d acknowledged, revision %d", len(acknowledged), want, revision)
	}
	revisionsRise(t, r)
	r.Fsck()
	t.Logf("%d deltas by %d processes beside %d commits by hand", len(acknowledged), writers, byHand)
	if byHand == 0 {
		t.Error("the person never got a turn")
	}
}

// applyUntilDone makes a delta for the revision it sees and applies it, again on exit 3 and 6.
func applyUntilDone(t *testing.T, r *oaptest.Repo, deltas, id string) bool {
	for range 50 {
		_, revision := committed(r)
		cmd := command(t, r, "apply-delta", "--json", writeDelta(t, deltas, id, revision))
		var out bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &out
		err := cmd.Run()
		if err == nil {
			return true
		}
		if code := cmd.ProcessState.ExitCode(); code != exitChoose && code != exitBusy {
			t.Errorf("%s: exit %d\n%s", id, code, out.String())
			return false
		}
	}
	t.Errorf("%s: gave up", id)
	return false
}

// revisionsRise reads the revisions along first parents from the trailers, oldest first.
func revisionsRise(t *testing.T, r *oaptest.Repo) {
	t.Helper()
	last := 1
	for line := range strings.Lines(r.Git("log", "--first-parent", "--reverse", "--format=%(trailers:key=OAP-Revision,valueonly)")) {
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		n, err := strconv.Atoi(line)
		if err != nil || n != last+1 {
			t.Errorf("revision %q follows %d", line, last)
		}
		last = n
	}
}
