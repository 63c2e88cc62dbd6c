package main

import (
	"github.com/spf13/cobra"

	"github.com/open-agent-profile/oap/repo/catalog"
)

// completeNames completes profile names and leaves paths to the shell. A repository that cannot be read
// completes nothing.
func (a *app) completeNames(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	src, roots, err := a.source(cmd.Context())
	if err != nil {
		return nil, cobra.ShellCompDirectiveDefault
	}
	entries, err := catalog.List(cmd.Context(), src, roots)
	if err != nil {
		return nil, cobra.ShellCompDirectiveDefault
	}
	var names []string
	for _, e := range entries {
		if e.Err == nil {
			names = append(names, e.Name()+"\t"+e.Document.Description())
		}
	}
	return names, cobra.ShellCompDirectiveDefault
}

// completeDeltas completes delta files.
func completeDeltas(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return []string{"yaml", "yml", "json"}, cobra.ShellCompDirectiveFilterFileExt
}
