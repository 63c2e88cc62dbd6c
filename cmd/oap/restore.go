package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/open-agent-profile/oap/repo"
	"github.com/open-agent-profile/oap/repo/prune"
)

func (a *app) newRestoreCommand() *cobra.Command {
	var o writeOptions
	var from, person string
	cmd := &cobra.Command{
		Use:   "restore NAME ENTRY",
		Short: "Bring an evicted or removed entry back",
		Long: `Bring an entry of state back from git, in a commit of its own. ENTRY is an id or term, or
COLLECTION/ID. It comes from the newest revision that has it, or from the one that --from
names. Its last_used_at is now, and an expires_at that has passed is left out, so that the
next write does not evict it again; a thread's updated_at is now.

Who runs it is recorded as approver. An entry that is there already changes nothing; one that
says something else now is for a person to edit (exit 3).`,
		Example: `  oap restore code-reviewer fact-ruff
  oap restore code-reviewer open_threads/thread-cache --from 7`,
		Args:              takes(cobra.ExactArgs(2)),
		ValidArgsFunction: a.completeNames,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.runRestore(cmd.Context(), o, args[0], args[1], from, person)
		},
	}
	cmd.Flags().StringVar(&from, "from", "", "take it from the revision or commit `REV`")
	cmd.Flags().StringVar(&person, "approved-by", "", "who approves, `NAME` or NAME <MAIL> (default: git's author)")
	o.flags(cmd)
	return cmd
}

func (a *app) runRestore(ctx context.Context, o writeOptions, name, entry, from, person string) error {
	r, opts, err := a.pruneSetup(ctx, o)
	if err != nil {
		return err
	}
	if opts.Person, err = a.person(ctx, r, person); err != nil {
		return err
	}
	rc, err := prune.Restore(ctx, r, opts, name, entry, from)
	if err != nil {
		return err
	}
	return a.printWritten(rc, "restored", fmt.Sprintf("%s/%s from r%d", rc.Entry.Collection, rc.Entry.ID, rc.From.Revision))
}

// person is who stands behind an act: the flag, else whom git would name as author.
func (a *app) person(ctx context.Context, r *repo.Repo, given string) (string, error) {
	if given = strings.TrimSpace(given); given != "" {
		return given, nil
	}
	return r.Identity(ctx)
}

// printWritten shows the receipt of a restoration or rollback.
func (a *app) printWritten(rc *prune.Receipt, word, what string) error {
	if a.json {
		return a.emit(rc)
	}
	for _, w := range rc.Warnings {
		a.warnf("%s: %s [%s]", w.Pointer, w.Message, w.Rule)
	}
	lines := [][2]string{{word, what}}
	switch {
	case rc.Outcome == prune.Unchanged:
		lines = [][2]string{{"unchanged", fmt.Sprintf("%s: it is there already; stays at r%d", what, rc.Revision)}}
	case rc.DryRun:
		lines[0][0] = "would be"
		lines[0][1] = word + ": " + what
		fallthrough
	default:
		lines = append(lines,
			[2]string{"revision", fmt.Sprintf("r%d -> r%d  %s on %s  %s", rc.Previous, rc.Revision, short(rc.Commit), strings.TrimPrefix(rc.Branch, "refs/heads/"), rc.Path)},
			[2]string{"digests", fmt.Sprintf("profile %s  spec %s", rc.ProfileDigest.Short(), rc.SpecDigest.Short())},
			[2]string{"approved", rc.ApprovedBy})
	}
	for _, c := range rc.Changes {
		lines = append(lines, [2]string{c.What, changeText(c)})
	}
	return a.printBlock(rc.Profile, lines)
}
