package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/open-agent-profile/oap/repo"
	"github.com/open-agent-profile/oap/repo/apply"
)

func (a *app) newSessionEndCommand() *cobra.Command {
	o := applyOptions{batch: 1}
	cmd := &cobra.Command{
		Use:   "end SESSION DELTA",
		Short: "Apply what a session learned",
		Long: `Apply the delta of a session, as oap apply-delta does, if it is the session's: it names the
session, and where the start was kept with --record, the profile that ran. The writeback of
that start holds: what the policy keeps for a person waits for one.

SESSION is the id of the session, or the .json file that oap session start printed. DELTA is
a file, or - for standard input.`,
		Example: `  oap session end sess_1 sess_1.delta.yaml
  oap session end start.json - --approve`,
		Args: takes(cobra.ExactArgs(2)),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.runSessionEnd(cmd.Context(), args[0], args[1], o)
		},
	}
	f := cmd.Flags()
	f.BoolVar(&o.approve, "approve", false, "approve the state (recorded in commit and history)")
	f.StringVar(&o.actor, "actor", "", "who approves, `NAME` or NAME <MAIL> (default: git's author)")
	f.BoolVar(&o.dryRun, "dry-run", false, "show what would be committed, write nothing")
	f.StringVar(&o.conflict, "on-conflict", "reject", "reject or queue a delta that does not fit")
	return cmd
}

func (a *app) runSessionEnd(ctx context.Context, spec, file string, o applyOptions) error {
	if o.conflict != "reject" && o.conflict != "queue" {
		return usagef("--on-conflict is reject or queue, not %q", o.conflict)
	}
	r, opts, err := a.applySetup(ctx, o)
	if err != nil {
		return err
	}
	inputs, err := a.readDeltas([]string{file})
	if err != nil {
		return err
	}
	if len(inputs) != 1 {
		return usagef("%s is a folder; a session ends with one delta", file)
	}
	rec, err := a.ending(ctx, r, spec)
	if err != nil {
		return err
	}
	if err := a.ofSession(rec, inputs[0]); err != nil {
		return err
	}
	if rec.Effective != nil {
		limit := rec.Effective.Writeback()
		if opts.Cap != "" {
			limit = limit.Lesser(opts.Cap)
		}
		opts.Cap = limit
	}
	book, err := a.book(r, opts)
	if err != nil {
		return err
	}
	book.DryRun = o.dryRun
	s := &applySession{app: a, repo: r, book: book, options: o}
	if s.pushes, err = a.pushes(r, o); err != nil {
		return err
	}
	return s.runAndPush(ctx, opts, inputs)
}

// runAndPush applies and then pushes what was applied, also in front of a refusal, which gives the exit code.
func (s *applySession) runAndPush(ctx context.Context, opts apply.Options, inputs []deltaInput) error {
	err := s.run(ctx, opts, inputs)
	if ctx.Err() != nil {
		return err
	}
	if pushErr := s.finish(ctx); err == nil {
		err = pushErr
	} else if pushErr != nil {
		s.app.warnf("%v", pushErr)
	}
	return err
}

// ending is what is known of the session's start; of one that was not kept, its id.
func (a *app) ending(ctx context.Context, r *repo.Repo, spec string) (*record, error) {
	if isRecord(spec) {
		return a.recordFile(spec)
	}
	rec, err := a.kept(ctx, r, spec)
	if err == nil && rec == nil {
		rec = &record{Session: spec}
	}
	return rec, err
}

// ofSession refuses the delta of another session: it would be recorded as what this one learned.
func (a *app) ofSession(rec *record, in deltaInput) error {
	doc, err := in.parse()
	if err != nil {
		return err
	}
	req, _, err := apply.NewRequest(in.name, doc)
	if err != nil {
		return err
	}
	refuse := func(format string, args ...any) error {
		return &repo.Error{Kind: repo.Refused, Reason: "other-session", Path: in.name, Msg: fmt.Sprintf(format, args...)}
	}
	if req.Delta.Session.ID != rec.Session {
		return refuse("the delta is of the session %q, not %q", req.Delta.Session.ID, rec.Session)
	}
	if rec.Effective != nil && req.Delta.Target.Name != rec.Effective.Profile {
		return refuse("the delta is for the profile %q, and the session ran %q", req.Delta.Target.Name, rec.Effective.Profile)
	}
	return nil
}
