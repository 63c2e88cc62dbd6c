package main

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/open-agent-profile/oap/canonical"
	"github.com/open-agent-profile/oap/delta"
	"github.com/open-agent-profile/oap/delta/draft"
	"github.com/open-agent-profile/oap/internal/term"
	"github.com/open-agent-profile/oap/proposals"
	"github.com/open-agent-profile/oap/repo/catalog"
)

type proposeOptions struct {
	adds, removes      []string
	rationale, risk    string
	all, again, dryRun bool
	signoff            bool
	after              afterOptions
}

func (a *app) newProposeCommand() *cobra.Command {
	var o proposeOptions
	cmd := &cobra.Command{
		Use:   "propose NAME... POINTER=VALUE --rationale TEXT",
		Short: "Ask for a change of a contract, as a branch with a rationale",
		Long: `Ask for a contract change by hand. Each change of each profile becomes a branch with one commit
for a person to review, as a proposal in a session's delta does. VALUE is JSON, else text.

POINTER=VALUE replaces, --add adds (a member, or an entry of a list at .../-), --remove removes.`,
		Example: `  oap propose code-reviewer /spec/model/tier=standard --rationale 'Good enough for reviews.'
  oap propose scout tester --add /spec/tools/allow/-=git/log --rationale 'To see history.'
  oap propose --all --remove /spec/permissions/allow_hosts --rationale 'No agent calls out.'`,
		Args:              takes(cobra.ArbitraryArgs),
		ValidArgsFunction: a.completeNames,
		RunE:              func(cmd *cobra.Command, args []string) error { return a.runPropose(cmd.Context(), o, args) },
	}
	f := cmd.Flags()
	f.StringArrayVar(&o.adds, "add", nil, "add `POINTER=VALUE`")
	f.StringArrayVar(&o.removes, "remove", nil, "remove what `POINTER` addresses")
	f.StringVar(&o.rationale, "rationale", "", "why, for whoever reviews it")
	f.StringVar(&o.risk, "risk", "", "claim the risk `low`, medium or high; it can only raise the computed one")
	f.BoolVar(&o.all, "all", false, "for every profile")
	f.BoolVar(&o.again, "again", false, "also where the same was rejected before")
	f.BoolVar(&o.dryRun, "dry-run", false, "say what would be opened, write nothing")
	f.BoolVar(&o.signoff, "signoff", false, "add Signed-off-by")
	o.after.register(cmd)
	return cmd
}

// wishes turns the command line into proposals; names are what is left.
func (o proposeOptions) wishes(args []string) (names []string, asks []delta.Proposal, err error) {
	add := func(op, text string) error {
		path, value, err := draft.ParseWish(text)
		if err != nil {
			return usagef("%s: %v", term.Escape(text), err)
		}
		asks = append(asks, delta.Proposal{Op: op, Path: path, Value: value, HasValue: true})
		return nil
	}
	for _, arg := range args {
		if !strings.HasPrefix(arg, "/") {
			names = append(names, arg)
			continue
		}
		if err := add(delta.OpReplace, arg); err != nil {
			return nil, nil, err
		}
	}
	for _, text := range o.adds {
		if err := add(delta.OpAdd, text); err != nil {
			return nil, nil, err
		}
	}
	for _, path := range o.removes {
		asks = append(asks, delta.Proposal{Op: delta.OpRemove, Path: path})
	}
	for i := range asks {
		asks[i].Rationale, asks[i].Risk = o.rationale, o.risk
		if asks[i].Pointer, err = canonical.ParsePointer(asks[i].Path); err != nil {
			return nil, nil, usagef("%v", err)
		}
	}
	switch {
	case len(asks) == 0:
		err = usagef("say what to change: POINTER=VALUE, --add POINTER=VALUE or --remove POINTER")
	case strings.TrimSpace(o.rationale) == "":
		err = usagef("say why: --rationale TEXT")
	case len(names) == 0 && !o.all:
		err = usagef("name a profile, or use --all")
	case len(names) > 0 && o.all:
		err = usagef("--all takes no names")
	}
	if _, bad := proposals.ParseRisk(o.risk); err == nil && o.risk != "" && bad != nil {
		err = usagef("--risk: %v", bad)
	}
	return names, asks, err
}

func (a *app) runPropose(ctx context.Context, o proposeOptions, args []string) error {
	names, asks, err := o.wishes(args)
	if err != nil {
		return err
	}
	_, b, err := a.openBook(ctx, false)
	if err != nil {
		return err
	}
	b.DryRun, b.Signoff = o.dryRun, o.signoff
	if o.all {
		if names, err = a.branchNames(ctx, b); err != nil {
			return err
		}
	}
	refused := 0
	for _, name := range names {
		for _, p := range asks {
			opened, err := b.Open(ctx, name, proposals.Ask{Proposal: p, Again: o.again})
			if err != nil {
				return err
			}
			if opened.Status == proposals.StatusRefused {
				refused++
			}
			if err := a.printOpened(opened, o.dryRun); err != nil {
				return err
			}
		}
	}
	if refused > 0 {
		return &answerNo{plural(refused, "proposal cannot be carried out", "proposals cannot be carried out")}
	}
	return a.publish(ctx, o.after, o.dryRun)
}

// branchNames lists the profiles of the branch, by ROOT:NAME where there are several roots.
func (a *app) branchNames(ctx context.Context, b *proposals.Book) ([]string, error) {
	tip, err := b.Store.RefTip(ctx, b.Branch)
	if err != nil {
		return nil, err
	}
	s, err := b.Store.Snapshot(ctx, tip)
	if err != nil {
		return nil, err
	}
	entries, err := catalog.List(ctx, catalog.Commit{Snapshot: s}, b.Roots)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		if e.Err != nil {
			return nil, e.Err
		}
		name := e.Name()
		if len(b.Roots) > 1 {
			name = e.Root + ":" + name
		}
		names = append(names, name)
	}
	return slices.Compact(names), nil
}

func (a *app) printOpened(o *proposals.Opened, dryRun bool) error {
	if a.json {
		return a.emit(struct {
			Type string `json:"type"` // "propose"
			*proposals.Opened
			DryRun bool `json:"dry_run,omitempty"`
		}{"propose", o, dryRun})
	}
	status := string(o.Status)
	if dryRun && o.Status == proposals.StatusOpened {
		status = "would open"
	}
	a.printf("%-10s %s  %s  %s %s  risk %s\n", status, o.ID, term.Escape(o.Profile), o.Op, term.Escape(o.Pointer), o.Risk)
	if o.Message != "" {
		a.printf("%-10s %s\n", "", term.Escape(o.Message))
	}
	for _, c := range o.Changes {
		a.printf("%-10s %s  %s\n", "", term.Escape(c.Pointer), term.Escape(c.String()))
	}
	if o.Branch != "" {
		a.printf("%-10s %s at %s\n", "branch", term.Escape(strings.TrimPrefix(o.Branch, "refs/heads/")), o.Commit.Short())
	}
	return nil
}
