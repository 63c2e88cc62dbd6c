package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/open-agent-profile/oap/repo/prune"
)

func (a *app) newRollbackCommand() *cobra.Command {
	var o writeOptions
	var parts prune.Parts
	var to, person string
	cmd := &cobra.Command{
		Use:   "rollback NAME --to REV",
		Short: "Make a new revision with an older state or contract",
		Long: `Make a new revision whose state, or with --contract whose contract, is that of an older one.
History goes on: nothing is rewritten, and revision and history entries only grow. Name and id
of the profile stay what they are.

Who runs it is recorded as approver. A contract is a person's to bring back: the person needs
to be named, by --approved-by or by git's identity, and among git config oap.approvers where
that is set; where an agent is at work (CLAUDECODE, OAP_AGENT, ...) it is refused.`,
		Example: `  oap rollback code-reviewer --to 7 --dry-run
  oap rollback code-reviewer --to 7
  oap rollback code-reviewer --to 3f2a91c --contract --approved-by 'Alex <alex@example.org>'`,
		Args:              takes(cobra.ExactArgs(1)),
		ValidArgsFunction: a.completeNames,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.runRollback(cmd.Context(), o, args[0], to, person, parts)
		},
	}
	f := cmd.Flags()
	f.StringVar(&to, "to", "", "bring back the revision or commit `REV`")
	f.BoolVar(&parts.State, "state", false, "bring the state back (the default)")
	f.BoolVar(&parts.Contract, "contract", false, "bring the contract back")
	f.StringVar(&person, "approved-by", "", "who approves, `NAME` or NAME <MAIL> (default: git's author)")
	o.flags(cmd)
	return cmd
}

func (a *app) runRollback(ctx context.Context, o writeOptions, name, to, person string, parts prune.Parts) error {
	if to == "" {
		return usagef("name the revision to bring back with --to")
	}
	if !parts.Contract {
		parts.State = true
	}
	r, opts, err := a.pruneSetup(ctx, o)
	if err != nil {
		return err
	}
	if opts.Person, err = a.person(ctx, r, person); err != nil {
		return err
	}
	if parts.Contract {
		if err := a.refuseAgents(r, "bringing a contract back"); err != nil {
			return err
		}
		if opts.Person, err = a.decider(ctx, r, person); err != nil {
			return err
		}
	}
	rc, err := prune.Rollback(ctx, r, opts, name, to, parts)
	if err != nil {
		return err
	}
	what := map[prune.Parts]string{{State: true}: "state", {Contract: true}: "contract", {State: true, Contract: true}: "contract and state"}[parts]
	return a.printWritten(rc, "rolled back", fmt.Sprintf("%s to that of r%d", what, rc.From.Revision))
}
