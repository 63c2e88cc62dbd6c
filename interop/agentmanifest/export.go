package agentmanifest

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/open-agent-profile/oap/canonical"
	"github.com/open-agent-profile/oap/internal/textedit"
	"github.com/open-agent-profile/oap/profile"
	"github.com/open-agent-profile/oap/schemas"
)

// Input is what a manifest is made of.
type Input struct {
	Document *profile.Document // as it lies in the repository: its annotations count, and findings have their places in it
	Value    map[string]any    // with everything that it extends, variables filled in; read-only
	Prompt   string            // the rendered contract, without state
	// Granted tells whether the contract grants a tool, and which line says so.
	Granted   func(tool string) (bool, string)
	Namespace string         // goes before an annotation; may be empty
	Target    Target         // V2 alone has room for Provenance
	Origin    map[string]any // x-oap-profile: what the manifest was made from
	Strict    bool           // refuse what would otherwise be written as no tools
}

// Export is a manifest, and what became of every field of its profile.
type Export struct {
	Profile  string
	Manifest map[string]any
	Mapped   []Mapped
	Dropped  []Dropped
	// Files are the files that the manifest names, and what names them: paths relative to the folder of
	// the profile, and in a pack relative to the pack.
	Files []File
}

// Mapped is one field of a manifest.
type Mapped struct {
	Field string `json:"field"` // pointer in the manifest
	From  string `json:"from"`  // pointer in the profile; empty for a default
	Note  string `json:"note,omitempty"`
}

// Dropped is something of a profile that its manifest does not say.
type Dropped struct {
	Pointer string `json:"pointer"` // in the profile
	Reason  string `json:"reason"`
}

// File is a file that a manifest names.
type File struct {
	Path    string
	Pointer string // of the annotation
	Schema  bool   // it is a JSON Schema
}

// MaxAgentID is the length of an agentId that both majors take.
const MaxAgentID = 128

// both is what both majors take: the pattern of v1, within the length of v2.
var both = regexp.MustCompile(`^(core|vendor|community|private|local)\.[a-z][a-z0-9_-]*(\.[a-z][a-zA-Z0-9_-]*)+$`)

// exporter gathers one manifest.
type exporter struct {
	Input
	*Export
	set      *Settings
	spec     map[string]any
	used     map[string]bool // pointers of the profile that are accounted for
	findings []profile.Finding
}

// Make makes the manifest of a resolved profile. It never says more than the profile does: no role but a stated
// one, no tool that is not granted, nothing of state. The findings are what keeps it from being written, those of
// [Gate] among them; with an error among them there is no Export. Files are not looked at.
func Make(in Input) (*Export, []profile.Finding) {
	x := &exporter{Input: in, Export: &Export{Profile: in.Document.Name(), Manifest: map[string]any{}}, used: map[string]bool{}}
	x.spec, _ = in.Value["spec"].(map[string]any)
	x.set, _ = Read(in.Document)
	x.findings = Gate(in.Document, x.spec)
	x.identity()
	x.about()
	x.prompt()
	x.tools()
	x.memory()
	x.settings()
	x.rest()
	if profile.HasErrors(x.findings) {
		return nil, x.findings
	}
	// What the annotations say is free text, so the whole is held to the format as any other manifest.
	text, err := Encode(x.Manifest)
	if err == nil {
		var doc *profile.Document
		if doc, err = profile.ParseAs("manifest", text, textedit.JSON); err == nil {
			for _, v := range Check(doc, in.Target) {
				if v.Severity == profile.Error {
					x.refuse(x.origin(v.Pointer), "the manifest would be refused: %s: %s (%s)", v.Pointer, v.Message, Rejected)
				}
			}
		}
	}
	if err != nil {
		x.refuse("", "the manifest cannot be written: %v", err)
	}
	if profile.HasErrors(x.findings) {
		return nil, x.findings
	}
	return x.Export, x.findings
}

func (x *exporter) refuse(at, format string, args ...any) {
	x.findings = append(x.findings, x.Document.Finding(profile.Error, "export", at, fmt.Sprintf(format, args...)))
}

// origin gives the pointer in the profile that a field of the manifest was made from.
func (x *exporter) origin(field string) string {
	for _, m := range x.Mapped {
		if field == m.Field || strings.HasPrefix(field, m.Field+"/") {
			return m.From
		}
	}
	return ""
}

// put sets a field of the manifest from a pointer of the profile.
func (x *exporter) put(field string, v any, from, note string) {
	at, _ := canonical.ParsePointer(field)
	m := x.Manifest
	for _, token := range at[:len(at)-1] {
		next, ok := m[token].(map[string]any)
		if !ok {
			next = map[string]any{}
			m[token] = next
		}
		m = next
	}
	m[at[len(at)-1]] = v
	x.used[from] = true
	x.Mapped = append(x.Mapped, Mapped{field, from, note})
}

