package proposals

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/open-agent-profile/oap/canonical"
	"github.com/open-agent-profile/oap/delta"
	"github.com/open-agent-profile/oap/internal/textedit"
	"github.com/open-agent-profile/oap/profile"
	"github.com/open-agent-profile/oap/repo"
)

// AcceptOptions say how a proposal or pending state is accepted.
type AcceptOptions struct {
	By     string // who decides, "Name <mail>"
	Expect string // the branch as it was reviewed, a commit or its start; "" is any
	Linear bool   // one commit with one parent

	// Favour settles conflicts of a pending state: delta.Ours is what stands, delta.Theirs what the session
	// found. Nil leaves them to a person.
	Favour *delta.Side
	// Settled is the document that a person made of a pending state with conflicts; see [Item.Unsettled].
	Settled *Settled
}

// Settled is a person's answer to conflicts, and what it was the answer to.
type Settled struct {
	Value        map[string]any
	Ours, Theirs []byte // the texts that the person had before them
}

// Outcome is what a decision made of the branch. Its JSON form is the receipt.
type Outcome struct {
	ID            string           `json:"id"`
	Kind          Kind             `json:"kind"`
	Verdict       Verdict          `json:"verdict"`
	Profile       string           `json:"profile"`
	Path          string           `json:"path"`
	Branch        string           `json:"branch"`
	Commit        repo.ID          `json:"commit"` // on the branch; "" in a dry run, and where nothing was written
	Decision      repo.ID          `json:"decision_commit"`
	Revision      int              `json:"revision"`
	Previous      int              `json:"previous_revision"`
	ProfileDigest canonical.Digest `json:"profile_digest"`
	SpecDigest    canonical.Digest `json:"spec_digest"`
	By            string           `json:"approved_by"`
	Risk          Risk             `json:"risk"`
	Reasons       []Reason         `json:"reasons"`
	Changes       []Change         `json:"changes"`
	Edited        bool             `json:"edited"`
	Warnings      []delta.Warning  `json:"-"`
	Before, After []byte           `json:"-"` // texts of the profile
}

// Accept brings an open item onto the branch: base, branch and proposal are merged by identity, the result
// is checked and stamped, and one commit holds it. The item's branch goes, and its commits stay reachable
// with the decision on top. Errors: [*Error], [*profile.InvalidError].
func (b *Book) Accept(ctx context.Context, id string, o AcceptOptions) (*Outcome, error) {
	ref, err := b.findOpen(ctx, id)
	if err != nil {
		return nil, err
	}
	var a *accepting
	done, err := b.update(ctx, b.request(b.Branch, "", "accept "+b.ID(ref.Name)), func(ctx context.Context, main *repo.Snapshot) (*repo.Plan, error) {
		if a, err = b.accepting(ctx, main, ref.Name, o); err != nil {
			return nil, err
		}
		return a.plan(ctx)
	})
	if err != nil {
		return nil, err
	}
	if len(done.Commits) == 2 {
		a.out.Decision, a.out.Commit = done.Commits[0], done.Commits[1]
	}
	return a.out, nil
}

// findOpen is [Book.Find] for decisions, which need a branch that is open.
func (b *Book) findOpen(ctx context.Context, id string) (repo.Ref, error) {
	ref, d, err := b.Find(ctx, id)
	if err == nil && d != nil {
		return ref, refuse(repo.NotFound, ReasonUnknown, "%s is not open: %s", d.ID, d).about(d.ID, d.Profile)
	}
	return ref, err
}

// accepting is an item on its way onto the branch.
type accepting struct {
	book    *Book
	main    *repo.Snapshot
	item    *Item
	options AcceptOptions
	stamped map[string]any
	text    []byte
	out     *Outcome
	evicted []delta.Eviction
}

func (b *Book) accepting(ctx context.Context, main *repo.Snapshot, name string, o AcceptOptions) (*accepting, error) {
	tip, err := b.Store.RefTip(ctx, name)
	if err != nil {
		return nil, err
	}
	if tip == "" {
		return nil, refuse(repo.NotFound, ReasonUnknown, "the branch %s is gone", name).about(b.ID(name), "")
	}
	if o.Expect != "" && !strings.HasPrefix(string(tip), o.Expect) {
		return nil, refuse(repo.Refused, ReasonMoved, "the branch is at %s, not at %s", tip.Short(), o.Expect).about(b.ID(name), "")
	}
	item, err := b.load(ctx, main, repo.Ref{Name: name, ID: tip})
	if err != nil {
		return nil, err
	}
	a := &accepting{book: b, main: main, item: item, options: o}
	if err := a.ready(); err != nil {
		return nil, err
	}
	if err := b.refuseUnstamped(ctx, main, item); err != nil {
		return nil, err
	}
	return a, a.work()
}

