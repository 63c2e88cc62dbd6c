// Package sdktest asks a served card with the client of the A2A Go SDK. It is a module of its own, so that the
// product does not depend on that SDK.
package sdktest

import (
	"bufio"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2aclient/agentcard"
	"github.com/google/go-cmp/cmp"
)

var files = map[string]string{
	"base.agent.yaml": `oap: "1.0"
kind: AgentProfile
metadata: {name: base, description: The base., revision: 1}
spec:
  role: {instructions: Be careful.}
  tools: {policy: allowlist, allow: [read, write]}
`,
	"reader.agent.yaml": `oap: "1.0"
kind: AgentProfile
extends: [{name: base}]
metadata: {name: reader, display_name: Reader, description: Reads texts., revision: 1}
spec:
  role: {instructions: Read.}
  tools: {policy: allowlist, allow: [read]}
`,
	"personas/skills.yaml": `version: 1
skills:
  - {id: reading, name: Reading, description: Reads a text., tags: [text], requires: [read], examples: [Read this.]}
  - {id: writing, name: Writing, description: Writes a text., tags: [text], requires: [write]}
`,
	"personas/publish.yaml": `version: 1
provider: {organization: Example, url: "https://example.org"}
interface: {url: "https://agents.example.org/a/{name}", binding: JSONRPC, protocol_version: "1.0"}
personas: [reader]
`,
}

// run gives the output of a program that must succeed.
func run(t *testing.T, dir string, env []string, name string, args ...string) {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Env = dir, env
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s %v: %v\n%s", name, args, err, out)
	}
}

// TestResolve serves a repository with the built program and resolves the card of its persona at both places.
func TestResolve(t *testing.T) {
	oap := filepath.Join(t.TempDir(), "oap.exe")
	run(t, filepath.Join("..", "..", ".."), os.Environ(), "go", "build", "-buildvcs=false", "-o", oap, "./cmd/oap")

	dir := t.TempDir()
	env := append(os.Environ(), "HOME="+t.TempDir(), "GIT_CONFIG_NOSYSTEM=1", "OAP_USER_ROOT=none",
		"GIT_AUTHOR_NAME=Alex", "GIT_AUTHOR_EMAIL=alex@example.org", "GIT_COMMITTER_NAME=Alex", "GIT_COMMITTER_EMAIL=alex@example.org")
	for name, text := range files {
		path := filepath.Join(dir, ".agents", filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	run(t, dir, env, "git", "init", "-q", "-b", "main")
	run(t, dir, env, "git", "add", "-A")
	run(t, dir, env, "git", "commit", "-q", "-m", "Start")

	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	server := exec.CommandContext(ctx, oap, "serve", "--listen", "127.0.0.1:0", "--default", "reader")
	server.Dir, server.Env = dir, env
	server.Cancel = func() error { return server.Process.Kill() }
	var log strings.Builder
	server.Stderr = &log
	out, err := server.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { cancel(); _ = server.Wait() }()
	line, err := bufio.NewReader(out).ReadString('\n')
	url, ok := strings.CutPrefix(strings.TrimSpace(line), "listening on ")
	if err != nil || !ok {
		t.Fatal(line, err, log.String())
	}

	for _, base := range []string{url, url + "/a/reader"} {
		card, err := agentcard.DefaultResolver.Resolve(ctx, base)
		if err != nil {
			t.Fatalf("%s: %v", base, err)
		}
		want := []a2a.AgentSkill{{ID: "reading", Name: "Reading", Description: "Reads a text.", Tags: []string{"text"}, Examples: []string{"Read this."}}}
		if d := cmp.Diff(want, card.Skills); d != "" {
			t.Errorf("%s: skills (-want +got):\n%s", base, d)
		}
		if card.Name != "Reader" || card.Provider == nil || card.Provider.Org != "Example" || !strings.HasPrefix(card.Version, "sha256-") {
			t.Errorf("%s: %+v", base, card)
		}
		if len(card.SupportedInterfaces) != 1 || card.SupportedInterfaces[0].URL != "https://agents.example.org/a/reader" ||
			card.SupportedInterfaces[0].ProtocolBinding != a2a.TransportProtocolJSONRPC || card.SupportedInterfaces[0].ProtocolVersion != "1.0" {
			t.Errorf("%s: %+v", base, card.SupportedInterfaces)
		}
	}
	if _, err := agentcard.DefaultResolver.Resolve(ctx, url+"/a/base"); err == nil {
		t.Error("the base has a card")
	}
}
