package proposals

import (
	"context"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/open-agent-profile/oap/canonical"
	"github.com/open-agent-profile/oap/profile"
	"github.com/open-agent-profile/oap/repo"
)

// record is what history says about a profile at the tip: what was last on record, and what came since.
type record struct {
	at       *located
	contract *profile.Document // of the last accept, stamp or baseline commit
	state    *profile.Document // of the last commit of oap's
	revision int               // the highest on record

	sections []string         // in which the tip differs from both
	since    []*repo.LogEntry // commits at the path after the contract's, newest first
	unknown  bool             // the answer lies beyond a shallow clone's history
}

// record reads history back to what is on record for a profile. A commit counts if its digest trailer is
// that of the document in it: a squash that kept the words of other commits does not. Where
// nothing was ever recorded, the commit that brought the file is the baseline.
func (b *Book) record(ctx context.Context, tip *repo.Snapshot, at *located) (*record, error) {
	r := &record{at: at}
	var oldest *profile.Document
	log := repo.LogOptions{From: []string{string(tip.ID())}, Paths: []string{at.path}, FullHistory: true, Changes: true}
	for c, err := range b.Store.Log(ctx, log) {
		if err != nil {
			return nil, err
		}
		n := slices.IndexFunc(c.Changes, func(d repo.Diff) bool { return d.Path == at.path })
		if n < 0 || c.Changes[n].New == "" {
			r.since = append(r.since, c)
			continue
		}
		data, err := tip.Blob(ctx, c.Changes[n].New)
		if err != nil {
			return nil, err
		}
		doc, err := profile.Parse(at.path, data)
		if err != nil {
			r.since = append(r.since, c)
			continue
		}
		oldest = doc
		if recorded(c.Message, doc) {
			r.revision = max(r.revision, doc.Revision())
			if r.state == nil {
				r.state = doc
			}
			if s := trailer(c.Message, keySections); strings.Contains(s, "metadata") || strings.Contains(s, "spec") {
				r.contract = doc
				break
			}
		}
		r.since = append(r.since, c)
	}
	r.unknown = b.Shallow && (r.contract == nil || r.state == nil)
	if r.contract == nil {
		r.contract = oldest
	}
	if r.state == nil {
		r.state = oldest
	}
	r.compare()
	return r, nil
}

// recorded reports whether a commit says what document it holds, and says it truly.
func recorded(message string, doc *profile.Document) bool {
	claimed := trailer(message, keyDigest)
	if claimed == "" || trailer(message, keyRevision) == "" {
		return false
	}
	sum, err := doc.Digest()
	return err == nil && sum.String() == claimed
}

func (r *record) compare() {
	if r.contract == nil {
		return
	}
	tip := r.at.doc.Value
	for _, s := range sectionsOf(r.contract.Value, tip) {
		if s != "state" {
			r.sections = append(r.sections, s)
		}
	}
	if slices.Contains(sectionsOf(r.state.Value, tip), "state") || !sameAt(r.state.Value, tip, "history") {
		r.sections = append(r.sections, "state")
	}
}

// contractChanged reports whether what people own differs from what is on record.
func (r *record) contractChanged() bool {
	return r.contract != nil && !canonical.Equal(profile.Contract(r.contract.Value), profile.Contract(r.at.doc.Value))
}

// Unstamped names the sections of a profile in which the branch differs from what is on record, and
// whether that can be told at all in this clone.
func (b *Book) Unstamped(ctx context.Context, name string) (sections []string, known bool, err error) {
	tip, err := b.tip(ctx)
	if err != nil {
		return nil, false, err
	}
	at, err := b.find(ctx, tip, name)
	if err != nil {
		return nil, false, err
	}
	r, err := b.record(ctx, tip, at)
	if err != nil {
		return nil, false, err
	}
	return r.sections, !r.unknown, nil
}

// refuseUnstamped keeps a decision from putting a change on record that nobody decided on: with a contract
// change waiting on the branch, the next accept would look as if it covered both.
func (b *Book) refuseUnstamped(ctx context.Context, main *repo.Snapshot, i *Item) error {
	r, err := b.record(ctx, main, &located{path: i.Path, doc: i.ours})
	if err != nil || r.unknown || !r.contractChanged() || i.Kind == KindPending {
		return err
	}
	return refuse(repo.Refused, "unstamped", "%s has a contract change on the branch that is not on record yet", i.Profile).about(i.ID, i.Profile)
}

var proposalTrailer = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?m)^\s*` + keyProposal + `: ([0-9a-f]{12})\s*$`)
})

// proposalsIn gives the proposals that messages name, wherever a squash has put the line.
func proposalsIn(commits []*repo.LogEntry) []string {
	var ids []string
	for _, c := range commits {
		for _, m := range proposalTrailer().FindAllStringSubmatch(c.Message, -1) {
			if !slices.Contains(ids, m[1]) {
				ids = append(ids, m[1])
			}
		}
	}
	return ids
}
