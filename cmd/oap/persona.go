package main

import (
	"context"
	"fmt"
	"path"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/open-agent-profile/oap/internal/term"
	"github.com/open-agent-profile/oap/interop/agentcard"
	"github.com/open-agent-profile/oap/profile"
)

func (a *app) newPersonaCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "persona",
		Short: "Personas of a base: who wears which hat",
		Long: `A persona is a profile that extends exactly one base and sets nothing but its own role and its
own list of tools, a subset of what the base grants. personas/skills.yaml under the profile
root says which tools make which advertised skill; personas/publish.yaml says which personas
are public. oap card and oap serve make A2A Agent Cards of them.`,
		Example: `  oap persona list
  oap persona check`,
		Args: takes(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, args []string) error { return cmd.Help() },
	}
	cmd.AddCommand(a.newPersonaCheckCommand(), a.newPersonaListCommand())
	return cmd
}

func (a *app) newPersonaCheckCommand() *cobra.Command {
	var at string
	cmd := &cobra.Command{
		Use:   "check [NAME]...",
		Short: "Hold personas against their bases",
		Long: `Check that personas stay within their bases: exactly one base, nothing set but role and tools,
every allowed tool covered by the base, nothing brought back that the base denies, no binding
raised. Every entry that offends is named. The skill map and the publish file are checked, too,
and that each public persona has a skill to advertise. Without names: the public personas.
oap validate does the same for the profile roots. Exit 1 if there are errors.`,
		Example: `  oap persona check
  oap persona check reviewer deployer --at HEAD~1`,
		ValidArgsFunction: a.completeNames,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.runPersonaCheck(cmd.Context(), at, args)
		},
	}
	cmd.Flags().StringVar(&at, "at", "", "read everything at commit `REV`")
	return cmd
}

func (a *app) runPersonaCheck(ctx context.Context, at string, names []string) error {
	v := &validation{app: a, seen: map[string]bool{}}
	if len(names) == 0 {
		all, err := a.casts(ctx, at)
		if err != nil {
			return err
		}
		for _, c := range all {
			worn, findings, err := c.judge(ctx)
			if err != nil {
				return err
			}
			v.documents += len(worn)
			v.checked = append(v.checked, &checked{path: c.root, findings: findings})
			v.roots = append(v.roots, c.root)
		}
	}
	for _, name := range names {
		w, err := a.wornAt(ctx, at, name)
		if err != nil {
			return err
		}
		v.documents++
		v.checked = append(v.checked, &checked{path: w.entry.Path, findings: w.findings})
	}
	report := reportText
	if a.json {
		report = reportJSON
	}
	if err := report(a, v); err != nil {
		return err
	}
	n := v.count()
	if a.json {
		if err := a.emit(n); err != nil {
			return err
		}
	}
	if n.Errors > 0 {
		return &answerNo{fmt.Sprintf("%s in %s", plural(n.Errors, "error", "errors"), plural(n.Documents, "persona", "personas"))}
	}
	if n.Documents == 0 {
		a.notef("no persona is public: no profile root has a %s", agentcard.PublishFile)
		return nil
	}
	a.notef("%s within %s", plural(n.Documents, "persona", "personas"), "their bases")
	return nil
}

// wornAt composes one persona by name, whether or not it is public.
func (a *app) wornAt(ctx context.Context, at, spec string) (*worn, error) {
	d, err := a.discover(ctx, at)
	if err != nil {
		return nil, err
	}
	if _, err := d.entries(ctx); err != nil { // outside of a repository
		return nil, err
	}
	root, name := rooted(spec)
	var first error
	for _, r := range d.roots {
		if r.Name != "project" || root != "" && r.Path != root {
			continue
		}
		c := &cast{root: r.Path, discovery: d}
		if _, err := c.read(ctx); err != nil {
			return nil, err
		}
		e, err := c.find(ctx, name)
		if err != nil {
			if first == nil {
				first = err
			}
			continue
		}
		return c.wear(ctx, e)
	}
	if first == nil {
		first = &notFoundError{fmt.Sprintf("no profile root is named %q", root)}
	}
	return nil, first
}

