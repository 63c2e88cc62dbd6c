package main

import (
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/open-agent-profile/oap/internal/textedit"
	"github.com/open-agent-profile/oap/profile"
)

// agentFiles are the harnesses whose agent files are written and read, and the release of each whose documentation
// they were made from.
var agentFiles = map[string]agentFile{
	"claude": {
		release: "Claude Code 2.1", tools: claudeTools, mcp: claudeMCP,
		mcpNamed: regexp.MustCompile(`^mcp__([A-Za-z0-9][A-Za-z0-9-]*(?:_[A-Za-z0-9-]+)*)__([A-Za-z0-9][A-Za-z0-9_-]*)$`),
	},
	"opencode": {
		release: "opencode 1.1", tools: opencodeTools, mcp: opencodeMCP,
		together: map[string]string{"edit": "edit+write", "write": "edit+write"}, parts: map[string][]string{"edit+write": {"edit", "write"}},
		mcpNamed: regexp.MustCompile(`^([A-Za-z0-9][A-Za-z0-9-]*)_([A-Za-z0-9][A-Za-z0-9_-]*)$`),
	},
}

// agentFile is what there is to know of one harness's file.
type agentFile struct {
	release  string
	tools    map[string][]string                      // ours to theirs; what is not here is not written
	mcp      func(server, tool string) (string, bool) // their name of a tool of an MCP server, if it has one of its own
	mcpNamed *regexp.Regexp                           // that name, read again
	together map[string]string                        // of our tools that they have one name for
	parts    map[string][]string
}

// claudeTools are the names that the harness has for tools of profiles; in none of them is more than in ours.
var claudeTools = map[string][]string{
	"read": {"Read"}, "search": {"Grep", "Glob"}, "grep": {"Grep"}, "glob": {"Glob"},
	"edit": {"Edit"}, "write": {"Write"}, "shell": {"Bash"}, "bash": {"Bash"},
	"fetch": {"WebFetch"}, "web_fetch": {"WebFetch"},
}

// opencodeTools are keys of its permission map. "edit" there covers writing whole files, so that it is written only
// where both of ours are granted.
var opencodeTools = map[string][]string{
	"edit+write": {"edit"}, "read": {"read"}, "search": {"grep", "glob"}, "grep": {"grep"}, "glob": {"glob"},
	"shell": {"bash"}, "bash": {"bash"}, "fetch": {"webfetch"}, "web_fetch": {"webfetch"},
}

// plainName is a part of a name that needs no escape.
var plainName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]*$`)

// claudeMCP joins with two underlines. With two of them in a part, two tools would be written alike, of which one may
// not be granted.
func claudeMCP(server, tool string) (string, bool) {
	if strings.Contains(server+"/"+tool, "__") {
		return "", false
	}
	return "mcp__" + server + "__" + tool, true
}

// opencodeMCP joins with one underline, so that a server must have none.
func opencodeMCP(server, tool string) (string, bool) {
	return server + "_" + tool, !strings.Contains(server, "_")
}

// theirs gives the names of a tool in the file of a harness; none where it has none, or none of its own.
func (f agentFile) theirs(tool string) []string {
	if names := f.tools[tool]; names != nil {
		return names
	}
	parts := strings.Split(tool, "/")
	if len(parts) != 3 || parts[0] != "mcp" || !plainName.MatchString(parts[1]) || !plainName.MatchString(parts[2]) {
		return nil
	}
	if name, ok := f.mcp(parts[1], parts[2]); ok {
		return []string{name}
	}
	return nil
}

// ours gives the tools of a profile that a name of theirs means; none where none is known.
func (f agentFile) ours(name string) []string {
	for _, tool := range slices.Sorted(maps.Keys(f.tools)) {
		if names := f.tools[tool]; len(names) != 1 || names[0] != name || tool == "bash" || tool == "web_fetch" {
			continue // one of two spellings of ours is enough
		}
		if parts := f.parts[tool]; parts != nil {
			return parts
		}
		return []string{tool}
	}
	if m := f.mcpNamed.FindStringSubmatch(name); m != nil {
		return []string{"mcp/" + m[1] + "/" + m[2]}
	}
	return nil
}

// takenFrom makes a first profile of the agent file of a harness: its words and its tools, and nothing invented.
func (f agentFile) takenFrom(harness, file string, src []byte) (value map[string]any, notes []unsaid, err error) {
	doc, err := textedit.Parse(src, textedit.Markdown, textedit.Options{Body: "/body"})
	if err != nil {
		return nil, nil, refusedText(file, err)
	}
	v, _ := doc.Value().(map[string]any)
	note := func(field, format string, args ...any) {
		notes = append(notes, unsaid{field, fmt.Sprintf(format, args...)})
	}
	name, _ := v["name"].(string)
	if name == "" {
		name = strings.TrimSuffix(path.Base(file), ".md")
	}
	description, _ := v["description"].(string)
	body, _ := v["body"].(string)
	spec := map[string]any{
		"role":      map[string]any{"instructions": strings.TrimSpace(body) + "\n"},
		"lifecycle": map[string]any{"writeback": "propose"},
	}
	allow := []any{}
	take := func(at, theirs string) {
		tools := f.ours(theirs)
		if tools == nil {
			note(at, "%q is no tool that is known here by one name", theirs)
		}
		for _, tool := range tools {
			if !slices.Contains(allow, any(tool)) {
				allow = append(allow, tool)
			}
		}
	}
	switch tools := v["tools"].(type) {
	case nil:
		if v["permission"] == nil {
			note("/tools", "there is no list, which in that harness means all tools: the profile allows none")
		}
	case string:
		for i, t := range strings.Split(tools, ",") {
			if t = strings.TrimSpace(t); t != "" {
				take(fmt.Sprintf("/tools/%d", i), t)
			}
		}
	case []any:
		for i, t := range tools {
			text, _ := t.(string)
			take(fmt.Sprintf("/tools/%d", i), text)
		}
	case map[string]any:
		for _, t := range slices.Sorted(maps.Keys(tools)) {
			if tools[t] == true {
				take("/tools/"+t, t)
			}
		}
	}
	permission, _ := v["permission"].(map[string]any)
	for _, t := range slices.Sorted(maps.Keys(permission)) {
		switch permission[t] {
		case "allow", "ask":
			take("/permission/"+t, t)
		case "deny":
		default:
			note("/permission/"+t, "rules inside of it are not taken")
		}
	}
	spec["tools"] = map[string]any{"policy": "allowlist", "allow": allow}
	for _, key := range slices.Sorted(maps.Keys(v)) {
		if !slices.Contains([]string{"name", "description", "tools", "permission", "body"}, key) {
			note("/"+key, "a first profile does not take it")
		}
	}
	return map[string]any{
		"oap": "1.0", "kind": profile.KindProfile, "spec": spec,
		"metadata": map[string]any{"name": name, "description": description, "revision": float64(1)},
	}, notes, nil
}
