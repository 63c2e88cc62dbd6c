package main

import (
	"context"
	"fmt"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/open-agent-profile/oap/internal/term"
	"github.com/open-agent-profile/oap/proposals"
	"github.com/open-agent-profile/oap/repo"
	"github.com/open-agent-profile/oap/repo/apply"
)

func (a *app) newProposalsCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "proposals",
		Aliases: []string{"pr"},
		Short:   "Review and decide what sessions asked for",
		Long: `Contract changes that sessions asked for, and state that waits for a person, are branches
(oap/proposals/PROFILE/ID and oap/pending/PROFILE/ID). A person reviews them here or as pull
requests, and accepts or rejects them. An ID may be shortened as long as it is unique.`,
		Example: `  oap proposals list
  oap proposals show 3f2a
  oap proposals accept 3f2a
  oap proposals reject 3f2a --reason 'The suite runs in CI; the agent needs no shell.'`,
		Args: takes(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, args []string) error { return cmd.Help() },
	}
	cmd.AddCommand(
		a.newProposalsListCommand(), a.newProposalsShowCommand(), a.newProposalsAcceptCommand(),
		a.newProposalsRejectCommand(), a.newProposalsRefreshCommand(),
		a.newProposalsPushCommand(), a.newProposalsSyncCommand(),
	)
	return cmd
}

// openBook opens the repository and its proposals. With reading, a detached HEAD is read as it is, so that
// a CI checkout can be looked at.
func (a *app) openBook(ctx context.Context, reading bool) (*repo.Repo, *proposals.Book, error) {
	r, err := a.repo(ctx)
	if err != nil {
		return nil, nil, err
	}
	var o apply.Options
	if o.Roots, err = a.profileRoots(r); err != nil {
		return nil, nil, err
	}
	var at repo.ID
	if o.Branch, err = a.branchRef(ctx, r); reading && repo.ReasonOf(err) == "detached" {
		o.Branch = "refs/heads/HEAD"
		at, err = r.Resolve(ctx, "HEAD")
	}
	if err != nil {
		return nil, nil, err
	}
	if o.Now, err = a.time(); err != nil {
		return nil, nil, err
	}
	if o.CommitTime, err = a.fixedTime(); err != nil {
		return nil, nil, err
	}
	if o.Hooks, err = a.switchedOn(r, "hooks"); err != nil {
		return nil, nil, err
	}
	b, err := a.book(r, o)
	if err != nil {
		return nil, nil, err
	}
	b.Shallow, b.At = r.Shallow, at
	return r, b, nil
}

type listOptions struct {
	all                 bool
	profile, risk, kind string
}

func (a *app) newProposalsListCommand() *cobra.Command {
	var o listOptions
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List open proposals and pending state",
		Long: `List what is open: id, kind, profile, what it changes, the computed risk, how many sessions
asked for it, its age, and how it stands to the branch: up to date, behind (it comes together
by meaning), merged (oap stamp puts it on record), conflicting, or broken (oap proposals show
says why).`,
		Example: `  oap proposals list
  oap proposals list --risk high --profile code-reviewer
  oap pr list --all --json`,
		Args: takes(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, args []string) error { return a.runProposalsList(cmd.Context(), o) },
	}
	cmd.Flags().BoolVar(&o.all, "all", false, "also what was decided")
	cmd.Flags().StringVar(&o.profile, "profile", "", "only those of the profile `NAME`")
	cmd.Flags().StringVar(&o.risk, "risk", "", "only those of risk `low`, medium or high")
	cmd.Flags().StringVar(&o.kind, "kind", "", "only `proposal` or pending")
	return cmd
}

// matches applies the filters; decided ones have no risk any more.
func (o listOptions) matches(name string, kind proposals.Kind, risk proposals.Risk) bool {
	return (o.profile == "" || o.profile == name) && (o.kind == "" || o.kind == string(kind)) && (o.risk == "" || o.risk == risk.String())
}

