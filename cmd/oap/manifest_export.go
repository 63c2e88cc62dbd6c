package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"github.com/open-agent-profile/oap/interop/agentmanifest"
	"github.com/open-agent-profile/oap/profile"
	"github.com/open-agent-profile/oap/profile/narrow"
	"github.com/open-agent-profile/oap/profile/render"
	"github.com/open-agent-profile/oap/profile/resolve"
	"github.com/open-agent-profile/oap/repo"
)

type manifestOptions struct {
	composing
	namespace string
	target    string
	pack      string
	version   string
	prompts   bool
	report    string
	strict    bool
}

func (a *app) newManifestExportCommand() *cobra.Command {
	o := manifestOptions{target: string(agentmanifest.Both), report: "text"}
	cmd := &cobra.Command{
		Use:   "export NAME[@REV]|PATH...",
		Short: "Write profiles as OpenWOP manifests, or as a pack",
		Long: `Write the manifest of a profile on standard output, of several {"manifests": [...]}. It is made
of the resolved profile and never says more than that: no role but the one that is stated, no
tool that is not granted, nothing of state. What has no place in a manifest is named on
standard error; --report json writes there, as JSON, what became of every field.

A tool is written as it is where it has a scope of OpenWOP; mcp/SERVER/TOOL as mcp:SERVER/TOOL;
any other by openwop.dev/tool-map ("read=openwop:core.files.read, ..."), else it is dropped.

--pack DIR writes a whole pack: pack.json and the files that the profiles name, which lie
relative to each profile's folder. DIR is replaced at once, or not at all. One profile that
violates what its role demands refuses the pack, and nothing is written.`,
		Example: `  oap manifest export scout --namespace vendor.acme > scout.json
  oap manifest export scout --namespace vendor.acme.scouts --pack out --pack-version 1.2.0`,
		Args:              takes(cobra.MinimumNArgs(1)),
		ValidArgsFunction: a.completeNames,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.runManifestExport(cmd.Context(), args, o)
		},
	}
	o.composing.flags(cmd)
	f := cmd.Flags()
	f.StringVar(&o.namespace, "namespace", "", "`PREFIX` of agentId, before the profile's name (git config oap.namespace)")
	f.StringVar(&o.target, "target", o.target, "the `MAJOR` of OpenWOP: v1, v2 or both")
	f.StringVar(&o.pack, "pack", "", "write a pack into the folder `DIR`")
	f.StringVar(&o.version, "pack-version", "", "`VERSION` of the pack, a semantic one")
	f.BoolVar(&o.prompts, "prompt-files", false, "put prompts into files of the pack, and not only those that are too long")
	f.StringVar(&o.report, "report", o.report, "`FORMAT` of the report on standard error: text or json")
	f.BoolVar(&o.strict, "strict", false, "refuse a tool policy that a manifest cannot say, rather than write no tools")
	return cmd
}

var semantic = regexp.MustCompile(`^\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?(\+[0-9A-Za-z.-]+)?$`)

func (o *manifestOptions) check() error {
	switch {
	case !targets[o.target]:
		return usagef("--target is v1, v2 or both, not %q", o.target)
	case o.report != "text" && o.report != "json":
		return usagef("--report is text or json, not %q", o.report)
	case o.pack == "" && (o.version != "" || o.prompts):
		return usagef("--pack-version and --prompt-files go with --pack DIR")
	case o.pack != "" && !semantic.MatchString(o.version):
		return usagef("--pack-version is a semantic version such as 1.2.0, not %q", o.version)
	}
	return nil
}

// exportedManifest is one of the JSON answer, and of the report.
type exportedManifest struct {
	Type     string                  `json:"type"` // "manifest"
	Profile  string                  `json:"profile"`
	AgentID  string                  `json:"agent_id"`
	Manifest map[string]any          `json:"manifest,omitempty"`
	Mapped   []agentmanifest.Mapped  `json:"mapped"`
	Dropped  []agentmanifest.Dropped `json:"dropped"`
}

// exportedPack is the last line of JSON of a pack.
type exportedPack struct {
	Type  string   `json:"type"` // "pack"
	Dir   string   `json:"dir"`
	Files []string `json:"files"`
}

func (a *app) runManifestExport(ctx context.Context, names []string, o manifestOptions) error {
	if err := o.check(); err != nil {
		return err
	}
	var all []*agentmanifest.Export
	var docs []*profile.Document
	var readers []func(string) ([]byte, error)
	var bad []profile.Finding
	for _, name := range names {
		c, err := a.compose(ctx, name, o.composing)
		if err != nil {
			return err
		}
		a.warnComposed(c)
		in, err := a.manifestInput(c, o)
		if err != nil {
			return err
		}
		x, found := agentmanifest.Make(in)
		read := c.beside(ctx)
		if x != nil {
			found = append(found, namedFiles(in.Document, x, read)...)
		}
		bad = append(bad, found...)
		all, docs, readers = append(all, x), append(docs, in.Document), append(readers, read)
	}
	if profile.HasErrors(bad) {
		return &profile.InvalidError{Findings: bad}
	}
	if o.pack != "" {
		return a.writePack(all, docs, readers, o)
	}
	if err := a.reportManifests(all, o); err != nil {
		return err
	}
	value := all[0].Manifest
	if len(all) > 1 {
		list := []any{}
		for _, x := range all {
			list = append(list, x.Manifest)
		}
		value = map[string]any{"manifests": list}
	}
	text, err := agentmanifest.Encode(value)
	if err != nil || a.json {
		return err
	}
	return a.write(text)
}

