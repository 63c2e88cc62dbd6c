package main

import (
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/open-agent-profile/oap/profile"
	"github.com/open-agent-profile/oap/repo/history"
)

func (a *app) newTextconvCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "textconv FILE",
		Short: "Write a document as text for git's diff driver",
		Long: `Write what a profile or delta says, one thing a line with its whole pointer, entries in the
order of their ids. Comments, order, quoting and encoding make no difference, so that git
diff, git log -p and git show tell what changed in meaning:

  echo '*.agent.yaml diff=oap' >> .gitattributes      (oap init --drivers writes these lines)
  git config diff.oap.textconv 'oap textconv'         (once per clone)

A file that is no document is written as it is, since a failure would stop git.`,
		Example: `  oap textconv .agents/code-reviewer.agent.yaml
  git -c diff.oap.textconv='oap textconv' log -p -- .agents`,
		Args: takes(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error { return a.runTextconv(args[0]) },
	}
}

func (a *app) runTextconv(name string) error {
	data, err := a.readFile(a.resolve(name))
	if err != nil {
		return err
	}
	doc, err := profile.Parse(filepath.Base(name), data)
	if err != nil {
		a.warnf("%v", err)
		return a.write(data)
	}
	_, err = a.out.Write(history.Text(doc.Value))
	return err
}
