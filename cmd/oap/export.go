package main

import (
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/open-agent-profile/oap/canonical"
	"github.com/open-agent-profile/oap/internal/textedit"
	"github.com/open-agent-profile/oap/profile/narrow"
	"github.com/open-agent-profile/oap/profile/render"
	"github.com/open-agent-profile/oap/repo"
)

type exportOptions struct {
	narrowing
	to string
}

func (a *app) newExportCommand() *cobra.Command {
	o := exportOptions{narrowing: narrowing{needed: true}}
	cmd := &cobra.Command{
		Use:   "export NAME[@REV]|PATH --to claude --policy FILE",
		Short: "Write a profile as the agent file of a harness",
		Long: `Write the effective profile, on standard output, as a file that a harness reads as an agent of
its own: role and tools. Everything that such a file cannot say is named on standard error,
limits above all: there the settings of the harness count, and not the profile.

A tool is written only if it is granted by its full name and the harness has it under a name
that is known here. A file without tools would mean all tools, so there is none: exit 4.
State is not written: it changes, and is given at the start of a session.`,
		Example: `  oap export code-reviewer --to claude --policy policy.yaml > .claude/agents/code-reviewer.md
  oap export code-reviewer --to claude --policy policy.yaml --json`,
		Args:              takes(cobra.ExactArgs(1)),
		ValidArgsFunction: a.completeNames,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.runExport(cmd.Context(), args[0], o)
		},
	}
	o.flags(cmd)
	cmd.Flags().StringVar(&o.to, "to", "", "`HARNESS` whose file is written: claude (required)")
	return cmd
}

// exported is the JSON answer.
type exported struct {
	Type    string   `json:"type"` // "export"
	To      string   `json:"to"`
	Profile string   `json:"profile"`
	Text    string   `json:"text"`
	Tools   []string `json:"tools"`
	Dropped []unsaid `json:"dropped"`
}

// unsaid is something that the file of a harness does not say.
type unsaid struct {
	Field  string `json:"field"`
	Reason string `json:"reason"`
}

func (a *app) runExport(ctx context.Context, spec string, o exportOptions) error {
	if o.to != "claude" {
		return usagef("--to names a harness whose agent files are known: claude")
	}
	e, c, err := a.narrow(ctx, spec, o.narrowing)
	if err != nil {
		return err
	}
	x := exported{Type: "export", To: o.to, Profile: e.Profile, Tools: []string{}}
	x.tools(e)
	if len(x.Tools) == 0 {
		return &repo.Error{Kind: repo.Refused, Reason: "no-tools", Path: e.Profile, Msg: "no tool of the profile can be written, and a file without tools would grant all"}
	}
	value := maps.Clone(c.Value)
	value["spec"] = e.Spec
	if _, has := value["state"]; has {
		x.drop("/state", "state is given at the start of a session")
	}
	delete(value, "state")
	// On one line, so that no reader of the file takes a part of it for another member.
	description := strings.Join(strings.Fields(c.Source.Document.Description()), " ")
	head := map[string]any{"name": e.Profile, "description": description, "tools": strings.Join(x.Tools, ", ")}
	if e.Model.Provider == "anthropic" && e.Model.ID != "" {
		head["model"] = e.Model.ID
	}
	x.rest(e, head)
	front, err := textedit.Encode(head, textedit.YAML, claudeHead{}, textedit.Options{})
	if err != nil {
		return err
	}
	x.Text = "---\n" + string(front) + "---\n\n" + render.Render(value, render.Options{}).Text
	if n := len(e.Adjustments); n > 0 {
		a.notef("%s on this machine: oap effective --report lists them", plural(n, "field differs from the profile", "fields differ from the profile"))
	}
	for _, d := range x.Dropped {
		a.warnf("not in the file: %s: %s", d.Field, d.Reason)
	}
	if a.json {
		return a.emit(x)
	}
	return a.write([]byte(x.Text))
}

// claudeHead is the order of the members in front of the file.
type claudeHead struct{}

func (claudeHead) Order(canonical.Pointer) []string {
	return []string{"name", "description", "tools", "model"}
}

func (claudeHead) Identity(canonical.Pointer) string { return "" }

// claudeTools are the names that the harness has for tools of profiles; in none of them is more than in ours. What
// is not here is not written.
var claudeTools = map[string][]string{
	"read": {"Read"}, "search": {"Grep", "Glob"}, "grep": {"Grep"}, "glob": {"Glob"},
	"edit": {"Edit"}, "write": {"Write"}, "shell": {"Bash"}, "bash": {"Bash"},
	"fetch": {"WebFetch"}, "web_fetch": {"WebFetch"},
}

// plainMCP is a tool of an MCP server whose name needs no escape.
var plainMCP = regexp.MustCompile(`^mcp/([A-Za-z0-9][A-Za-z0-9_-]*)/([A-Za-z0-9][A-Za-z0-9_-]*)$`)

func (x *exported) drop(field, format string, args ...any) {
	x.Dropped = append(x.Dropped, unsaid{field, fmt.Sprintf(format, args...)})
}

// tools writes the tools that are granted by name and not denied.
func (x *exported) tools(e *narrow.Effective) {
	v, _ := canonical.Get(e.Spec, canonical.Pointer{"tools", "allow"})
	granted, _ := v.([]any)
	for i, g := range granted {
		tool, _ := g.(string)
		field := fmt.Sprintf("/spec/tools/allow/%d", i)
		names := claudeTools[tool]
		// With two underlines in a part, two tools would be written alike, of which one may not be granted.
		if m := plainMCP.FindStringSubmatch(tool); m != nil && !strings.Contains(tool, "__") {
			names = []string{"mcp__" + m[1] + "__" + m[2]}
		}
		verdict := e.Decide(tool, "", "")
		switch {
		case strings.Contains(tool, "*"):
			x.drop(field, "%q is a pattern, and the file lists tools by name", tool)
			continue
		case names == nil:
			x.drop(field, "no tool of the harness is known to be %q", tool)
			continue
		case verdict.Decision == narrow.Deny:
			x.drop(field, "%q is denied: %s", tool, verdict.Reason)
			continue
		case verdict.Decision == narrow.Ask:
			x.drop(field, "%q is written, and that a person is asked is not (%s)", tool, verdict.Reason)
		}
		for _, n := range names {
			if !slices.Contains(x.Tools, n) {
				x.Tools = append(x.Tools, n)
			}
		}
	}
}

// rest names the other members of the contract, of which the file has none.
func (x *exported) rest(e *narrow.Effective, head map[string]any) {
	for _, member := range slices.Sorted(maps.Keys(e.Spec)) {
		part, _ := e.Spec[member].(map[string]any)
		for _, k := range slices.Sorted(maps.Keys(part)) {
			written := member == "role" && k != "expertise" || member == "tools" && (k == "policy" || k == "allow" || k == "deny")
			if _, has := head["model"]; has && member == "model" && (k == "provider" || k == "id") {
				written = true
			}
			if !written {
				x.drop("/spec/"+member+"/"+canonical.Escape(k), "the file has no word for it")
			}
		}
	}
}
