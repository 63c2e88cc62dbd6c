package resolve

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/open-agent-profile/oap/canonical"
	"github.com/open-agent-profile/oap/profile"
)

const kit = `
metadata: {name: kit, description: Has one of everything.}
spec:
  role:
    instructions: "Team ${{ vars.TEAM }}, ${{vars.NEST}}, ${HOME}."
    objectives: ["For ${{ vars.TEAM }}."]
    constraints: ["Of ${{ vars.TEAM }}."]
    expertise: ["${{ vars.TEAM }}"]
  tools:
    allow: ["mcp/**"]
    mcp_servers:
      - {name: set, transport: stdio, command: x, env: {HAVE_IT: "${HAVE_IT}"}}
      - {name: unset, transport: http, url: x, headers: {Authorization: "Bearer ${LACK_IT}"}}
    skills:
      - {name: good, digest: "sha256:GOOD"}
      - {name: gone}
      - {name: forged, digest: "sha256:GOOD"}
  context:
    variables: {TEAM: red, NEST: "${{ vars.TEAM }}"}
    documents:
      - {uri: a, digest: "sha256:GOOD"}
      - {uri: far, digest: "sha256:GOOD"}
      - {uri: forged, digest: "sha256:GOOD"}
  memory: {stores: [{name: own, kind: oap-state}, {name: dead, kind: other}]}
state:
  summary: "Literally ${{ vars.TEAM }}."
  facts: [{id: f, text: "${{ vars.TEAM }} ${HAVE_IT}"}]
`

func kitFile() (string, canonical.Digest) {
	good, _ := canonical.Sum("good")
	return strings.ReplaceAll(kit, "sha256:GOOD", good.String()), good
}

func kitOptions(good canonical.Digest) Options {
	bad, _ := canonical.Sum("bad")
	digests := map[string]canonical.Digest{"good": good, "forged": bad, "a": good}
	look := func(name string) (canonical.Digest, error) {
		if d, ok := digests[name]; ok {
			return d, nil
		}
		return canonical.Digest{}, fs.ErrNotExist
	}
	return Options{
		Env:      func(n string) bool { return n == "HAVE_IT" },
		Skill:    func(name, _ string) (canonical.Digest, error) { return look(name) },
		Document: look,
		Store:    func(name, _, _ string) error { return errors.New("no such store") },
	}
}

