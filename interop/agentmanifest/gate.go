package agentmanifest

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/open-agent-profile/oap/canonical"
	"github.com/open-agent-profile/oap/profile"
)

// Domain begins the annotations of a profile that are about its manifest.
const Domain = "openwop.dev/"

// Settings are those annotations, read. Absent ones are zero or nil.
type Settings struct {
	AgentID, Namespace, Persona, Label, ModelClass, Role string
	TaskSchema, ReturnSchema, EvalSuite, PromptLibrary   string
	Threshold                                            json.Number
	Capabilities                                         []string
	Tools                                                map[string]string // tool of the profile to entry of toolAllowlist
	Scratchpad, Conversation, LongTerm                   *bool
	Overrides                                            map[string]any
}

var decimal = regexp.MustCompile(`^(0(\.[0-9]+)?|1(\.0+)?)$`)

// texts are the annotations that are taken as they are, by key.
func (s *Settings) texts() map[string]*string {
	return map[string]*string{
		"agent-id": &s.AgentID, "namespace": &s.Namespace, "persona": &s.Persona, "label": &s.Label,
		"model-class": &s.ModelClass, "role": &s.Role, "handoff-task-schema": &s.TaskSchema,
		"handoff-return-schema": &s.ReturnSchema, "eval-suite": &s.EvalSuite, "prompt-library": &s.PromptLibrary,
	}
}

// flags are the annotations that say "true" or "false".
func (s *Settings) flags() map[string]**bool {
	return map[string]**bool{"memory-scratchpad": &s.Scratchpad, "memory-conversation": &s.Conversation, "memory-long-term": &s.LongTerm}
}

// Words that an annotation may say.
var words = map[string][]string{
	"role":        {"skill", "assistant"},
	"model-class": {"reasoning", "writing", "coding", "research", "classification", "general"},
}

// Read reads the annotations of a profile. Values are read strictly, and a key that is not known is an error under
// the rule "openwop-annotation", so that a misspelt role does not slip past the profile that it would bind to.
func Read(doc *profile.Document) (*Settings, []profile.Finding) {
	s := &Settings{}
	var found []profile.Finding
	texts, flags := s.texts(), s.flags()
	meta, _ := doc.Value["metadata"].(map[string]any)
	annotations, _ := meta["annotations"].(map[string]any)
	for _, key := range slices.Sorted(maps.Keys(annotations)) {
		name, ours := strings.CutPrefix(key, Domain)
		if !ours {
			continue
		}
		value := text(annotations[key])
		if why := s.read(name, value, texts, flags); why != "" {
			found = append(found, doc.Finding(profile.Error, "openwop-annotation", annotation(name), why))
		}
	}
	return s, found
}

// Speaks reports whether a profile has annotations that are about its manifest.
func Speaks(doc *profile.Document) bool {
	meta, _ := doc.Value["metadata"].(map[string]any)
	annotations, _ := meta["annotations"].(map[string]any)
	for key := range annotations {
		if strings.HasPrefix(key, Domain) {
			return true
		}
	}
	return false
}

// read takes one annotation and says what is wrong with it.
func (s *Settings) read(name, value string, texts map[string]*string, flags map[string]**bool) string {
	switch allowed := words[name]; {
	case allowed != nil && !slices.Contains(allowed, value):
		return fmt.Sprintf("it is %s, not %q", strings.Join(allowed, ", "), value)
	case texts[name] != nil:
		if value == "" {
			return "it must not be empty"
		}
		if strings.HasSuffix(name, "-schema") || name == "eval-suite" {
			if why := Outside(value); why != "" {
				return fmt.Sprintf("%q %s", value, why)
			}
		}
		*texts[name] = value
	case flags[name] != nil:
		b, err := strconv.ParseBool(value)
		if err != nil || value != strconv.FormatBool(b) {
			return fmt.Sprintf("it is true or false, not %q", value)
		}
		*flags[name] = &b
	case name == "confidence-threshold":
		if !decimal.MatchString(value) {
			return fmt.Sprintf("it is a number from 0 to 1, not %q", value)
		}
		s.Threshold = json.Number(value)
	case name == "requires-capabilities":
		s.Capabilities = split(value)
		if len(s.Capabilities) == 0 {
			return "it names nothing"
		}
	case name == "tool-map":
		s.Tools = map[string]string{}
		for _, pair := range split(value) {
			tool, id, ok := strings.Cut(pair, "=")
			if !ok || tool == "" || !toolID.MatchString(id) || s.Tools[tool] != "" {
				return fmt.Sprintf("%q is not of the form TOOL=SCOPE:ID, or says a tool twice", pair)
			}
			s.Tools[tool] = id
		}
	case name == "prompt-overrides":
		if err := json.Unmarshal([]byte(value), &s.Overrides); err != nil {
			return "it is no JSON object: " + err.Error()
		}
	default:
		return fmt.Sprintf("%q is no annotation of %s", name, strings.TrimSuffix(Domain, "/"))
	}
	return ""
}

