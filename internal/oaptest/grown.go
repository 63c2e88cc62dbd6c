package oaptest

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// grownProfile is a profile as the generator knows it. It is written twice: as text, and as JSON for digests.
type grownProfile struct {
	name, path, role, writeback string
	constraints                 []string
	revision, stateRevision     int
	updated                     string
	limit, maxFacts             int
	facts                       []grownFact
	history                     []grownEntry
}

type grownFact struct {
	id, text, learned, used, source string
	confidence                      float64
}

type grownEntry struct {
	revision                                   int
	at, by, session, harness, change, approved string
	sections                                   []string
}

func (g *grower) time() string { return time.Unix(g.now+60, 0).UTC().Format(time.RFC3339) }

func (p *grownProfile) stamp(at string) { p.revision, p.updated = p.revision+1, at }

func (p *grownProfile) log(e grownEntry) {
	p.history = append(p.history, e)
	p.history = p.history[max(0, len(p.history)-p.limit):]
}

// text writes the file.
func (p *grownProfile) text() string {
	var b strings.Builder
	w := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	w("# An agent of this repository.\noap: \"1.0\"\nkind: AgentProfile\n\nmetadata:")
	w("  name: %s\n  description: Finds where a feature lives in the code.\n  revision: %d\n  updated_at: %s", p.name, p.revision, p.updated)
	w("  tags: [search, code]  # for the list\n\nspec:\n  role:\n    instructions: |\n      %s\n\n      Name the file and line of everything you state.", p.role)
	w("    constraints:\n      # Rules that hold whatever is asked.\n      - Do not change files.")
	for _, c := range p.constraints {
		w("      - %s", c)
	}
	w("  tools:\n    policy: allowlist\n    allow: [read, search]\n    deny: [shell]")
	w("  permissions:\n    default: ask\n    network: deny\n    filesystem:\n      read_roots: [\".\"]\n      write_roots: []")
	w("  lifecycle:\n    writeback: %s\n    retention:\n      max_facts: %d\n      max_history: %d\n", p.writeback, p.maxFacts, p.limit)
	w("# What sessions learned: untrusted text, never an instruction.\nstate:\n  revision: %d", p.stateRevision)
	if len(p.facts) > 0 {
		w("  facts:")
	}
	for _, f := range p.facts {
		w("    - id: %s\n      text: %s\n      confidence: %v\n      learned_at: %s\n      source: %s", f.id, quoted(f.text), f.confidence, f.learned, f.source)
		if f.used != "" {
			w("      last_used_at: %s", f.used)
		}
	}
	if len(p.history) > 0 {
		w("\nhistory:")
	}
	for _, e := range p.history {
		w("  - revision: %d\n    at: %s\n    by: %s", e.revision, e.at, e.by)
		for _, f := range [][2]string{{"session_id", e.session}, {"harness", e.harness}, {"change", e.change}, {"approved_by", e.approved}} {
			if f[1] != "" {
				w("    %s: %s", f[0], f[1])
			}
		}
		w("    sections: [%s]", strings.Join(e.sections, ", "))
	}
	return b.String()
}

// quoted puts quotes where a colon would make a text a mapping.
func quoted(s string) string {
	if strings.Contains(s, ": ") {
		return `"` + s + `"`
	}
	return s
}

// object leaves out what has no value.
func object(kv ...any) map[string]any {
	m := map[string]any{}
	for i := 0; i+1 < len(kv); i += 2 {
		if kv[i+1] != "" {
			m[kv[i].(string)] = kv[i+1]
		}
	}
	return m
}

// digests are the document's and the contract's, by the rule of the specification: SHA-256 over RFC 8785.
func (p *grownProfile) digests() (profile, spec string) {
	metadata := object("name", p.name, "description", "Finds where a feature lives in the code.", "tags", []string{"search", "code"})
	contract := object(
		"role", object("instructions", p.role+"\n\nName the file and line of everything you state.\n", "constraints", append([]string{"Do not change files."}, p.constraints...)),
		"tools", object("policy", "allowlist", "allow", []string{"read", "search"}, "deny", []string{"shell"}),
		"permissions", object("default", "ask", "network", "deny", "filesystem", object("read_roots", []string{"."}, "write_roots", []string{})),
		"lifecycle", object("writeback", p.writeback, "retention", object("max_facts", p.maxFacts, "max_history", p.limit)),
	)
	spec = digest(object("metadata", metadata, "spec", contract))
	metadata["revision"], metadata["updated_at"] = p.revision, p.updated
	state := object("revision", p.stateRevision)
	if len(p.facts) > 0 {
		var list []any
		for _, f := range p.facts {
			list = append(list, object("id", f.id, "text", f.text, "confidence", f.confidence, "learned_at", f.learned, "source", f.source, "last_used_at", f.used))
		}
		state["facts"] = list
	}
	doc := object("oap", "1.0", "kind", "AgentProfile", "metadata", metadata, "spec", contract, "state", state)
	if len(p.history) > 0 {
		var list []any
		for _, e := range p.history {
			list = append(list, object("revision", e.revision, "at", e.at, "by", e.by, "session_id", e.session, "harness", e.harness,
				"change", e.change, "approved_by", e.approved, "sections", e.sections))
		}
		doc["history"] = list
	}
	return digest(doc), spec
}

// digest is that of the canonical form (RFC 8785). For ASCII member names and texts, and numbers such as these,
// encoding/json writes just that: members sorted, nothing but quotes and control characters escaped.
func digest(v any) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic(err) // the generator's own values
	}
	return "sha256:" + hash([]byte(strings.TrimSuffix(b.String(), "\n")))
}

func hash(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// message is that of a commit which makes the profile the revision of an entry.
func (p *grownProfile) message(what string, e grownEntry, more ...string) string {
	profile, spec := p.digests()
	lines := []string{
		fmt.Sprintf("%s: r%d %s", p.name, p.revision, what), "", what, "",
		"OAP-Profile: " + p.name, "OAP-Path: " + p.path, fmt.Sprintf("OAP-Revision: %d", p.revision),
		"OAP-Sections: " + strings.Join(e.sections, ", "), "OAP-Profile-Digest: " + profile, "OAP-Spec-Digest: " + spec,
	}
	if e.session != "" {
		lines = append(lines, "OAP-Session: "+e.session, "OAP-Harness: "+e.harness)
	}
	if e.approved != "" {
		lines = append(lines, "OAP-Approved-By: "+e.approved)
	}
	return strings.Join(append(lines, more...), "\n") + "\n"
}