// ready holds the item against what can be accepted at all, and settles conflicts as asked.
func (a *accepting) ready() error {
	i := a.item
	switch {
	case i.Standing == Broken:
		return refuse(repo.Refused, ReasonBoundary, "%s of %s cannot be accepted: %s", i.ID, i.Profile, i.Trouble).about(i.ID, i.Profile)
	case i.Standing == Merged && i.Kind == KindProposal || i.ours == nil:
		return refuse(repo.Refused, ReasonMerged, "%s of %s is on the branch already", i.ID, i.Profile).about(i.ID, i.Profile)
	case i.Standing == Conflicting && !a.settle():
		return conflictError(i)
	}
	return nil
}

// settle takes a person's answer to the conflicts of a pending state. Contracts are settled on the branch
// of the proposal, where a reviewer sees it.
func (a *accepting) settle() bool {
	i, o := a.item, a.options
	switch {
	case i.Kind != KindPending:
		return false
	case o.Settled != nil:
		if string(o.Settled.Ours) != string(i.Ours()) || string(o.Settled.Theirs) != string(i.Theirs()) {
			return false // the branch moved while the person was editing
		}
		i.merged = o.Settled.Value
	case o.Favour != nil:
		m := delta.Merge(i.base.Value, i.ours.Value, i.theirs.Value, delta.MergeOptions{Favour: *o.Favour})
		i.merged, i.warnings, i.summaryLost = m.Value, m.Warnings, m.SummaryLost
	default:
		return false
	}
	return true
}

// ConflictPlace is one place that a person has to settle.
type ConflictPlace struct {
	Pointer string `json:"pointer"`
	Reason  string `json:"reason"`
	Base    any    `json:"base"`
	Ours    any    `json:"ours"`   // on the branch
	Theirs  any    `json:"theirs"` // in the proposal
}

// Places gives the conflicts of an item for machines.
func (i *Item) Places() []ConflictPlace {
	out := []ConflictPlace{}
	for _, c := range i.Conflicts {
		out = append(out, ConflictPlace{c.Pointer, c.Reason, c.Base, c.Ours, c.Theirs})
	}
	return out
}

func conflictError(i *Item) error {
	var lines []string
	for _, c := range i.Conflicts {
		lines = append(lines, fmt.Sprintf("%s (%s)", c.Pointer, c.Reason))
	}
	e := refuse(repo.Conflict, ReasonConflict, "%s of %s conflicts with what stands now at %s", i.ID, i.Profile, strings.Join(lines, ", "))
	e.Details = i.Places()
	return e.about(i.ID, i.Profile)
}

// work stamps and writes the result and holds it against the schema and its bounds.
func (a *accepting) work() error {
	i := a.item
	mark, sections := a.mark()
	want := i.merged
	if i.Kind == KindPending {
		want = maps.Clone(want)
		state, _ := want["state"].(map[string]any)
		var warnings []delta.Warning
		want["state"], a.evicted, warnings = delta.Retain(state, delta.PolicyOf(want), a.book.Now)
		i.warnings = append(i.warnings, warnings...)
	}
	mark.Sections = sections
	s, err := delta.Stamp(want, mark)
	if err != nil {
		return err
	}
	edited, err := editExactly(i.ours, s.Doc)
	if err != nil {
		return err
	}
	if i.Kind == KindPending && !canonical.Equal(profile.Contract(i.ours.Value), profile.Contract(edited.Document.Value)) {
		return refuse(repo.Refused, ReasonBoundary, "the result would change the contract").about(i.ID, i.Profile)
	}
	if i.Kind == KindProposal && !sameAt(i.ours.Value, edited.Document.Value, "state") {
		return refuse(repo.Refused, ReasonBoundary, "the result would change state").about(i.ID, i.Profile)
	}
	a.stamped, a.text = edited.Document.Value, edited.Text
	return a.outcome(edited.Document, s.Revision)
}

// editExactly writes a document and checks it.
func editExactly(doc *profile.Document, want map[string]any) (profile.Edited, error) {
	edited, err := doc.Edit(want)
	var unable *textedit.RefusedError
	if errors.As(err, &unable) {
		return edited, refuse(repo.Refused, ReasonEdit, "%s cannot be edited exactly: %v", doc.Path, unable).about("", doc.Name())
	}
	if err != nil {
		return edited, err
	}
	if fs := edited.Document.Check(); profile.HasErrors(fs) {
		return edited, &profile.InvalidError{Findings: fs}
	}
	return edited, nil
}

