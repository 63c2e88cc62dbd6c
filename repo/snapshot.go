package repo

import (
	"context"
	"errors"
	"path"
	"sync"
)

// File is a blob at a path. Data is shared; treat it as read-only.
type File struct {
	Path string
	Mode uint32
	ID   ID
	Data []byte
}

// Snapshot is the tree of one commit. What it has read it keeps. It may be used from several
// goroutines.
type Snapshot struct {
	r      *Repo
	commit *Commit // nil: the empty tree

	mu    sync.Mutex
	trees map[ID][]treeEntry
	blobs map[ID][]byte
}

// Snapshot gives the tree of a commit. The commit "" is the empty tree, the state of an unborn branch.
func (r *Repo) Snapshot(ctx context.Context, commit ID) (*Snapshot, error) {
	s := &Snapshot{r: r, trees: map[ID][]treeEntry{}, blobs: map[ID][]byte{}}
	if commit == "" {
		return s, nil
	}
	c, err := r.ReadCommit(ctx, commit)
	if err != nil {
		return nil, err
	}
	s.commit = c
	return s, nil
}

// Commit gives the commit of the snapshot, nil for the empty tree.
func (s *Snapshot) Commit() *Commit { return s.commit }

// ID gives the commit's id, "" for the empty tree.
func (s *Snapshot) ID() ID {
	if s.commit == nil {
		return ""
	}
	return s.commit.ID
}

// root gives the id of the top tree, "" for the empty one.
func (s *Snapshot) root() ID {
	if s.commit == nil {
		return ""
	}
	return s.commit.Tree
}

// Blob gives the bytes of a blob by id, from this snapshot or any other place of the repository.
func (s *Snapshot) Blob(ctx context.Context, id ID) ([]byte, error) {
	s.mu.Lock()
	data, ok := s.blobs[id]
	s.mu.Unlock()
	if ok {
		return data, nil
	}
	data, err := s.r.typed(ctx, id, "blob")
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	s.blobs[id] = data
	s.mu.Unlock()
	return data, nil
}

// File reads a regular file. Nothing at the path is NotFound; a directory, a symbolic link or a gitlink
// is Refused, with the reason "directory", "symlink" or "gitlink". See [Snapshot.Follow].
func (s *Snapshot) File(ctx context.Context, p string) (*File, error) {
	e, err := s.Entry(ctx, p)
	if err != nil {
		return nil, err
	}
	if err := regular(e); err != nil {
		return nil, err
	}
	data, err := s.Blob(ctx, e.ID)
	if err != nil {
		return nil, err
	}
	return &File{Path: p, Mode: e.Mode, ID: e.ID, Data: data}, nil
}

func regular(e Entry) error {
	switch e.Mode & modeType {
	case ModeFile & modeType:
		return nil
	case ModeSymlink:
		return refuse("symlink", e.Path, "is a symbolic link")
	case ModeGitlink:
		return refuse("gitlink", e.Path, "is another repository (gitlink)")
	case modeTree:
		return refuse("directory", e.Path, "is a directory")
	}
	return refuse("odd-mode", e.Path, "has the unknown mode %o", e.Mode)
}

// Entry gives what stands at a path: a file, link, gitlink or directory. Nothing there is NotFound; a
// path that goes through a link or gitlink is Refused.
func (s *Snapshot) Entry(ctx context.Context, p string) (Entry, error) {
	if err := CheckPath(p); err != nil {
		return Entry{}, err
	}
	none := func() (Entry, error) { return Entry{}, notFound("no-path", p, "no such file in the commit") }
	tree, parts := s.root(), splitPath(p)
	for i, name := range parts {
		entries, err := s.tree(ctx, tree)
		if err != nil {
			return Entry{}, err
		}
		at := findEntry(entries, name)
		if at < 0 {
			return none()
		}
		e := Entry{Path: path.Join(parts[:i+1]...), Mode: entries[at].modeBits(), ID: entries[at].id}
		if i == len(parts)-1 {
			return e, nil
		}
		switch e.Mode & modeType {
		case modeTree:
			tree = e.ID
		case ModeSymlink, ModeGitlink:
			return Entry{}, regular(e)
		default:
			return none()
		}
	}
	return none()
}

// tree gives the entries of a tree. The empty id is the empty tree.
func (s *Snapshot) tree(ctx context.Context, id ID) ([]treeEntry, error) {
	if id == "" {
		return nil, nil
	}
	got, err := s.manyTrees(ctx, []ID{id})
	if err != nil {
		return nil, err
	}
	return got[0], nil
}

// manyTrees reads trees in one question, so that a wide directory costs one round trip.
func (s *Snapshot) manyTrees(ctx context.Context, ids []ID) ([][]treeEntry, error) {
	out := make([][]treeEntry, len(ids))
	var names []string
	var at []int
	s.mu.Lock()
	for i, id := range ids {
		if t, ok := s.trees[id]; ok {
			out[i] = t
			continue
		}
		names, at = append(names, string(id)), append(at, i)
	}
	s.mu.Unlock()
	if len(names) == 0 {
		return out, nil
	}
	err := s.r.objects(ctx, names, func(i int, o object, err error) error {
		if errors.Is(err, errMissing) {
			return &Error{Kind: NotFound, Reason: "no-object", Path: names[i], Msg: "no such tree", Err: err}
		}
		if err != nil {
			return &Error{Kind: Invalid, Reason: "bad-tree", Path: names[i], Msg: "tree cannot be read", Err: err}
		}
		if o.typ != "tree" {
			return invalid("wrong-type", names[i], "is a %s, not a tree", o.typ)
		}
		t, err := parseTree(o.data, s.r.idLen())
		if err != nil {
			return &Error{Kind: Invalid, Reason: "bad-tree", Path: names[i], Msg: "tree cannot be read", Err: err}
		}
		out[at[i]] = t
		s.mu.Lock()
		s.trees[o.id] = t
		s.trees[ID(names[i])] = t // a replaced object is asked for by its old name
		s.mu.Unlock()
		return nil
	})
	return out, err
}

// List gives the files below a directory ("" or "." for the top) whose path match accepts (nil accepts
// all), in git's order level by level. It reads the trees below dir and no blobs. A directory that does
// not exist has no files.
func (s *Snapshot) List(ctx context.Context, dir string, match func(path string) bool) ([]Entry, error) {
	if dir == "." {
		dir = ""
	}
	tree := s.root()
	if dir != "" {
		e, err := s.Entry(ctx, dir)
		if KindOf(err) == NotFound && ReasonOf(err) == "no-path" {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		if e.Mode&modeType != modeTree {
			return nil, refuse("not-a-directory", dir, "is not a directory")
		}
		tree = e.ID
	}
	if tree == "" {
		return nil, nil
	}
	var out []Entry
	dirs, ids := []string{dir}, []ID{tree}
	for len(ids) > 0 {
		levels, err := s.manyTrees(ctx, ids)
		if err != nil {
			return nil, err
		}
		var nextDirs []string
		var nextIDs []ID
		for i, entries := range levels {
			for _, e := range entries {
				p := e.name
				if dirs[i] != "" {
					p = dirs[i] + "/" + e.name
				}
				switch {
				case e.isTree():
					nextDirs, nextIDs = append(nextDirs, p), append(nextIDs, e.id)
				case match == nil || match(p):
					out = append(out, Entry{Path: p, Mode: e.modeBits(), ID: e.id})
				}
			}
		}
		dirs, ids = nextDirs, nextIDs
	}
	return out, nil
}
