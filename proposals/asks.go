package proposals

import (
	"context"
	"slices"
	"time"

	"github.com/open-agent-profile/oap/repo"
)

// Asked is one session's, or one person's, reason for a proposal.
type Asked struct {
	Rationale string    `json:"rationale"`
	Session   string    `json:"session,omitempty"`
	Harness   string    `json:"harness,omitempty"`
	Delta     string    `json:"delta_digest,omitempty"`
	By        string    `json:"by"` // author of the commit
	At        time.Time `json:"at"`
	Commit    repo.ID   `json:"commit"`
}

// asks reads the asks of a branch, oldest first: the commits of our own making that main does not have.
func (b *Book) asks(ctx context.Context, tip, main repo.ID) ([]Asked, error) {
	commits, err := b.own(ctx, tip, main)
	if err != nil {
		return nil, err
	}
	return asksOf(commits), nil
}

// own gives the commits that a branch has and main has not, newest first, with what they change.
func (b *Book) own(ctx context.Context, tip, main repo.ID) ([]*repo.LogEntry, error) {
	log := repo.LogOptions{From: []string{string(tip)}, Changes: true}
	if main != "" {
		log.Not = []string{string(main)}
	}
	var out []*repo.LogEntry
	for c, err := range b.Store.Log(ctx, log) {
		if err != nil {
			return nil, err
		}
		out = append(out, c)
	}
	return out, nil
}

func asksOf(commits []*repo.LogEntry) []Asked {
	out := []Asked{}
	for _, c := range slices.Backward(commits) {
		rationale := section(c.Message, headRationale)
		if rationale == "" || trailer(c.Message, keyProposal) == "" {
			continue
		}
		out = append(out, Asked{
			Rationale: rationale, Session: trailer(c.Message, keySession), Harness: trailer(c.Message, keyHarness),
			Delta: trailer(c.Message, keyDelta), By: c.Author.String(), At: c.Author.When.UTC(), Commit: c.ID,
		})
	}
	return out
}

// sessionsOf counts who asked: sessions, and people who asked by hand.
func sessionsOf(asks []Asked) int {
	who := map[string]bool{}
	for _, a := range asks {
		if a.Session != "" {
			who["session "+a.Session] = true
		} else {
			who["person "+a.By] = true
		}
	}
	return len(who)
}