func (a *app) newPersonaListCommand() *cobra.Command {
	var at string
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List bases, personas, tools and skills",
		Long: `List every profile that is made as a persona, with its base, whether it is public, the tools
that it allows and the skills that follow from them. STATE is ok, or the first rule that it
breaks: oap persona check NAME says more.`,
		Example: `  oap persona list
  oap persona list --json`,
		Args: takes(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, args []string) error { return a.runPersonaList(cmd.Context(), at) },
	}
	cmd.Flags().StringVar(&at, "at", "", "read everything at commit `REV`")
	return cmd
}

// personaRow is one line of JSON.
type personaRow struct {
	Type     string   `json:"type"` // "persona"
	Name     string   `json:"name"`
	Base     string   `json:"base"`
	Path     string   `json:"path"`
	Revision int      `json:"revision"`
	Public   bool     `json:"public"`
	Tools    []string `json:"tools"`
	Skills   []string `json:"skills"`
	State    string   `json:"state"`
}

func (a *app) runPersonaList(ctx context.Context, at string) error {
	d, err := a.discover(ctx, at)
	if err != nil {
		return err
	}
	entries, err := d.entries(ctx)
	if err != nil {
		return err
	}
	casts := map[string]*cast{}
	var rows []personaRow
	for _, e := range entries {
		if e.Err != nil {
			a.warnf("%v", e.Err)
			continue
		}
		c := casts[e.Root]
		if c == nil {
			c = &cast{root: e.Root, discovery: d}
			if _, err := c.read(ctx); err != nil {
				return err
			}
			casts[e.Root] = c
			for _, f := range c.findings {
				a.warnf("%s", f.Text())
			}
		}
		public := c.publish != nil && c.publish.Find(e.Name()) != nil
		if !public && !agentcard.Own(e.Document) {
			continue
		}
		w, err := c.wear(ctx, e)
		if err != nil {
			return err
		}
		rows = append(rows, w.row(public))
	}
	return a.printPersonas(rows)
}

func (w *worn) row(public bool) personaRow {
	row := personaRow{Type: "persona", Name: w.entry.Name(), Base: w.base, Path: w.entry.Path, Revision: w.entry.Document.Revision(), Public: public, Tools: []string{}, Skills: []string{}, State: "ok"}
	for _, f := range w.findings {
		if f.Severity == profile.Error {
			row.State = f.Rule
			break
		}
	}
	if allow, ok := profile.Lookup(w.entry.Document.Value, []string{"spec", "tools", "allow"}); ok {
		list, _ := allow.([]any)
		for _, t := range list {
			if s, ok := t.(string); ok {
				row.Tools = append(row.Tools, s)
			}
		}
	}
	if w.Persona != nil && w.cast.skills != nil {
		for _, s := range agentcard.Derive(w.cast.skills, w.Granted) {
			row.Skills = append(row.Skills, s.ID)
		}
	}
	return row
}

func (a *app) printPersonas(rows []personaRow) error {
	if a.json {
		for _, r := range rows {
			if err := a.emit(r); err != nil {
				return err
			}
		}
		return nil
	}
	if len(rows) == 0 {
		a.notef("no profile is made as a persona: one base, and a list of tools of its own; %s would list those that are public", path.Join("…", agentcard.PublishFile))
		return nil
	}
	w := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "BASE\tPERSONA\tREV\tPUBLIC\tTOOLS\tSKILLS\tSTATE")
	dash := func(list []string) string {
		if len(list) == 0 {
			return "-"
		}
		return term.Escape(strings.Join(list, ","))
	}
	for _, r := range rows {
		public := "no"
		if r.Public {
			public = "yes"
		}
		fmt.Fprintf(w, "%s\t%s\t%d\t%s\t%s\t%s\t%s\n", term.Escape(r.Base), term.Escape(r.Name), r.Revision, public, dash(r.Tools), dash(r.Skills), r.State)
	}
	return w.Flush()
}
