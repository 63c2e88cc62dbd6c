package main

import "github.com/spf13/cobra"

// commands are all of oap's, each in a file of its own.
func (a *app) commands() []*cobra.Command {
	return []*cobra.Command{
		a.newApplyDeltaCommand(),
		a.newDeltaCommand(),
		a.newDemoCommand(),
		a.newDigestCommand(),
		a.newEditCommand(),
		a.newInitCommand(),
		a.newListCommand(),
		a.newNewCommand(),
		a.newProposalsCommand(),
		a.newProposeCommand(),
		a.newShowCommand(),
		a.newStampCommand(),
		a.newValidateCommand(),
		a.newVersionCommand(),
	}
}
