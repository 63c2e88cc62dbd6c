package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/rogpeppe/go-internal/diff"
	"github.com/spf13/cobra"

	"github.com/open-agent-profile/oap/delta"
	"github.com/open-agent-profile/oap/internal/term"
	"github.com/open-agent-profile/oap/proposals"
)

type acceptOptions struct {
	by, expect         string
	linear, dryRun     bool
	ours, theirs, edit bool
	signoff, hooks     bool
	after              afterOptions
}

func (a *app) newProposalsAcceptCommand() *cobra.Command {
	var o acceptOptions
	cmd := &cobra.Command{
		Use:   "accept ID...",
		Short: "Bring a proposal or pending state onto the branch",
		Long: `Accept proposals and pending state: base, branch and proposal are merged by identity, edits of
people on the proposal's branch count, and the result is validated and stamped. One merge
commit brings each, with the branch as first parent; --linear makes it a commit of one parent.

A branch that changes anything but its one contract is refused. Where both sides changed the
same in different ways, a person has to choose: pending state takes --ours (what stands),
--theirs (what the session found) or --edit; a contract is settled on the proposal's branch.

A contract is a person's to decide: in an environment that shows an agent at work this is
refused, unless git config oap.trustEnvironment is set. Where git config oap.approvers lists
people, nobody else may accept.`,
		Example: `  oap proposals accept 3f2a
  oap proposals accept --expect 9f96ac6 3f2a91c0d4e5
  oap proposals accept --dry-run 3f2a 77b0
  oap proposals accept --theirs 0c41`,
		Args:              takes(cobra.MinimumNArgs(1)),
		ValidArgsFunction: a.completeOpen,
		RunE:              func(cmd *cobra.Command, args []string) error { return a.runAccept(cmd.Context(), o, args) },
	}
	f := cmd.Flags()
	f.StringVar(&o.by, "approved-by", "", "who decides, `NAME <MAIL>` (default: git's author)")
	f.StringVar(&o.expect, "expect", "", "refuse unless the proposal's branch is at `COMMIT`")
	f.BoolVar(&o.linear, "linear", false, "one commit with one parent, for branches that take no merges")
	f.BoolVar(&o.dryRun, "dry-run", false, "show what would be committed, write nothing")
	f.BoolVar(&o.ours, "ours", false, "pending state: where both changed, keep what stands")
	f.BoolVar(&o.theirs, "theirs", false, "pending state: where both changed, take what the session found")
	f.BoolVar(&o.edit, "edit", false, "pending state: settle conflicts in an editor")
	f.BoolVar(&o.signoff, "signoff", false, "add Signed-off-by")
	f.BoolVar(&o.hooks, "hooks", false, "run the pre-commit and commit-msg hooks")
	o.after.register(cmd)
	cmd.MarkFlagsMutuallyExclusive("ours", "theirs", "edit")
	return cmd
}

func (a *app) runAccept(ctx context.Context, o acceptOptions, ids []string) error {
	if o.expect != "" && len(ids) > 1 {
		return usagef("--expect is about one proposal")
	}
	r, b, err := a.openBook(ctx, false)
	if err != nil {
		return err
	}
	b.DryRun = o.dryRun
	b.Signoff, b.Hooks = o.signoff, b.Hooks || o.hooks
	// Everything that can be refused without looking at a merge is refused before anything is written.
	options := make([]proposals.AcceptOptions, len(ids))
	for n, id := range ids {
		ref, decided, err := b.Find(ctx, id)
		if err != nil {
			return err
		}
		contract := decided == nil && b.Kind(ref.Name) == proposals.KindProposal
		if contract && !o.dryRun {
			if err := a.refuseAgents(r, "accepting a contract change"); err != nil {
				return err
			}
		}
		by := o.by
		if contract || by == "" {
			if by, err = a.decider(ctx, r, o.by); err != nil {
				return err
			}
		}
		options[n] = proposals.AcceptOptions{By: by, Expect: o.expect, Linear: o.linear}
	}
	for n, id := range ids {
		if err := a.settle(ctx, b, id, o, &options[n]); err != nil {
			return err
		}
		out, err := b.Accept(ctx, id, options[n])
		if err != nil {
			return err
		}
		if err := a.printOutcome(out, o.dryRun); err != nil {
			return err
		}
	}
	return a.publish(ctx, o.after, o.dryRun)
}

// settle fills in how conflicts are settled.
func (a *app) settle(ctx context.Context, b *proposals.Book, id string, o acceptOptions, into *proposals.AcceptOptions) error {
	side := delta.Ours
	switch {
	case o.theirs:
		side = delta.Theirs
		into.Favour = &side
	case o.ours:
		into.Favour = &side
	case o.edit:
		item, _, err := b.Show(ctx, id)
		if err != nil || item == nil || item.Standing != proposals.Conflicting || item.Kind != proposals.KindPending {
			return err
		}
		settled, err := a.settleByHand(ctx, item)
		into.Settled = settled
		return err
	}
	return nil
}

// outcomeLine is the JSON form of a decision.
type outcomeLine struct {
	Type string `json:"type"` // "decision"
	*proposals.Outcome
	DryRun bool   `json:"dry_run,omitempty"`
	Diff   string `json:"diff,omitempty"`
}

