package main

import (
	"context"
	"errors"
	"io/fs"

	"github.com/spf13/cobra"

	"github.com/open-agent-profile/oap/proposals"
	"github.com/open-agent-profile/oap/repo"
	"github.com/open-agent-profile/oap/repo/apply"
)

type applyOptions struct {
	approve   bool
	actor     string
	dryRun    bool
	conflict  string
	signoff   bool
	hooks     bool
	outbox    bool
	keepGoing bool
	batch     int
	again     bool
	push      bool
	pushSet   bool
	remote    remoteOptions
}

func (a *app) newApplyDeltaCommand() *cobra.Command {
	var o applyOptions
	cmd := &cobra.Command{
		Use:   "apply-delta [FLAGS] DELTA...",
		Short: "Apply a session's delta: one commit that touches only state",
		Long: `Apply session deltas to the profiles they name, at the tip of the branch. Each delta
becomes one commit that touches one file, and in it only state, history, revision and
updated_at. The same delta again changes nothing and exits 0.

DELTA is a file, a folder (its deltas in byte order of their names) or - for standard input.
Several deltas are applied in order; the first that is refused ends the run, unless
--keep-going, and gives the exit code.

Under writeback propose the state is applied with --approve; without, it waits on a branch of
its own for a person. Proposals about the contract are never applied here, whatever is
approved: each becomes a branch with its rationale.`,
		Example: `  oap apply-delta session.delta.yaml
  oap apply-delta --approve --actor 'Alex <alex@example.org>' session.delta.yaml
  oap apply-delta --dry-run session.delta.yaml
  oap apply-delta --json - < session.delta.json
  oap apply-delta --push session.delta.yaml
  oap apply-delta --outbox`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 && !o.outbox {
				return usagef("name a delta, a folder of deltas or -, or use --outbox")
			}
			return nil
		},
		ValidArgsFunction: completeDeltas,
		RunE: func(cmd *cobra.Command, args []string) error {
			o.pushSet = cmd.Flags().Changed("push")
			return a.runApplyDelta(cmd.Context(), o, args)
		},
	}
	f := cmd.Flags()
	f.BoolVar(&o.approve, "approve", false, "approve the state (recorded in commit and history)")
	f.StringVar(&o.actor, "actor", "", "who approves, `NAME` or NAME <MAIL> (default: git's author)")
	f.BoolVar(&o.dryRun, "dry-run", false, "show what would be committed, write nothing")
	f.StringVar(&o.conflict, "on-conflict", "reject", "reject or queue a delta that does not fit")
	f.BoolVar(&o.signoff, "signoff", false, "add Signed-off-by")
	f.BoolVar(&o.hooks, "hooks", false, "run the pre-commit and commit-msg hooks")
	f.BoolVar(&o.outbox, "outbox", false, "apply what lies in the outbox (OAP_OUTBOX) and move it to done/ or failed/")
	f.BoolVar(&o.keepGoing, "keep-going", false, "go on behind a refused delta")
	f.BoolVar(&o.push, "push", false, "push afterwards; exit 0 then means that the remote has it (default: git config oap.push)")
	o.remote.register(cmd)
	f.BoolVar(&o.again, "again", false, "open proposals again that were rejected before")
	f.IntVar(&o.batch, "batch", 1, "move the branch once for every `N` commits")
	return cmd
}

// runApplyDelta reads everything first, so that a mistyped name stops the run before anything is written.
func (a *app) runApplyDelta(ctx context.Context, o applyOptions, args []string) error {
	if o.conflict != "reject" && o.conflict != "queue" {
		return usagef("--on-conflict is reject or queue, not %q", o.conflict)
	}
	r, opts, err := a.applySetup(ctx, o)
	if err != nil {
		return err
	}
	var box *outbox
	if o.outbox {
		if box, err = a.openOutbox(r); err != nil {
			return err
		}
		args = append(args, box.files...)
		o.keepGoing = true
	}
	inputs, err := a.readDeltas(args)
	if err != nil {
		return err
	}
	book, err := a.book(r, opts)
	if err != nil {
		return err
	}
	book.DryRun = o.dryRun
	s := &applySession{app: a, repo: r, book: book, options: o, outbox: box}
	if o.dryRun {
		s.outbox = nil // nothing is done, so nothing is put away; close gives back what was taken
	}
	if s.pushes, err = a.pushes(r, o); err != nil {
		return err
	}
	err = s.run(ctx, opts, inputs)
	if ctx.Err() != nil {
		return err
	}
	// What was applied before a refusal is pushed, too; the refusal gives the exit code.
	if pushErr := s.finish(ctx); err == nil {
		err = pushErr
	} else if pushErr != nil {
		a.warnf("%v", pushErr)
	}
	return err
}

