package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/open-agent-profile/oap/internal/oaptest"
)

// The script that CI judges by tells changes of the contract from changes of state.
func TestContractChangedScript(t *testing.T) {
	script, err := filepath.Abs(filepath.Join("..", "..", "docs", "ci", "contract-changed.sh"))
	if err != nil {
		t.Fatal(err)
	}
	const file = ".agents/scout.agent.yaml"
	base := fmt.Sprintf(hostileProfile, "auto")
	tests := []struct {
		name, why string
		change    func(g *oaptest.Repo)
		want      string
	}{
		{"state", "sessions own it", func(g *oaptest.Repo) { g.Write(file, strings.Replace(base, "Tests live", "No tests live", 1)) }, ""},
		{"revision", "every write changes it", func(g *oaptest.Repo) { g.Write(file, strings.Replace(base, "revision: 7", "revision: 8", 1)) }, ""},
		{"other file", "it is no profile", func(g *oaptest.Repo) { g.Write("README.md", "x\n") }, ""},
		{"spec", "", func(g *oaptest.Repo) { g.Write(file, strings.Replace(base, "shell: deny", "shell: ask", 1)) }, file},
		{"metadata", "", func(g *oaptest.Repo) { g.Write(file, strings.Replace(base, "[a, b]", "[a]", 1)) }, file},
		{"extends", "a base grants, too", func(g *oaptest.Repo) {
			g.Write(file, strings.Replace(base, "kind:", "extends: [{name: root}]\nkind:", 1))
		}, file},
		{"new", "somebody has to have read it", func(g *oaptest.Repo) { g.Write(".agents/x.agent.json", "{}\n") }, ".agents/x.agent.json"},
		{"removed", "", func(g *oaptest.Repo) { g.Git("rm", "-q", file) }, file},
		{"link", "it could name another contract", func(g *oaptest.Repo) {
			if err := os.Symlink("scout.agent.yaml", g.Path(".agents/y.agent.yaml")); err != nil {
				t.Fatal(err)
			}
		}, ".agents/y.agent.yaml"},
		{"odd name", "what cannot be told counts as changed", func(g *oaptest.Repo) { g.Write(".agents/\".agent.yaml", "x\n") }, `".agents/\".agent.yaml"`},
	}
	oap := oapBinary(t)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			g := oaptest.New(t)
			g.Commit("base", file, base)
			tt.change(g)
			g.Git("add", "-A")
			g.Git("commit", "-q", "-m", "change")
			cmd := exec.Command("sh", script, "HEAD~1", "HEAD")
			cmd.Dir = g.Dir
			cmd.Env = append(g.Env, "PATH="+filepath.Dir(oap)+string(os.PathListSeparator)+os.Getenv("PATH"))
			out, err := cmd.CombinedOutput()
			if err != nil || strings.TrimSpace(string(out)) != tt.want {
				t.Errorf("%s: said %q (%v), want %q", tt.why, out, err, tt.want)
			}
		})
	}
}
