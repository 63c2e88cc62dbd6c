package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"

	"github.com/open-agent-profile/oap/internal/oaptest"
)

const staleProfile = `oap: "1.0"
kind: AgentProfile
metadata: {name: scout, description: Finds where a feature lives., revision: 1}
spec:
  role: {instructions: Look things up.}
state:
  facts:
    - {id: fact-stale, text: Old., learned_at: 2020-01-01T00:00:00Z}
`

// job is a clone as a CI has it, with a program oap, and its remote.
func job(t *testing.T) (clone, remote *oaptest.Repo) {
	origin := oaptest.New(t)
	origin.Commit("base", ".agents/scout.agent.yaml", staleProfile)
	origin.Git("clone", "-q", "--bare", ".", origin.Beside("remote.git"))
	remote = origin.At(origin.Beside("remote.git"))
	origin.Git("clone", "-q", remote.Dir, origin.Beside("agents"))
	bin := filepath.Join(origin.Beside("home"), "go", "bin")
	if err := os.MkdirAll(bin, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(oapBinary(t), filepath.Join(bin, "oap")); err != nil {
		t.Fatal(err)
	}
	clone = origin.At(origin.Beside("agents"))
	return clone.With("PATH="+bin+":"+os.Getenv("PATH"), "HOME="+origin.Home(), "RUNNER_TEMP="+origin.Beside("home")), remote
}

func shell(t *testing.T, r *oaptest.Repo, script string, env ...string) {
	t.Helper()
	cmd := exec.Command("bash", "-eo", "pipefail", "-c", script)
	cmd.Dir, cmd.Env = r.Dir, append(append([]string{}, r.Env...), env...)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", script, err, out)
	}
}

func page(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// pruned wants the last commit to be a prune, as git has it.
func pruned(t *testing.T, r *oaptest.Repo) {
	t.Helper()
	if got := r.Git("log", "-1", "--format=%s", "main"); got != "scout: r2 prune" {
		t.Errorf("the branch ends with %q", got)
	}
	r.Fsck()
}

func TestGitHubJob(t *testing.T) {
	var flow struct {
		On   map[string]any `yaml:"on"`
		Jobs map[string]struct {
			Steps []struct{ Name, Run string }
		}
	}
	if err := yaml.Unmarshal([]byte(page(t, "ci/prune-github.yml")), &flow); err != nil {
		t.Fatal(err)
	}
	clone, remote := job(t)
	ran := false
	for _, s := range flow.Jobs["prune"].Steps {
		if s.Name == "Prune" {
			shell(t, clone, s.Run)
			ran = true
		}
	}
	if !ran || flow.On["schedule"] == nil {
		t.Fatal("no step Prune, or no schedule")
	}
	pruned(t, remote)
	skim, err := os.ReadFile(clone.Beside("home/skim.md"))
	if err != nil || !strings.Contains(string(skim), "`facts/fact-stale` (`unused`)") {
		t.Errorf("%v\n%s", err, skim)
	}
}

func TestGitLabJob(t *testing.T) {
	var flow map[string]struct{ Script []string }
	if err := yaml.Unmarshal([]byte(page(t, "ci/prune-gitlab.yml")), &flow); err != nil {
		t.Fatal(err)
	}
	clone, remote := job(t)
	clone.Git("config", "url."+remote.Dir+".insteadOf", "https://oap:secret@gitlab.example.org/group/agents.git")
	clone.Git("checkout", "-q", "--detach")
	shell(t, clone, strings.Join(flow["oap-prune"].Script, "\n"), "OAP_PUSH_TOKEN=secret", "CI_SERVER_HOST=gitlab.example.org",
		"CI_PROJECT_PATH=group/agents", "CI_COMMIT_BRANCH=main", "CI_COMMIT_SHA="+clone.Git("rev-parse", "HEAD"))
	pruned(t, remote)
}

// TestCronAndSystemd runs what the two name, in a home of its own.
func TestCronAndSystemd(t *testing.T) {
	line := page(t, "ci/prune.cron")
	_, line, _ = strings.Cut(line, "17 5 1 * *")
	unit := page(t, "ci/prune.service")
	_, start, _ := strings.Cut(unit, "ExecStart=")
	start, _, _ = strings.Cut(start, "\n")
	if !strings.Contains(unit, "\nWorkingDirectory=%h/agents\n") || !strings.Contains(page(t, "ci/prune.timer"), "\nOnCalendar=*-*-01 ") {
		t.Fatal("the unit runs elsewhere, or on another day")
	}
	for name, script := range map[string]string{"cron": line, "systemd": strings.ReplaceAll(start, "%h", "$HOME")} {
		t.Run(name, func(t *testing.T) {
			clone, _ := job(t)
			home := filepath.Dir(clone.Dir)
			// In a real home the repository lies beside the programs.
			if err := os.Rename(clone.Dir, filepath.Join(clone.Home(), "agents")); err != nil {
				t.Fatal(err)
			}
			moved := clone.At(filepath.Join(home, "home", "agents"))
			shell(t, moved, "PATH=/usr/bin:/bin; "+script)
			pruned(t, moved)
		})
	}
}

// TestPageCommands wants the commands of the pages to exist.
func TestPageCommands(t *testing.T) {
	for _, name := range []string{"history.md", "prune.md"} {
		fenced, n := false, 0
		for l := range strings.Lines(page(t, name)) {
			l = strings.TrimSpace(l)
			if strings.HasPrefix(l, "```") {
				fenced = !fenced
				continue
			}
			if rest, ok := strings.CutPrefix(l, "oap "); ok && fenced {
				n++
				command, _, _ := strings.Cut(rest, "   ") // what follows is a remark
				command, _, _ = strings.Cut(command, " > ")
				checkCommandLine(t, "oap "+command)
			}
		}
		if n < 3 {
			t.Errorf("%s: only %d commands found", name, n)
		}
	}
}
