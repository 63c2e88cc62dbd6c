package audit

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/open-agent-profile/oap/canonical"
	"github.com/open-agent-profile/oap/profile"
	"github.com/open-agent-profile/oap/repo"
	"github.com/open-agent-profile/oap/repo/history"
	"github.com/open-agent-profile/oap/repo/merging"
)

// merged asks whether a merge holds nothing but what its sides had on record. The merge by meaning of both is
// worked out anew: a driver's merge, and a text merge that came to the same, are found so. That one side
// happens to have the same contract is not enough, for it may be an old one, and the other's newer.
func (b *bench) merged(ctx context.Context, s *step, contract, state bool) (bool, bool, error) {
	again, err := b.again(ctx, s)
	if err != nil || again == nil {
		return contract, state, err
	}
	known := func(recorded map[sum]bool, part func(*view) sum) bool {
		return part(again) == part(s.now) && !slices.ContainsFunc(s.others, func(o *view) bool { return o != nil && !recorded[part(o)] })
	}
	contract = contract && !known(b.recordedContract, func(v *view) sum { return v.contract })
	state = state && !known(b.recordedState, func(v *view) sum { return v.state })
	return contract, state, nil
}

// again merges the sides of a step; nil where they do not merge by themselves.
func (b *bench) again(ctx context.Context, s *step) (*view, error) {
	if len(s.commit.Parents) != 2 || s.others[0] == nil {
		return nil, nil
	}
	ours, theirs := s.commit.Parents[0], s.commit.Parents[1]
	v := merging.Versions{Path: s.path}
	sides := []struct {
		commit repo.ID
		into   *[]byte
	}{{b.mergeBase(ctx, ours, theirs), &v.Base}, {ours, &v.Ours}, {theirs, &v.Theirs}}
	for _, side := range sides {
		text, err := b.textAt(ctx, side.commit, s.path)
		if err != nil {
			return nil, err
		}
		*side.into = text
	}
	if v.Ours == nil || v.Theirs == nil {
		return nil, nil
	}
	r, err := merging.Merge(v, merging.Options{})
	if err != nil || r.Document == nil {
		return nil, nil // for a person to settle, so that nobody can work it out anew
	}
	return judge(nil).view(s.path, r.Text), nil
}

func (b *bench) mergeBase(ctx context.Context, ours, theirs repo.ID) repo.ID {
	out, err := b.repo.Git(ctx, "merge-base", string(ours), string(theirs))
	if err != nil {
		return "" // unrelated, or beyond the boundary of a shallow clone
	}
	return repo.ID(strings.TrimSpace(string(out)))
}

// textAt reads the file at a path of a commit; nil where there is none.
func (b *bench) textAt(ctx context.Context, id repo.ID, path string) ([]byte, error) {
	if id == "" {
		return nil, nil
	}
	s, err := b.repo.Snapshot(ctx, id)
	if repo.KindOf(err) == repo.NotFound {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	f, err := s.File(ctx, path)
	if k := repo.KindOf(err); k == repo.NotFound || k == repo.Refused {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return f.Data, nil
}

// contractPointer names the first place at which a step changes the contract. Both documents are read again,
// since a history that is clean never needs this.
func (b *bench) contractPointer(ctx context.Context, s *step) (string, error) {
	now, err := b.documentIn(ctx, s, false)
	if err != nil {
		return "", err
	}
	old, err := b.documentIn(ctx, s, true)
	if err != nil {
		return "", err
	}
	if d := history.Compare(old, now); len(d.Contract) > 0 {
		return d.Contract[0].Pointer, nil
	}
	for _, name := range []string{"extends", "oap", "kind"} {
		if !canonical.Equal(old[name], now[name]) {
			return "/" + name, nil
		}
	}
	return "", nil
}

// documentIn reads the document of a step, or the one before it in the commit's first parent.
func (b *bench) documentIn(ctx context.Context, s *step, before bool) (map[string]any, error) {
	i := slices.IndexFunc(s.commit.files, func(d repo.Diff) bool { return d.Path == s.path })
	if i < 0 {
		return nil, errors.New("a commit without the change that it was judged for")
	}
	blob := s.commit.files[i].New
	if before {
		if blob = s.commit.files[i].Old; blob == "" {
			return nil, nil
		}
	}
	text, err := textOf(ctx, b.repo, blob)
	if err != nil {
		return nil, err
	}
	doc, err := profile.Parse(s.path, text)
	if err != nil {
		return nil, nil
	}
	return doc.Value, nil
}
