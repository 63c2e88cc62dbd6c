package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/open-agent-profile/oap/internal/term"
	"github.com/open-agent-profile/oap/profile"
	"github.com/open-agent-profile/oap/repo"
	"github.com/open-agent-profile/oap/repo/merging"
)

func (a *app) newCheckCommand() *cobra.Command {
	var fix, signoff bool
	cmd := &cobra.Command{
		Use:   "check [--fix] [REV]",
		Short: "Find and repair what text merges do to profiles",
		Long: `Check the profiles of a commit (default: the tip of the branch) for what merges without oap's
driver leave behind: conflict markers, entries that stand twice or got lost, revisions that
do not rise, history out of order, and whatever makes a profile invalid. While a merge,
rebase or cherry-pick waits, profiles that git could not merge are findings, too.

With --fix, waiting profiles are merged by meaning in the working tree and the index, and the
commit is left to git. Where nothing waits, all profiles of the branch that can be repaired
are, in one commit. What a person has to choose is listed, with exit code 3.`,
		Example: `  oap check                     in CI, after a merge
  oap check --fix && git rebase --continue
  oap check origin/main`,
		Args: takes(cobra.MaximumNArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			if fix && len(args) > 0 {
				return usagef("--fix repairs the branch; name another one with --branch")
			}
			return a.runCheck(cmd.Context(), fix, signoff, args)
		},
	}
	cmd.Flags().BoolVar(&fix, "fix", false, "repair what can be repaired")
	cmd.Flags().BoolVar(&signoff, "signoff", false, "add Signed-off-by")
	return cmd
}

// checkRun is one run of the command.
type checkRun struct {
	app      *app
	repo     *repo.Repo
	roots    []string
	opts     merging.Options
	findings []profile.Finding
	open     []mergeConflict
	answer   checkAnswer
}

func (a *app) runCheck(ctx context.Context, fix, signoff bool, args []string) error {
	r, err := a.repo(ctx)
	if err != nil {
		return err
	}
	c := &checkRun{app: a, repo: r, opts: merging.Options{Widening: widening, Text: merging.GitText(ctx, a.environ, merging.Labels{})}}
	c.answer = checkAnswer{Type: "checked", Fixed: []checkFixed{}, Conflicts: []mergeConflict{}}
	if c.roots, err = a.profileRoots(r); err != nil {
		return err
	}
	waiting, err := merging.Unmerged(ctx, r)
	if err != nil {
		return err
	}
	switch {
	case len(args) == 1:
		err = c.commit(ctx, args[0])
	case len(waiting) > 0 && fix:
		err = c.settle(ctx, waiting)
	case len(waiting) > 0:
		c.unmerged(waiting)
		err = c.commit(ctx, "")
	case fix:
		err = c.fix(ctx, signoff)
	default:
		err = c.commit(ctx, "")
	}
	if err != nil {
		return err
	}
	return c.end()
}

// commit checks one tree.
func (c *checkRun) commit(ctx context.Context, rev string) error {
	s, err := c.app.tip(ctx, c.repo)
	if rev != "" {
		var id repo.ID
		if id, err = c.repo.Resolve(ctx, rev); err == nil {
			s, err = c.repo.Snapshot(ctx, id)
		}
	}
	if err != nil {
		return err
	}
	all, err := merging.Check(ctx, c.repo, s, c.roots)
	c.take(all)
	return err
}

func (c *checkRun) take(all []*merging.Checked) {
	c.answer.Profiles = len(all)
	for _, one := range all {
		c.findings = append(c.findings, one.Findings...)
	}
}

// unmerged makes a finding of each profile that waits.
func (c *checkRun) unmerged(waiting []merging.Stages) {
	for _, s := range waiting {
		c.findings = append(c.findings, profile.Finding{Path: s.Path, Line: 1, Column: 1, Severity: profile.Error,
			Rule: merging.RuleUnmerged, Message: "git could not merge this profile, and waits"})
	}
}

// settle merges what waits in the index.
func (c *checkRun) settle(ctx context.Context, waiting []merging.Stages) error {
	for _, s := range waiting {
		res, err := merging.SettleStages(ctx, c.repo, s, c.opts)
		switch {
		case err != nil && ctx.Err() != nil:
			return err
		case err != nil:
			c.findings = append(c.findings, profile.Finding{Path: s.Path, Line: 1, Column: 1, Severity: profile.Error, Rule: merging.RuleUnmerged, Message: err.Error()})
		case len(res.Conflicts) > 0:
			c.open = append(c.open, conflictsOf(s.Path, res.Conflicts)...)
		default:
			c.app.noteMerge(s.Path, res)
			c.answer.Fixed = append(c.answer.Fixed, checkFixed{s.Path, res.Document.Name(), res.Document.Revision(), []string{"merged by meaning and added to the index"}})
		}
	}
	c.answer.Profiles = len(waiting)
	return nil
}

