package main

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/open-agent-profile/oap/internal/term"
	"github.com/open-agent-profile/oap/proposals"
	"github.com/open-agent-profile/oap/repo"
	"github.com/open-agent-profile/oap/repo/remote"
)

func (a *app) newProposalsSyncCommand() *cobra.Command {
	var o remoteOptions
	cmd := &cobra.Command{
		Use:   "sync",
		Short: "Exchange proposals and decisions with the remote",
		Long: `Fetch the branch, proposals, pending state and decisions from the remote, push ours, and close
what is decided: a proposal whose change is on the branch is accepted, one that was rejected
elsewhere is rejected, and one whose branch is gone at the remote without either is closed,
which blocks nothing.`,
		Example: `  oap proposals sync
  oap proposals sync --remote upstream`,
		Args: takes(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, args []string) error { return a.runProposalsSync(cmd.Context(), o) },
	}
	o.register(cmd)
	return cmd
}

func (a *app) runProposalsSync(ctx context.Context, o remoteOptions) error {
	r, b, err := a.openBook(ctx, false)
	if err != nil {
		return err
	}
	q, err := a.remoteRequest(ctx, r, o)
	if err != nil {
		return err
	}
	name, err := remoteOf(r, b.Branch, o.remote)
	if err != nil {
		return err
	}
	gone, err := goneBranches(ctx, r, b, name)
	if err != nil {
		return err
	}
	// A branch that was deleted over there must not be pushed again before it is clear why.
	q.Travels = func(ref string) bool { return !gone[ref] }
	done, err := remote.Sync(ctx, r, q)
	if err != nil {
		return a.remoteError(err)
	}
	closed, err := a.settleAll(ctx, b, gone)
	if err != nil {
		return err
	}
	if len(closed) > 0 {
		q.Travels = nil
		if done, err = remote.Sync(ctx, r, q); err != nil {
			return a.remoteError(err)
		}
	}
	for _, c := range closed {
		if err := a.printOutcome(c, false); err != nil {
			return err
		}
	}
	return a.printSync(done)
}

// goneBranches are open branches that were at the remote once and are not now.
func goneBranches(ctx context.Context, r *repo.Repo, b *proposals.Book, name string) (map[string]bool, error) {
	out, err := r.Git(ctx, "ls-remote", "--heads", "--", name, b.BranchPrefix()+"*")
	if err != nil {
		return nil, &repo.Error{Kind: repo.Remote, Reason: "unreachable", Path: name, Msg: "the remote does not answer", Err: err}
	}
	there := map[string]bool{}
	for line := range strings.Lines(string(out)) {
		if _, ref, ok := strings.Cut(strings.TrimSpace(line), "\t"); ok {
			there[ref] = true
		}
	}
	refs, err := b.Names(ctx)
	if err != nil {
		return nil, err
	}
	gone := map[string]bool{}
	for _, ref := range refs {
		was, err := r.RefTip(ctx, "refs/remotes/"+name+"/"+strings.TrimPrefix(ref.Name, "refs/heads/"))
		if err != nil {
			return nil, err
		}
		if was != "" && !there[ref.Name] {
			gone[ref.Name] = true
		}
	}
	return gone, nil
}

// settleAll closes what the branch has, and then what the remote gave up. A decision that came with the
// fetch has taken its branch along already.
func (a *app) settleAll(ctx context.Context, b *proposals.Book, gone map[string]bool) ([]*proposals.Outcome, error) {
	closed, stay, err := b.Settle(ctx)
	if err != nil {
		return nil, err
	}
	for _, ref := range stay {
		a.warnf("%s is accepted, and stays because it is checked out", ref)
	}
	refs, err := b.Names(ctx)
	if err != nil {
		return nil, err
	}
	for _, ref := range refs {
		if !gone[ref.Name] {
			continue
		}
		id := b.ID(ref.Name)
		done, err := b.Close(ctx, id, "The branch is gone at the remote.")
		if repo.ReasonOf(err) == "checked-out" {
			a.warnf("%s is gone at the remote, and stays because it is checked out", term.Escape(ref.Name))
			continue
		}
		if err != nil {
			return nil, err
		}
		closed = append(closed, done)
	}
	return closed, nil
}
