package repo

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/open-agent-profile/oap/internal/oaptest"
)

// childVar makes the test binary a small program that updates a repository, so that tests can run
// several processes and kill them.
const (
	childVar    = "OAP_REPO_TEST_CHILD"
	crashVar    = "OAP_REPO_TEST_CRASH"     // points at which the child kills itself
	crashAllVar = "OAP_REPO_TEST_CRASH_ALL" // and git, too, as a power cut does
	patienceVar = "OAP_REPO_TEST_PATIENCE"  // lost races before locks are taken ahead
)

func crashAt(points []string, all bool) func(string, *refMove) {
	return func(point string, m *refMove) {
		if !slices.Contains(points, point) {
			return
		}
		if m != nil && all {
			_ = m.cmd.Process.Kill()
			_, _ = m.cmd.Process.Wait()
		}
		self, _ := os.FindProcess(os.Getpid())
		_ = self.Kill()
		select {}
	}
}

func TestMain(m *testing.M) {
	if points := os.Getenv(crashVar); points != "" {
		crash = crashAt(strings.Split(points, ","), os.Getenv(crashAllVar) != "")
	}
	if n, err := strconv.Atoi(os.Getenv(patienceVar)); err == nil {
		patience = n
	}
	if job := os.Getenv(childVar); job != "" {
		os.Exit(child(strings.Fields(job)))
	}
	os.Exit(m.Run())
}

// child runs "append PATH COUNT WORD": one Update a line, each acknowledged on standard output.
func child(job []string) int {
	count, err := strconv.Atoi(job[2])
	if err != nil {
		return 2
	}
	r, err := Open(context.Background(), Options{})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer r.Close()
	for i := range count {
		line := fmt.Sprintf("%s-%d", job[3], i)
		_, err := r.Update(context.Background(), UpdateRequest{Ref: "refs/heads/main", Log: "oap: " + line}, appendLine(job[1], line))
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		fmt.Println(line)
	}
	return 0
}

// appendLine is a plan in miniature: what it writes depends on what is there, and a line that is there
// already is not written again.
func appendLine(path, line string) func(context.Context, *Snapshot) (*Plan, error) {
	return func(ctx context.Context, s *Snapshot) (*Plan, error) {
		f, err := s.File(ctx, path)
		if err != nil {
			return nil, err
		}
		if strings.Contains(string(f.Data), "\n"+line+"\n") {
			return nil, nil
		}
		p, _ := put(path, string(f.Data)+line+"\n", "p: "+line)(ctx, s)
		return p, nil
	}
}

// childCommand is a process of its own that runs a job in a repository.
func childCommand(r *oaptest.Repo, job string) *exec.Cmd {
	cmd := exec.Command(os.Args[0])
	cmd.Dir = r.Dir
	cmd.Env = append(append([]string{}, r.Env...), childVar+"="+job)
	return cmd
}
