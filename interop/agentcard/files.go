package agentcard

import (
	"fmt"
	"strconv"

	"github.com/open-agent-profile/oap/canonical"
	"github.com/open-agent-profile/oap/profile"
	"github.com/open-agent-profile/oap/schemas"
)

// Where the two files lie, below a profile root.
const (
	SkillsFile  = "personas/skills.yaml"
	PublishFile = "personas/publish.yaml"
)

// Skill is one entry of a skill map. The lists are the caller's to read only.
type Skill struct {
	ID, Name, Description string
	Tags, Requires        []string
	Examples              []string
	InputModes            []string
	OutputModes           []string
}

// SkillMap says which granted tools make which advertised skill, in the order of a card.
type SkillMap struct {
	Skills []Skill
	doc    *profile.Document
}

// Published is one entry of personas in a publish file.
type Published struct {
	Name, Version, IconURL, Tenant string
}

// Interface is where an agent is reached; "{name}" in URL stands for the persona's name.
type Interface struct {
	URL, Binding, ProtocolVersion string
}

// Publish is the publish file of a profile root.
type Publish struct {
	Organization, ProviderURL string
	Interfaces                []Interface
	InputModes, OutputModes   []string // never empty
	Personas                  []Published
	SecuritySchemes           map[string]any // in the form of A2A 1.0
	SecurityRequirements      []any
	doc                       *profile.Document
}

// Find gives the entry of a persona; nil where it is not public.
func (p *Publish) Find(name string) *Published {
	for i := range p.Personas {
		if p.Personas[i].Name == name {
			return &p.Personas[i]
		}
	}
	return nil
}

// ParseSkills reads a skill map in YAML or JSON, as the name says. The error is a [*profile.SyntaxError] or a
// [*profile.InvalidError] with everything that is wrong, under the rule "skill-map".
func ParseSkills(name string, src []byte) (*SkillMap, error) {
	doc, err := parse(name, src, "persona-skills", "skill-map", "skills", "id")
	if err != nil {
		return nil, err
	}
	m := &SkillMap{doc: doc}
	for _, e := range entries(doc.Value["skills"]) {
		m.Skills = append(m.Skills, Skill{
			ID: text(e["id"]), Name: text(e["name"]), Description: text(e["description"]),
			Tags: texts(e["tags"]), Requires: texts(e["requires"]), Examples: texts(e["examples"]),
			InputModes: texts(e["inputModes"]), OutputModes: texts(e["outputModes"]),
		})
	}
	return m, nil
}

// ParsePublish reads a publish file likewise, under the rule "publish-file".
func ParsePublish(name string, src []byte) (*Publish, error) {
	doc, err := parse(name, src, "persona-publish", "publish-file", "personas", "name")
	if err != nil {
		return nil, err
	}
	p := &Publish{doc: doc, InputModes: texts(doc.Value["input_modes"]), OutputModes: texts(doc.Value["output_modes"])}
	for _, modes := range []*[]string{&p.InputModes, &p.OutputModes} {
		if *modes == nil {
			*modes = []string{"text/plain"}
		}
	}
	provider, _ := doc.Value["provider"].(map[string]any)
	p.Organization, p.ProviderURL = text(provider["organization"]), text(provider["url"])
	one, isOne := doc.Value["interface"].(map[string]any)
	all := entries(doc.Value["interface"])
	if isOne {
		all = []map[string]any{one}
	}
	for _, e := range all {
		p.Interfaces = append(p.Interfaces, Interface{text(e["url"]), text(e["binding"]), text(e["protocol_version"])})
	}
	list, _ := doc.Value["personas"].([]any)
	for _, v := range list {
		e, _ := v.(map[string]any)
		if e == nil {
			e = map[string]any{"name": v}
		}
		p.Personas = append(p.Personas, Published{text(e["name"]), text(e["version"]), text(e["icon_url"]), text(e["tenant"])})
	}
	p.SecuritySchemes, _ = doc.Value["security_schemes"].(map[string]any)
	p.SecurityRequirements, _ = doc.Value["security_requirements"].([]any)
	return p, nil
}

// parse reads one of the two files, and refuses entries that stand twice.
func parse(name string, src []byte, schema, rule, list, key string) (*profile.Document, error) {
	doc, err := profile.Parse(name, src)
	if err != nil {
		return nil, err
	}
	var found []profile.Finding
	for _, v := range schemas.Validate(schema, doc.Value) {
		found = append(found, doc.Finding(profile.Error, rule, v.Pointer, v.Message))
	}
	first := map[string]int{}
	all, _ := doc.Value[list].([]any)
	for i, v := range all {
		id := text(v)
		if e, ok := v.(map[string]any); ok {
			id = text(e[key])
		}
		if before, twice := first[id]; twice && id != "" {
			at := canonical.Pointer{list, strconv.Itoa(i)}
			found = append(found, doc.Finding(profile.Error, rule, at.String(), fmt.Sprintf("entry %d has the %s %q already, counted from 0", before, key, id)))
			continue
		}
		first[id] = i
	}
	if found != nil {
		return nil, &profile.InvalidError{Findings: found}
	}
	return doc, nil
}

func text(v any) string { s, _ := v.(string); return s }

func texts(v any) (out []string) {
	list, _ := v.([]any)
	for _, e := range list {
		out = append(out, text(e))
	}
	return out
}

func entries(v any) (out []map[string]any) {
	list, _ := v.([]any)
	for _, e := range list {
		m, _ := e.(map[string]any)
		out = append(out, m)
	}
	return out
}

// Finding is an error about the i-th persona of the file, counted from 0.
func (p *Publish) Finding(i int, rule, message string) profile.Finding {
	return p.doc.Finding(profile.Error, rule, canonical.Pointer{"personas", strconv.Itoa(i)}.String(), message)
}
