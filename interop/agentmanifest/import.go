package agentmanifest

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/open-agent-profile/oap/canonical"
	"github.com/open-agent-profile/oap/internal/textedit"
	"github.com/open-agent-profile/oap/profile"
)

// Import is a profile made of a manifest or a skill.
type Import struct {
	Value map[string]any // the profile; not checked yet
	Notes []Dropped      // what was left out or filled in: pointers in the file it was made from
	Files []string       // files that the profile names, relative to its folder
}

// importer gathers one profile.
type importer struct {
	*Import
	meta, spec, annotations map[string]any
}

func newImporter(name string) *importer {
	i := &importer{Import: &Import{}, annotations: map[string]any{}}
	i.meta = map[string]any{"name": name, "revision": float64(1)}
	// Nothing is granted that the file does not grant, and a person sees what is learned.
	i.spec = map[string]any{"lifecycle": map[string]any{"writeback": "propose"}}
	i.Value = map[string]any{"oap": "1.0", "kind": profile.KindProfile, "metadata": i.meta, "spec": i.spec}
	return i
}

func (i *importer) note(at, format string, args ...any) {
	i.Notes = append(i.Notes, Dropped{at, fmt.Sprintf(format, args...)})
}

func (i *importer) annotate(name, value string) { i.annotations[Domain+name] = value }

func (i *importer) done() *Import {
	if len(i.annotations) > 0 {
		i.meta["annotations"] = i.annotations
	}
	return i.Import
}

// maxDisplayName is the bound of metadata.display_name, in characters.
const maxDisplayName = 120

// FromManifest makes the profile of a valid manifest. prompt is the text of its system prompt, read from the file
// where the manifest names one; an empty name is the last segment of agentId in lower case. Exporting the profile
// gives the same manifest, up to an empty memoryShape or handoff, an absent toolAllowlist, a description that had
// to be filled in, and the prompt being inline.
func FromManifest(m map[string]any, prompt, name string) *Import {
	id := text(m["agentId"])
	if name == "" {
		name = strings.ToLower(id[strings.LastIndexByte(id, '.')+1:])
	}
	i := newImporter(name)
	i.annotate("agent-id", id)
	persona := text(m["persona"])
	if utf8.RuneCountInString(persona) > maxDisplayName {
		i.annotate("persona", persona)
	} else {
		i.meta["display_name"] = persona
	}
	i.meta["description"] = m["description"]
	for _, member := range []string{"label", "persona"} {
		if text(i.meta["description"]) == "" {
			i.meta["description"] = m[member]
			i.note("/description", "there is none, and a profile has one: %s is taken", member)
		}
	}
	i.spec["role"] = map[string]any{"instructions": prompt}
	for field, a := range map[string]string{
		"label": "label", "modelClass": "model-class", "role": "role", "evalSuiteRef": "eval-suite", "promptLibraryRef": "prompt-library",
	} {
		if v := text(m[field]); v != "" {
			i.annotate(a, v)
		}
	}
	i.tools(m)
	i.memory(m)
	i.handoff(m)
	if ref := text(m["evalSuiteRef"]); ref != "" {
		i.Files = append(i.Files, ref)
	}
	slices.Sort(i.Files)
	confidence, _ := m["confidence"].(map[string]any)
	if n, ok := confidence["defaultThreshold"].(float64); ok {
		i.annotate("confidence-threshold", strconv.FormatFloat(n, 'f', -1, 64))
	}
	i.capabilities(m)
	if overrides, ok := m["promptOverrides"].(map[string]any); ok {
		if data, err := canonical.JCS(overrides); err == nil {
			i.annotate("prompt-overrides", string(data))
		}
	}
	for _, key := range slices.Sorted(maps.Keys(m)) {
		if strings.HasPrefix(key, "x-") || strings.HasPrefix(key, "openwop-") || strings.HasPrefix(key, "vendor.") {
			i.note("/"+canonical.Escape(key), "a profile has no place for it")
		}
	}
	return i.done()
}

// tools takes what is allowed, by name. What a profile would read as a pattern would be more than the manifest says.
func (i *importer) tools(m map[string]any) {
	allow := []any{}
	if _, said := m["toolAllowlist"]; !said {
		i.note("/toolAllowlist", "there is none, and what a host grants then is not known: the profile allows nothing")
	}
	for n, v := range list(m["toolAllowlist"]) {
		at, tool := fmt.Sprintf("/toolAllowlist/%d", n), text(v)
		switch {
		case strings.Contains(tool, "*"):
			i.note(at, "%q would be a pattern in a profile, which allows more", tool)
		case !slices.Contains(allow, v):
			allow = append(allow, v)
			if !toolID.MatchString(tool) {
				i.note(at, "%q has no scope of OpenWOP: look whether a tool of that name is meant", tool)
			}
		}
	}
	i.spec["tools"] = map[string]any{"policy": "allowlist", "allow": allow}
}

func (i *importer) memory(m map[string]any) {
	shape, _ := m["memoryShape"].(map[string]any)
	for _, flag := range []string{"scratchpad", "conversation"} {
		if v, ok := shape[flag].(bool); ok {
			i.annotate("memory-"+flag, strconv.FormatBool(v))
		}
	}
	if v, ok := shape["longTerm"].(bool); ok {
		mode := "off"
		if v {
			mode = "read_write"
		}
		i.spec["memory"] = map[string]any{"mode": mode}
	}
}

