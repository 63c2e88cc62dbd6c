package main

import (
	"context"
	"fmt"
	"maps"
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
		Use:   "export NAME[@REV]|PATH --to HARNESS --policy FILE",
		Short: "Write a profile as the agent file of a harness",
		Long: `Write the effective profile, on standard output, as a file that a harness reads as an agent of
its own: role and tools. Everything that such a file cannot say is named on standard error,
limits above all: there the settings of the harness count, and not the profile.

A tool is written only if it is granted by its full name and the harness has it under a name
that is known here. A file without tools would mean all tools, so there is none: exit 4.
State is not written: it changes, and is given at the start of a session. The file for opencode
denies every tool that it does not name, and says where a person is asked.`,
		Example: `  oap export code-reviewer --to claude --policy policy.yaml > .claude/agents/code-reviewer.md
  oap export code-reviewer --to claude --policy policy.yaml --json`,
		Args:              takes(cobra.ExactArgs(1)),
		ValidArgsFunction: a.completeNames,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.runExport(cmd.Context(), args[0], o)
		},
	}
	o.flags(cmd)
	cmd.Flags().StringVar(&o.to, "to", "", "`HARNESS` whose file is written: claude or opencode (required)")
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

	decided map[string]narrow.Decision // of what is in Tools
}

// unsaid is something that the file of a harness does not say.
type unsaid struct {
	Field  string `json:"field"`
	Reason string `json:"reason"`
}

func (a *app) runExport(ctx context.Context, spec string, o exportOptions) error {
	harness, known := agentFiles[o.to]
	if !known {
		return usagef("--to names a harness whose agent files are known: claude or opencode")
	}
	e, c, err := a.narrow(ctx, spec, o.narrowing)
	if err != nil {
		return err
	}
	x := exported{Type: "export", To: o.to, Profile: e.Profile, Tools: []string{}}
	asked := x.tools(e, harness)
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
	head := map[string]any{"description": description}
	if o.to == "opencode" {
		x.opencodeHead(e, head, asked)
	} else {
		x.claudeHead(e, head, asked)
	}
	x.rest(e, head)
	front, err := textedit.Encode(head, textedit.YAML, headOrder{}, textedit.Options{})
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

// headOrder is the order of the members in front of the file. In a map of permissions the last rule that fits counts,
// so that the one for everything comes first.
type headOrder struct{}

func (headOrder) Order(at canonical.Pointer) []string {
	if len(at) > 0 {
		return []string{"*"}
	}
	return []string{"name", "description", "mode", "tools", "model", "permission"}
}

func (headOrder) Identity(canonical.Pointer) string { return "" }

func (x *exported) claudeHead(e *narrow.Effective, head map[string]any, asked map[string]string) {
	head["name"], head["tools"] = e.Profile, strings.Join(x.Tools, ", ")
	if e.Model.Provider == "anthropic" && e.Model.ID != "" {
		head["model"] = e.Model.ID
	}
	for _, field := range sortedKeys(asked) {
		x.drop(field, "%s", asked[field])
	}
}

// opencodeHead writes permissions, which is more than a list of tools: what a person is asked about stays so.
func (x *exported) opencodeHead(e *narrow.Effective, head map[string]any, asked map[string]string) {
	rules := map[string]any{"*": "deny"}
	for _, name := range x.Tools {
		rules[name] = string(x.decided[name])
	}
	head["permission"] = rules
	head["mode"] = "all"
	if mode, _ := canonical.Get(e.Spec, canonical.Pointer{"runtime", "mode"}); mode == "primary" || mode == "subagent" {
		head["mode"] = mode
	}
	if e.Model.Provider != "" && e.Model.ID != "" {
		head["model"] = e.Model.Provider + "/" + e.Model.ID
	}
}

func (x *exported) drop(field, format string, args ...any) {
	x.Dropped = append(x.Dropped, unsaid{field, fmt.Sprintf(format, args...)})
}

// tools gathers the names of the tools that are granted by name and not denied. It gives what is to be said of those
// that a person is asked about, by field.
func (x *exported) tools(e *narrow.Effective, f agentFile) map[string]string {
	v, _ := canonical.Get(e.Spec, canonical.Pointer{"tools", "allow"})
	granted, _ := v.([]any)
	asked := map[string]string{}
	x.decided = map[string]narrow.Decision{}
	for i, g := range granted {
		tool, _ := g.(string)
		field := fmt.Sprintf("/spec/tools/allow/%d", i)
		names := f.theirs(tool)
		verdict := e.Decide(tool, "", "")
		if both := f.together[tool]; both != "" { // they have one name for what is two tools here
			names = f.theirs(both)
			for _, other := range f.parts[both] {
				verdict.Decision = verdict.Decision.Lesser(e.Decide(other, "", "").Decision)
			}
		}
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
			asked[field] = fmt.Sprintf("%q is written, and that a person is asked is not (%s)", tool, verdict.Reason)
		}
		for _, n := range names {
			if !slices.Contains(x.Tools, n) {
				x.Tools = append(x.Tools, n)
				x.decided[n] = verdict.Decision
			}
			x.decided[n] = x.decided[n].Lesser(verdict.Decision)
		}
	}
	return asked
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
			if _, has := head["mode"]; has && member == "runtime" && k == "mode" {
				written = true
			}
			if !written {
				x.drop("/spec/"+member+"/"+canonical.Escape(k), "the file has no word for it")
			}
		}
	}
}
