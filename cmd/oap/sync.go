package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/open-agent-profile/oap/proposals"
	"github.com/open-agent-profile/oap/repo"
	"github.com/open-agent-profile/oap/repo/merging"
	"github.com/open-agent-profile/oap/repo/remote"
)

// remoteOptions are the flags of every command that speaks to a remote.
type remoteOptions struct {
	remote  string
	to      string
	retries int
	timeout time.Duration
	all     bool
}

func (o *remoteOptions) register(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.remote, "remote", "", "meet this `REMOTE` instead of the branch's own")
	f.StringVar(&o.to, "push-to", "", "push to `BRANCH` at the remote, for branches that take no direct pushes")
	f.IntVar(&o.retries, "retries", 16, "how often to try while the remote moves")
	f.DurationVar(&o.timeout, "timeout", time.Minute, "how long the remote may take to answer")
	f.BoolVar(&o.all, "push-all", false, "publish commits that oap did not make, too")
}

func (a *app) newSyncCommand() *cobra.Command {
	var o remoteOptions
	cmd := &cobra.Command{
		Use:   "sync [FLAGS] [NAME]...",
		Short: "Bring the branch and its remote together",
		Long: `Fetch, join by meaning, push. Where the remote has moved, state commits that it does not have
yet are put on its tip, each as the next revision there; anything else is merged. The local
branch follows. Where somebody was faster, it is tried again, some times.

Nothing is ever forced. A remote that lost commits is refused, and so is publishing commits
that oap did not make, unless --push-all. When the remote fails or refuses, the exit code is 7
and all local commits stand: repeat the call later.

Proposals, pending states and decisions travel along; with NAME only those of these profiles.`,
		Example: `  oap sync
  oap sync --remote upstream --push-to agents/state
  oap sync --quiet --timeout 10s`,
		ValidArgsFunction: a.completeNames,
		RunE:              func(cmd *cobra.Command, args []string) error { return a.runSync(cmd.Context(), o, args) },
	}
	o.register(cmd)
	return cmd
}

func (a *app) runSync(ctx context.Context, o remoteOptions, names []string) error {
	r, err := a.repo(ctx)
	if err != nil {
		return err
	}
	q, err := a.remoteRequest(ctx, r, o)
	if err != nil {
		return err
	}
	if len(names) > 0 {
		book := &proposals.Book{Prefix: a.setting(r, "refPrefix")}
		q.Travels = func(ref string) bool {
			for _, n := range names {
				if strings.HasPrefix(ref, book.ProposalRef(n, "")) || strings.HasPrefix(ref, book.PendingRef(n, "")) {
					return true
				}
			}
			return false
		}
	}
	done, err := remote.Sync(ctx, r, q)
	if err != nil {
		return a.remoteError(err)
	}
	return a.printSync(done)
}

// remoteRequest gathers flags and settings; apply-delta --push uses it as well.
func (a *app) remoteRequest(ctx context.Context, r *repo.Repo, o remoteOptions) (remote.Request, error) {
	q := remote.Request{
		Remote: o.remote, To: o.to, Retries: o.retries, Timeout: o.timeout, PushAll: o.all,
		Widening: widening, Env: a.environ, Prompt: isTerminal(os.Stdin), Progress: a.progress(),
	}
	if state, err := a.stateDir(); err == nil {
		q.Turns = filepath.Join(state, "turns")
	}
	if o.retries < 1 || o.timeout <= 0 {
		return q, usagef("--retries and --timeout are more than nothing")
	}
	var err error
	if q.Branch, err = a.branchRef(ctx, r); err != nil {
		return q, err
	}
	if q.Now, err = a.time(); err != nil {
		return q, err
	}
	if q.CommitTime, err = a.fixedTime(); err != nil {
		return q, err
	}
	if q.Hooks, err = a.switchedOn(r, "hooks"); err != nil {
		return q, err
	}
	if q.Cap, err = a.writebackCap(r); err != nil {
		return q, err
	}
	if p := a.setting(r, "refPrefix"); p != "" {
		book := &proposals.Book{Prefix: p}
		q.Prefix, _, _ = strings.Cut(book.ProposalRef("x", ""), "proposals/")
	}
	q.By, _ = r.Identity(ctx) // who merges is a courtesy; a commit without identity is refused later
	return q, nil
}

// progress is where git's own progress goes: to a terminal, and nowhere else.
func (a *app) progress() io.Writer {
	if isTerminal(a.err) && !a.quiet && !a.json {
		return a.err
	}
	return nil
}

// remoteError turns a conflict into the words and the code of one.
func (a *app) remoteError(err error) error {
	var c *merging.ConflictError
	if !errors.As(err, &c) {
		return err
	}
	return &repo.Error{Kind: repo.Conflict, Reason: "conflict", Msg: fileConflicts(c)}
}

func fileConflicts(e *merging.ConflictError) string {
	var parts []string
	for _, c := range e.Conflicts {
		parts = append(parts, fmt.Sprintf("%s %s (%s; ours: %s; theirs: %s)", c.Path, c.Pointer, c.Reason, briefly(c.Ours), briefly(c.Theirs)))
	}
	return "a person has to choose at " + strings.Join(parts, ", ")
}

// synced is the JSON answer.
type synced struct {
	Type    string       `json:"type"` // "sync"
	Outcome string       `json:"outcome"`
	Remote  string       `json:"remote"`
	Branch  string       `json:"branch"`
	Target  string       `json:"target"`
	Before  string       `json:"before"`
	After   string       `json:"after"`
	Fetched int          `json:"fetched"`
	Pushed  int          `json:"pushed"`
	Tries   int          `json:"tries"`
	Merge   string       `json:"merge,omitempty"`
	Rebuilt []syncedMove `json:"rebuilt"`
	Refs    []syncedRef  `json:"refs"`
}

type syncedMove struct {
	Profile  string `json:"profile"`
	Path     string `json:"path"`
	From     string `json:"from"`
	Commit   string `json:"commit"`
	Revision int    `json:"revision"`
	Previous int    `json:"previous_revision"`
	Dropped  bool   `json:"already_there,omitempty"`
}

type syncedRef struct {
	Name   string `json:"name"`
	Action string `json:"action"`
	Note   string `json:"note,omitempty"`
}