// applySetup opens the repository and gathers settings.
func (a *app) applySetup(ctx context.Context, o applyOptions) (*repo.Repo, apply.Options, error) {
	var opts apply.Options
	r, err := a.repo(ctx)
	if err != nil {
		return nil, opts, err
	}
	if opts.Roots, err = a.profileRoots(r); err != nil {
		return nil, opts, err
	}
	if opts.Branch, err = a.branchRef(ctx, r); err != nil {
		return nil, opts, err
	}
	if _, err := a.tip(ctx, r); err != nil {
		return nil, opts, err
	}
	a.warnElsewhere(r, opts.Branch)
	if opts.Now, err = a.time(); err != nil {
		return nil, opts, err
	}
	if opts.CommitTime, err = a.fixedTime(); err != nil {
		return nil, opts, err
	}
	if opts.ProtectPinned, err = a.protectPinned(r); err != nil {
		return nil, opts, err
	}
	if opts.Cap, err = a.writebackCap(r); err != nil {
		return nil, opts, err
	}
	hooks, err := a.switchedOn(r, "hooks")
	if err != nil {
		return nil, opts, err
	}
	opts.Gate = takesState
	opts.Hooks = o.hooks || hooks
	opts.Signoff = o.signoff
	opts.Subject = a.setting(r, "subject")
	opts.Approve = o.approve
	opts.Batch = o.batch
	if o.approve {
		if o.actor != "" {
			if opts.Actor, err = cleanActor(o.actor); err != nil {
				return nil, opts, err
			}
		}
		if opts.Actor == "" {
			id, err := r.Identity(ctx)
			if err != nil {
				return nil, opts, err
			}
			opts.Actor = id
		}
	} else if o.actor != "" {
		return nil, opts, usagef("--actor names who approves, so it goes with --approve")
	}
	return r, opts, nil
}

// warnElsewhere tells of state that goes to another branch than the one that is set for it.
func (a *app) warnElsewhere(r *repo.Repo, ref string) {
	set := a.setting(r, "branch")
	if a.branch == "" || set == "" {
		return
	}
	if want, err := r.Branch(set); err == nil && want != ref {
		a.warnf("state of this repository belongs on %s (oap.branch); it goes to %s", want, ref)
	}
}

// applySession reports each delta as soon as its commit is on the branch.
type applySession struct {
	app     *app
	repo    *repo.Repo
	book    *proposals.Book
	options applyOptions
	pushes  bool
	waiting []*apply.Receipt // receipts that are printed after the push
	outbox  *outbox
	first   error // the first refusal; it gives the exit code
	// reported is set where refusals were printed as they came, so that the first is not printed twice.
	reported bool
}

// errStop ends a run behind a refusal that has been kept in first.
var errStop = errors.New("stop")

func (s *applySession) run(ctx context.Context, opts apply.Options, inputs []deltaInput) error {
	var reqs []*apply.Request
	emit := func(res apply.Result) error { return s.emit(ctx, res) }
	flush := func() error {
		batch := reqs
		reqs = nil
		if len(batch) == 0 {
			return nil
		}
		if s.options.dryRun {
			return apply.Preview(ctx, s.repo, opts, batch, emit)
		}
		return apply.Run(ctx, s.repo, opts, batch, emit)
	}
	for _, in := range inputs {
		req, err := in.request(s.app)
		if err == nil {
			reqs = append(reqs, req)
			continue
		}
		// Deltas in front of a broken one are applied first: order is a promise.
		if err := flush(); err != nil {
			return s.end(err)
		}
		if err := s.refuse(in.name, err); err != nil {
			return s.end(err)
		}
	}
	return s.end(flush())
}

func (s *applySession) end(err error) error {
	switch {
	case err != nil && !errors.Is(err, errStop):
		return err
	case s.first == nil:
		return nil
	case s.reported:
		return &alreadyReported{s.first}
	}
	return s.first
}

