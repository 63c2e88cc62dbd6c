package main

import (
	"context"
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"github.com/open-agent-profile/oap/internal/term"
	"github.com/open-agent-profile/oap/proposals"
	"github.com/open-agent-profile/oap/repo"
)

type stampOptions struct {
	by, change      string
	dryRun, signoff bool
	after           afterOptions
}

func (a *app) newStampCommand() *cobra.Command {
	var o stampOptions
	cmd := &cobra.Command{
		Use:   "stamp [NAME...]",
		Short: "Put on record what reached the branch without oap",
		Long: `A contract or state that changed by a merge button, a text merge or an edit by hand gets its
stamp commit: revision + 1, updated_at, a history entry with the changed sections, digests, and
the ids of the proposals that it came from. Without NAME, every profile is looked at. Nothing
to stamp writes nothing and exits 0.

Who approved a contract change is --approved-by; else the author of the merge commit that
brought it, if somebody else wrote it and git config oap.approvers, where set, lists them. For
what was squashed, rebased, fast-forwarded or edited in place, --approved-by is needed.`,
		Example: `  oap stamp
  oap stamp code-reviewer --approved-by 'Alex <alex@example.org>'
  oap stamp --dry-run --json`,
		Args:              takes(cobra.ArbitraryArgs),
		ValidArgsFunction: a.completeNames,
		RunE:              func(cmd *cobra.Command, args []string) error { return a.runStamp(cmd.Context(), o, args) },
	}
	f := cmd.Flags()
	f.StringVar(&o.by, "approved-by", "", "who approved, `NAME <MAIL>`")
	f.StringVar(&o.change, "change", "", "what the history entry says (default: the rationale, or the commit's subject)")
	f.BoolVar(&o.dryRun, "dry-run", false, "say what would be stamped, write nothing")
	f.BoolVar(&o.signoff, "signoff", false, "add Signed-off-by")
	o.after.register(cmd)
	return cmd
}

func (a *app) runStamp(ctx context.Context, o stampOptions, names []string) error {
	r, b, err := a.openBook(ctx, false)
	if err != nil {
		return err
	}
	b.DryRun, b.Signoff = o.dryRun, o.signoff
	if o.by != "" && !o.dryRun {
		if err := a.refuseAgents(r, "approving a contract change"); err != nil {
			return err
		}
	}
	by, err := r.Identity(ctx)
	if err != nil {
		return err
	}
	if len(names) == 0 {
		if names, err = a.branchNames(ctx, b); err != nil {
			return err
		}
	}
	var first error
	stamped := 0
	for _, name := range names {
		out, err := b.Stamp(ctx, name, proposals.StampOptions{By: by, ApprovedBy: o.by, Approvers: a.approvers(r), Change: o.change})
		if err != nil {
			// One profile that needs a person does not keep the others from being stamped.
			if stop(err) {
				return err
			}
			if first == nil {
				first = err
			} else {
				a.warnf("%v", err)
			}
			continue
		}
		if len(out.Sections) > 0 {
			stamped++
		}
		if err := a.printStamped(out, o.dryRun); err != nil {
			return err
		}
	}
	if stamped == 0 && first == nil {
		a.notef("nothing to stamp")
	}
	if first != nil || stamped == 0 {
		return first
	}
	return a.publish(ctx, o.after, o.dryRun)
}

// stop tells an error that concerns every profile from one that concerns the profile at hand.
func stop(err error) bool {
	var mine *proposals.Error
	return !errors.As(err, &mine) && (repo.KindOf(err) != 0 || errors.Is(err, context.Canceled))
}

func (a *app) printStamped(s *proposals.Stamped, dryRun bool) error {
	if a.json {
		return a.emit(struct {
			Type string `json:"type"` // "stamp"
			*proposals.Stamped
			DryRun bool `json:"dry_run,omitempty"`
		}{"stamp", s, dryRun})
	}
	if len(s.Sections) == 0 {
		if a.verbose {
			a.printf("%-9s %s stays at r%d\n", "unchanged", term.Escape(s.Profile), s.Revision)
		}
		return nil
	}
	verb := "stamped"
	if dryRun {
		verb = "to stamp"
	}
	a.printf("%-9s %s r%d -> r%d  %s  %s on %s\n", verb, term.Escape(s.Profile), s.Previous, s.Revision,
		strings.Join(s.Sections, ", "), s.Commit.Short(), term.Escape(strings.TrimPrefix(s.Branch, "refs/heads/")))
	if s.Risk != 0 {
		a.printf("%-9s %s\n", "risk", s.Risk)
	}
	if len(s.Proposals) > 0 {
		a.printf("%-9s %s\n", "proposals", strings.Join(s.Proposals, ", "))
	}
	if s.ApprovedBy != "" {
		a.printf("%-9s %s\n", "approved", term.Escape(s.ApprovedBy))
	}
	return nil
}
