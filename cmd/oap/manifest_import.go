package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/open-agent-profile/oap/internal/textedit"
	"github.com/open-agent-profile/oap/interop/agentmanifest"
	"github.com/open-agent-profile/oap/profile"
	"github.com/open-agent-profile/oap/repo"
)

type importOptions struct {
	name  string
	agent string
	print bool
}

func (a *app) newManifestImportCommand() *cobra.Command {
	var o importOptions
	cmd := &cobra.Command{
		Use:   "import FILE",
		Short: "Write the profile of an OpenWOP manifest or a SKILL.md",
		Long: `Write a profile of an agent manifest, of an agent of a pack.json or of a host's packs/export
(--agent ID where there are several), or of a SKILL.md. It comes under the profile root, with
the files that it names, and is not committed. What the profile cannot say and what was filled
in is named on standard error.

The profile grants what the manifest grants and no more: no tools where it lists none, no entry
that a profile would read as a pattern, and the state of a session is for a person to approve.
A manifest that OpenWOP would refuse is refused here.`,
		Example: `  oap manifest import pack.json --agent core.openwop.agents.code-reviewer.default --name code-reviewer
  oap manifest import SKILL.md --print`,
		Args: takes(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.runManifestImport(cmd.Context(), args[0], o)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.name, "name", "", "`NAME` of the profile (default: the last part of agentId)")
	f.StringVar(&o.agent, "agent", "", "`ID` of the agent, where the file has several")
	f.BoolVar(&o.print, "print", false, "write the profile on standard output, and no file")
	return cmd
}

// importedProfile is the JSON answer.
type importedProfile struct {
	Type  string                  `json:"type"` // "import"
	Name  string                  `json:"name"`
	Path  string                  `json:"path,omitempty"`
	Files []string                `json:"files"`
	Text  string                  `json:"text,omitempty"`
	Notes []agentmanifest.Dropped `json:"notes"`
}

func (a *app) runManifestImport(ctx context.Context, file string, o importOptions) error {
	now, err := a.time()
	if err != nil {
		return err
	}
	full := a.resolve(file)
	src, err := a.readFile(full)
	if err != nil {
		return err
	}
	made, files, err := a.importedFrom(file, full, src, o)
	if err != nil {
		return err
	}
	made.Value["metadata"].(map[string]any)["created_at"] = now.UTC().Truncate(time.Second).Format(time.RFC3339)
	text, err := profile.Encode(made.Value, textedit.YAML)
	if err != nil {
		return err
	}
	name, _ := made.Value["metadata"].(map[string]any)["name"].(string)
	doc, err := a.checkNew(name+".agent.yaml", text)
	if err != nil {
		return err
	}
	done := importedProfile{"import", doc.Name(), "", []string{}, "", filled(made.Notes)}
	if found := agentmanifest.Gate(doc, spec(doc.Value)); profile.HasErrors(found) {
		return &profile.InvalidError{Findings: found}
	}
	for _, n := range made.Notes {
		a.notef("%s: %s", n.Pointer, n.Reason)
	}
	if o.print {
		done.Text = string(text)
		if a.json {
			return a.emit(done)
		}
		return a.write(text)
	}
	if done.Path, done.Files, err = a.placeImport(ctx, doc.Name(), text, files); err != nil {
		return err
	}
	if a.json {
		return a.emit(done)
	}
	for _, p := range append([]string{done.Path}, done.Files...) {
		a.printf("wrote %s\n", p)
	}
	a.notef("next: look at what it grants, then\n  oap validate %s\n  git add %s", done.Path, path.Dir(done.Path))
	return nil
}

// importedFrom makes the profile, and gives the files that go with it.
func (a *app) importedFrom(file, full string, src []byte, o importOptions) (*agentmanifest.Import, map[string][]byte, error) {
	if agentmanifest.IsSkill(full) {
		made, err := agentmanifest.FromSkill(src, o.name)
		if err != nil {
			err = fmt.Errorf("%s: %w", file, err)
		}
		return made, nil, refusedText(file, err)
	}
	m, err := a.manifestOf(file, o.agent)
	if err != nil {
		return nil, nil, err
	}
	root, err := os.OpenRoot(filepath.Dir(full))
	if err != nil {
		return nil, nil, err
	}
	defer root.Close()
	prompt, _ := m["systemPrompt"].(string)
	if ref, ok := m["systemPromptRef"].(string); ok {
		data, err := readInside(root, ref)
		if err != nil {
			return nil, nil, fmt.Errorf("the prompt of %s: %w", m["agentId"], err)
		}
		prompt = string(data)
	}
	made := agentmanifest.FromManifest(m, prompt, o.name)
	files := map[string][]byte{}
	for _, name := range made.Files {
		data, err := readInside(root, name)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			a.warnf("%s is not there: the profile names it, and an export needs it in the profile's folder", name)
		case err != nil:
			return nil, nil, err
		default:
			files[name] = data
		}
	}
	return made, files, nil
}