// Resolving reads, asks whether variables are set, and leaves everything as it is: the files are those of
// a tree that cannot be written, and the document is the same afterwards.
//
// conformance: L1-I7, L1-I11, L2-S5, L3-K1, L3-M1
func TestPrepare(t *testing.T) {
	text, good := kitFile()
	f := files{"ws/.agents/kit.agent.yaml": short("kit", text)}
	src := f.open(t, "ws/.agents/kit.agent.yaml")
	before := canonical.Clone(src.Document.Value)
	r, err := Resolve(context.Background(), f.loader(), testRoots, src, kitOptions(good))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before, any(src.Document.Value)); diff != "" {
		t.Errorf("the document was changed (-before +after):\n%s", diff)
	}
	for _, c := range []struct{ why, pointer, want string }{
		{"filled in, once", "/spec/role/instructions", `"Team red, ${{ vars.TEAM }}, ${HOME}."`},
		{"filled in", "/spec/role/objectives", `["For red."]`},
		{"filled in", "/spec/role/constraints", `["Of red."]`},
		{"nowhere else", "/spec/role/expertise", `["${{ vars.TEAM }}"]`},
		{"never in state", "/state/summary", `"Literally ${{ vars.TEAM }}."`},
		{"never in state", "/state/facts/0/text", `"${{ vars.TEAM }} ${HAVE_IT}"`},
		{"a reference stays a reference", "/spec/tools/mcp_servers", `[{"command":"x","env":{"HAVE_IT":"${HAVE_IT}"},"name":"set","transport":"stdio"}]`},
		{"an own state needs no store", "/spec/memory/stores", `[{"kind":"oap-state","name":"own"}]`},
	} {
		if got := at(r.Value, c.pointer); got != c.want {
			t.Errorf("%s: %s is %s, want %s", c.why, c.pointer, got, c.want)
		}
	}
	var dropped []string
	for _, d := range r.Dropped {
		dropped = append(dropped, d.Pointer)
		if d.Reason == "" {
			t.Errorf("no reason: %+v", d)
		}
	}
	want := []string{"/spec/tools/mcp_servers/1", "/spec/tools/skills/1", "/spec/tools/skills/2", "/spec/context/documents/2", "/spec/memory/stores/1"}
	if diff := cmp.Diff(want, dropped); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if at(r.Merged, "/spec/role/objectives") != `["For ${{ vars.TEAM }}."]` {
		t.Error("the merged document was changed")
	}
	// Nothing is asked, nothing is taken away.
	if r := f.mustResolve(t, "ws/.agents/kit.agent.yaml", Options{}); len(r.Dropped) != 0 {
		t.Errorf("dropped without asking: %+v", r.Dropped)
	}
	for name, wantRule := range map[string]string{"gone": "required-skill", "forged, digest: \"" + good.String() + "\"": "required-skill", "dead, kind: other": "required-store"} {
		g := files{"ws/.agents/kit.agent.yaml": short("kit", strings.Replace(text, "{name: "+name, "{required: true, name: "+name, 1))}
		var invalid *profile.InvalidError
		_, err := g.resolve(t, "ws/.agents/kit.agent.yaml", kitOptions(good))
		if !errors.As(err, &invalid) || invalid.Findings[len(invalid.Findings)-1].Rule != wantRule || invalid.Findings[len(invalid.Findings)-1].Line < 10 {
			t.Errorf("required %s: %v", name, err)
		}
	}
}

