package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/open-agent-profile/oap/canonical"
	"github.com/open-agent-profile/oap/internal/term"
	"github.com/open-agent-profile/oap/internal/textedit"
	"github.com/open-agent-profile/oap/profile"
	"github.com/open-agent-profile/oap/profile/resolve"
	"github.com/open-agent-profile/oap/proposals"
	"github.com/open-agent-profile/oap/repo"
)

type takingIn struct {
	from      string
	name      string
	keepState bool
	pin       bool
	dryRun    bool
}

func (a *app) newImportCommand() *cobra.Command {
	var o takingIn
	cmd := &cobra.Command{
		Use:   "import FILE|DIR... | import --pin NAME...",
		Short: "Take profiles of others in, for review",
		Long: `Take foreign profiles in. First comes what is wrong with a contract and what it asks for, worst
first; then what its state says. An invalid one is refused, and nothing is written.

It comes into the folder imported below the profile root, with the spec digest that was
reviewed beside it (NAME.pin). What lies there has the trust imported, the least, and is not
used at all once its contract is another; --pin NAME takes the contract of now after a look at
it. Moving the file out of the folder is to vouch for it. State and history stay behind;
--keep-state keeps both. Nothing is committed.

--from claude and --from opencode make a first profile of an agent file of that harness.`,
		Example: `  oap import ~/downloads/code-reviewer.agent.yaml
  oap import .claude/agents/scout.md --from claude
  oap import --pin code-reviewer`,
		Args: takes(cobra.MinimumNArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.pin {
				return a.runPin(cmd.Context(), args)
			}
			return a.runImport(cmd.Context(), args, o)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.from, "from", "oap", "the `FORMAT` of the file: oap, claude or opencode")
	f.StringVar(&o.name, "name", "", "call the profile `NAME` here")
	f.BoolVar(&o.keepState, "keep-state", false, "keep what the profile has learned, and its history")
	f.BoolVar(&o.pin, "pin", false, "pin imported profiles to their contract of now")
	f.BoolVar(&o.dryRun, "dry-run", false, "show what would be taken in, and write nothing")
	return cmd
}

// takenIn is one profile of JSON.
type takenIn struct {
	Type      string             `json:"type"` // "import"
	Name      string             `json:"name"`
	From      string             `json:"from"`
	Path      string             `json:"path"` // of the profile; its pin lies beside it
	Trust     string             `json:"trust"`
	Digest    canonical.Digest   `json:"spec_digest"`
	Findings  []profile.Finding  `json:"findings"`
	Asks      []proposals.Reason `json:"asks"`
	Dropped   []unsaid           `json:"dropped"`
	State     any                `json:"state"` // for review
	KeptState bool               `json:"kept_state"`

	text []byte
}

func (a *app) runImport(ctx context.Context, args []string, o takingIn) error {
	if o.from != "oap" && agentFiles[o.from].tools == nil {
		return usagef("--from is oap, claude or opencode, not %q", o.from)
	}
	r, roots, dir, err := a.newPlace(ctx, false)
	if err != nil {
		return err
	}
	files, err := a.foreignFiles(args, o.from)
	if err != nil {
		return err
	}
	if o.name != "" && len(files) > 1 {
		return usagef("--name is for one file, and there are %d", len(files))
	}
	var all []*takenIn
	for _, file := range files {
		in, err := a.takeIn(file, o)
		if err != nil {
			return err
		}
		in.Path = path.Join(dir, importedFolder, in.Name+suffixOf(in.Path))
		if err := a.freeName(ctx, r, roots, in.Name); err != nil {
			return err
		}
		if slices.ContainsFunc(all, func(other *takenIn) bool { return other.Name == in.Name }) {
			return &repo.Error{Kind: repo.Refused, Reason: "exists", Path: file, Msg: "another of the files has the name " + in.Name}
		}
		all = append(all, in)
	}
	for _, in := range all {
		if err := a.showTakenIn(in, o); err != nil {
			return err
		}
		if !o.dryRun {
			if err := writeTakenIn(ctx, r, in); err != nil {
				return err
			}
		}
	}
	if !a.json && !o.dryRun {
		a.notef("next: review it, then\n  git add %s\n  git commit -m 'Import %s'", path.Join(dir, importedFolder), all[0].Name)
	}
	return nil
}

// foreignFiles lists the files that are meant: of a folder, the profiles in it, or every Markdown file.
func (a *app) foreignFiles(args []string, from string) (files []string, err error) {
	for _, arg := range args {
		full := a.resolve(arg)
		info, err := os.Stat(full)
		if err != nil {
			return nil, err
		}
		if !info.IsDir() {
			files = append(files, arg)
			continue
		}
		entries, err := os.ReadDir(full)
		if err != nil {
			return nil, err
		}
		n := len(files)
		for _, e := range entries {
			if ours := profile.IsProfilePath(e.Name()); e.Type().IsRegular() && (from == "oap" && ours || from != "oap" && !ours && strings.HasSuffix(e.Name(), ".md")) {
				files = append(files, path.Join(filepath.ToSlash(arg), e.Name()))
			}
		}
		if len(files) == n {
			return nil, &notFoundError{fmt.Sprintf("the folder %s holds no file to import", arg)}
		}
	}
	return files, nil
}

// suffixOf gives the suffix of a profile's file; what was another format becomes YAML.
func suffixOf(file string) string {
	for _, suffix := range profile.ProfileSuffixes {
		if strings.HasSuffix(file, suffix) {
			return suffix
		}
	}
	return profile.ProfileSuffixes[0]
}

// takeIn reads one foreign file and works out the profile of it; nothing is written.
func (a *app) takeIn(file string, o takingIn) (*takenIn, error) {
	src, err := a.readFile(a.resolve(file))
	if err != nil {
		return nil, err
	}
	in := &takenIn{Type: "import", From: file, Path: file, Trust: string(resolve.Imported), Dropped: []unsaid{}}
	var doc *profile.Document
	if o.from == "oap" {
		doc, err = profile.Parse(filepath.ToSlash(file), src)
	} else {
		doc, err = a.fromHarness(file, src, o.from, in)
	}
	if err != nil {
		return nil, err
	}
	if doc.Kind() == profile.KindDelta {
		return nil, usagef("%s is a delta; oap apply-delta applies one", file)
	}
	findings, err := doc.Validate()
	if err != nil {
		return nil, err // with everything that is wrong with it
	}
	want := canonical.Clone(doc.Value).(map[string]any)
	meta := want["metadata"].(map[string]any)
	if o.name != "" {
		meta["name"] = o.name
	}
	in.State = want["state"]
	if in.KeptState = o.keepState; !o.keepState {
		// Its history is that of another repository, and its revision counts there.
		delete(want, "state")
		delete(want, "history")
		if _, said := meta["revision"]; said {
			meta["revision"] = float64(1)
		}
	}
	edited, err := doc.Edit(want)
	if err != nil {
		return nil, err
	}
	if _, err = edited.Document.Validate(); err != nil {
		return nil, err
	}
	if o.name != "" {
		findings = slices.DeleteFunc(findings, func(f profile.Finding) bool { return f.Rule == "file-name" })
	}
	in.Name, in.text, in.Findings = edited.Document.Name(), edited.Text, filled(findings)
	if in.Digest, err = edited.Document.SpecDigest(); err != nil {
		return nil, err
	}
	_, reasons := proposals.Rate(unasked(want), want)
	in.Asks = filled(slices.DeleteFunc(reasons, func(r proposals.Reason) bool { return r.Risk == proposals.Low }))
	return in, nil
}

// unasked is the same profile asking for nothing, to grade what it asks for.
func unasked(v map[string]any) map[string]any {
	least := maps.Clone(v)
	role, _ := spec(v)["role"].(map[string]any)
	least["spec"] = map[string]any{
		"role": role, "tools": map[string]any{"policy": "allowlist", "allow": []any{}},
		"memory": map[string]any{"mode": "off"}, "lifecycle": map[string]any{"writeback": "off"},
		"permissions": map[string]any{"default": "deny", "shell": "deny", "edit": "deny", "network": "deny"},
	}
	return least
}

func (a *app) fromHarness(file string, src []byte, harness string, in *takenIn) (*profile.Document, error) {
	value, notes, err := agentFiles[harness].takenFrom(harness, filepath.ToSlash(file), src)
	if err != nil {
		return nil, err
	}
	now, err := a.time()
	if err != nil {
		return nil, err
	}
	meta := value["metadata"].(map[string]any)
	meta["created_at"] = now.UTC().Truncate(time.Second).Format(time.RFC3339)
	text, err := profile.Encode(value, textedit.YAML)
	if err != nil {
		return nil, err
	}
	in.Dropped, in.Path = filled(notes), ""
	name, _ := meta["name"].(string)
	return profile.Parse(name+profile.ProfileSuffixes[0], text)
}

// showTakenIn shows what a person has to look at: findings, what is asked for, what is not taken, and state.
func (a *app) showTakenIn(in *takenIn, o takingIn) error {
	if a.json {
		return a.emit(in)
	}
	a.printf("%s  from %s, trust %s\n", term.Escape(in.Name), term.Escape(in.From), in.Trust)
	for _, f := range in.Findings {
		a.printf("  warning  %s\n", term.Escape(f.Text()))
	}
	for _, r := range in.Asks {
		a.printf("  asks     %-6s %s: %s\n", r.Risk, term.Escape(r.Pointer), term.Escape(r.Message))
	}
	for _, d := range in.Dropped {
		a.printf("  dropped  %s: %s\n", term.Escape(d.Field), term.Escape(d.Reason))
	}
	state, _ := in.State.(map[string]any)
	word := "left"
	if in.KeptState {
		word = "kept"
	}
	for _, member := range sortedKeys(state) {
		list, ok := state[member].([]any)
		if !ok {
			a.printf("  %-8s /state/%s: %s\n", word, term.Escape(member), term.Escape(oneLine(state[member])))
			continue
		}
		for i, e := range list {
			a.printf("  %-8s /state/%s/%d: %s\n", word, term.Escape(member), i, term.Escape(oneLine(e)))
		}
	}
	if o.dryRun {
		return nil
	}
	a.printf("  wrote    %s  spec %s\n", term.Escape(in.Path), in.Digest.Short())
	return nil
}

// writeTakenIn writes the pin first: a profile without one is not used.
func writeTakenIn(ctx context.Context, r *repo.Repo, in *takenIn) error {
	dir, err := workFolder(ctx, r, path.Dir(in.Path))
	if err != nil {
		return err
	}
	if _, err := makeFolder(r, dir); err != nil {
		return err
	}
	pin := path.Join(dir, in.Name+pinSuffix)
	if err := os.Remove(filepath.Join(r.Root, filepath.FromSlash(pin))); err != nil && !os.IsNotExist(err) {
		return err // one that an earlier import left
	}
	if err := makeFile(r, pin, []byte(in.Digest.String()+"\n")); err != nil {
		return err
	}
	return makeFile(r, path.Join(dir, path.Base(in.Path)), in.text)
}

// pinned is one line of JSON.
type pinned struct {
	Type   string           `json:"type"` // "pin"
	Name   string           `json:"name"`
	Path   string           `json:"path"`
	Before string           `json:"before"`
	Digest canonical.Digest `json:"spec_digest"`
}

// runPin takes the contract that imported profiles have now. It is a decision about a contract, so a person's.
func (a *app) runPin(ctx context.Context, names []string) error {
	r, err := a.repo(ctx)
	if err != nil {
		return err
	}
	if err := a.refuseAgents(r, "pinning a contract"); err != nil {
		return err
	}
	for _, name := range names {
		at, err := a.target(ctx, name)
		if err != nil {
			return err
		}
		if _, err := at.Document.Validate(); err != nil {
			return err
		}
		if !isImported(at.Root, at.Path) || at.Commit != "" {
			return usagef("%s does not lie among the imported profiles of the working tree", name)
		}
		p := pinned{Type: "pin", Name: at.Document.Name(), Path: path.Join(path.Dir(at.Path), at.Document.Name()+pinSuffix)}
		if p.Digest, err = at.Document.SpecDigest(); err != nil {
			return err
		}
		root, err := os.OpenRoot(r.Root)
		if err != nil {
			return err
		}
		before, err := root.ReadFile(p.Path)
		if err == nil {
			p.Before = strings.TrimSpace(string(before))
			err = root.Remove(p.Path)
		} else if os.IsNotExist(err) {
			err = nil
		}
		if err = errors.Join(err, root.Close()); err != nil {
			return err
		}
		if err := makeFile(r, p.Path, []byte(p.Digest.String()+"\n")); err != nil {
			return err
		}
		if a.json {
			err = a.emit(p)
		} else {
			a.printf("pinned %s to spec %s in %s\n", term.Escape(p.Name), p.Digest.Short(), term.Escape(p.Path))
		}
		if err != nil {
			return err
		}
	}
	return nil
}
