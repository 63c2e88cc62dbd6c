package agentcard

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/open-agent-profile/oap/canonical"
	"github.com/open-agent-profile/oap/profile"
	"github.com/open-agent-profile/oap/schemas"
)

// Need is what one skill of a map comes to for a persona.
type Need struct {
	Skill      string     `json:"skill"`
	Advertised bool       `json:"advertised"`
	Tools      []ToolNeed `json:"tools"`
}

// ToolNeed is one tool that a skill requires.
type ToolNeed struct {
	Tool    string `json:"tool"`
	Granted bool   `json:"granted"`
	Line    string `json:"line"` // what decides
}

// Explain says of each mapped skill, in the order of the map, why it is or is not advertised.
func Explain(m *SkillMap, granted Grant) []Need {
	needs := make([]Need, 0, len(m.Skills))
	for _, s := range m.Skills {
		n := Need{Skill: s.ID, Advertised: true, Tools: []ToolNeed{}}
		for _, tool := range s.Requires {
			ok, line := granted(tool)
			n.Tools = append(n.Tools, ToolNeed{tool, ok, line})
			n.Advertised = n.Advertised && ok
		}
		needs = append(needs, n)
	}
	return needs
}

// Derive gives the skills whose tools are all granted, in the order of the map; never nil.
func Derive(m *SkillMap, granted Grant) []Skill {
	skills := []Skill{}
	for i, n := range Explain(m, granted) {
		if n.Advertised {
			skills = append(skills, m.Skills[i])
		}
	}
	return skills
}

// Card is a finished card.
type Card struct {
	Name   string // of the persona
	Bytes  []byte // RFC 8785, without a line end
	Digest canonical.Digest
	Skills []Skill
}

// ETag is the strong entity tag of the card's bytes.
func (c *Card) ETag() string { return `"` + hex.EncodeToString(c.Digest[:16]) + `"` }

// Build makes the card of a public persona that [Check] found no error in. The error is a
// [*profile.InvalidError] of the rule "publish-file" where the persona is not public, "no-interface",
// "no-skills", or "card-schema" where the publish file says what no card may.
func Build(p *Persona, m *SkillMap, pub *Publish) (*Card, error) {
	refuse := func(doc *profile.Document, rule, pointer, message string) error {
		return &profile.InvalidError{Findings: []profile.Finding{doc.Finding(profile.Error, rule, pointer, message)}}
	}
	name := p.Document.Name()
	entry := pub.Find(name)
	switch skills := Derive(m, p.Granted); {
	case entry == nil:
		return nil, refuse(pub.doc, "publish-file", "/personas", fmt.Sprintf("%q is not listed, so it has no card", name))
	case len(pub.Interfaces) == 0:
		return nil, refuse(pub.doc, "no-interface", "", "no interface is named, and a card without one leads nowhere")
	case len(skills) == 0:
		return nil, refuse(p.Document, "no-skills", "/spec/tools/allow", "its tools make no skill of the map, and a card without skills advertises nothing")
	default:
		card := document(p, entry, pub, skills)
		var found []profile.Finding
		for _, v := range append(schemas.Validate("card", any(card)), undeclared(card)...) {
			found = append(found, pub.doc.Finding(profile.Error, "card-schema", "", fmt.Sprintf("the card of %q: %s: %s", name, v.Pointer, v.Message)))
		}
		if found != nil {
			return nil, &profile.InvalidError{Findings: found}
		}
		bytes, err := canonical.JCS(card)
		if err != nil {
			return nil, err
		}
		return &Card{Name: name, Bytes: bytes, Digest: sha256.Sum256(bytes), Skills: skills}, nil
	}
}

// document writes the card out. A member is present only where it says something, so that the
// canonicalizations in use agree on what is signed.
func document(p *Persona, entry *Published, pub *Publish, skills []Skill) map[string]any {
	meta, _ := p.Document.Value["metadata"].(map[string]any)
	display := text(meta["display_name"])
	if display == "" {
		display = p.Document.Name()
	}
	card := map[string]any{
		"name":        display,
		"description": text(meta["description"]),
		"capabilities": map[string]any{
			"streaming": false, "pushNotifications": false,
		},
		"defaultInputModes":   list(pub.InputModes),
		"defaultOutputModes":  list(pub.OutputModes),
		"supportedInterfaces": interfaces(entry, pub),
	}
	out := make([]any, len(skills))
	for i, s := range skills {
		m := map[string]any{"id": s.ID, "name": s.Name, "description": s.Description, "tags": list(s.Tags)}
		put(m, "examples", list(s.Examples))
		put(m, "inputModes", list(s.InputModes))
		put(m, "outputModes", list(s.OutputModes))
		out[i] = m
	}
	card["skills"] = out
	if pub.Organization != "" {
		card["provider"] = map[string]any{"organization": pub.Organization, "url": pub.ProviderURL}
	}
	put(card, "documentationUrl", text(meta["homepage"]))
	put(card, "iconUrl", entry.IconURL)
	if pub.SecuritySchemes != nil {
		card["securitySchemes"] = pub.SecuritySchemes
	}
	put(card, "securityRequirements", pub.SecurityRequirements)
	card["version"] = entry.Version
	if entry.Version == "" {
		delete(card, "version")
		if sum, err := canonical.Sum(card); err == nil { // else the schema finds out
			card["version"] = "sha256-" + sum.Short()
		}
	}
	return card
}

func interfaces(entry *Published, pub *Publish) []any {
	out := make([]any, len(pub.Interfaces))
	for i, f := range pub.Interfaces {
		m := map[string]any{
			"url": strings.ReplaceAll(f.URL, "{name}", entry.Name), "protocolBinding": f.Binding, "protocolVersion": f.ProtocolVersion,
		}
		put(m, "tenant", entry.Tenant)
		out[i] = m
	}
	return out
}

// put leaves out what is empty.
func put(m map[string]any, key string, v any) {
	switch x := v.(type) {
	case string:
		if x == "" {
			return
		}
	case []any:
		if len(x) == 0 {
			return
		}
	}
	m[key] = v
}

func list(texts []string) []any {
	out := make([]any, len(texts))
	for i, t := range texts {
		out[i] = t
	}
	return out
}

// undeclared lists the security schemes that a requirement names and the card does not have.
func undeclared(card map[string]any) (found []schemas.Violation) {
	declared, _ := card["securitySchemes"].(map[string]any)
	all, _ := card["securityRequirements"].([]any)
	for i, r := range all {
		m, _ := r.(map[string]any)
		names, _ := m["schemes"].(map[string]any)
		for _, name := range slices.Sorted(maps.Keys(names)) {
			if declared[name] == nil {
				found = append(found, schemas.Violation{Pointer: fmt.Sprintf("/securityRequirements/%d", i), Message: fmt.Sprintf("no scheme is named %q", name)})
			}
		}
	}
	return found
}
