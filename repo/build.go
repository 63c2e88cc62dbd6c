package repo

import (
	"context"
	"slices"
	"strings"
)

// newObject is an object that is not stored yet.
type newObject struct {
	id   ID
	typ  string
	data []byte
}

// built is a plan turned into objects.
type built struct {
	commits []ID // one for each planned commit, "" if left out
	resolve []ID // what NewCommit(i) stands for
	tip     ID
	tree    ID
	refs    []RefUpdate // the extra ones
	store   *objectStore
}

// build makes the objects of a plan. Only signing and hooks need some of them stored on the way.
func (r *Repo) build(ctx context.Context, q *UpdateRequest, s *Snapshot, p *Plan, who *identity) (*built, error) {
	b := &built{tip: s.ID(), tree: s.root(), store: newObjectStore(r)}
	ed, err := newEditor(ctx, s, b.tree, b.store.add)
	if err != nil {
		return nil, err
	}
	author, committer, err := who.get(ctx)
	if len(p.Commits) > 0 && err != nil {
		return nil, err
	}
	signing := q.Sign || !q.NoSign && r.BoolSetting("commit.gpgsign", false)
	for _, c := range p.Commits {
		if c.FirstParent != "" {
			if ed, err = b.startAt(ctx, s, c.FirstParent); err != nil {
				return nil, err
			}
		}
		parents, err := b.parents(c)
		if err != nil {
			return nil, err
		}
		before := b.tree
		for _, change := range c.Changes {
			if err := ed.apply(ctx, change); err != nil {
				return nil, err
			}
		}
		b.tree = ed.write()
		if b.tree == before && len(c.ExtraParents) == 0 && !c.AllowEmpty {
			b.commits, b.resolve = append(b.commits, ""), append(b.resolve, b.tip)
			continue
		}
		m := c.Message
		if q.Signoff || r.BoolSetting("format.signoff", false) {
			m.Trailers = signoff(m.Trailers, committer)
		}
		text := m.Text()
		if q.Hooks {
			if text, err = r.commitHooks(ctx, b, text); err != nil {
				return nil, err
			}
		}
		if signing {
			b.tip, err = r.signedCommit(ctx, b, parents, author, committer, text)
		} else {
			b.tip = b.store.add("commit", encodeCommit(b.tree, parents, author, committer, text))
		}
		if err != nil {
			return nil, err
		}
		b.commits, b.resolve = append(b.commits, b.tip), append(b.resolve, b.tip)
	}
	b.refs, err = resolveRefs(p, q.Ref, b.resolve)
	return b, err
}

// startAt goes on from another commit than the one before.
func (b *built) startAt(ctx context.Context, s *Snapshot, first ID) (*editor, error) {
	id, err := made(first, b.resolve)
	if err != nil {
		return nil, err
	}
	if id == b.tip {
		return newEditor(ctx, s, b.tree, b.store.add)
	}
	c, err := s.r.ReadCommit(ctx, id)
	if err != nil {
		return nil, err
	}
	b.tip, b.tree = c.ID, c.Tree
	return newEditor(ctx, s, c.Tree, b.store.add)
}

func (b *built) parents(c PlannedCommit) ([]ID, error) {
	var out []ID
	if b.tip != "" {
		out = append(out, b.tip)
	}
	for _, p := range c.ExtraParents {
		id, err := made(p, b.resolve)
		if err != nil {
			return nil, err
		}
		if !slices.Contains(out, id) {
			out = append(out, id)
		}
	}
	return out, nil
}

// signoff adds the committer's line last, unless it is there.
func signoff(trailers []Trailer, who Signature) []Trailer {
	line := Trailer{"Signed-off-by", who.String()}
	if slices.ContainsFunc(trailers, func(t Trailer) bool {
		return strings.EqualFold(t.Key, line.Key) && t.Value == line.Value
	}) {
		return trailers
	}
	return append(slices.Clip(trailers), line)
}
