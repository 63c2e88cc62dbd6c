package agentcard

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/open-agent-profile/oap/canonical"
	"github.com/open-agent-profile/oap/profile"
)

const persona = `oap: "1.0"
kind: AgentProfile
extends:
  - name: base
metadata:
  name: reviewer
  display_name: Reviewer
  description: Reads a change.
  homepage: https://example.org/reviewer
  revision: 4
  authors: [{name: Secret Author}]
  annotations: {secret.example/annotation: hidden}
spec:
  role:
    instructions: The secret instructions.
    constraints: [A secret constraint.]
  tools:
    policy: allowlist
    allow: [secret/read, secret/diff]
state:
  summary: A secret summary.
  facts:
    - id: secret-fact
      text: A secret fact.
history:
  - revision: 4
    at: 2026-05-04T08:00:00Z
    summary: A secret change.
`

const skills = `version: 1
skills:
  - id: review
    name: Review a change
    description: Reads a diff and lists defects.
    tags: [review]
    requires: [secret/read, secret/diff]
    examples: [Review this.]
    inputModes: [text/x-diff]
  - id: deploy
    name: Deploy
    description: Ships it.
    tags: [ops]
    requires: [secret/deploy]
`

const publish = `version: 1
provider: {organization: Example, url: https://example.org}
interface: {url: "https://agents.example.org/a/{name}", binding: JSONRPC, protocol_version: "1.0"}
personas: [reviewer]
`

// grants answers by a plain list.
func grants(tools ...string) Grant {
	return func(tool string) (bool, string) {
		if slices.Contains(tools, tool) {
			return true, "listed"
		}
		return false, "not listed"
	}
}

