package proposals

import (
	"context"
	"fmt"
	"time"

	"github.com/open-agent-profile/oap/repo"
)

// Verdict is how a proposal or a pending state ended.
type Verdict string

// The verdicts. Closed is for branches that went without a decision; it blocks nothing.
const (
	Accepted Verdict = "accepted"
	Rejected Verdict = "rejected"
	Closed   Verdict = "closed"
)

// Decision is what became of a proposal, as the archived ref says.
type Decision struct {
	ID      string    `json:"id"`
	Verdict Verdict   `json:"verdict"`
	Kind    Kind      `json:"kind"`
	Profile string    `json:"profile"`
	Path    string    `json:"path"`
	By      string    `json:"by"`
	At      time.Time `json:"at"`
	Reason  string    `json:"reason,omitempty"`
	Edited  bool      `json:"edited,omitempty"` // accepted in another form than asked for
	Asks    string    `json:"asks_to,omitempty"`
	Commit  repo.ID   `json:"commit"` // of the archived ref
}

// decision reads the decision on a proposal, nil where there is none.
func (b *Book) decision(ctx context.Context, id string) (*Decision, error) {
	tip, err := b.Store.RefTip(ctx, DecidedPrefix+id)
	if err != nil || tip == "" {
		return nil, err
	}
	s, err := b.Store.Snapshot(ctx, tip)
	if err != nil {
		return nil, err
	}
	return decisionOf(id, s.Commit()), nil
}

func decisionOf(id string, c *repo.Commit) *Decision {
	d := &Decision{ID: id, Kind: KindProposal, By: c.Author.String(), At: c.Author.When.UTC(), Commit: c.ID, Reason: section(c.Message, headReason)}
	for _, t := range repo.ParseTrailers(c.Message) {
		switch t.Key {
		case keyDecision:
			d.Verdict = Verdict(t.Value)
		case keyProfile:
			d.Profile = t.Value
		case keyPath:
			d.Path = t.Value
		case keyApproved:
			d.By = t.Value
		case keyEdited:
			d.Edited = t.Value == "yes"
		case keyDelta:
			d.Kind = KindPending
		}
	}
	d.Asks = headed(c.Message, headAsks)
	return d
}

// Decisions gives everything that was decided, by id. In a clone that never fetched refs/oap/decided/ that
// is only what was decided here.
func (b *Book) Decisions(ctx context.Context) ([]*Decision, error) {
	refs, err := b.Store.Refs(ctx, DecidedPrefix)
	if err != nil {
		return nil, err
	}
	out := []*Decision{}
	for _, ref := range refs {
		id := ref.Name[len(DecidedPrefix):]
		if !isID(id) {
			continue
		}
		s, err := b.Store.Snapshot(ctx, ref.ID)
		if err != nil {
			return nil, err
		}
		out = append(out, decisionOf(id, s.Commit()))
	}
	return out, nil
}

// String is a decision in a sentence, for a person.
func (d *Decision) String() string {
	s := fmt.Sprintf("%s by %s on %s", d.Verdict, d.By, d.At.Format("2006-01-02"))
	if d.Edited {
		s += ", in another form"
	}
	if d.Reason != "" {
		s += ": " + d.Reason
	}
	return s
}
