package main

import "github.com/spf13/cobra"

// commands are all of oap's, each in a file of its own.
func (a *app) commands() []*cobra.Command {
	return []*cobra.Command{
		a.newApplyDeltaCommand(),
		a.newAuditCommand(),
		a.newBlameCommand(),
		a.newCardCommand(),
		a.newCheckCommand(),
		a.newConformanceCommand(),
		a.newDeltaCommand(),
		a.newDemoCommand(),
		a.newDiffCommand(),
		a.newDigestCommand(),
		a.newEditCommand(),
		a.newEffectiveCommand(),
		a.newExportCommand(),
		a.newInitCommand(),
		a.newListCommand(),
		a.newLogCommand(),
		a.newManifestCommand(),
		a.newMemoryCommand(),
		a.newMergeCommand(),
		a.newMergeFileCommand(),
		a.newNewCommand(),
		a.newPersonaCommand(),
		a.newPolicyCommand(),
		a.newProposalsCommand(),
		a.newProposeCommand(),
		a.newPruneCommand(),
		a.newRenderCommand(),
		a.newResolveCommand(),
		a.newRestoreCommand(),
		a.newRollbackCommand(),
		a.newServeCommand(),
		a.newSessionCommand(),
		a.newShowCommand(),
		a.newStampCommand(),
		a.newStatsCommand(),
		a.newSyncCommand(),
		a.newTextconvCommand(),
		a.newToolsCommand(),
		a.newValidateCommand(),
		a.newVersionCommand(),
	}
}