func (x *exporter) drop(at, format string, args ...any) {
	x.used[at] = true
	x.Dropped = append(x.Dropped, Dropped{at, fmt.Sprintf(format, args...)})
}

// identity sets the id, which is refused where it does not fit and never rewritten.
func (x *exporter) identity() {
	name, id, from, note := x.Document.Name(), x.set.AgentID, annotation("agent-id"), ""
	if id == "" {
		space := x.Namespace
		if space == "" {
			space, note = x.set.Namespace, "below the namespace of the annotation"
		}
		if space == "" {
			x.refuse("/metadata/name", "there is no namespace for the agentId: give one, or state %sagent-id or %snamespace", Domain, Domain)
			return
		}
		id, from = space+"."+name, "/metadata/name"
	} else {
		x.used["/metadata/name"] = true
	}
	x.used[annotation("namespace")] = true
	switch {
	case len(id) > MaxAgentID:
		x.refuse(from, "the agentId %s has %d characters, and OpenWOP v2 takes %d", id, len(id), MaxAgentID)
	case !both.MatchString(id):
		x.refuse(from, "%q is no agentId: a tier, then segments of letters, digits, - and _ with a dot before each, and each begins with a small letter; state %sagent-id", id, Domain)
	}
	x.put("/agentId", id, from, note)
}

// about sets what people read.
func (x *exporter) about() {
	meta := x.Document.Value["metadata"].(map[string]any)
	persona, from := x.set.Persona, annotation("persona")
	if persona == "" {
		persona, from = text(meta["display_name"]), "/metadata/display_name"
	}
	if persona == "" {
		persona, from = x.Document.Name(), "/metadata/name"
	}
	x.put("/persona", persona, from, "")
	if x.set.Label != "" {
		x.put("/label", x.set.Label, annotation("label"), "")
	}
	x.put("/description", x.Document.Description(), "/metadata/description", "")
	if x.set.ModelClass != "" {
		x.put("/modelClass", x.set.ModelClass, annotation("model-class"), "")
	} else {
		x.put("/modelClass", "general", "", "the default, since a profile says nothing of the kind of model: "+Domain+"model-class does")
	}
	if x.set.Role != "" {
		x.put("/role", x.set.Role, annotation("role"), "")
	}
}

func (x *exporter) prompt() {
	prompt := strings.TrimSpace(x.Prompt)
	if prompt == "" {
		x.refuse("/spec/role", "there is no prompt to write")
	}
	role, _ := x.spec["role"].(map[string]any)
	x.put("/systemPrompt", prompt, "/spec/role/instructions", "")
	for _, member := range []string{"objectives", "persona", "constraints", "examples"} {
		if _, has := role[member]; has {
			x.used["/spec/role/"+member] = true
			x.Mapped = append(x.Mapped, Mapped{"/systemPrompt", "/spec/role/" + member, ""})
		}
	}
}

// memory sets the three flags. A skill that would remember has been refused by then.
func (x *exporter) memory() {
	flag, stores := LongTerm(x.spec)
	switch {
	case x.set.LongTerm != nil:
		x.put("/memoryShape/longTerm", *x.set.LongTerm, annotation("memory-long-term"), "the annotation counts, and not spec.memory")
		if !*x.set.LongTerm && len(stores) > 0 {
			x.drop("/spec/memory/stores", "%smemory-long-term is false, so these stay behind: %s", Domain, strings.Join(stores, ", "))
		}
	case flag != nil:
		x.put("/memoryShape/longTerm", *flag, "/spec/memory/mode", "")
	}
	for _, f := range []struct {
		flag        *bool
		field, from string
	}{
		{x.set.Conversation, "conversation", "memory-conversation"},
		{x.set.Scratchpad, "scratchpad", "memory-scratchpad"},
	} {
		if f.flag != nil {
			x.put("/memoryShape/"+f.field, *f.flag, annotation(f.from), "")
		}
	}
}

