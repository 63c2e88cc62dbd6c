package agentmanifest

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/open-agent-profile/oap/canonical"
	"github.com/open-agent-profile/oap/profile"
	"github.com/open-agent-profile/oap/schemas"
)

// Rejected is the code under which a registry refuses a manifest (RFC 0131; OpenWOP v2, packs).
const Rejected = "pack_validation_failed"

// Target says which major of the OpenWOP schemas a manifest has to satisfy.
type Target string

// The targets. V1 is what RFC 0131 was written for; what v2 says differently is then a warning.
const (
	V1   Target = "v1"
	V2   Target = "v2"
	Both Target = "both"
)

// Violation is one thing that is wrong with a manifest.
type Violation struct {
	profile.Finding
	AgentID string `json:"agent_id"`       // of the agent meant; empty for the pack itself
	Code    string `json:"code,omitempty"` // [Rejected], or empty for a warning
}

// Role gives the role that a manifest states: "skill", "assistant", or "" where it states none. Nothing else in
// a manifest makes it one (RFC 0131).
func Role(manifest map[string]any) string { return text(manifest["role"]) }

// checker gathers what is said of one file.
type checker struct {
	doc    *profile.Document
	target Target
	found  []Violation
}

func (c *checker) add(s profile.Severity, agent, rule, pointer, format string, args ...any) {
	v := Violation{AgentID: agent, Finding: c.doc.Finding(s, rule, pointer, fmt.Sprintf(format, args...))}
	if s == profile.Error {
		v.Code = Rejected
	}
	c.found = append(c.found, v)
}

// schema judges v by one format in the majors of the target.
func (c *checker) schema(kind, agent, at string, v any) {
	said := map[string]bool{}
	judge := func(major string, s profile.Severity, prefix string) {
		for _, found := range schemas.Validate("openwop-"+kind+"-"+major, v) {
			if key := found.Pointer + "\x00" + found.Message; !said[key] {
				said[key] = true
				c.add(s, agent, "schema", at+found.Pointer, "%s%s", prefix, found.Message)
			}
		}
	}
	switch c.target {
	case V2:
		judge("v2", profile.Error, "")
	case Both:
		judge("v1", profile.Error, "")
		judge("v2", profile.Error, "OpenWOP v2: ")
	default:
		judge("v1", profile.Error, "")
		// The v1 pack schema is closed to what v2 asks of packs, so nothing of that helps a v1 pack.
		if kind == "agent" {
			judge("v2", profile.Warning, "OpenWOP v2 would refuse it: ")
		}
	}
}

// Check lists everything that is wrong with a bare manifest. Files that it refers to are not looked for.
func Check(doc *profile.Document, target Target) []Violation {
	c := &checker{doc: doc, target: target}
	c.agent(doc.Value, "")
	return c.sorted()
}

// CheckList is [Check] of each entry of "manifests", the form in which hosts export agents.
func CheckList(doc *profile.Document, target Target) []Violation {
	c := &checker{doc: doc, target: target}
	all, ok := doc.Value["manifests"].([]any)
	if !ok {
		c.add(profile.Error, "", "schema", "/manifests", "must be a list")
	}
	for i, v := range all {
		c.agent(v, canonical.Pointer{"manifests", strconv.Itoa(i)}.String())
	}
	return c.sorted()
}

func (c *checker) sorted() []Violation {
	slices.SortStableFunc(c.found, func(a, b Violation) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	return c.found
}

// agent judges one manifest that lies at a pointer of the file.
func (c *checker) agent(v any, at string) {
	m, ok := v.(map[string]any)
	if !ok {
		c.add(profile.Error, "", "schema", at, "an agent manifest is a mapping")
		return
	}
	id := text(m["agentId"])
	judged := m
	if Role(m) == "skill" { // the profile's own rules have their own name, and are said once
		judged = maps.Clone(m)
		delete(judged, "role")
	}
	c.schema("agent", id, at, judged)
	c.skill(m, id, at)
	c.advice(m, id, at)
}

// skill holds a manifest to the Skill profile (RFC 0131, agent-memory.md section D), which binds those that state
// the role and no others.
func (c *checker) skill(m map[string]any, id, at string) {
	if Role(m) != "skill" {
		return
	}
	if _, ok := m["handoff"]; !ok {
		c.add(profile.Error, id, "skill-profile", at, "a skill declares handoff, and this one does not")
	}
	memory, _ := m["memoryShape"].(map[string]any)
	for _, flag := range []string{"conversation", "longTerm"} {
		if memory[flag] == true {
			c.add(profile.Error, id, "skill-profile", at+"/memoryShape/"+flag, "a skill remembers nothing between calls, so %s is false or absent", flag)
		}
	}
	handoff, ok := m["handoff"].(map[string]any)
	if !ok {
		return
	}
	for _, ref := range []string{"taskSchemaRef", "returnSchemaRef"} {
		if _, ok := handoff[ref]; !ok {
			c.add(profile.Warning, id, "skill-handoff", at+"/handoff", "the handoff of a skill lacks %s, so hosts check nothing there", ref)
		}
	}
	for i, capability := range list(m["requiresCapabilities"]) {
		if s := text(capability); strings.Contains(strings.ToLower(s), "memory") {
			c.add(profile.Warning, id, "skill-memory", fmt.Sprintf("%s/requiresCapabilities/%d", at, i), "a skill that remembers nothing asks for %q", s)
		}
	}
}

// toolID is what the format of toolAllowlist asks for: openwop:ID, mcp:ID or VENDOR.HOST:ID.
var toolID = regexp.MustCompile(`^(openwop|mcp|[a-z][a-z0-9_-]*(\.[a-z][a-zA-Z0-9_-]*)+):[^\s*]+$`)

// advice is what the schema lets through and is rarely meant.
func (c *checker) advice(m map[string]any, id, at string) {
	for i, v := range list(m["toolAllowlist"]) {
		if s := text(v); s != "" && !toolID.MatchString(s) {
			c.add(profile.Warning, id, "tool-scope", fmt.Sprintf("%s/toolAllowlist/%d", at, i), "%q has none of the forms openwop:ID, mcp:ID and VENDOR.HOST:ID", s)
		}
	}
	if overrides, _ := m["promptOverrides"].(map[string]any); overrides["system"] != nil {
		c.add(profile.Warning, id, "inert", at+"/promptOverrides/system", "it has no effect, since a manifest always has a prompt of its own")
	}
}

func text(v any) string { s, _ := v.(string); return s }

func list(v any) []any { l, _ := v.([]any); return l }
