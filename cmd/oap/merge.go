package main

import (
	"context"
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"github.com/open-agent-profile/oap/repo"
	"github.com/open-agent-profile/oap/repo/merging"
)

type mergeOptions struct {
	dryRun  bool
	signoff bool
	hooks   bool
}

func (a *app) newMergeCommand() *cobra.Command {
	var o mergeOptions
	cmd := &cobra.Command{
		Use:   "merge [FLAGS] BRANCH",
		Short: "Merge a branch, profiles by meaning",
		Long: `Merge BRANCH, or any commit, into the branch. Profiles that both sides changed are merged
entry by entry; the commit has two parents, and the revision of such a profile is the
highest of both plus one. Other files are taken from the side that changed them; if both
did, the merge is refused and left to git. Where nothing was added here meanwhile, the
branch only moves.

Entries that both sides changed in different ways are listed with both values, and nothing
is written (exit code 3).`,
		Example: `  oap merge feature
  oap merge --dry-run origin/main`,
		Args: takes(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error { return a.runMerge(cmd.Context(), o, args[0]) },
	}
	f := cmd.Flags()
	f.BoolVar(&o.dryRun, "dry-run", false, "say what would happen, write nothing")
	f.BoolVar(&o.signoff, "signoff", false, "add Signed-off-by")
	f.BoolVar(&o.hooks, "hooks", false, "run the pre-commit and commit-msg hooks")
	return cmd
}

// merged is the JSON answer.
type merged struct {
	Type      string          `json:"type"` // "merge"
	Outcome   string          `json:"outcome"`
	Branch    string          `json:"branch"`
	Merged    string          `json:"merged"`
	Commit    string          `json:"commit"`
	Profiles  []mergedProfile `json:"profiles"`
	Taken     []string        `json:"taken"`
	Conflicts []mergeConflict `json:"conflicts"`
	DryRun    bool            `json:"dry_run,omitempty"`
}

type mergedProfile struct {
	Profile  string   `json:"profile"`
	Path     string   `json:"path"`
	Revision int      `json:"revision"`
	Met      []string `json:"met"`
}

func (a *app) runMerge(ctx context.Context, o mergeOptions, name string) error {
	r, err := a.repo(ctx)
	if err != nil {
		return err
	}
	ref, err := a.branchRef(ctx, r)
	if err != nil {
		return err
	}
	theirs, err := r.Resolve(ctx, name)
	if err != nil {
		return err
	}
	opts := merging.Options{Widening: widening, Text: merging.GitText(ctx, a.environ, merging.Labels{})}
	if opts.Now, err = a.time(); err != nil {
		return err
	}
	if opts.By, err = r.Identity(ctx); err != nil {
		return err
	}
	q := repo.UpdateRequest{Ref: ref, Log: "oap: merge " + name, Signoff: o.signoff, Hooks: o.hooks}
	if q.Now, err = a.fixedTime(); err != nil {
		return err
	}
	if hooks, err := a.switchedOn(r, "hooks"); err != nil {
		return err
	} else if hooks {
		q.Hooks = true
	}
	var b *merging.Branch
	done, err := r.Update(ctx, q, func(ctx context.Context, ours *repo.Snapshot) (*repo.Plan, error) {
		var err error
		if b, err = merging.Branches(ctx, r, ours, theirs, opts); err != nil || o.dryRun {
			return nil, err
		}
		return b.Plan(b.Message(name)), nil
	})
	out := merged{Type: "merge", Branch: ref, Merged: string(theirs), Profiles: []mergedProfile{}, Taken: []string{}, Conflicts: []mergeConflict{}, DryRun: o.dryRun}
	if err != nil {
		return a.mergeFailed(out, err)
	}
	return a.printMerge(out, b, done)
}

// mergeFailed shows conflicts with both values before the error.
func (a *app) mergeFailed(out merged, err error) error {
	var c *merging.ConflictError
	if !errors.As(err, &c) {
		return err
	}
	out.Outcome = "conflict"
	for _, f := range c.Conflicts {
		out.Conflicts = append(out.Conflicts, mergeConflict{f.Path, f.Pointer, f.Reason, f.Base, f.Ours, f.Theirs})
	}
	if a.json {
		if err := a.emit(out); err != nil {
			return err
		}
	}
	return a.remoteError(err)
}

func (a *app) printMerge(out merged, b *merging.Branch, done *repo.Updated) error {
	out.Outcome = map[merging.Kind]string{merging.UpToDate: "unchanged", merging.FastForward: "fast-forward", merging.Merged: "merged"}[b.Kind]
	if out.Commit = string(done.After); out.DryRun && b.Kind != merging.UpToDate {
		out.Commit = ""
	}
	out.Taken = append(out.Taken, b.Taken...)
	for _, f := range b.Files {
		d := f.Result.Document
		out.Profiles = append(out.Profiles, mergedProfile{d.Name(), f.Path, d.Revision(), append([]string{}, f.Result.Met...)})
		a.noteMerge(f.Path, f.Result)
	}
	if a.json {
		return a.emit(out)
	}
	for _, n := range done.Notes {
		a.notef("%s", n)
	}
	branch, short := strings.TrimPrefix(out.Branch, "refs/heads/"), repo.ID(out.Commit).Short()
	if out.Commit == "" {
		short = "(not written)"
	}
	switch b.Kind {
	case merging.UpToDate:
		a.printf("unchanged %s has all of it\n", branch)
	case merging.FastForward:
		a.printf("forward   %s is at %s\n", branch, short)
	default:
		a.printf("merged    %s is at %s\n", branch, short)
	}
	for _, p := range out.Profiles {
		a.printf("profile   %s r%d  %s  %s met\n", p.Profile, p.Revision, p.Path, plural(len(p.Met), "place", "places"))
	}
	if n := len(out.Taken); n > 0 {
		a.printf("taken     %s as the other side has it\n", plural(n, "file", "files"))
	}
	return nil
}