// settings sets the rest of what annotations say.
func (x *exporter) settings() {
	for _, f := range []struct {
		value, field, from string
		file, schema       bool
	}{
		{x.set.TaskSchema, "/handoff/taskSchemaRef", "handoff-task-schema", true, true},
		{x.set.ReturnSchema, "/handoff/returnSchemaRef", "handoff-return-schema", true, true},
		{x.set.EvalSuite, "/evalSuiteRef", "eval-suite", true, false},
		{x.set.PromptLibrary, "/promptLibraryRef", "prompt-library", false, false},
	} {
		if f.value == "" {
			continue
		}
		x.put(f.field, f.value, annotation(f.from), "")
		if f.file {
			x.Files = append(x.Files, File{f.value, annotation(f.from), f.schema})
		}
	}
	if x.set.Threshold != "" {
		n, err := x.set.Threshold.Float64()
		if err != nil {
			x.refuse(annotation("confidence-threshold"), "it is no number: %v", err)
		}
		x.put("/confidence/defaultThreshold", n, annotation("confidence-threshold"), "")
	}
	if x.set.Capabilities != nil {
		all := []any{}
		for _, c := range x.set.Capabilities {
			all = append(all, c)
		}
		x.put("/requiresCapabilities", all, annotation("requires-capabilities"), "")
	}
	if x.set.Overrides != nil {
		x.put("/promptOverrides", x.set.Overrides, annotation("prompt-overrides"), "")
	}
	if x.Target == V2 && x.Origin != nil {
		x.put("/x-oap-profile", x.Origin, "", "where it comes from")
	}
}

// manifestOrder writes a manifest in the order of its schema, a pack and its agents too.
type manifestOrder struct{ kind string }

func (o manifestOrder) Order(p canonical.Pointer) []string {
	if len(p) >= 2 && (o.kind == "pack" && p[0] == "agents" || p[0] == "manifests") {
		return schemas.OrderIn("openwop-agent-v1", p[2:])
	}
	return schemas.OrderIn("openwop-"+o.kind+"-v1", p)
}

func (manifestOrder) Identity(canonical.Pointer) string { return "" }

// Encode writes a manifest, or {"manifests": [...]}, as JSON.
func Encode(v map[string]any) ([]byte, error) {
	return textedit.Encode(v, textedit.JSON, manifestOrder{"agent"}, textedit.Options{})
}

// rest names everything of the profile that has found no place, member by member.
func (x *exporter) rest() {
	for _, member := range slices.Sorted(maps.Keys(x.Value)) {
		at := "/" + canonical.Escape(member)
		switch member {
		case "oap", "kind", "extends": // the form of the document, which has been composed
		case "metadata", "spec":
			part, _ := x.Value[member].(map[string]any)
			own, _ := x.Document.Value[member].(map[string]any)
			for _, k := range slices.Sorted(maps.Keys(part)) {
				if _, said := own[k]; k == "trust" && !said { // set by where the profile lies
					continue
				}
				x.section(at+"/"+canonical.Escape(k), part[k])
			}
		case "state":
			x.state()
		default:
			x.drop(at, "there is no place for it")
		}
	}
}

// deep are the sections of which each member is named.
var deep = []string{"/metadata/annotations", "/spec/role", "/spec/tools", "/spec/memory"}

func (x *exporter) section(at string, v any) {
	m, ok := v.(map[string]any)
	if !ok || !slices.Contains(deep, at) {
		if !x.used[at] {
			x.drop(at, "%s", reason(at))
		}
		return
	}
	for _, k := range slices.Sorted(maps.Keys(m)) {
		if below := at + "/" + canonical.Escape(k); !x.used[below] {
			x.drop(below, "%s", reason(below))
		}
	}
}

// reasons say why the parts of a profile have no place, by the longest beginning.
var reasons = map[string]string{
	"":                      "there is no place for it",
	"/metadata/authors":     "it belongs to a pack",
	"/metadata/license":     "it belongs to a pack",
	"/metadata/homepage":    "it belongs to a pack",
	"/metadata/tags":        "they belong to a pack, as keywords",
	"/metadata/revision":    "a revision is a counter and no version",
	"/metadata/annotations": "it is for another program",
	"/spec/model":           "a host chooses a model by its class",
	"/spec/permissions":     "toolAllowlist is the only field about authority; tools that are denied outright were left out of it",
	"/spec/tools":           "it is for the host to configure",
	"/spec/tools/deny":      "it was taken from the allowed tools first",
	"/spec/memory":          "memory is reduced to one flag",
	"/spec/context":         "there is no place for it; variables were filled in",
	"/spec/runtime":         "limits belong to a run, and subagents to a workflow",
	"/spec/role/expertise":  "it is no part of a prompt",
	"/state/metrics":        "learned state never reaches a manifest",
}

func reason(at string) string {
	for {
		if why, ok := reasons[at]; ok {
			return why
		}
		at = at[:strings.LastIndexByte(at, '/')]
	}
}

// state says how much stays behind.
func (x *exporter) state() {
	state, _ := x.Value["state"].(map[string]any)
	for _, k := range slices.Sorted(maps.Keys(state)) {
		at, what := "/state/"+canonical.Escape(k), "learned state never reaches a manifest"
		if n := len(list(state[k])); n > 0 {
			what = fmt.Sprintf("%s: %d of them stay behind", what, n)
		}
		x.drop(at, "%s", what)
	}
}