func (a *app) printOutcome(o *proposals.Outcome, dryRun bool) error {
	line := outcomeLine{Type: "decision", Outcome: o, DryRun: dryRun}
	if dryRun {
		line.Diff = string(diff.Diff("a/"+o.Path, o.Before, "b/"+o.Path, o.After))
	}
	if a.json {
		return a.emit(line)
	}
	for _, w := range o.Warnings {
		a.warnf("%s: %s [%s]", w.Pointer, w.Message, w.Rule)
	}
	a.printf("%s", term.EscapeLines(line.Diff))
	verb := string(o.Verdict)
	if dryRun {
		verb = "would be " + verb
	}
	if o.Verdict != proposals.Accepted || o.Revision == 0 {
		a.printf("%-9s %s of %s\n", verb, o.ID, term.Escape(o.Profile))
		return nil
	}
	a.printf("%-9s %s  %s r%d -> r%d  %s on %s\n", verb, o.ID, term.Escape(o.Profile), o.Previous, o.Revision,
		o.Commit.Short(), term.Escape(strings.TrimPrefix(o.Branch, "refs/heads/")))
	a.printf("%-9s profile %s  spec %s\n", "digests", o.ProfileDigest.Short(), o.SpecDigest.Short())
	a.printf("%-9s %s\n", "by", term.Escape(o.By))
	return nil
}

func (a *app) newProposalsRejectCommand() *cobra.Command {
	var reason string
	var dryRun bool
	var after afterOptions
	cmd := &cobra.Command{
		Use:   "reject ID... --reason TEXT",
		Short: "Close a proposal or pending state with a reason",
		Long: `Reject proposals and pending state. The branch goes, with --push at the remote as well; its
commits stay reachable under refs/oap/decided/ID with the decision on top. Whoever asks for
the same again is told who rejected it, when and why.`,
		Example:           `  oap proposals reject 3f2a --reason 'The suite runs in CI; the agent needs no shell.'`,
		Args:              takes(cobra.MinimumNArgs(1)),
		ValidArgsFunction: a.completeOpen,
		RunE: func(cmd *cobra.Command, args []string) error {
			if strings.TrimSpace(reason) == "" {
				return usagef("say why: --reason TEXT")
			}
			if err := a.runReject(cmd.Context(), args, reason, dryRun); err != nil {
				return err
			}
			return a.publish(cmd.Context(), after, dryRun)
		},
	}
	after.register(cmd)
	cmd.Flags().StringVar(&reason, "reason", "", "why, for whoever asks again")
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "write nothing")
	return cmd
}

func (a *app) runReject(ctx context.Context, ids []string, reason string, dryRun bool) error {
	r, b, err := a.openBook(ctx, false)
	if err != nil {
		return err
	}
	b.DryRun = dryRun
	if err := a.refuseAgents(r, "rejecting a proposal"); err != nil && !dryRun {
		return err
	}
	by, err := a.decider(ctx, r, "")
	if err != nil {
		return err
	}
	for _, id := range ids {
		out, err := b.Reject(ctx, id, by, reason)
		if err != nil {
			return err
		}
		if err := a.printOutcome(out, dryRun); err != nil {
			return err
		}
	}
	return nil
}

func (a *app) newProposalsRefreshCommand() *cobra.Command {
	var dryRun bool
	var after afterOptions
	cmd := &cobra.Command{
		Use:   "refresh [ID...]",
		Short: "Merge the branch into open proposals by meaning",
		Long: `Merge the tip of the branch into proposal and pending branches by meaning, so that a forge can
merge them as text again. A refresh is a new commit on top; nothing is rewritten. Without an
ID, all that are behind are refreshed; those that conflict are reported and give exit code 3.`,
		Example: `  oap proposals refresh
  oap proposals refresh 3f2a`,
		Args:              takes(cobra.ArbitraryArgs),
		ValidArgsFunction: a.completeOpen,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := a.runRefresh(cmd.Context(), args, dryRun); err != nil {
				return err
			}
			return a.publish(cmd.Context(), after, dryRun)
		},
	}
	after.register(cmd)
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "write nothing")
	return cmd
}

func (a *app) runRefresh(ctx context.Context, ids []string, dryRun bool) error {
	_, b, err := a.openBook(ctx, false)
	if err != nil {
		return err
	}
	b.DryRun = dryRun
	if len(ids) == 0 {
		refs, err := b.Names(ctx)
		if err != nil {
			return err
		}
		for _, r := range refs {
			ids = append(ids, b.ID(r.Name))
		}
	}
	var first error
	for _, id := range ids {
		done, err := b.Refresh(ctx, id)
		if err != nil {
			if first != nil {
				a.warnf("%v", err)
			} else {
				first = err
			}
			continue
		}
		if err := a.printRefreshed(done); err != nil {
			return err
		}
	}
	return first
}

func (a *app) printRefreshed(d *proposals.Refreshed) error {
	if a.json {
		return a.emit(struct {
			Type string `json:"type"` // "refresh"
			*proposals.Refreshed
		}{"refresh", d})
	}
	what := fmt.Sprintf("%-10s %s", d.Standing, d.ID)
	if d.Moved {
		what = fmt.Sprintf("%-10s %s", "refreshed", d.ID)
	}
	a.printf("%s  %s  %s at %s\n", what, term.Escape(d.Profile), term.Escape(strings.TrimPrefix(d.Branch, "refs/heads/")), d.Commit.Short())
	return nil
}
