package render_test

import (
	"context"
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/open-agent-profile/oap/profile/narrow"
	"github.com/open-agent-profile/oap/profile/render"
	"github.com/open-agent-profile/oap/profile/resolve"
)

// usual writes a profile of the usual size with a base, and with n facts.
func usual(n int) fstest.MapFS {
	const base = `oap: "1.0"
kind: AgentProfile
metadata: {name: base, description: A base for reviewers of code., revision: 2}
spec:
  role: {instructions: You review code and report defects., constraints: [Do not edit files., Verify what you report.]}
  tools: {allow: [read, search, "git/*", "mcp/tracker/*"], deny: [shell, write, edit]}
  permissions: {default: ask, shell: deny, edit: deny, filesystem: {read_roots: ["."], deny_paths: [.env, secrets/]}}
  runtime: {max_turns: 30}
`
	var child strings.Builder
	child.WriteString(`oap: "1.0"
kind: AgentProfile
extends: [{name: base, revision: 2}]
metadata: {name: scout, description: Reviews changes of Python code., revision: 9}
spec:
  role:
    instructions: You review Python for ${{ vars.TEAM }} and report defects.
    objectives: [Find defects., Find missing tests.]
  tools: {allow: [read, search, git/diff, git/log, mcp/tracker/get], deny: [shell]}
  permissions: {shell: allow, rules: [{tool: "git/*", action: write, decision: deny}, {tool: read, target: "docs/**", decision: allow}]}
  context: {variables: {TEAM: platform}, budget: {max_state_tokens: 4000}}
  memory: {mode: read_write, scopes: ["project:a"], stores: [{name: own, kind: oap-state, mode: read_write}]}
state:
  summary: Half of the services are done.
  facts:
`)
	for i := range n {
		fmt.Fprintf(&child, "    - {id: fact-%d, text: Tests of module %d live beside it and not in a tree of their own., confidence: 0.9, learned_at: \"2026-05-%02dT16:20:00Z\"}\n", i, i, 1+i%28)
	}
	return fstest.MapFS{"base.agent.yaml": {Data: []byte(base)}, "scout.agent.yaml": {Data: []byte(child.String())}}
}

// BenchmarkSessionStart is what a harness waits for: find and read both files, resolve, narrow by the
// policy that people begin with, and render.
func BenchmarkSessionStart(b *testing.B) {
	for _, n := range []int{10, 100, 10_000} {
		tree := usual(n)
		roots := []resolve.Root{{Name: "project", Path: ".agents", Trust: resolve.Project}}
		loader := resolve.FSLoader{Open: func(resolve.Root) (fs.FS, error) { return tree, nil }}
		pol, err := narrow.ParsePolicy("policy.yaml", narrow.StarterPolicy())
		if err != nil {
			b.Fatal(err)
		}
		ctx := context.Background()
		find := func() *resolve.Source {
			src, _, err := resolve.Find(ctx, loader, roots, "scout")
			if err != nil {
				b.Fatal(err)
			}
			return src
		}
		src := find()
		whole := func(src *resolve.Source) *resolve.Resolved {
			r, err := resolve.Resolve(ctx, loader, roots, src, resolve.Options{})
			if err != nil {
				b.Fatal(err)
			}
			return r
		}
		r := whole(src)
		limited := func(r *resolve.Resolved) *narrow.Effective {
			e, err := narrow.Narrow(narrow.From(r), pol, narrow.Options{})
			if err != nil {
				b.Fatal(err)
			}
			return e
		}
		e := limited(r)
		doc := func(r *resolve.Resolved, e *narrow.Effective) map[string]any {
			return map[string]any{"metadata": r.Value["metadata"], "spec": e.Spec, "state": r.Value["state"]}
		}
		for _, step := range []struct {
			name string
			run  func()
		}{
			{"all", func() { r := whole(find()); render.Render(doc(r, limited(r)), render.Options{}) }},
			{"resolve", func() { whole(src) }},
			{"narrow", func() { limited(r) }},
			{"render", func() { render.Render(doc(r, e), render.Options{}) }},
			{"decide", func() { e.Decide("git/diff", "read", "src/a.py") }},
		} {
			b.Run(fmt.Sprintf("%s/%d", step.name, n), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					step.run()
				}
			})
		}
	}
}