func (a *app) runProposalsList(ctx context.Context, o listOptions) error {
	if _, err := proposals.ParseRisk(o.risk); o.risk != "" && err != nil {
		return usagef("--risk: %v", err)
	}
	if o.kind != "" && o.kind != string(proposals.KindProposal) && o.kind != string(proposals.KindPending) {
		return usagef("--kind is proposal or pending, not %q", o.kind)
	}
	_, b, err := a.openBook(ctx, true)
	if err != nil {
		return err
	}
	items, err := b.List(ctx)
	if err != nil {
		return err
	}
	var rows []*proposals.Item
	for _, i := range items {
		if o.matches(i.Profile, i.Kind, i.Risk) {
			rows = append(rows, i)
		}
	}
	var decided []*proposals.Decision
	if o.all {
		past, err := b.Decisions(ctx)
		if err != nil {
			return err
		}
		for _, d := range past {
			if o.matches(d.Profile, d.Kind, 0) {
				decided = append(decided, d)
			}
		}
	}
	if a.json {
		return a.emitList(rows, decided)
	}
	if len(rows)+len(decided) == 0 {
		a.notef("nothing is open")
		return nil
	}
	return a.printItems(rows, decided, b.Now)
}

func (a *app) emitList(rows []*proposals.Item, decided []*proposals.Decision) error {
	for _, i := range rows {
		if err := a.emit(itemLine{"proposal", i, i.Places()}); err != nil {
			return err
		}
	}
	for _, d := range decided {
		if err := a.emit(decisionLine{"decision", d}); err != nil {
			return err
		}
	}
	return nil
}

// itemLine and decisionLine are JSON forms.
type itemLine struct {
	Type string `json:"type"` // "proposal"
	*proposals.Item
	Conflicts []proposals.ConflictPlace `json:"conflicts"`
}

type decisionLine struct {
	Type string `json:"type"` // "decision"
	*proposals.Decision
}

func (a *app) printItems(rows []*proposals.Item, decided []*proposals.Decision, now time.Time) error {
	w := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "ID\tKIND\tPROFILE\tWHAT\tRISK\tASKED BY\tAGE\tSTATE")
	for _, i := range rows {
		risk := i.Risk.String()
		if i.Kind == proposals.KindPending {
			risk = "-"
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", i.ID, i.Kind, term.Escape(i.Profile), whatOf(i), risk,
			plural(i.Sessions, "session", "sessions"), age(now.Sub(i.OpenedAt)), i.Standing)
	}
	for _, d := range decided {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t-\t-\t%s\t%s\n", d.ID, d.Kind, term.Escape(d.Profile), cell(d.Asks), age(now.Sub(d.At)), d.Verdict)
	}
	return w.Flush()
}

// whatOf says in a few words what an item changes.
func whatOf(i *proposals.Item) string {
	switch {
	case i.Kind == proposals.KindPending:
		return cell(i.Summary)
	case len(i.Changes) == 0:
		return cell(i.Asks)
	}
	s := i.Changes[0].Pointer + " " + i.Changes[0].String()
	if n := len(i.Changes); n > 1 {
		return cell(s) + fmt.Sprintf(" (and %d more)", n-1)
	}
	return cell(s)
}

// cell cuts foreign text for a column of a table.
func cell(s string) string {
	const most = 48
	s = term.Escape(strings.Join(strings.Fields(s), " "))
	if rs := []rune(s); len(rs) > most {
		return string(rs[:most-1]) + "…"
	}
	if s == "" {
		return "-"
	}
	return s
}

// age is a duration in the largest unit that fits.
func age(d time.Duration) string {
	switch {
	case d < time.Minute:
		return "now"
	case d < time.Hour:
		return fmt.Sprintf("%dm", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%dh", int(d.Hours()))
	}
	return fmt.Sprintf("%dd", int(d.Hours()/24))
}

// completeOpen completes the ids of what is open.
func (a *app) completeOpen(cmd *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
	_, b, err := a.openBook(cmd.Context(), true)
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	refs, err := b.Names(cmd.Context())
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var out []string
	for _, r := range refs {
		out = append(out, b.ID(r.Name)+"\t"+strings.TrimPrefix(r.Name, "refs/heads/"))
	}
	return out, cobra.ShellCompDirectiveNoFileComp
}