func load(t testing.TB, text string) *profile.Document {
	t.Helper()
	doc, err := profile.Parse("reviewer.agent.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

func loadMap(t testing.TB, text string) *SkillMap {
	t.Helper()
	m, err := ParseSkills("skills.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func loadPublish(t testing.TB, text string) *Publish {
	t.Helper()
	p, err := ParsePublish("publish.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// refusal gives the rules of an error's findings.
func refusal(t testing.TB, err error) (rules []string) {
	t.Helper()
	var invalid *profile.InvalidError
	if !errors.As(err, &invalid) {
		t.Fatalf("got %v, want findings", err)
	}
	for _, f := range invalid.Findings {
		rules = append(rules, f.Rule)
		if f.Line == 0 || f.Path == "" {
			t.Errorf("no position: %+v", f)
		}
	}
	return rules
}

// The bytes are what they are: a change here breaks every reader's cache and every signature.
func TestBuildGolden(t *testing.T) {
	p := &Persona{Document: load(t, persona), Granted: grants("secret/read", "secret/diff")}
	card, err := Build(p, loadMap(t, skills), loadPublish(t, publish))
	if err != nil {
		t.Fatal(err)
	}
	want := `{"capabilities":{"pushNotifications":false,"streaming":false},"defaultInputModes":["text/plain"],"defaultOutputModes":["text/plain"],` +
		`"description":"Reads a change.","documentationUrl":"https://example.org/reviewer","name":"Reviewer","provider":{"organization":"Example","url":"https://example.org"},` +
		`"skills":[{"description":"Reads a diff and lists defects.","examples":["Review this."],"id":"review","inputModes":["text/x-diff"],"name":"Review a change","tags":["review"]}],` +
		`"supportedInterfaces":[{"protocolBinding":"JSONRPC","protocolVersion":"1.0","url":"https://agents.example.org/a/reviewer"}],"version":"VERSION"}`
	var whole map[string]any
	if err := json.Unmarshal(card.Bytes, &whole); err != nil {
		t.Fatal(err)
	}
	version := whole["version"].(string)
	if got := strings.Replace(string(card.Bytes), version, "VERSION", 1); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	delete(whole, "version")
	sum, err := canonical.Sum(whole)
	if err != nil {
		t.Fatal(err)
	}
	if version != fmt.Sprintf("sha256-%x", sum[:6]) {
		t.Errorf("the version %s is not of the content, %s", version, sum)
	}
	if bytes.Contains(bytes.ToLower(card.Bytes), []byte("secret")) {
		t.Errorf("a card says what is nobody's business: %s", card.Bytes)
	}
	if e := card.ETag(); len(e) != 34 || strings.Trim(e, `"`) == e {
		t.Errorf("the entity tag is %s", e)
	}
}

// What state writes touch reaches no card, nor does anything else that only the profile's owner should see.
func TestBuildLooksAtNothingElse(t *testing.T) {
	m, pub := loadMap(t, skills), loadPublish(t, publish)
	card := func(text string) string {
		c, err := Build(&Persona{Document: load(t, text), Granted: grants("secret/read", "secret/diff")}, m, pub)
		if err != nil {
			t.Fatal(err)
		}
		return string(c.Bytes)
	}
	before := card(persona)
	for _, change := range [][2]string{
		{"revision: 4\n  authors", "revision: 5\n  updated_at: 2026-06-01T00:00:00Z\n  authors"}, {"A secret fact.", "I may deploy now."}, {"A secret change.", "x"},
		{"A secret summary.", "Deploys."}, {"The secret instructions.", "Others."}, {"A secret constraint.", "None."}, {"hidden", "shown"}, {"Secret Author", "Me"},
	} {
		if !strings.Contains(persona, change[0]) {
			t.Fatalf("%q is not there", change[0])
		}
		if after := card(strings.Replace(persona, change[0], change[1], 1)); after != before {
			t.Errorf("%q changes the card", change[1])
		}
	}
	if after := card(strings.Replace(persona, "Reads a change.", "Reads all changes.", 1)); after == before {
		t.Error("a description changes no card")
	}
}

func TestBuildFull(t *testing.T) {
	full := `version: 1
provider: {organization: Example, url: https://example.org}
interface:
  - {url: "https://agents.example.org/a/{name}", binding: JSONRPC, protocol_version: "1.0"}
  - {url: "https://agents.example.org/grpc", binding: GRPC, protocol_version: "1.0"}
input_modes: [text/markdown]
output_modes: [text/plain, application/json]
security_schemes:
  bearer: {httpAuthSecurityScheme: {scheme: Bearer}}
security_requirements:
  - schemes: {bearer: {list: []}}
personas:
  - {name: reviewer, version: "7", icon_url: https://example.org/i.svg, tenant: one}
`
	p := &Persona{Document: load(t, persona), Granted: grants("secret/read", "secret/diff")}
	card, err := Build(p, loadMap(t, skills), loadPublish(t, full))
	if err != nil {
		t.Fatal(err)
	}
	var got map[string]any
	if err := json.Unmarshal(card.Bytes, &got); err != nil {
		t.Fatal(err)
	}
	for pointer, want := range map[string]any{
		"/version": "7", "/iconUrl": "https://example.org/i.svg", "/supportedInterfaces/0/tenant": "one", "/supportedInterfaces/1/protocolBinding": "GRPC",
		"/defaultInputModes/0": "text/markdown", "/defaultOutputModes/1": "application/json", "/securitySchemes/bearer/httpAuthSecurityScheme/scheme": "Bearer",
	} {
		at, err := canonical.ParsePointer(pointer)
		if err != nil {
			t.Fatal(err)
		}
		if v, _ := canonical.Get(got, at); v != want {
			t.Errorf("%s is %v, want %v", pointer, v, want)
		}
	}
	missing := strings.Replace(full, "schemes: {bearer:", "schemes: {other:", 1)
	if _, err := Build(p, loadMap(t, skills), loadPublish(t, missing)); err == nil || !strings.Contains(err.Error(), `no scheme is named "other"`) {
		t.Errorf("a requirement without a scheme: %v", err)
	}
}

func TestBuildRefuses(t *testing.T) {
	p := &Persona{Document: load(t, persona), Granted: grants("secret/read", "secret/diff")}
	for _, c := range []struct {
		name, rule string
		p          *Persona
		publish    string
	}{
		{"not public", "publish-file", p, strings.Replace(publish, "[reviewer]", "[other]", 1)},
		{"no interface", "no-interface", p, "version: 1\npersonas: [reviewer]\n"},
		{"no skills", "no-skills", &Persona{Document: p.Document, Granted: grants("secret/read")}, publish},
	} {
		t.Run(c.name, func(t *testing.T) {
			card, err := Build(c.p, loadMap(t, skills), loadPublish(t, c.publish))
			if d := cmp.Diff([]string{c.rule}, refusal(t, err)); d != "" || card != nil {
				t.Errorf("card %v, (-want +got):\n%s", card, d)
			}
		})
	}
}

func TestCheckContent(t *testing.T) {
	swap := func(old, new string) string {
		if !strings.Contains(persona, old) {
			t.Fatal(old)
		}
		return strings.Replace(persona, old, new, 1)
	}
	for _, c := range []struct {
		name, text string
		want       []string // rule pointer
	}{
		{"good", persona, nil},
		{"no base", swap("extends:\n  - name: base\n", ""), []string{"base /extends"}},
		{"two bases", swap("  - name: base\n", "  - name: base\n  - name: other\n"), []string{"base /extends"}},
		{"sections", swap("  tools:\n", "  memory: {}\n  permissions: {shell: deny}\n  tools:\n    mcp_servers: []\n"),
			[]string{"persona-content /spec/memory", "persona-content /spec/permissions", "persona-content /spec/tools/mcp_servers"}},
		{"other policy", swap("policy: allowlist", "policy: denylist"), []string{"policy /spec/tools/policy"}},
		{"no policy", swap("    policy: allowlist\n", ""), []string{"policy /spec/tools"}},
		{"no list", swap("    allow: [secret/read, secret/diff]\n", ""), []string{"policy /spec/tools"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []string
			for _, f := range CheckContent(load(t, c.text)) {
				got = append(got, f.Rule+" "+f.Pointer)
				if f.Line == 0 || f.Severity != profile.Error {
					t.Errorf("%+v", f)
				}
			}
			if d := cmp.Diff(c.want, got); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
		})
	}
}

func TestCheckNamesEveryEntry(t *testing.T) {
	p := &Persona{
		Document: load(t, persona), Granted: grants("secret/read", "secret/diff"), Backed: grants("secret/read"),
		Base:   map[string]any{"role": map[string]any{"constraints": []any{"Never push.", "A secret constraint."}}},
		Merged: map[string]any{"tools": map[string]any{"allow": []any{"secret/read", "secret/diff", "x/*"}}},
		Excess: []Excess{{"/spec/tools/allow/0", "secret/read", "is too much"}, {"/spec/tools/allow/1", "secret/diff", "is, too"}},
		Odd:    []Excess{{"/spec/tools/allow", "", "has no bound"}},
	}
	var got []string
	for _, f := range Check(p, loadMap(t, strings.Replace(skills, "[secret/read, secret/diff]", "[secret/read]", 1))) {
		got = append(got, fmt.Sprintf("%s %s %s: %s", f.Severity, f.Rule, f.Pointer, f.Message))
	}
	want := []string{
		`error not-subset /spec/tools/allow/0: "secret/read" is too much`,
		`error not-subset /spec/tools/allow/1: "secret/diff" is, too`,
		`warning persona /spec/tools/allow: has no bound`,
		`warning persona /spec/role/constraints: drops a constraint of the base: "Never push."`,
		`warning persona /spec/tools/allow/1: no skill of the map needs "secret/diff"`,
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	dead := CheckMap(loadMap(t, skills), []*Persona{p})
	if len(dead) != 2 || dead[1].Pointer != "/skills/1" || dead[1].Severity != profile.Warning {
		t.Errorf("skills that nobody backs: %+v", dead)
	}
	if CheckMap(loadMap(t, skills), nil) != nil {
		t.Error("without personas there is nothing to say of a map")
	}
}

func TestFilesRefused(t *testing.T) {
	for _, c := range []struct{ name, file, old, new, pointer string }{
		{"unknown key", skills, "tags: [ops]", "tags: [ops]\n    color: red", "/skills/1/color"},
		{"duplicate id", skills, "id: deploy", "id: review", "/skills/1"},
		{"no requires", skills, "    requires: [secret/deploy]\n", "", "/skills/1"},
		{"empty requires", skills, "[secret/deploy]", "[]", "/skills/1/requires"},
		{"empty tags", skills, "[ops]", "[]", "/skills/1/tags"},
		{"pattern", skills, "[secret/deploy]", "[secret/*]", "/skills/1/requires/0"},
		{"bad id", skills, "id: deploy", "id: Deploy It", "/skills/1/id"},
		{"version", skills, "version: 1", "version: 2", "/version"},
		{"bare mode", skills, "[text/x-diff]", "[text]", "/skills/0/inputModes/0"},
		{"unknown key", publish, "version: 1", "version: 1\ncolor: red", "/color"},
		{"persona twice", publish, "[reviewer]", "[reviewer, {name: reviewer}]", "/personas/1"},
		{"provider without url", publish, ", url: https://example.org}", "}", "/provider"},
		{"relative address", publish, `"https://agents.example.org/a/{name}"`, "a/b", "/interface"},
		{"patch version", publish, `"1.0"`, `"1.0.1"`, "/interface"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if !strings.Contains(c.file, c.old) {
				t.Fatal(c.old)
			}
			text := []byte(strings.Replace(c.file, c.old, c.new, 1))
			var err error
			rule := "skill-map"
			if c.file == skills {
				_, err = ParseSkills("skills.yaml", text)
			} else {
				rule = "publish-file"
				_, err = ParsePublish("publish.yaml", text)
			}
			if rules := refusal(t, err); !slices.Contains(rules, rule) {
				t.Errorf("%v", rules)
			}
			var invalid *profile.InvalidError
			errors.As(err, &invalid)
			if !slices.ContainsFunc(invalid.Findings, func(f profile.Finding) bool { return strings.HasPrefix(f.Pointer, c.pointer) }) {
				t.Errorf("nothing at %s: %+v", c.pointer, invalid.Findings)
			}
		})
	}
	var syntax *profile.SyntaxError
	if _, err := ParseSkills("skills.yaml", []byte("a: [\n")); !errors.As(err, &syntax) {
		t.Errorf("got %v", err)
	}
}