func (i *importer) handoff(m map[string]any) {
	handoff, said := m["handoff"].(map[string]any)
	if said && len(handoff) == 0 {
		i.note("/handoff", "it names no schema, so the profile has nothing to say")
	}
	for field, a := range map[string]string{"taskSchemaRef": "handoff-task-schema", "returnSchemaRef": "handoff-return-schema"} {
		if ref := text(handoff[field]); ref != "" {
			i.annotate(a, ref)
			i.Files = append(i.Files, ref)
		}
	}
}

func (i *importer) capabilities(m map[string]any) {
	var all []string
	for n, v := range list(m["requiresCapabilities"]) {
		c := text(v)
		if c != strings.TrimSpace(c) || strings.Contains(c, ",") {
			i.note(fmt.Sprintf("/requiresCapabilities/%d", n), "%q cannot stand in a list with commas", c)
			continue
		}
		all = append(all, c)
	}
	if len(all) > 0 {
		i.annotate("requires-capabilities", strings.Join(all, ", "))
	}
}

// skillBody is where the body of a SKILL.md stands in its value.
const skillBody = "body"

// FromSkill makes the profile of a SKILL.md: prompt material, and never a skill in the sense of RFC 0131. The error
// is one of package textedit, or says what the file lacks.
func FromSkill(src []byte, name string) (*Import, error) {
	doc, err := textedit.Parse(src, textedit.Markdown, textedit.Options{Body: "/" + skillBody})
	if err != nil {
		return nil, err
	}
	v, _ := doc.Value().(map[string]any)
	title, body := text(v["name"]), strings.TrimSpace(text(v[skillBody]))
	for _, lack := range []struct{ what, value string }{{"name", title}, {"description", text(v["description"])}, {"body", body}} {
		if lack.value == "" {
			return nil, fmt.Errorf("the skill has no %s", lack.what)
		}
	}
	if name == "" {
		name = slug(title)
	}
	i := newImporter(name)
	if utf8.RuneCountInString(title) > maxDisplayName {
		i.annotate("persona", title)
	} else {
		i.meta["display_name"] = title
	}
	i.meta["description"] = v["description"]
	i.spec["role"] = map[string]any{"instructions": body}
	if license := text(v["license"]); license != "" {
		i.meta["license"] = license
	}
	i.skillTools(v)
	meta, _ := v["metadata"].(map[string]any)
	if class := text(meta["modelClass"]); slices.Contains(words["model-class"], class) {
		i.annotate("model-class", class)
	} else if class != "" {
		i.note("/metadata/modelClass", "%q is no class of models", class)
	}
	i.memory(map[string]any{"memoryShape": meta["memory"]})
	for _, key := range slices.Sorted(maps.Keys(v)) {
		if !slices.Contains([]string{"name", "description", "license", "metadata", "allowed-tools", "allowed_tools", skillBody}, key) {
			i.note("/"+canonical.Escape(key), "a profile has no place for it")
		}
	}
	for _, key := range slices.Sorted(maps.Keys(meta)) {
		if key != "modelClass" && key != "memory" {
			i.note("/metadata/"+canonical.Escape(key), "a profile has no place for it")
		}
	}
	return i.done(), nil
}

// skillTools takes the tools of a skill, under the name of the format and that of OpenWOP's bridge, as a list or
// in one text. A name without a scope stays what it is: which server has it is not for guessing.
func (i *importer) skillTools(v map[string]any) {
	var all []any
	said := false
	for _, key := range []string{"allowed-tools", "allowed_tools"} {
		switch tools := v[key].(type) {
		case []any:
			said, all = true, append(all, tools...)
		case string:
			said = true
			for _, name := range strings.FieldsFunc(tools, func(r rune) bool { return r == ',' || r == ' ' }) {
				all = append(all, name)
			}
		}
	}
	m := map[string]any{}
	if said {
		kept := []any{}
		for n, tool := range all {
			name := text(tool)
			if strings.HasPrefix(name, "core.") || strings.HasPrefix(name, "openwop.") {
				name = "openwop:" + name
			}
			if strings.ContainsAny(name, "()[]{}") || name == "" {
				i.note(fmt.Sprintf("/allowed-tools/%d", n), "%q is no name of a tool", text(tool))
				continue
			}
			kept = append(kept, name)
		}
		m["toolAllowlist"] = kept
	}
	i.tools(m)
}

// slug makes a name of a title: lower case, and hyphens for everything that a name does not hold.
func slug(title string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(title) {
		if (r < 'a' || r > 'z') && (r < '0' || r > '9') {
			r = '-'
		}
		b.WriteRune(r)
	}
	parts := strings.FieldsFunc(b.String(), func(r rune) bool { return r == '-' })
	return strings.Join(parts, "-")
}

// IsSkill reports whether a file is a SKILL.md, by its name.
func IsSkill(file string) bool { return strings.EqualFold(path.Base(file), "SKILL.md") }