// split takes what is between commas, without blanks and without what is empty or said before.
func split(s string) (out []string) {
	for part := range strings.SplitSeq(s, ",") {
		if part = strings.TrimSpace(part); part != "" && !slices.Contains(out, part) {
			out = append(out, part)
		}
	}
	return out
}

// annotation is the pointer of one of ours.
func annotation(name string) string {
	return canonical.Pointer{"metadata", "annotations", Domain + name}.String()
}

// LongTerm derives whether a profile remembers across runs, from spec.memory: nil is not said. The stores are those
// that make it so.
func LongTerm(spec map[string]any) (flag *bool, stores []string) {
	memory, ok := spec["memory"].(map[string]any)
	if !ok {
		return nil, nil
	}
	yes, no := true, false
	mode := text(memory["mode"])
	if mode == "off" { // no store is more open than the section (OAP SPEC, memory)
		return &no, nil
	}
	all := list(memory["stores"])
	for _, v := range all {
		store, _ := v.(map[string]any)
		if text(store["mode"]) != "off" {
			stores = append(stores, text(store["name"]))
		}
	}
	switch {
	case len(stores) > 0 || len(list(memory["scopes"])) > 0:
		return &yes, stores
	case len(all) > 0: // each of them is off
		return &no, nil
	case mode == "read_write":
		return &yes, nil
	}
	return nil, nil
}

// Gate lists what keeps a profile from being published as what it says it is: annotations that cannot be read, a
// skill against the Skill profile (rule "skill-profile", RFC 0131), and a role against runtime.mode (rule
// "role-mode", which is ours). spec is the contract with what the profile extends, or its own where that is all
// there is.
func Gate(doc *profile.Document, spec map[string]any) []profile.Finding {
	s, found := Read(doc)
	found = append(found, s.mode(doc, spec)...)
	if s.Role != "skill" {
		return found
	}
	add := func(at, format string, args ...any) {
		found = append(found, doc.Finding(profile.Error, "skill-profile", at, fmt.Sprintf(format, args...)+" ("+Rejected+")"))
	}
	if s.TaskSchema == "" && s.ReturnSchema == "" {
		add(annotation("role"), "a skill declares handoff: name a file in %shandoff-task-schema or %shandoff-return-schema", Domain, Domain)
	}
	if s.Conversation != nil && *s.Conversation {
		add(annotation("memory-conversation"), "a skill remembers no conversation")
	}
	derived, stores := LongTerm(spec)
	switch {
	case s.LongTerm != nil && *s.LongTerm:
		add(annotation("memory-long-term"), "a skill remembers nothing across runs")
	case s.LongTerm == nil && derived != nil && *derived:
		what := "spec.memory is open"
		if len(stores) > 0 {
			what = "the store " + strings.Join(stores, ", ") + " is open"
		}
		add("/spec/memory", "a skill remembers nothing across runs, and %s: remove it, or state %smemory-long-term: \"false\"", what, Domain)
	}
	return found
}

func (s *Settings) mode(doc *profile.Document, spec map[string]any) []profile.Finding {
	runtime, _ := spec["runtime"].(map[string]any)
	mode := text(runtime["mode"])
	if s.Role == "skill" && mode == "primary" || s.Role == "assistant" && mode == "subagent" {
		return []profile.Finding{doc.Finding(profile.Error, "role-mode", annotation("role"), fmt.Sprintf("the role %s and runtime.mode %s contradict each other", s.Role, mode))}
	}
	return nil
}