// fix repairs the branch in one commit. What cannot be repaired stays, and is told.
func (c *checkRun) fix(ctx context.Context, signoff bool) error {
	ref, err := c.app.branchRef(ctx, c.repo)
	if err != nil {
		return err
	}
	o := merging.FixOptions{Widening: widening}
	if o.Now, err = c.app.time(); err != nil {
		return err
	}
	if o.By, err = c.repo.Identity(ctx); err != nil {
		return err
	}
	q := repo.UpdateRequest{Ref: ref, Log: "oap: check --fix", Signoff: signoff}
	if q.Now, err = c.app.fixedTime(); err != nil {
		return err
	}
	if q.Hooks, err = c.app.switchedOn(c.repo, "hooks"); err != nil {
		return err
	}
	done, err := c.repo.Update(ctx, q, func(ctx context.Context, s *repo.Snapshot) (*repo.Plan, error) {
		c.findings, c.open, c.answer.Fixed = nil, nil, []checkFixed{}
		all, err := merging.Check(ctx, c.repo, s, c.roots)
		if err != nil {
			return nil, err
		}
		return c.repairs(all, o), nil
	})
	if err == nil && done.After != done.Before {
		c.answer.Commit = string(done.After)
	}
	return err
}

// repairs plans the commit, and keeps the findings of what it leaves out.
func (c *checkRun) repairs(all []*merging.Checked, o merging.FixOptions) *repo.Plan {
	c.answer.Profiles = len(all)
	var fixed []*merging.Fixed
	for _, one := range all {
		if !one.Bad() {
			continue
		}
		f, err := merging.Fix(one, o)
		if err == nil {
			fixed = append(fixed, f)
			c.answer.Fixed = append(c.answer.Fixed, checkFixed{f.Path, f.Document.Name(), f.Document.Revision(), f.Done})
			continue
		}
		var open *merging.NotFixedError
		if errors.As(err, &open) && len(open.Conflicts) > 0 {
			c.open = append(c.open, conflictsOf(open.Path, open.Conflicts)...)
		}
		c.findings = append(c.findings, one.Findings...)
	}
	if len(fixed) == 0 {
		return nil
	}
	commit := repo.PlannedCommit{Message: merging.FixMessage(fixed)}
	for _, f := range fixed {
		commit.Changes = append(commit.Changes, repo.Change{Path: f.Path, Data: f.Document.Bytes()})
	}
	return &repo.Plan{Commits: []repo.PlannedCommit{commit}}
}

// checkAnswer is the last line of JSON.
type checkAnswer struct {
	Type      string          `json:"type"` // "checked"
	Profiles  int             `json:"profiles"`
	Errors    int             `json:"errors"`
	Fixed     []checkFixed    `json:"fixed"`
	Conflicts []mergeConflict `json:"conflicts"`
	Commit    string          `json:"commit,omitempty"`
}

type checkFixed struct {
	Path     string   `json:"path"`
	Profile  string   `json:"profile"`
	Revision int      `json:"revision"`
	Done     []string `json:"done"`
}

// checkFinding is a line of JSON.
type checkFinding struct {
	Type string `json:"type"` // "finding"
	profile.Finding
}

// end prints and gives the verdict.
func (c *checkRun) end() error {
	a := c.app
	c.answer.Errors, c.answer.Conflicts = len(c.findings), append(c.answer.Conflicts, c.open...)
	if a.json {
		for _, f := range c.findings {
			if err := a.emit(checkFinding{"finding", f}); err != nil {
				return err
			}
		}
		if err := a.emit(c.answer); err != nil {
			return err
		}
	} else {
		c.lines()
	}
	switch {
	case len(c.open) > 0:
		var parts []string
		for _, o := range c.open {
			parts = append(parts, fmt.Sprintf("%s %s (%s; ours: %s; theirs: %s)", o.Path, o.Pointer, o.Reason, briefly(o.Ours), briefly(o.Theirs)))
		}
		return &repo.Error{Kind: repo.Conflict, Reason: "conflict", Msg: "a person has to choose at " + strings.Join(parts, ", ")}
	case len(c.findings) > 0:
		return &answerNo{plural(len(c.findings), "error", "errors") + " in " + plural(c.answer.Profiles, "profile", "profiles")}
	}
	return nil
}

func (c *checkRun) lines() {
	a := c.app
	for _, f := range c.findings {
		a.printf("%s\n", term.Escape(f.String()))
	}
	for _, f := range c.answer.Fixed {
		a.printf("fixed     %s r%d  %s  %s\n", term.Escape(f.Profile), f.Revision, term.Escape(f.Path), term.Escape(strings.Join(f.Done, "; ")))
	}
	if c.answer.Commit != "" {
		a.printf("commit    %s\n", repo.ID(c.answer.Commit).Short())
	}
	if len(c.findings)+len(c.answer.Fixed)+len(c.open) == 0 {
		a.notef("%s, nothing wrong", plural(c.answer.Profiles, "profile", "profiles"))
	}
}