// manifestInput asks narrowing and rendering what a manifest may say.
func (a *app) manifestInput(c *composition, o manifestOptions) (in agentmanifest.Input, err error) {
	doc := c.Source.Document
	in = agentmanifest.Input{
		Document: doc, Value: c.Value, Namespace: o.namespace, Target: agentmanifest.Target(o.target), Strict: o.strict,
		Origin: map[string]any{"name": doc.Name(), "revision": float64(doc.Revision()), "spec_digest": c.SpecDigest.String()},
	}
	if in.Namespace == "" {
		in.Namespace = a.setting(c.discovery.repo, "namespace")
	}
	if in.Value, err = granted(c.Resolved); err != nil {
		return in, err
	}
	contract := maps.Clone(in.Value)
	delete(contract, "state") // learned text is no authority, and a system prompt is
	in.Prompt = render.Render(contract, render.Options{}).Text
	in.Granted, err = narrow.Grant(narrow.From(c.Resolved), "")
	return in, err
}

// granted is a resolved profile whose memory is within that of each base, as everything else about it is held to be:
// the rules of merging alone would let a child remember what its base may not.
func granted(r *resolve.Resolved) (map[string]any, error) {
	if _, said := spec(r.Value)["memory"]; !said || len(r.Bases) == 0 {
		return r.Value, nil
	}
	e, err := narrow.Narrow(narrow.From(r), nil, narrow.Options{})
	if err != nil {
		return nil, err
	}
	value, contract := maps.Clone(r.Value), maps.Clone(spec(r.Value))
	contract["memory"], value["spec"] = e.Spec["memory"], contract
	return value, nil
}

// beside reads files that a profile names by paths relative to its folder, where its links lead: at the commit that
// it was read at, or on the disk and then not out of that folder.
func (c *composition) beside(ctx context.Context) func(string) ([]byte, error) {
	commit := string(c.discovery.commit)
	if rest, ok := strings.CutPrefix(c.Source.ID, commit+":"); ok && commit != "" {
		return func(name string) ([]byte, error) {
			return c.discovery.source.Read(ctx, path.Join(path.Dir(rest), name))
		}
	}
	return func(name string) ([]byte, error) {
		root, err := os.OpenRoot(filepath.Dir(c.Source.ID))
		if err != nil {
			return nil, err
		}
		defer root.Close()
		return readInside(root, name)
	}
}

// readInside reads a file of a pack, or of what is to be one, by its path with slashes.
func readInside(root *os.Root, name string) ([]byte, error) {
	if why := agentmanifest.Outside(name); why != "" {
		return nil, &repo.Error{Kind: repo.Refused, Reason: "outside", Path: name, Msg: why}
	}
	name = filepath.FromSlash(name)
	info, err := root.Stat(name)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, errors.New("it is no file")
	case info.Size() > agentmanifest.MaxFile:
		return nil, agentmanifest.TooLarge(info.Size())
	}
	return root.ReadFile(name)
}

// namedFiles holds the files that a manifest names to being there, and schemas to being such.
func namedFiles(doc *profile.Document, x *agentmanifest.Export, read func(string) ([]byte, error)) (found []profile.Finding) {
	for _, f := range x.Files {
		data, err := read(f.Path)
		why := ""
		switch {
		case errors.Is(err, fs.ErrNotExist):
			why = "it is not there, in the folder of the profile"
		case err != nil:
			why = err.Error()
		case f.Schema:
			if why = agentmanifest.NotSchema(data); why != "" {
				why = "it is no JSON Schema: " + why
			}
		}
		if why != "" {
			found = append(found, doc.Finding(profile.Error, "export", f.Pointer, fmt.Sprintf("%q: %s", f.Path, why)))
		}
	}
	return found
}

// reportManifests says what became of the fields of each profile.
func (a *app) reportManifests(all []*agentmanifest.Export, o manifestOptions) error {
	for _, x := range all {
		id, _ := x.Manifest["agentId"].(string)
		line := exportedManifest{"manifest", x.Profile, id, nil, x.Mapped, filled(x.Dropped)}
		if o.report == "json" {
			text, err := json.Marshal(line)
			if err != nil {
				return err
			}
			fmt.Fprintf(a.err, "%s\n", text)
		} else {
			for _, m := range x.Mapped {
				if m.From == "" && m.Note != "" { // nothing of the profile says so
					a.notef("%s: %s: %s", x.Profile, m.Field, m.Note)
				}
			}
			for _, d := range x.Dropped {
				a.warnf("%s: not in the manifest: %s: %s", x.Profile, d.Pointer, d.Reason)
			}
		}
		if a.json {
			line.Manifest = x.Manifest
			if err := a.emit(line); err != nil {
				return err
			}
		}
	}
	return nil
}

// writePack puts a pack in the place of a folder that holds nothing but files of that pack.
func (a *app) writePack(all []*agentmanifest.Export, docs []*profile.Document, readers []func(string) ([]byte, error), o manifestOptions) error {
	files, err := agentmanifest.Pack(all, docs, agentmanifest.Packing{
		Version: o.version, Target: agentmanifest.Target(o.target), PromptFiles: o.prompts,
	}, func(i int, name string) ([]byte, error) { return readers[i](name) })
	if err != nil {
		return err
	}
	dir := a.resolve(o.pack)
	_, err = treeFiles(dir, "file of this pack", func(rel string) bool { return files[rel] != nil })
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := a.reportManifests(all, o); err != nil {
		return err
	}
	if err := putTree(dir, files); err != nil {
		return err
	}
	if a.json {
		return a.emit(exportedPack{"pack", o.pack, sortedKeys(files)})
	}
	for _, p := range sortedKeys(files) {
		a.printf("%s\n", path.Join(filepath.ToSlash(o.pack), p))
	}
	return nil
}
