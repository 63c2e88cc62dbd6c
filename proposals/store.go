package proposals

import (
	"context"
	"iter"
	"time"

	"github.com/open-agent-profile/oap/profile"
	"github.com/open-agent-profile/oap/repo"
	"github.com/open-agent-profile/oap/repo/catalog"
)

// Store is what this package needs of a repository; [*repo.Repo] has it.
type Store interface {
	RefTip(ctx context.Context, ref string) (repo.ID, error)
	Refs(ctx context.Context, prefix string) ([]repo.Ref, error)
	Snapshot(ctx context.Context, commit repo.ID) (*repo.Snapshot, error)
	Log(ctx context.Context, o repo.LogOptions) iter.Seq2[*repo.LogEntry, error]
	Update(ctx context.Context, q repo.UpdateRequest, plan func(context.Context, *repo.Snapshot) (*repo.Plan, error)) (*repo.Updated, error)
}

// Book keeps the open proposals and pending states of one branch, and what was decided about them.
type Book struct {
	Store  Store
	Branch string   // full name of the branch whose contracts are meant
	At     repo.ID  // read this commit instead of the branch; "" is the branch's tip
	Roots  []string // profile roots, cleaned
	Prefix string   // of branch names, see [Book.ProposalRef]; "" is "oap/"

	Now        time.Time // for documents
	CommitTime time.Time // for commits; zero is git's own time
	Signoff    bool
	Hooks      bool
	Shallow    bool // history ends early in this clone
	DryRun     bool // work everything out, write nothing
}

// located is a profile as a commit has it.
type located struct {
	root string
	path string // where the file really lies: links inside the repository are followed
	doc  *profile.Document
}

// find gives the profile of a name, or ROOT:NAME, in a snapshot.
func (b *Book) find(ctx context.Context, s *repo.Snapshot, name string) (*located, error) {
	e, err := catalog.Find(ctx, catalog.Commit{Snapshot: s}, b.Roots, name)
	if err != nil {
		return nil, err
	}
	if e.Err != nil {
		return nil, e.Err
	}
	path, err := s.Follow(ctx, e.Path)
	if err != nil {
		return nil, err
	}
	return &located{root: e.Root, path: path, doc: e.Document}, nil
}

// tip reads the branch.
func (b *Book) tip(ctx context.Context) (*repo.Snapshot, error) {
	if b.At != "" {
		return b.Store.Snapshot(ctx, b.At)
	}
	id, err := b.Store.RefTip(ctx, b.Branch)
	if err != nil {
		return nil, err
	}
	return b.Store.Snapshot(ctx, id)
}

// docAt reads one file of a commit as a document.
func docAt(ctx context.Context, s *repo.Snapshot, path string) (*profile.Document, error) {
	f, err := s.File(ctx, path)
	if err != nil {
		return nil, err
	}
	return profile.Parse(path, f.Data)
}

// request is what every move of a branch has in common.
func (b *Book) request(ref string, base repo.ID, log string) repo.UpdateRequest {
	return repo.UpdateRequest{Ref: ref, Base: base, Log: "oap: " + log, Now: b.CommitTime, Signoff: b.Signoff, Hooks: b.Hooks}
}

// update puts a plan into effect on a branch, which starts at base where it does not exist. In a dry run
// the plan is made and dropped; After is then where the branch would be if that is known.
func (b *Book) update(ctx context.Context, q repo.UpdateRequest, plan func(context.Context, *repo.Snapshot) (*repo.Plan, error)) (*repo.Updated, error) {
	if !b.DryRun {
		return b.Store.Update(ctx, q, plan)
	}
	tip, err := b.Store.RefTip(ctx, q.Ref)
	if err != nil {
		return nil, err
	}
	start := tip
	if start == "" {
		start = q.Base
	}
	s, err := b.Store.Snapshot(ctx, start)
	if err != nil {
		return nil, err
	}
	_, err = plan(ctx, s)
	return &repo.Updated{Before: tip, After: tip}, err
}