// mark is the history entry: who decided, what for, and whose session it was.
func (a *accepting) mark() (delta.Mark, []string) {
	i := a.item
	m := delta.Mark{Now: a.book.Now, By: a.options.By, ApprovedBy: a.options.By, Change: i.Asks}
	if len(i.Asked) > 0 {
		first := i.Asked[0]
		m.SessionID, m.Harness, m.Change = first.Session, first.Harness, first.Rationale
	}
	if i.Kind == KindPending {
		if m.SessionID != "" {
			m.By = m.SessionID
		}
		return m, []string{"state"}
	}
	return m, sectionsOf(i.ours.Value, i.merged)
}

func (a *accepting) outcome(doc *profile.Document, revision int) (err error) {
	i := a.item
	a.out = &Outcome{
		ID: i.ID, Kind: i.Kind, Verdict: Accepted, Profile: i.Profile, Path: i.Path, Branch: a.book.Branch,
		Revision: revision, Previous: i.ours.Revision(), By: a.options.By, Risk: i.Risk, Reasons: i.Reasons,
		Changes: i.Changes, Edited: i.Edited, Warnings: i.warnings, Before: i.ours.Bytes(), After: a.text,
	}
	if a.out.ProfileDigest, err = doc.Digest(); err != nil {
		return err
	}
	a.out.SpecDigest, err = doc.SpecDigest()
	return err
}

// plan makes the decision first and the commit on the branch last, since the last one is where the branch
// ends; the refs of the item move with it.
func (a *accepting) plan(ctx context.Context) (*repo.Plan, error) {
	decision, refs, err := a.book.archive(ctx, a.item, Accepted, a.options.By, "")
	if err != nil {
		return nil, err
	}
	onto := repo.PlannedCommit{
		FirstParent: a.main.ID(),
		Changes:     []repo.Change{{Path: a.item.Path, Data: a.text}},
		Message:     a.message(),
	}
	if !a.options.Linear {
		onto.ExtraParents = []repo.ID{a.item.Commit}
	}
	return &repo.Plan{Commits: []repo.PlannedCommit{*decision, onto}, Refs: refs}, nil
}

func (a *accepting) message() repo.Message {
	i := a.item
	m := &body{}
	_, sections := a.mark()
	subject := fmt.Sprintf("%s: r%d accept %s", i.Profile, a.out.Revision, i.Asks)
	if i.Kind == KindPending {
		subject = fmt.Sprintf("%s: r%d %s", i.Profile, a.out.Revision, i.Summary)
		m.text(headSummary, i.Summary)
	} else {
		m.line("%s %s", headAsks, i.Asks)
	}
	for n, ask := range i.Asked {
		if i.Kind == KindPending {
			break
		}
		head := headRationale
		if n > 0 {
			head = fmt.Sprintf("Also asked for, ask %d", n+1)
		}
		m.text(head, ask.Rationale)
	}
	m.changes(i.Changes)
	if i.Kind == KindProposal {
		m.risk(i.Risk, i.Reasons)
	}
	for n, e := range a.evicted {
		if n == 0 {
			m.gap()
			m.line("Evicted by retention")
		}
		m.line("  %s/%s (%s)", e.Collection, e.ID, e.Rule)
	}
	m.text("The summary that gave way", i.summaryLost)
	return repo.Message{Subject: subject, Body: m.String(), Trailers: append(trailers(
		keyProfile, i.Profile, keyPath, i.Path, keyRevision, strconv.Itoa(a.out.Revision), keySections, strings.Join(sections, ", "),
		keyDigest, a.out.ProfileDigest.String(), keySpec, a.out.SpecDigest.String(),
	), append(i.origin(), trailers(keyApproved, a.options.By, keyDecision, string(Accepted))...)...)}
}

// origin gives the trailers that tell where an item came from.
func (i *Item) origin() []repo.Trailer {
	var out []repo.Trailer
	if i.Kind == KindProposal {
		out = trailers(keyProposal, i.ID, keyRisk, i.Risk.String())
	} else if len(i.Asked) > 0 {
		out = trailers(keyDelta, i.Asked[0].Delta)
	}
	if n := slices.IndexFunc(i.Asked, func(a Asked) bool { return a.Session != "" }); n >= 0 {
		out = append(out, trailers(keySession, i.Asked[n].Session, keyHarness, i.Asked[n].Harness)...)
	}
	return out
}
