package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/open-agent-profile/oap/internal/term"
	"github.com/open-agent-profile/oap/profile"
	"github.com/open-agent-profile/oap/proposals"
	"github.com/open-agent-profile/oap/repo"
)

type editOptions struct {
	by, change string
	signoff    bool
	after      afterOptions
}

func (a *app) newEditCommand() *cobra.Command {
	var o editOptions
	cmd := &cobra.Command{
		Use:   "edit NAME",
		Short: "Change a profile in your editor: validated, stamped, committed",
		Long: `Open the profile, as the branch has it, in git's editor. What is saved is validated and
committed with its stamp: revision + 1, updated_at and a history entry with the changed
sections and who approved. What is not valid is not committed; the text is kept, and its
place is printed. An unchanged text changes nothing.`,
		Example: `  oap edit code-reviewer
  oap edit code-reviewer --change 'No shell any more.'`,
		Args:              takes(cobra.ExactArgs(1)),
		ValidArgsFunction: a.completeNames,
		RunE:              func(cmd *cobra.Command, args []string) error { return a.runEdit(cmd.Context(), o, args[0]) },
	}
	cmd.Flags().StringVar(&o.by, "approved-by", "", "who approves, `NAME <MAIL>` (default: git's author)")
	cmd.Flags().StringVar(&o.change, "change", "", "what the history entry says")
	cmd.Flags().BoolVar(&o.signoff, "signoff", false, "add Signed-off-by")
	o.after.register(cmd)
	return cmd
}

func (a *app) runEdit(ctx context.Context, o editOptions, name string) error {
	r, b, err := a.openBook(ctx, false)
	if err != nil {
		return err
	}
	if err := a.refuseAgents(r, "editing a contract"); err != nil {
		return err
	}
	b.Signoff = o.signoff
	by, err := a.decider(ctx, r, o.by)
	if err != nil {
		return err
	}
	at, err := a.baseOf(ctx, name)
	if err != nil {
		return err
	}
	before := at.Document.Bytes()
	file, after, err := a.editText(ctx, r, path.Base(at.Path), before)
	if err != nil {
		return err
	}
	if bytes.Equal(before, after) {
		a.notef("nothing was changed")
		return os.RemoveAll(filepath.Dir(file))
	}
	out, err := b.Edit(ctx, name, before, after, proposals.StampOptions{By: by, ApprovedBy: by, Change: o.change})
	if err != nil {
		a.notef("your text is kept in %s", term.Escape(file))
		return err
	}
	if err := os.RemoveAll(filepath.Dir(file)); err != nil {
		return err
	}
	if len(out.Sections) == 0 && !a.json {
		a.printf("%-9s %s  %s\n", "committed", term.Escape(out.Profile), out.Commit.Short())
	} else if err := a.printStamped(out, false); err != nil {
		return err
	}
	return a.publish(ctx, o.after, false)
}

// editText lets a person change a text in git's editor, in a file of the same name so that the editor
// knows the language. The file is the caller's to remove.
func (a *app) editText(ctx context.Context, r *repo.Repo, name string, text []byte) (file string, after []byte, err error) {
	editor, err := r.Git(ctx, "var", "GIT_EDITOR")
	if err != nil {
		return "", nil, err
	}
	dir, err := os.MkdirTemp("", "oap-edit-")
	if err != nil {
		return "", nil, err
	}
	file = filepath.Join(dir, name)
	if err := os.WriteFile(file, text, 0o600); err != nil {
		return "", nil, err
	}
	// The editor is a line for the shell, as git takes it (git: editor.c).
	cmd := exec.CommandContext(ctx, "sh", "-c", strings.TrimSpace(string(editor))+` "$@"`, "editor", file)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = a.in, a.err, a.err
	if isTerminal(a.out) {
		cmd.Stdout = a.out
	}
	if err := cmd.Run(); err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			return "", nil, errors.Join(&answerNo{fmt.Sprintf("the editor ended with exit code %d; nothing was changed", exit.ExitCode())}, os.RemoveAll(dir))
		}
		return "", nil, err
	}
	after, err = readFile(file)
	return file, after, err
}

// settleByHand shows a pending state merged, with what stands where both sides changed, and takes what the
// person makes of it.
func (a *app) settleByHand(ctx context.Context, i *proposals.Item) (*proposals.Settled, error) {
	r, err := a.repo(ctx)
	if err != nil {
		return nil, err
	}
	for _, c := range i.Places() {
		a.notef("conflict at %s: %s", term.Escape(c.Pointer), term.Escape(c.Reason))
	}
	text := i.AfterText()
	if text == nil {
		text = i.Ours()
	}
	file, after, err := a.editText(ctx, r, path.Base(i.Path), text)
	if err != nil {
		return nil, err
	}
	doc, err := profile.Parse(i.Path, after)
	if err != nil {
		a.notef("your text is kept in %s", term.Escape(file))
		return nil, err
	}
	return &proposals.Settled{Value: doc.Value, Ours: i.Ours(), Theirs: i.Theirs()}, os.RemoveAll(filepath.Dir(file))
}
