package main

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/open-agent-profile/oap/internal/term"
	"github.com/open-agent-profile/oap/internal/textedit"
	"github.com/open-agent-profile/oap/profile"
	"github.com/open-agent-profile/oap/profile/narrow"
)

func (a *app) newEffectiveCommand() *cobra.Command {
	o := narrowing{needed: true}
	var report bool
	cmd := &cobra.Command{
		Use:   "effective NAME[@REV]|PATH --policy FILE",
		Short: "Show what a profile may do on this machine",
		Long: `Show the contract that a profile ends with on this machine: intersected field by field with the
local policy, with every profile that it extends, with what its trust allows and, as a
subagent, with everything that limits its caller. It is never wider than any of them.

--report lists what was taken away: the field, what was asked for, what is left, who limits
it and why. --as-subagent-of takes a profile under the same policy, or a .json file with what
oap effective --json or oap session start printed.`,
		Example: `  oap effective code-reviewer --policy policy.yaml
  oap effective code-reviewer --policy policy.yaml --report
  oap effective scout --policy policy.yaml --as-subagent-of code-reviewer --json`,
		Args:              takes(cobra.ExactArgs(1)),
		ValidArgsFunction: a.completeNames,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.runEffective(cmd.Context(), args[0], o, report)
		},
	}
	o.flags(cmd)
	cmd.Flags().BoolVar(&report, "report", false, "list what was narrowed, dropped and replaced, and why")
	cmd.Flags().StringVar(&o.parent, "as-subagent-of", "", "the agent that calls this one: `PARENT`, a name or a record")
	return cmd
}

// effectiveProfile is the JSON answer.
type effectiveProfile struct {
	Type   string `json:"type"` // "effective"
	Path   string `json:"path"`
	Commit string `json:"commit"` // empty: the working tree
	*narrow.Effective
}

func (a *app) runEffective(ctx context.Context, spec string, o narrowing, report bool) error {
	e, c, err := a.narrow(ctx, spec, o)
	if err != nil {
		return err
	}
	switch {
	case a.json:
		return a.emit(effectiveProfile{"effective", c.Source.Path, string(c.discovery.commit), e})
	case report:
		return a.report(e)
	}
	for _, b := range e.Blockers {
		a.warnf("no session may start: %s: %s (%s)", b.Field, b.Reason, b.Source)
	}
	text, err := profile.Encode(contractOf(c, e), textedit.YAML)
	if err != nil {
		return err
	}
	if err := a.write(text); err != nil {
		return err
	}
	if n := len(e.Adjustments); n > 0 {
		a.notef("%s: oap effective --report lists them", plural(n, "field differs from the profile", "fields differ from the profile"))
	}
	return nil
}

// contractOf is the document with what is in force for its contract, and without state.
func contractOf(c *composition, e *narrow.Effective) map[string]any {
	v := maps.Clone(c.Value)
	delete(v, "state")
	delete(v, "history")
	v["spec"] = e.Spec
	return v
}

// report prints the projection report (OAP L1-I9).
func (a *app) report(e *narrow.Effective) error {
	w := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
	rows := func(title string, all []narrow.Adjustment) {
		if len(all) == 0 {
			return
		}
		fmt.Fprintf(w, "%s\tREQUESTED\tEFFECTIVE\tLIMITED BY\tWHY\n", title)
		for _, d := range all {
			fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", term.Escape(d.Field), inCell(d.Requested), inCell(d.Effective), term.Escape(d.Source), term.Escape(d.Reason))
		}
	}
	rows("FIELD", e.Adjustments)
	rows("NO SESSION MAY START", e.Blockers)
	if len(e.Adjustments)+len(e.Blockers) == 0 {
		a.notef("%s is in force as it is written", term.Escape(e.Profile))
	}
	return w.Flush()
}

// inCell writes a value in a cell of a table: "-" is nothing, and what is long is cut.
func inCell(v any) string {
	if v == nil {
		return "-"
	}
	text, ok := v.(string)
	if !ok {
		data, err := json.Marshal(v)
		if err != nil {
			return "?"
		}
		text = string(data)
	}
	if r := []rune(text); len(r) > 60 {
		text = string(r[:59]) + "…"
	}
	return term.Escape(text)
}
