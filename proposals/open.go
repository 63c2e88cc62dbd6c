package proposals

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/open-agent-profile/oap/canonical"
	"github.com/open-agent-profile/oap/delta"
	"github.com/open-agent-profile/oap/internal/secrets"
	"github.com/open-agent-profile/oap/internal/textedit"
	"github.com/open-agent-profile/oap/profile"
	"github.com/open-agent-profile/oap/repo"
)

// Ask is one wish and who has it.
type Ask struct {
	delta.Proposal
	Session, Harness string           // "" where a person asks by hand
	Delta            canonical.Digest // idempotency key of the delta that it came in; zero by hand
	Again            bool             // also where the same was rejected before
}

// Status says what became of an ask.
type Status string

// The statuses of [Opened].
const (
	StatusOpened    Status = "opened"    // a new branch
	StatusJoined    Status = "joined"    // open already; this rationale was added to it
	StatusOpen      Status = "open"      // open already, with this rationale
	StatusSatisfied Status = "satisfied" // the contract says so already
	StatusDecided   Status = "decided"   // rejected before, or accepted in another form
	StatusRefused   Status = "refused"   // cannot be carried out
)

// Opened is what became of an ask.
type Opened struct {
	ID        string    `json:"id"` // "" where the wish cannot be read at all
	Status    Status    `json:"status"`
	Profile   string    `json:"profile"`
	Path      string    `json:"path"`
	Branch    string    `json:"branch,omitempty"` // full name
	Commit    repo.ID   `json:"commit,omitempty"` // tip of the branch
	Op        string    `json:"op"`
	Pointer   string    `json:"pointer"`
	Risk      Risk      `json:"risk"`
	Declared  string    `json:"declared_risk,omitempty"`
	Reasons   []Reason  `json:"reasons"`
	Changes   []Change  `json:"changes"`
	Rationale string    `json:"rationale"`
	Message   string    `json:"message,omitempty"`
	Decision  *Decision `json:"decision,omitempty"`
}

// Open asks for a change of the contract of one profile at the tip, as a person does by hand. The result
// says what became of it; an error means that it could not be worked out.
func (b *Book) Open(ctx context.Context, name string, ask Ask) (*Opened, error) {
	tip, err := b.tip(ctx)
	if err != nil {
		return nil, err
	}
	at, err := b.find(ctx, tip, name)
	if err != nil {
		return nil, err
	}
	if fs := at.doc.Check(); profile.HasErrors(fs) {
		return nil, &profile.InvalidError{Findings: fs}
	}
	return b.open(ctx, tip, at, at.doc.Value, ask)
}

// opening is an ask on its way.
type opening struct {
	*Opened
	ask    Ask
	at     *located
	wanted map[string]any
	text   []byte
	lost   []string // places whose comments the edit could not keep
}

// open puts an ask that was made for the contract of base on the tip.
func (b *Book) open(ctx context.Context, tip *repo.Snapshot, at *located, base map[string]any, ask Ask) (*Opened, error) {
	o := newOpening(at, ask)
	if err := o.work(base); err != nil {
		return o.refused(err)
	}
	if canonical.Equal(at.doc.Value, o.wanted) {
		o.Status, o.Message = StatusSatisfied, "the contract says so already"
		return o.Opened, nil
	}
	ref := b.ProposalRef(o.Profile, o.ID)
	done, err := b.update(ctx, b.request(ref, tip.ID(), "propose"), func(ctx context.Context, s *repo.Snapshot) (*repo.Plan, error) {
		exists, err := b.Store.RefTip(ctx, ref)
		if err != nil {
			return nil, err
		}
		if exists != "" {
			return b.join(ctx, tip, s, o)
		}
		return b.begin(ctx, o)
	})
	if err != nil {
		return nil, fmt.Errorf("proposal %s for %s: %w", o.ID, o.Profile, err)
	}
	if done.After != "" {
		o.Branch, o.Commit = ref, done.After
	}
	return o.Opened, nil
}

func newOpening(at *located, ask Ask) *opening {
	return &opening{ask: ask, at: at, Opened: &Opened{
		Profile: at.doc.Name(), Path: at.path, Op: ask.Op, Pointer: ask.Path, Risk: High, Declared: ask.Risk,
		Rationale: ask.Rationale, Reasons: []Reason{}, Changes: []Change{},
	}}
}

// refused turns what is wrong with this wish into a result; other errors stay errors.
func (o *opening) refused(err error) (*Opened, error) {
	var wish *ProposalError
	if !errors.As(err, &wish) {
		return nil, err
	}
	o.Status, o.Message = StatusRefused, wish.Reason
	return o.Opened, nil
}

