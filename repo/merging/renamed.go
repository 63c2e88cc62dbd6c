package merging

import (
	"context"
	"maps"
	"slices"

	"github.com/open-agent-profile/oap/profile"
	"github.com/open-agent-profile/oap/repo"
)

// renamed handles profiles that a side moved to another path while the other side changed them: they are found
// again by id, or by name where they have none. Where theirs moved what ours left alone, or the other way round, path
// by path is right as it is.
func (j *joiner) renamed(ctx context.Context) error {
	var gone []string
	for _, side := range []map[string]repo.Diff{j.mine, j.yours} {
		for p, d := range side {
			if d.New == "" && profile.IsProfilePath(p) && !slices.Contains(gone, p) {
				gone = append(gone, p)
			}
		}
	}
	slices.Sort(gone)
	for _, p := range gone {
		m, mine := j.mine[p]
		y, yours := j.yours[p]
		if !mine || !yours {
			continue
		}
		base, err := j.base.read(ctx, p)
		if err != nil {
			return err
		}
		if base == nil {
			continue
		}
		ours, theirs := p, p
		if m.New == "" {
			if ours, err = j.added(ctx, j.ours, j.mine, base); err != nil {
				return err
			}
		}
		if y.New == "" {
			if theirs, err = j.added(ctx, j.theirs, j.yours, base); err != nil {
				return err
			}
		}
		if ours == "" || theirs == "" {
			continue // removed, not moved
		}
		if err := j.moved(ctx, base, p, ours, theirs); err != nil {
			return err
		}
	}
	return nil
}

// moved merges a profile that stood at p and now stands elsewhere on at least one side.
func (j *joiner) moved(ctx context.Context, base *profile.Document, p, ours, theirs string) error {
	if ours != theirs && ours != p && theirs != p {
		j.other = append(j.other, p) // moved to two places; which one is right is for a person to say
		return nil
	}
	into := theirs
	if theirs == p {
		into = ours
	}
	for _, done := range []string{p, ours, theirs} {
		j.done[done] = true
	}
	return j.merge(ctx, merging{base: base, ours: ours, theirs: theirs, into: into})
}

// added finds a profile among the files that a side added.
func (j *joiner) added(ctx context.Context, s *repo.Snapshot, side map[string]repo.Diff, base *profile.Document) (string, error) {
	for _, p := range slices.Sorted(maps.Keys(side)) {
		d := side[p]
		if d.Old != "" || !profile.IsProfilePath(p) || !isFile(d.NewMode) {
			continue
		}
		data, err := s.Blob(ctx, d.New)
		if err != nil {
			return "", err
		}
		if doc, err := Read(p, data); err == nil && same(doc, base) {
			return p, nil
		}
	}
	return "", nil
}

// same reports whether two documents are the same agent's.
func same(a, b *profile.Document) bool {
	if a.ID() != "" && b.ID() != "" {
		return a.ID() == b.ID()
	}
	return a.Name() == b.Name()
}