// refusedText places a syntax error of a file.
func refusedText(file string, err error) error {
	var syntax *textedit.SyntaxError
	if errors.As(err, &syntax) {
		return &profile.SyntaxError{Path: filepath.ToSlash(file), Line: syntax.Line, Column: syntax.Column, Msg: syntax.Msg}
	}
	return err
}

// manifestOf gives the one manifest that is meant, from a file that OpenWOP would take in one of its majors.
func (a *app) manifestOf(file, id string) (map[string]any, error) {
	var bad []profile.Finding
	var doc *profile.Document
	for _, target := range []agentmanifest.Target{agentmanifest.V1, agentmanifest.V2} {
		d, found, err := a.checkManifest(file, target)
		if err != nil {
			return nil, err
		}
		var errs []profile.Finding
		for _, v := range found {
			if v.Severity == profile.Error {
				errs = append(errs, v.Finding)
			}
		}
		if doc = d; errs == nil {
			bad = nil
			break
		}
		if bad == nil {
			bad = errs
		}
	}
	if bad != nil {
		return nil, &profile.InvalidError{Findings: bad}
	}
	all := []any{doc.Value}
	for _, member := range []string{"agents", "manifests"} {
		if list, ok := doc.Value[member].([]any); ok {
			all = list
		}
	}
	var ids []string
	for _, v := range all {
		m, _ := v.(map[string]any)
		name, _ := m["agentId"].(string)
		if name == id || id == "" && len(all) == 1 && name != "" {
			return m, nil
		}
		ids = append(ids, name)
	}
	slices.Sort(ids)
	if id == "" {
		return nil, usagef("%s has %s; choose one with --agent: %q", file, plural(len(all), "agent", "agents"), ids)
	}
	return nil, &notFoundError{fmt.Sprintf("%s has no agent %q", file, id)}
}

// placeImport writes a profile under the profile root, and the files that it names beside it. A file that is there
// already is kept if it is the same, else nothing is written.
func (a *app) placeImport(ctx context.Context, name string, text []byte, files map[string][]byte) (string, []string, error) {
	r, roots, dir, err := a.newPlace(ctx, false)
	if err != nil {
		return "", nil, err
	}
	if err := a.freeName(ctx, r, roots, name); err != nil {
		return "", nil, err
	}
	var wanted []string
	for _, file := range sortedKeys(files) {
		folder, err := workFolder(ctx, r, path.Join(dir, path.Dir(file)))
		if err != nil {
			return "", nil, err
		}
		target := path.Join(folder, path.Base(file))
		there, err := os.ReadFile(filepath.Join(r.Root, filepath.FromSlash(target)))
		switch {
		case errors.Is(err, fs.ErrNotExist):
			wanted = append(wanted, target)
			files[target] = files[file]
		case err != nil:
			return "", nil, err
		case !bytes.Equal(there, files[file]):
			return "", nil, &repo.Error{Kind: repo.Refused, Reason: "exists", Path: target, Msg: "another file of that name is there already"}
		}
	}
	rel := path.Join(dir, name+".agent.yaml")
	files[rel] = text
	var written []string
	for _, target := range append(wanted, rel) {
		_, err := makeFolder(r, path.Dir(target))
		if err == nil {
			err = makeFile(r, target, files[target])
		}
		if err != nil { // the profile comes last, so there is none without its files
			for _, p := range written {
				err = errors.Join(err, os.Remove(filepath.Join(r.Root, filepath.FromSlash(p))))
			}
			return "", nil, err
		}
		written = append(written, target)
	}
	return rel, filled(wanted), nil
}