func (s *applySession) emit(ctx context.Context, res apply.Result) error {
	if res.Err != nil {
		if err := s.queue(ctx, &res); err != nil {
			return err
		}
	}
	if stopped, ok := errors.AsType[*apply.Error](res.Err); ok && stopped.Kind == apply.Stateless && len(res.Request.Delta.Proposals) > 0 && res.Receipt != nil {
		// A skill learns nothing, and what it asks for is put before a person all the same.
		res.Receipt.Outcome = apply.Refused
		if err := s.open(ctx, res); err != nil {
			return err
		}
	}
	if res.Err != nil {
		return s.refuse(res.Request.Source, res.Err)
	}
	if s.options.dryRun {
		if err := s.waits(ctx, res.Receipt); err != nil {
			return err
		}
	}
	if err := s.open(ctx, res); err != nil {
		return err
	}
	if s.outbox != nil {
		return s.outbox.done(res.Request.Source)
	}
	return nil
}

// open opens the proposals of a delta, and prints the receipt, or keeps it for after the push.
func (s *applySession) open(ctx context.Context, res apply.Result) error {
	opened, err := s.book.OpenAll(ctx, res.Request, s.options.again)
	for _, o := range opened {
		res.Receipt.Proposals = append(res.Receipt.Proposals, o.Receipt())
	}
	if err != nil {
		// The state is on the branch, which its receipt has to say; repeating the call opens the rest.
		return errors.Join(s.app.printReceipt(res.Receipt, s.options.dryRun), err)
	}
	if s.pushes {
		s.waiting = append(s.waiting, res.Receipt)
		return nil
	}
	return s.app.printReceipt(res.Receipt, s.options.dryRun)
}

// waits warns of a contract change on the branch that nobody has put on record; a state commit never covers
// it. It takes reading the profile's history, so only a preview looks: a session's end should not wait for
// it, and oap audit and oap stamp find it as well.
func (s *applySession) waits(ctx context.Context, rc *apply.Receipt) error {
	sections, known, err := s.book.Unstamped(ctx, rc.Profile)
	if err != nil || !known {
		return err
	}
	for _, section := range sections {
		if section != "state" {
			rc.Warnings = append(rc.Warnings, apply.Warning{Rule: "unstamped", Pointer: "/" + section, Message: "a change of the contract waits for oap stamp; this commit does not cover it"})
		}
	}
	return nil
}

// queue lets a person decide about state that was refused for want of one: it waits on a branch of its own
// (docs/format.md). The result then has no error.
func (s *applySession) queue(ctx context.Context, res *apply.Result) error {
	var refused *apply.Error
	if !errors.As(res.Err, &refused) || res.Receipt == nil {
		return nil
	}
	if refused.Kind != apply.Unapproved && (refused.Kind != apply.Conflict || s.options.conflict != "queue") {
		return nil
	}
	q, err := s.book.Queue(ctx, res.Request, refused.Msg)
	if err != nil {
		return err
	}
	rc := res.Receipt
	rc.Pending, rc.Commit = q.ID, string(q.Commit)
	if q.Decision != nil {
		rc.Outcome = apply.Decided
		rc.Warnings = append(rc.Warnings, apply.Warning{Rule: "decided", Pointer: "/state", Message: q.Decision.String()})
	} else {
		rc.Outcome, rc.Branch = apply.Queued, q.Branch
	}
	rc.Warnings = append(rc.Warnings, apply.Warning{Rule: string(refused.Kind), Pointer: "/state", Message: refused.Msg})
	res.Err = nil
	return nil
}

// refuse keeps the first refusal. With --keep-going each is reported at once, since more will follow.
func (s *applySession) refuse(source string, err error) error {
	if s.first == nil {
		s.first = err
	}
	if s.outbox != nil {
		if err := s.outbox.failed(source, err); err != nil {
			return err
		}
	}
	if !s.options.keepGoing {
		return errStop
	}
	s.app.fail(err)
	s.reported = true
	return nil
}

// alreadyReported carries an exit code whose message has been printed.
type alreadyReported struct{ err error }

func (e *alreadyReported) Error() string { return e.err.Error() }
func (e *alreadyReported) Unwrap() error { return e.err }

// notFound tells a missing file from other trouble with reading.
func notFound(err error) bool { return errors.Is(err, fs.ErrNotExist) }
