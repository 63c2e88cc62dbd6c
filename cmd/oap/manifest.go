package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/open-agent-profile/oap/internal/term"
	"github.com/open-agent-profile/oap/interop/agentmanifest"
	"github.com/open-agent-profile/oap/profile"
	"github.com/open-agent-profile/oap/repo/apply"
)

// takesState refuses state for a skill in the sense of OpenWOP, and for a profile whose annotations cannot be read,
// so that a misspelt role does not let state in.
func takesState(doc *profile.Document) (apply.Kind, string) {
	s, found := agentmanifest.Read(doc)
	if s.Role == "skill" {
		return apply.Stateless, fmt.Sprintf("%s is a skill (openwop.dev/role), which learns nothing from a call: it takes no state", doc.Name())
	}
	if len(found) > 0 {
		return apply.Invalid, found[0].Text()
	}
	return "", ""
}

func (a *app) newManifestCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "manifest",
		Short: "OpenWOP agent manifests",
		Long: `Work with the agent manifests of OpenWOP. A profile says in annotations that begin with
openwop.dev/ what its manifest says and a profile has no place for, its role above all; oap
validate holds a profile that states a role to what the role demands.`,
		Example: `  oap manifest validate pack.json
  oap manifest export scout --namespace vendor.acme`,
		Args: takes(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, args []string) error { return cmd.Help() },
	}
	cmd.AddCommand(a.newManifestValidateCommand(), a.newManifestExportCommand(), a.newManifestImportCommand())
	return cmd
}

func (a *app) newManifestValidateCommand() *cobra.Command {
	target := string(agentmanifest.V1)
	cmd := &cobra.Command{
		Use:   "validate FILE...",
		Short: "Check OpenWOP manifests and packs, offline",
		Long: `Check agent manifests, pack.json files, and what a host's packs/export answers. Everything that
is wrong is named at once, with its place; what a registry would refuse carries the code
pack_validation_failed, and the exit is 1. Nothing turns such an error into less.

--target v1 judges by the v1 schemas and warns of what v2 would refuse, v2 by the v2 schemas,
both by both. A file named pack.json is judged with the files of its folder that it refers to;
the references of a bare manifest, and of a pack under another name, are held to the rules for
paths alone.`,
		Example: `  oap manifest validate pack.json
  oap manifest validate --target both agent.json --json`,
		Args: takes(cobra.MinimumNArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.runManifestValidate(agentmanifest.Target(target), args)
		},
	}
	cmd.Flags().StringVar(&target, "target", target, "the `MAJOR` of OpenWOP: v1, v2 or both")
	return cmd
}

// targets are the values of --target.
var targets = map[string]bool{string(agentmanifest.V1): true, string(agentmanifest.V2): true, string(agentmanifest.Both): true}

// manifestFinding is one line of JSON.
type manifestFinding struct {
	Type string `json:"type"` // "violation"
	agentmanifest.Violation
}

// manifestsChecked is the last line of JSON.
type manifestsChecked struct {
	Type     string `json:"type"` // "manifests"
	Files    int    `json:"files"`
	Errors   int    `json:"errors"`
	Warnings int    `json:"warnings"`
}

func (a *app) runManifestValidate(target agentmanifest.Target, args []string) error {
	if !targets[string(target)] {
		return usagef("--target is v1, v2 or both, not %q", target)
	}
	n := manifestsChecked{Type: "manifests"}
	var unread error
	for _, arg := range args {
		_, found, err := a.checkManifest(arg, target)
		if err != nil {
			a.fail(err)
			if unread == nil {
				unread = err
			}
			continue
		}
		n.Files++
		for _, v := range found {
			if v.Severity == profile.Error {
				n.Errors++
			} else {
				n.Warnings++
			}
			if err := a.showViolation(v); err != nil {
				return err
			}
		}
	}
	if a.json {
		if err := a.emit(n); err != nil {
			return err
		}
	}
	switch {
	case unread != nil:
		return &alreadyReported{unread}
	case n.Errors > 0:
		return &answerNo{fmt.Sprintf("%s in %s", plural(n.Errors, "error", "errors"), plural(n.Files, "file", "files"))}
	}
	a.notef("%s, valid under OpenWOP %s", plural(n.Files, "file", "files"), target)
	return nil
}

func (a *app) showViolation(v agentmanifest.Violation) error {
	if a.json {
		return a.emit(manifestFinding{"violation", v})
	}
	line := v.String()
	if v.AgentID != "" {
		line += " " + v.AgentID
	}
	if v.Code != "" {
		line += " " + v.Code
	}
	a.printf("%s\n", term.Escape(line))
	return nil
}

// checkManifest reads a file and tells from its members which of the three it is.
func (a *app) checkManifest(arg string, target agentmanifest.Target) (*profile.Document, []agentmanifest.Violation, error) {
	full := a.resolve(arg)
	data, err := a.readFile(full)
	if err != nil {
		return nil, nil, err
	}
	doc, err := profile.Parse(filepath.ToSlash(arg), data)
	if err != nil {
		return nil, nil, err
	}
	has := func(names ...string) bool {
		for _, name := range names {
			if _, ok := doc.Value[name]; ok {
				return true
			}
		}
		return false
	}
	switch {
	case has("agentId"), !has("manifests", "agents", "nodes", "engines", "runtime"):
		return doc, agentmanifest.Check(doc, target), nil
	case has("manifests"):
		return doc, agentmanifest.CheckList(doc, target), nil
	case filepath.Base(full) != "pack.json":
		return doc, agentmanifest.CheckPack(doc, target, nil), nil
	}
	// A root keeps links of the pack inside of it.
	root, err := os.OpenRoot(filepath.Dir(full))
	if err != nil {
		return nil, nil, err
	}
	defer root.Close()
	return doc, agentmanifest.CheckPack(doc, target, func(name string) ([]byte, error) { return readInside(root, name) }), nil
}
