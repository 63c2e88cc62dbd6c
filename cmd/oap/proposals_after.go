package main

import (
	"context"

	"github.com/spf13/cobra"
)

// afterOptions are the flags of commands that decide: the decision can go to the remote at once.
type afterOptions struct {
	remoteOptions
	push, set bool
}

func (o *afterOptions) register(cmd *cobra.Command) {
	o.remoteOptions.register(cmd)
	cmd.Flags().BoolVar(&o.push, "push", false, "push afterwards, as oap proposals sync does (default: git config oap.push)")
	cmd.PreRun = func(cmd *cobra.Command, _ []string) { o.set = cmd.Flags().Changed("push") }
}

// publish meets the remote where that is asked for. What was written stands whatever the remote says.
func (a *app) publish(ctx context.Context, o afterOptions, dryRun bool) error {
	r, err := a.repo(ctx)
	if err != nil {
		return err
	}
	push := o.push
	if !o.set {
		if push, err = a.switchedOn(r, "push"); err != nil {
			return err
		}
	}
	if !push || dryRun {
		return nil
	}
	return a.runProposalsSync(ctx, o.remoteOptions)
}
