package proposals

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/open-agent-profile/oap/delta"
	"github.com/open-agent-profile/oap/profile"
	"github.com/open-agent-profile/oap/repo"
)

// Kind tells what a branch holds.
type Kind string

// The kinds of branches.
const (
	KindProposal Kind = "proposal" // a change of the contract
	KindPending  Kind = "pending"  // a delta's change of the state
)

// Standing says how an open branch would merge now.
type Standing string

// The standings, from the best to the worst.
const (
	UpToDate    Standing = "up to date"  // the profile has not changed since
	Behind      Standing = "behind"      // it has, and both come together by meaning
	Merged      Standing = "merged"      // the branch has the change already; oap stamp records it
	Conflicting Standing = "conflicting" // a person has to choose
	Broken      Standing = "broken"      // it cannot be accepted as it is; Trouble says why
)

// Item is an open proposal or pending state.
type Item struct {
	ID       string    `json:"id"`
	Kind     Kind      `json:"kind"`
	Profile  string    `json:"profile"`
	Path     string    `json:"path"`
	Branch   string    `json:"branch"` // full name
	Commit   repo.ID   `json:"commit"`
	Base     repo.ID   `json:"base"` // where it left the branch
	Asks     string    `json:"asks_to,omitempty"`
	Summary  string    `json:"summary,omitempty"` // of a pending state
	Asked    []Asked   `json:"asked"`
	Sessions int       `json:"sessions"`
	Risk     Risk      `json:"risk"` // of the merge into what stands now
	Reasons  []Reason  `json:"reasons"`
	Changes  []Change  `json:"changes"` // of the merge
	Standing Standing  `json:"standing"`
	Trouble  string    `json:"trouble,omitempty"`
	Edited   bool      `json:"edited"` // by people, after it was opened
	OpenedAt time.Time `json:"opened_at"`

	Conflicts []delta.Conflict `json:"-"`

	own                []*repo.LogEntry
	base, ours, theirs *profile.Document
	merged             map[string]any
	warnings           []delta.Warning
	summaryLost        string
	foreign            bool // the branch has commits, but none of oap's
}

// Ours and Theirs give the texts of the profile on the branch and in the proposal; nil where there is none.
func (i *Item) Ours() []byte { return textOf(i.ours) }

// Theirs is the text of the proposal.
func (i *Item) Theirs() []byte { return textOf(i.theirs) }

// Before and After are the contracts that a decision is about: what stands, and what accepting gives. After
// is nil where that cannot be told.
func (i *Item) Before() map[string]any {
	if i.ours == nil {
		return nil
	}
	return i.ours.Value
}

// After is what accepting gives; treat it as read-only.
func (i *Item) After() map[string]any { return i.merged }

// AfterText is the text of After in the profile's own file; nil where it cannot be written.
func (i *Item) AfterText() []byte {
	if i.ours == nil || i.merged == nil {
		return nil
	}
	edited, err := i.ours.Edit(i.merged)
	if err != nil {
		return nil
	}
	return edited.Text
}

func textOf(d *profile.Document) []byte {
	if d == nil {
		return nil
	}
	return d.Bytes()
}

// List gives what is open, by profile and age.
func (b *Book) List(ctx context.Context) ([]*Item, error) {
	main, err := b.tip(ctx)
	if err != nil {
		return nil, err
	}
	out := []*Item{}
	for _, ref := range b.openRefs() {
		refs, err := b.Store.Refs(ctx, ref)
		if err != nil {
			return nil, err
		}
		for _, r := range refs {
			if _, _, _, ok := b.parseRef(r.Name); !ok {
				continue
			}
			item, err := b.load(ctx, main, r)
			if err != nil {
				return nil, err
			}
			out = append(out, item)
		}
	}
	slices.SortStableFunc(out, func(x, y *Item) int {
		if c := strings.Compare(x.Profile, y.Profile); c != 0 {
			return c
		}
		return x.OpenedAt.Compare(y.OpenedAt)
	})
	return out, nil
}

func (b *Book) openRefs() []string {
	return []string{b.prefix() + "proposals/", b.prefix() + "pending/"}
}

// Names gives the refs of what is open, without reading any: for completing and resolving ids.
func (b *Book) Names(ctx context.Context) ([]repo.Ref, error) {
	var out []repo.Ref
	for _, prefix := range b.openRefs() {
		refs, err := b.Store.Refs(ctx, prefix)
		if err != nil {
			return nil, err
		}
		for _, r := range refs {
			if _, _, _, ok := b.parseRef(r.Name); ok {
				out = append(out, r)
			}
		}
	}
	return out, nil
}

// ID takes an id out of the name of an open branch.
func (b *Book) ID(ref string) string {
	_, _, id, _ := b.parseRef(ref)
	return id
}

// Kind tells what the name of an open branch says it holds.
func (b *Book) Kind(ref string) Kind {
	kind, _, _, _ := b.parseRef(ref)
	return kind
}

// Find gives the open branch that an id, or its unique start, stands for. Where none is open, a decision
// on that id is given instead. Errors: [*Error] with ReasonUnknown or ReasonAmbiguous.
func (b *Book) Find(ctx context.Context, id string) (repo.Ref, *Decision, error) {
	refs, err := b.Names(ctx)
	if err != nil {
		return repo.Ref{}, nil, err
	}
	var found []repo.Ref
	for _, r := range refs {
		if id != "" && strings.HasPrefix(b.ID(r.Name), id) {
			found = append(found, r)
		}
	}
	switch {
	case len(found) == 1:
		return found[0], nil, nil
	case len(found) > 1:
		return repo.Ref{}, nil, refuse(repo.NotFound, ReasonAmbiguous, "the id %s stands for %d proposals", quote(id), len(found))
	}
	decided, err := b.Decisions(ctx)
	if err != nil {
		return repo.Ref{}, nil, err
	}
	var past []*Decision
	for _, d := range decided {
		if id != "" && strings.HasPrefix(d.ID, id) {
			past = append(past, d)
		}
	}
	if len(past) == 1 {
		return repo.Ref{}, past[0], nil
	}
	return repo.Ref{}, nil, refuse(repo.NotFound, ReasonUnknown, "no open proposal has the id %s", quote(id))
}

// Show reads one open item. Errors: as [Book.Find].
func (b *Book) Show(ctx context.Context, id string) (*Item, *Decision, error) {
	ref, d, err := b.Find(ctx, id)
	if err != nil || d != nil {
		return nil, d, err
	}
	main, err := b.tip(ctx)
	if err != nil {
		return nil, nil, err
	}
	item, err := b.load(ctx, main, ref)
	return item, nil, err
}