// work reads the wish, puts it on the tip, rates it and writes the text. Errors: [*ProposalError].
func (o *opening) work(base map[string]any) error {
	refuse := func(format string, args ...any) error {
		return &ProposalError{o.ask.Op, o.ask.Path, fmt.Sprintf(format, args...)}
	}
	if len(secrets.Scan(o.ask.Rationale)) > 0 {
		return refuse("the rationale holds what looks like a credential")
	}
	r, err := readWish(base, o.ask.Proposal)
	if err != nil {
		return err
	}
	if o.ID, err = r.id(o.at.root, o.Profile); err != nil {
		return refuse("the value cannot be kept: %s", err)
	}
	o.Op, o.Pointer = r.op, r.path.String()
	tip := o.at.doc.Value
	wanted, notes, err := r.on(tip)
	if err != nil {
		return err
	}
	o.wanted = wanted
	o.Changes = Describe(tip, wanted)
	o.rate(tip, notes)
	edited, err := o.at.doc.Edit(wanted)
	var unable *textedit.RefusedError
	if errors.As(err, &unable) {
		return refuse("%s cannot be edited exactly: %v", o.at.path, unable)
	}
	if err != nil {
		return err
	}
	if fs := edited.Document.Check(); profile.HasErrors(fs) {
		return refuse("the contract would not be valid: %v", &profile.InvalidError{Findings: fs})
	}
	o.text, o.lost = edited.Text, edited.Rerendered
	return nil
}

// rate grades the difference. What whoever asks says of it can only raise the grade.
func (o *opening) rate(tip map[string]any, notes []Reason) {
	risk, reasons := Rate(tip, o.wanted)
	for _, n := range notes {
		risk = Raise(risk, n.Risk)
	}
	reasons = append(notes, reasons...)
	if declared, err := ParseRisk(o.ask.Risk); err == nil && declared > risk {
		risk = Raise(risk, declared)
		reasons = append([]Reason{{o.Pointer, declared, "whoever asks for it calls the risk " + declared.String()}}, reasons...)
	}
	o.Risk = risk
	o.Reasons = append(o.Reasons, reasons...)
}

// begin opens a branch, unless the same was rejected before.
func (b *Book) begin(ctx context.Context, o *opening) (*repo.Plan, error) {
	d, err := b.decision(ctx, o.ID)
	if err != nil {
		return nil, err
	}
	if d != nil && !o.ask.Again && (d.Verdict == Rejected || d.Verdict == Accepted && d.Edited) {
		o.Status, o.Decision, o.Message = StatusDecided, d, d.String()
		return nil, nil
	}
	o.Status = StatusOpened
	return &repo.Plan{Commits: []repo.PlannedCommit{{
		Changes: []repo.Change{{Path: o.at.path, Data: o.text}},
		Message: o.message(fmt.Sprintf("%s: propose %s %s", o.Profile, o.Op, o.Pointer)),
	}}}, nil
}

// join adds a rationale to an open branch, once for every delta; by hand, once for every text.
func (b *Book) join(ctx context.Context, tip, branch *repo.Snapshot, o *opening) (*repo.Plan, error) {
	m := o.message(fmt.Sprintf("%s: ask again to %s %s", o.Profile, o.Op, o.Pointer))
	asks, err := b.asks(ctx, branch.ID(), tip.ID())
	if err != nil {
		return nil, err
	}
	said := section(m.Text(), headRationale)
	for _, a := range asks {
		same := a.Rationale == said
		if o.ask.Delta.IsZero() && a.Delta == "" && same || !o.ask.Delta.IsZero() && a.Delta == askKey(o.ask.Delta) {
			o.Status, o.Message = StatusOpen, "it is open with this rationale"
			return nil, nil
		}
	}
	o.Status = StatusJoined
	o.Message = "the same is open already; the rationale was added to it"
	return &repo.Plan{Commits: []repo.PlannedCommit{{Message: m, AllowEmpty: true}}}, nil
}

// message says what is asked for, why, by whom, what it changes and what is at stake.
func (o *opening) message(subject string) repo.Message {
	m := &body{}
	m.line("%s %s %s", headAsks, o.Op, o.Pointer)
	m.text(headRationale, o.ask.Rationale)
	if o.ask.Session != "" {
		m.gap()
		m.line("Session %s", o.ask.Session)
		if o.ask.Harness != "" {
			m.line("Harness %s", o.ask.Harness)
		}
	}
	m.changes(o.Changes)
	m.risk(o.Risk, o.Reasons)
	for _, p := range o.lost {
		m.line("Comments below %s are lost, since the text there had to be written anew.", p)
	}
	out := repo.Message{Subject: subject, Body: m.String()}
	out.Trailers = trailers(
		keyProfile, o.Profile, keyPath, o.Path, keyProposal, o.ID, keyRisk, o.Risk.String(),
		keySession, o.ask.Session, keyHarness, o.ask.Harness,
	)
	out.Trailers = append(out.Trailers, trailers(keyDelta, askKey(o.ask.Delta))...)
	return out
}

// askKey is a delta's key as a proposal names it: without "sha256:", so that a merged proposal is never
// taken for the delta's state, which may still wait elsewhere.
func askKey(key canonical.Digest) string {
	if key.IsZero() {
		return ""
	}
	return strings.TrimPrefix(key.String(), "sha256:")
}

// trailers makes trailers of keys and values in turn.
func trailers(kv ...string) []repo.Trailer {
	var out []repo.Trailer
	for i := 0; i+1 < len(kv); i += 2 {
		if kv[i+1] != "" {
			out = append(out, repo.Trailer{Key: kv[i], Value: kv[i+1]})
		}
	}
	return out
}
