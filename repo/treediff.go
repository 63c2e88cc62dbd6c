package repo

import (
	"context"
	"path"
)

// treeMove is a directory whose tree differs between two trees; "" is absence.
type treeMove struct {
	dir      string
	old, new ID
}

// diffTrees gives the files that differ between two trees, and the directories on the way. Equal
// subtrees are not read.
func (s *Snapshot) diffTrees(ctx context.Context, dir string, a, b ID) (files []Diff, dirs []treeMove, err error) {
	if a == b {
		return nil, nil, nil
	}
	dirs = append(dirs, treeMove{dir, a, b})
	olds, err := s.tree(ctx, a)
	if err != nil {
		return nil, nil, err
	}
	news, err := s.tree(ctx, b)
	if err != nil {
		return nil, nil, err
	}
	type pair struct{ old, new *treeEntry }
	byName := make(map[string]*pair)
	var order []string
	at := func(name string) *pair {
		p := byName[name]
		if p == nil {
			p = &pair{}
			byName[name] = p
			order = append(order, name)
		}
		return p
	}
	for i := range olds {
		at(olds[i].name).old = &olds[i]
	}
	for i := range news {
		at(news[i].name).new = &news[i]
	}
	for _, name := range order {
		p := byName[name]
		if p.old != nil && p.new != nil && *p.old == *p.new {
			continue
		}
		full := path.Join(dir, name)
		var oldTree, newTree ID
		d := Diff{Path: full}
		if p.old != nil {
			if p.old.isTree() {
				oldTree = p.old.id
			} else {
				d.Old, d.OldMode = p.old.id, p.old.modeBits()
			}
		}
		if p.new != nil {
			if p.new.isTree() {
				newTree = p.new.id
			} else {
				d.New, d.NewMode = p.new.id, p.new.modeBits()
			}
		}
		if d.Old != "" || d.New != "" {
			files = append(files, d)
		}
		f, t, err := s.diffTrees(ctx, full, oldTree, newTree)
		if err != nil {
			return nil, nil, err
		}
		files, dirs = append(files, f...), append(dirs, t...)
	}
	return files, dirs, nil
}
