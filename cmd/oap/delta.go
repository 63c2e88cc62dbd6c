package main

import "github.com/spf13/cobra"

func (a *app) newDeltaCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "delta",
		Short: "Make and check session deltas",
		Long: `A delta is what a session wants to be kept: operations on state, and proposals about the
contract. oap apply-delta applies it.`,
		Example: `  oap delta new scout --session s1 --fact 'The build runs offline.|the Makefile|0.9'
  oap delta check session.delta.yaml`,
		Args: takes(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, args []string) error { return cmd.Help() },
	}
	cmd.AddCommand(a.newDeltaNewCommand(), a.newDeltaCheckCommand())
	return cmd
}

func (a *app) newDeltaCheckCommand() *cobra.Command {
	var o applyOptions
	cmd := &cobra.Command{
		Use:   "check DELTA...",
		Short: "Validate a delta and say what applying it would do",
		Long: `Validate deltas and work out what applying them to the tip of the branch would do, with the
same code and the same refusals as oap apply-delta. Nothing is written.`,
		Example: `  oap delta check session.delta.yaml
  oap delta check --approve --json session.delta.yaml`,
		Args: takes(cobra.MinimumNArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.dryRun = true
			o.conflict = "reject"
			return a.runApplyDelta(cmd.Context(), o, args)
		},
	}
	cmd.Flags().BoolVar(&o.approve, "approve", false, "as if a person approved the state")
	cmd.Flags().StringVar(&o.actor, "actor", "", "who would approve")
	cmd.Flags().BoolVar(&o.keepGoing, "keep-going", false, "go on behind a refused delta")
	return cmd
}
