package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/open-agent-profile/oap/internal/oaptest"
)

// shippedCommands gives the commands of a file under docs/hooks by what they are for. Of the plugin they are the lists
// of words.
func shippedCommands(t *testing.T, harness string) (comment string, commands map[string]string) {
	t.Helper()
	commands = map[string]string{}
	kind := func(command string) string {
		return map[bool]string{true: "tool"}[strings.Contains(command, "tools")] +
			map[bool]string{true: "start"}[strings.Contains(command, "hook start")] + map[bool]string{true: "end"}[strings.Contains(command, "hook end")]
	}
	if harness == "opencode" {
		text, err := os.ReadFile("../../docs/hooks/opencode.js")
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`run\(\[(.*?)\],`).FindAllStringSubmatch(string(text), -1) {
			words := strings.NewReplacer(`"`, "", ",", "", "`${homedir()}", `$HOME`, "`", "").Replace(m[1])
			commands[kind(words)] = "oap " + words
		}
		line, _, _ := strings.Cut(string(text), "\n")
		return line, commands
	}
	text, err := os.ReadFile("../../docs/hooks/" + harness + ".json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Comment string `json:"$comment"`
		Hooks   map[string][]struct {
			Hooks []struct{ Type, Command string }
		}
	}
	if err := json.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	for _, groups := range file.Hooks {
		for _, g := range groups {
			for _, h := range g.Hooks {
				if h.Type != "command" {
					t.Errorf("a hook of the type %q", h.Type)
				}
				commands[kind(h.Command)] = h.Command
			}
		}
	}
	return file.Comment, commands
}

// TestShippedHooks runs each command of docs/hooks with the payload that is stored for it.
func TestShippedHooks(t *testing.T) {
	bin := filepath.Dir(oapBinary(t))
	for _, harness := range hookHarnesses {
		t.Run(harness, func(t *testing.T) {
			t.Parallel()
			r := oaptest.New(t)
			r.Commit("base", ".agents/code-reviewer.agent.yaml", "oap: \"1.0\"\nkind: AgentProfile\nmetadata: {name: code-reviewer, description: Reviews.}\n"+
				"spec: {role: {instructions: Look.}, tools: {allow: [read, grep]}, permissions: {default: allow}}\n")
			home := t.TempDir()
			if err := os.MkdirAll(filepath.Join(home, ".config/oap"), 0o777); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(home, ".config/oap/policy.yaml"), []byte("oap: \"1.0\"\nkind: LocalPolicy\npermissions: {default: allow}\n"), 0o666); err != nil {
				t.Fatal(err)
			}
			comment, commands := shippedCommands(t, harness)
			if !regexp.MustCompile(`Written for .* \d+\.\d+`).MatchString(comment) {
				t.Errorf("no release is named: %q", comment)
			}
			for _, kind := range []string{"start", "end", "tool"} {
				command := commands[kind]
				if command == "" {
					t.Errorf("there is no command for %s in %q", kind, commands)
					continue
				}
				payload, err := os.ReadFile(filepath.Join("testdata/hooks", harness+"-"+kind+".json"))
				if err != nil {
					t.Fatal(err)
				}
				cmd := exec.Command("sh", "-c", command)
				cmd.Dir, cmd.Stdin = r.Dir, bytes.NewReader(payload)
				cmd.Env = append(r.Env, "HOME="+home, "PATH="+bin+":"+os.Getenv("PATH"))
				var out, errs bytes.Buffer
				cmd.Stdout, cmd.Stderr = &out, &errs
				if err := cmd.Run(); err != nil {
					t.Errorf("%s: %v\n%s", command, err, errs.String())
				}
				switch kind {
				case "tool":
					want := "{}\n" // allowed
					if harness == "codex" {
						want = "deny" // its payload is about the shell
					}
					if !strings.Contains(out.String(), want) {
						t.Errorf("%s: %s%s", command, out.String(), errs.String())
					}
				default:
					if out.Len() > 0 {
						t.Errorf("%s prints %q, which an agent would read", command, out.String())
					}
				}
			}
		})
	}
}
