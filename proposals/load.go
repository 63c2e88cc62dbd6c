package proposals

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/open-agent-profile/oap/canonical"
	"github.com/open-agent-profile/oap/delta"
	"github.com/open-agent-profile/oap/profile"
	"github.com/open-agent-profile/oap/repo"
)

// load reads a branch and works out how it would merge into main.
func (b *Book) load(ctx context.Context, main *repo.Snapshot, ref repo.Ref) (*Item, error) {
	kind, name, id, _ := b.parseRef(ref.Name)
	return b.loadAs(ctx, main, ref, kind, name, id)
}

// loadAs is load for a ref whose name does not tell what it holds.
func (b *Book) loadAs(ctx context.Context, main *repo.Snapshot, ref repo.Ref, kind Kind, name, id string) (*Item, error) {
	i := &Item{ID: id, Kind: kind, Profile: name, Branch: ref.Name, Commit: ref.ID, Asked: []Asked{}, Reasons: []Reason{}, Changes: []Change{}}
	own, err := b.own(ctx, ref.ID, main.ID())
	if err != nil {
		return nil, err
	}
	i.own = own
	if len(own) == 0 {
		// A person has merged it: everything it has is on the branch.
		if err := b.readMerged(ctx, ref, i); err != nil {
			return nil, err
		}
		i.Standing = Merged
		return i, nil
	}
	i.read(own)
	if i.Base, err = b.forkPoint(ctx, own); err != nil {
		return nil, err
	}
	if err := b.documents(ctx, main, ref, i); err != nil {
		return nil, err
	}
	if i.Standing == "" {
		i.merge()
	}
	return i, nil
}

// readMerged takes what is known of a merged branch from its last commits.
func (b *Book) readMerged(ctx context.Context, ref repo.Ref, i *Item) error {
	log := repo.LogOptions{From: []string{string(ref.ID)}, Max: 50}
	var own []*repo.LogEntry
	for c, err := range b.Store.Log(ctx, log) {
		if err != nil {
			return err
		}
		if trailer(c.Message, keyProposal) == i.ID || strings.HasPrefix(trailer(c.Message, keyDelta), "sha256:"+i.ID) {
			own = append(own, c)
		}
	}
	i.read(own)
	return nil
}

// read takes what the messages of a branch say.
func (i *Item) read(own []*repo.LogEntry) {
	i.Asked = asksOf(own)
	i.Sessions = sessionsOf(i.Asked)
	i.foreign = true
	for _, c := range slices.Backward(own) {
		ours := trailer(c.Message, keyProfile) != ""
		if ours {
			i.foreign = false
		}
		if p := trailer(c.Message, keyPath); p != "" && i.Path == "" {
			i.Path = p
		}
		if s := headed(c.Message, headAsks); s != "" && i.Asks == "" {
			i.Asks = s
		}
		if s := section(c.Message, headSummary); s != "" && i.Summary == "" {
			i.Summary = s
		}
		if i.OpenedAt.IsZero() {
			i.OpenedAt = c.Author.When.UTC()
		}
		if !ours && len(c.Parents) == 1 && len(c.Changes) > 0 {
			i.Edited = true
		}
	}
	if i.Kind == KindPending && len(own) > 0 {
		first := own[len(own)-1]
		i.Sessions = 1
		i.Asked = []Asked{{
			Rationale: i.Summary, Session: trailer(first.Message, keySession), Harness: trailer(first.Message, keyHarness),
			Delta: trailer(first.Message, keyDelta), By: first.Author.String(), At: first.Author.When.UTC(), Commit: first.ID,
		}}
	}
}

// forkPoint is the newest commit of main that a branch holds: where it began, or what was merged into it
// since. The parents of its own commits that are not its own are the candidates.
func (b *Book) forkPoint(ctx context.Context, own []*repo.LogEntry) (repo.ID, error) {
	mine := map[repo.ID]bool{}
	for _, c := range own {
		mine[c.ID] = true
	}
	var best repo.ID
	seen := map[repo.ID]bool{}
	for _, c := range own {
		for _, p := range c.Parents {
			if mine[p] || seen[p] {
				continue
			}
			seen[p] = true
			newer, err := b.contains(ctx, p, best)
			if err != nil {
				return "", err
			}
			if best == "" || newer {
				best = p
			}
		}
	}
	return best, nil
}

// contains reports whether the history of a commit holds another one.
func (b *Book) contains(ctx context.Context, commit, other repo.ID) (bool, error) {
	if other == "" || commit == other {
		return other == commit, nil
	}
	for _, err := range b.Store.Log(ctx, repo.LogOptions{From: []string{string(other)}, Not: []string{string(commit)}, Max: 1}) {
		return false, err
	}
	return true, nil
}