// Behaviour tests 3 and 4: refused at resolve time.
//
// conformance: L1-I5, L1-I6
func TestBehaviour3And4Refused(t *testing.T) {
	for name, spec := range map[string]string{
		"/spec/context/files/0/path":                   "context: {files: [{path: ../x}]}",
		"/spec/context/working_directory":              "context: {working_directory: /etc}",
		"/spec/permissions/filesystem/write_roots/0":   "permissions: {filesystem: {write_roots: [\"/\"]}}",
		"/spec/tools/mcp_servers/0/env/TOKEN":          "tools: {mcp_servers: [{name: x, transport: stdio, command: y, env: {TOKEN: hunter2}}]}",
		"/spec/tools/mcp_servers/0/headers/X":          "tools: {mcp_servers: [{name: x, transport: http, url: y, headers: {X: hunter2}}]}",
		"/spec/tools/mcp_servers/0/env/LD_PRELOAD":     "tools: {mcp_servers: [{name: x, transport: stdio, command: y, env: {LD_PRELOAD: \"${OTHER}\"}}]}",
		"/spec/permissions/filesystem/read_roots/0":    "permissions: {filesystem: {read_roots: [link]}}",
		"/spec/context/files/0/path over a link":       "context: {files: [{path: link/secret}]}",
		"/spec/context/working_directory over a link":  "context: {working_directory: deep/link}",
		"/spec/context/files/0/path behind ..":         "context: {files: [{path: in/../link/x}]}",
		"/spec/permissions/filesystem/write_roots/1 x": "permissions: {filesystem: {write_roots: [in, loop/x]}}",
	} {
		f := files{"ws/.agents/a.agent.yaml": short("a", "spec: {role: {instructions: A.}, "+spec+"}\n")}
		_, err := f.resolve(t, "ws/.agents/a.agent.yaml", Options{Inside: Inside(linked)})
		var invalid *profile.InvalidError
		pointer, _, _ := strings.Cut(name, " ")
		if !errors.As(err, &invalid) || !slices.ContainsFunc(invalid.Findings, func(f profile.Finding) bool { return f.Severity == profile.Error && f.Pointer == pointer }) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func link(to string) *fstest.MapFile { return &fstest.MapFile{Mode: fs.ModeSymlink, Data: []byte(to)} }

// linked is a workspace with links in it.
var linked = fstest.MapFS{
	"in/file": {Data: []byte("x")}, "link": link("../other"), "abs": link("/etc"), "good": link("in"), "deep/link": link("../../x"),
	"deep/good": link("../good/file"), "loop": link("loop"), "chain": link("good/../link"), "top": link("."), "file.md": {Data: []byte("x")},
}

func TestInside(t *testing.T) {
	inside := Inside(linked)
	for p, want := range map[string]bool{
		".": true, "in": true, "in/file": true, "./in/": true, "new/file": true, "good/file": true, "deep/good": true, "top/top/in": true,
		"link": false, "link/x": false, "abs": false, "abs/passwd": false, "deep/link": false, "chain": false, "..": false, "in/../..": false,
		"/etc": false, `in\..\..`: false, "good/../link": false, "new/../../x": false, "top/../x": false,
	} {
		if got, err := inside(p); got != want || err != nil {
			t.Errorf("%q: %v, %v", p, got, err)
		}
	}
	if _, err := inside("loop"); err == nil {
		t.Error("a link to itself was followed to an end")
	}
}

// The published pair: what facts (l) says of it, and a base that changed after pinning.
//
// conformance: L3-E1
func TestPublishedFamily(t *testing.T) {
	root := os.Getenv("OAP_CORPUS")
	if root == "" {
		t.Skip("OAP_CORPUS is not set")
	}
	f := files{}
	for _, name := range []string{"base-reviewer", "python-reviewer", "data-engineer", "code-reviewer"} {
		text, err := os.ReadFile(filepath.Join(root, "oap/examples", name+".agent.yaml"))
		if err != nil {
			t.Fatal(err)
		}
		f["ws/.agents/"+name+".agent.yaml"] = string(text)
	}
	r := f.mustResolve(t, "ws/.agents/python-reviewer.agent.yaml", Options{})
	for pointer, want := range map[string]string{
		"/spec/permissions/shell": `"deny"`, "/spec/tools/allow": `["read","search","git/diff"]`,
		"/state": `{"revision":1,"summary":"Reviewing the platform team's Python services."}`, "/spec/runtime": `{"max_turns":30,"mode":"subagent"}`,
		"/metadata/tags": `["review","python"]`, "/metadata/name": `"python-reviewer"`,
	} {
		if got := at(r.Merged, pointer); got != want {
			t.Errorf("%s is %s, want %s", pointer, got, want)
		}
	}
	if got := r.SpecDigest.String(); got != "sha256:4c737da2cf3df11847fea1ff61e8160f4d2e118081e9ed60408eb8df9c291258" {
		t.Errorf("spec digest %s", got)
	}
	for _, name := range []string{"data-engineer", "code-reviewer"} {
		if r := f.mustResolve(t, "ws/.agents/"+name+".agent.yaml", Options{}); len(r.Findings) != 0 || r.ResolvedDigest != r.SpecDigest {
			t.Errorf("%s: %v", name, r.Findings)
		}
	}
	pin := strings.Replace(f["ws/.agents/python-reviewer.agent.yaml"], "revision: 4", "digest: "+r.Layers[1].SpecDigest.String(), 1)
	f["ws/.agents/python-reviewer.agent.yaml"] = pin
	f.mustResolve(t, "ws/.agents/python-reviewer.agent.yaml", Options{})
	f["ws/.agents/base-reviewer.agent.yaml"] = strings.Replace(f["ws/.agents/base-reviewer.agent.yaml"], "shell: deny", "shell: allow", 1)
	var refused *PinError
	if _, err := f.resolve(t, "ws/.agents/python-reviewer.agent.yaml", Options{}); !errors.As(err, &refused) {
		t.Errorf("a changed base: %v", err)
	}
}
