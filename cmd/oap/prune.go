package main

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/open-agent-profile/oap/repo"
	"github.com/open-agent-profile/oap/repo/apply"
	"github.com/open-agent-profile/oap/repo/prune"
)

type pruneOptions struct {
	unused        string
	minConfidence float64
	closedThreads string
	expired       bool
	markdown      bool
	propose       bool
	writeOptions
}

// writeOptions are flags of the commands that make one commit of their own.
type writeOptions struct {
	dryRun  bool
	signoff bool
	hooks   bool
}

func (o *writeOptions) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.BoolVar(&o.dryRun, "dry-run", false, "show what would be committed, write nothing")
	f.BoolVar(&o.signoff, "signoff", false, "add Signed-off-by")
	f.BoolVar(&o.hooks, "hooks", false, "run the pre-commit and commit-msg hooks")
}

func (a *app) newPruneCommand() *cobra.Command {
	var o pruneOptions
	cmd := &cobra.Command{
		Use:   "prune [NAME...]",
		Short: "Forget what is over, and list what to look at",
		Long: `Enforce the retention of profiles at today's date, and thresholds beyond it: the monthly
job. Pinned entries and active threads never go. Each profile gets one commit whose body
lists what went and by which rule; where nothing goes there is none. "oap restore" brings an
entry back. Without NAME all profiles of the branch are pruned.

The report also lists what is near the edge, weak, said twice, and threads that nobody has
touched for long; these are for a person to look at and never go by themselves.

Thresholds can be set with git config oap.prune.unused, minConfidence, closedThreads and
expired. A profile whose writeback is off is refused (exit 4), and the others are pruned.`,
		Example: `  oap prune --dry-run
  oap prune --unused 180d --min-confidence 0.3 --closed-threads 30d
  oap prune --dry-run --markdown > skim.md
  oap prune --propose code-reviewer`,
		Args:              takes(cobra.ArbitraryArgs),
		ValidArgsFunction: a.completeNames,
		RunE:              func(cmd *cobra.Command, args []string) error { return a.runPrune(cmd, o, args) },
	}
	f := cmd.Flags()
	f.StringVar(&o.unused, "unused", "", "drop facts that nobody used for `AGE`, such as 180d")
	f.Float64Var(&o.minConfidence, "min-confidence", 0, "drop facts rated below `N` (0 to 1)")
	f.StringVar(&o.closedThreads, "closed-threads", "", "drop threads that were closed and not touched for `AGE`")
	f.BoolVar(&o.expired, "expired", false, "of the profile's own retention only what has expired, not its caps")
	f.BoolVar(&o.markdown, "markdown", false, "write the report as Markdown, for a ticket")
	f.BoolVar(&o.propose, "propose", false, "make a branch for a person to accept, instead of a commit")
	o.writeOptions.flags(cmd)
	return cmd
}

// thresholds takes a flag, else OAP_PRUNE_*, else git config oap.prune.*.
func (a *app) thresholds(cmd *cobra.Command, r *repo.Repo, o pruneOptions) (prune.Thresholds, error) {
	var t prune.Thresholds
	value := func(flag, key, given string) string {
		if cmd.Flags().Changed(flag) {
			return given
		}
		if v := a.getenv(strings.Replace(envVariable("prune."+key), ".", "_", 1)); v != "" {
			return v
		}
		v, _ := r.Setting("oap.prune." + key)
		return v
	}
	var err error
	if s := value("unused", "unused", o.unused); s != "" {
		if t.Unused, err = parseAge(s); err != nil {
			return t, usagef("unused %q: %v", s, err)
		}
	}
	if s := value("closed-threads", "closedThreads", o.closedThreads); s != "" {
		if t.ClosedThreads, err = parseAge(s); err != nil {
			return t, usagef("closed threads %q: %v", s, err)
		}
	}
	if s := value("min-confidence", "minConfidence", strconv.FormatFloat(o.minConfidence, 'g', -1, 64)); s != "" {
		if t.MinConfidence, err = strconv.ParseFloat(s, 64); err != nil || !(t.MinConfidence >= 0 && t.MinConfidence <= 1) {
			return t, usagef("the least confidence is a number from 0 to 1, not %q", s)
		}
	}
	switch s := strings.ToLower(value("expired", "expired", strconv.FormatBool(o.expired))); s {
	case "", "false", "no", "off", "0":
	case "true", "yes", "on", "1":
		t.Expired = true
	default:
		return t, usagef("the setting prune.expired is %q, which is neither true nor false", s)
	}
	return t, nil
}

// pruneSetup gathers what prune, restore and rollback have in common.
func (a *app) pruneSetup(ctx context.Context, o writeOptions) (*repo.Repo, prune.Options, error) {
	r, from, err := a.applySetup(ctx, applyOptions{signoff: o.signoff, hooks: o.hooks})
	return r, prune.Options{
		Branch: from.Branch, Roots: from.Roots, Cap: from.Cap, Subject: from.Subject, Signoff: from.Signoff, Hooks: from.Hooks,
		DryRun: o.dryRun, Now: from.Now, CommitTime: from.CommitTime,
	}, err
}

func (a *app) runPrune(cmd *cobra.Command, o pruneOptions, names []string) error {
	ctx := cmd.Context()
	if o.markdown && a.json {
		return usagef("--markdown and --json exclude each other")
	}
	r, opts, err := a.pruneSetup(ctx, o.writeOptions)
	if err != nil {
		return err
	}
	t, err := a.thresholds(cmd, r, o)
	if err != nil {
		return err
	}
	if len(names) == 0 {
		if names, err = a.committedNames(ctx, r); err != nil {
			return err
		}
		if len(names) == 0 {
			a.notef("no profiles under %s", strings.Join(opts.Roots, ", "))
		}
	}
	if o.markdown {
		a.printf("%s", markdownHead(opts, t))
	}
	var first error
	for _, name := range names {
		rc, err := a.pruneOne(ctx, r, opts, t, name, o.propose)
		if rc != nil {
			if err := a.printPruned(rc, o.markdown); err != nil {
				return err
			}
		}
		if off, ok := errors.AsType[*apply.Error](err); ok && off.Kind == apply.Off && o.dryRun {
			// A report writes nothing, so nothing is refused.
			a.warnf("%v", err)
			continue
		}
		if err == nil {
			continue
		}
		if len(names) == 1 {
			return err
		}
		// The profiles behind it get their turn all the same.
		a.fail(err)
		if first == nil {
			first = err
		}
	}
	if first != nil {
		return &alreadyReported{first}
	}
	return nil
}

// pruneOne prunes one profile, by a commit or a branch.
func (a *app) pruneOne(ctx context.Context, r *repo.Repo, opts prune.Options, t prune.Thresholds, name string, propose bool) (*prune.Receipt, error) {
	if !propose || opts.DryRun {
		return prune.Run(ctx, r, opts, t, name)
	}
	opts.DryRun = true
	rc, err := prune.Run(ctx, r, opts, t, name)
	if err != nil || rc.Outcome != prune.Applied {
		return rc, err
	}
	return rc, a.proposePrune(ctx, r, opts, rc)
}