// documents reads the three versions and holds the branch to what it may change.
func (b *Book) documents(ctx context.Context, main *repo.Snapshot, ref repo.Ref, i *Item) error {
	broken := func(format string, args ...any) error {
		i.Standing, i.Trouble = Broken, fmt.Sprintf(format, args...)
		return nil
	}
	if i.Path == "" {
		at, err := b.find(ctx, main, i.Profile)
		if err != nil {
			return broken("the branch does not say which file it is about: %v", err)
		}
		i.Path = at.path
	}
	if i.Base == "" {
		return broken("the branch has no history in common with %s", strings.TrimPrefix(b.Branch, "refs/heads/"))
	}
	base, err := b.Store.Snapshot(ctx, i.Base)
	if err != nil {
		return err
	}
	tip, err := b.Store.Snapshot(ctx, ref.ID)
	if err != nil {
		return err
	}
	for _, v := range []struct {
		into **profile.Document
		s    *repo.Snapshot
		what string
	}{{&i.base, base, "where it began"}, {&i.ours, main, "on the branch"}, {&i.theirs, tip, "in the proposal"}} {
		if *v.into, err = docAt(ctx, v.s, i.Path); err != nil {
			return broken("the profile cannot be read %s: %v", v.what, err)
		}
	}
	if got := i.ours.Name(); got != i.Profile {
		return broken("%s now holds the profile %s", i.Path, quote(got))
	}
	other, err := otherPaths(ctx, base, tip, i)
	if err != nil {
		return err
	}
	if len(other) > 0 {
		return broken("the branch changes another file, too: %s", strings.Join(other, ", "))
	}
	if fs := i.theirs.Check(); profile.HasErrors(fs) {
		return broken("the profile in the proposal is not valid: %v", &profile.InvalidError{Findings: fs})
	}
	if what := beyond(i.Kind, i.base.Value, i.theirs.Value); what != "" {
		return broken("the branch changes %s, too", what)
	}
	return nil
}

// otherPaths names files beside the profile in which the branch differs from where it began.
func otherPaths(ctx context.Context, base, tip *repo.Snapshot, i *Item) ([]string, error) {
	var out []string
	for _, c := range i.own {
		for _, ch := range c.Changes {
			if ch.Path == i.Path || slices.Contains(out, ch.Path) {
				continue
			}
			// What came from main with a merge is no change of the branch.
			x, err := entryAt(ctx, base, ch.Path)
			if err != nil {
				return nil, err
			}
			y, err := entryAt(ctx, tip, ch.Path)
			if err != nil {
				return nil, err
			}
			if x != y {
				out = append(out, ch.Path)
			}
		}
	}
	return out, nil
}

// entryAt gives what stands at a path, the zero Entry for nothing.
func entryAt(ctx context.Context, s *repo.Snapshot, path string) (repo.Entry, error) {
	e, err := s.Entry(ctx, path)
	if kind := repo.KindOf(err); kind == repo.NotFound || kind == repo.Refused || kind == repo.Invalid {
		return repo.Entry{}, nil
	}
	return e, err
}

// beyond names what a branch changes that a decision about it would not bring in; "" for nothing.
func beyond(kind Kind, base, theirs map[string]any) string {
	if kind == KindPending {
		return beyondState(base, theirs)
	}
	for _, name := range []string{"state", "history", "extends", "oap", "kind"} {
		if !sameAt(base, theirs, name) {
			return "/" + name
		}
	}
	for _, name := range owned {
		if !sameAt(base, theirs, "metadata", name) {
			return "/metadata/" + name
		}
	}
	return ""
}

// merge joins the three versions by meaning and rates what comes of it.
func (i *Item) merge() {
	base, ours, theirs := i.base.Value, i.ours.Value, i.theirs.Value
	m := delta.Merge(base, ours, theirs, delta.MergeOptions{Widening: func(merged, ours, theirs map[string]any) []string {
		return widening(base, merged, ours, theirs)
	}})
	i.merged, i.Conflicts, i.warnings, i.summaryLost = m.Value, m.Conflicts, m.Warnings, m.SummaryLost
	switch {
	case len(m.Conflicts) > 0:
		i.Standing = Conflicting
	case canonical.Equal(m.Value, ours):
		i.Standing = Merged
	case canonical.Equal(base, ours):
		i.Standing = UpToDate
	default:
		i.Standing = Behind
	}
	if i.Kind == KindProposal {
		i.Risk, i.Reasons = Rate(ours, m.Value)
		if i.Reasons == nil {
			i.Reasons = []Reason{}
		}
		for _, c := range i.own {
			if declared, err := ParseRisk(trailer(c.Message, keyRisk)); err == nil && !i.foreign {
				// What was rated when it was opened, the claim of whoever asked included, only raises.
				i.Risk = Raise(i.Risk, declared)
			}
		}
		i.Changes = append(i.Changes, Describe(ours, m.Value)...)
		return
	}
	for _, op := range delta.Compare(ours, m.Value) {
		i.Changes = append(i.Changes, stateChange(op, ours))
	}
}

// stateChange shows an operation on state as a change.
func stateChange(op delta.Operation, ours map[string]any) Change {
	was, had := profile.Lookup(ours, op.Pointer)
	c := Change{Pointer: op.Path, Kind: Added}
	switch {
	case op.Op == delta.OpRemove:
		c.Kind, c.Old = Removed, short(was)
	case op.Op == delta.OpReplace && had:
		c.Kind = Changed
		c.Old, c.New = shortPair(was, op.Value)
	default:
		c.New = short(op.Value)
	}
	return c
}
