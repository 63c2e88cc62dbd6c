package repo

import (
	"context"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/open-agent-profile/oap/internal/term"
)

// treeNode is a directory being edited. Directories are read when an edit goes through them, and
// encoded once for each commit that changed them.
type treeNode struct {
	entries []treeEntry
	kids    map[string]*treeNode
	dirty   bool
}

// editor edits the tree of a snapshot in memory.
type editor struct {
	s          *Snapshot
	root       *treeNode
	rootID     ID // of root when it is not dirty; "" is the empty tree
	ignoreCase bool
	emit       func(typ string, data []byte) ID // takes each new object
}

func newEditor(ctx context.Context, s *Snapshot, tree ID, emit func(string, []byte) ID) (*editor, error) {
	e := &editor{s: s, rootID: tree, emit: emit, ignoreCase: s.r.BoolSetting("core.ignorecase", false)}
	root, err := e.load(ctx, tree)
	e.root = root
	return e, err
}

func (e *editor) load(ctx context.Context, id ID) (*treeNode, error) {
	entries, err := e.s.tree(ctx, id)
	if err != nil {
		return nil, err
	}
	return &treeNode{entries: slices.Clone(entries), kids: map[string]*treeNode{}}, nil
}

// apply makes one change. It refuses what would not be a plain change of a plain file.
func (e *editor) apply(ctx context.Context, c Change) error {
	if err := CheckPath(c.Path); err != nil {
		return err
	}
	if c.Mode != 0 && c.Mode != ModeFile && c.Mode != ModeExecutable {
		return invalid("bad-mode", c.Path, "mode %o is not that of a file", c.Mode)
	}
	parts := splitPath(c.Path)
	trail := []*treeNode{e.root}
	for i, name := range parts[:len(parts)-1] {
		next, err := e.enter(ctx, trail[i], name, path.Join(parts[:i+1]...), c.Delete)
		if err != nil {
			return err
		}
		trail = append(trail, next)
	}
	dir, name := trail[len(trail)-1], parts[len(parts)-1]
	at := findEntry(dir.entries, name)
	if at < 0 && c.Delete {
		return notFound("no-path", c.Path, "no such file in the commit")
	}
	if at >= 0 {
		if err := regular(Entry{Path: c.Path, Mode: dir.entries[at].modeBits()}); err != nil {
			return err
		}
	}
	if c.Delete {
		e.remove(trail, parts, at)
		return nil
	}
	if at < 0 || e.ignoreCase {
		if err := dir.letterCase(c.Path, name); err != nil {
			return err
		}
	}
	e.put(trail, parts, at, c)
	return nil
}

// enter gives the directory of that name, made if it does not exist.
func (e *editor) enter(ctx context.Context, dir *treeNode, name, full string, mustExist bool) (*treeNode, error) {
	if kid := dir.kids[name]; kid != nil {
		return kid, nil
	}
	at := findEntry(dir.entries, name)
	if at < 0 {
		if mustExist {
			return nil, notFound("no-path", full, "no such directory in the commit")
		}
		if err := dir.letterCase(full, name); err != nil {
			return nil, err
		}
		kid := &treeNode{kids: map[string]*treeNode{}}
		dir.kids[name] = kid
		return kid, nil
	}
	entry := dir.entries[at]
	if !entry.isTree() {
		if err := regular(Entry{Path: full, Mode: entry.modeBits()}); err != nil {
			return nil, err
		}
		return nil, refuse("path-clash", full, "is a file where a directory is needed")
	}
	kid, err := e.load(ctx, entry.id)
	if err != nil {
		return nil, err
	}
	dir.kids[name] = kid
	return kid, nil
}

// letterCase refuses a second spelling of a name: two such files are one on many systems.
func (n *treeNode) letterCase(full, name string) error {
	for _, e := range n.entries {
		if e.name != name && strings.EqualFold(e.name, name) {
			return refuse("letter-case", full, "differs only in letter case from %s, which exists", term.Escape(path.Join(dirOf(full), e.name)))
		}
	}
	return nil
}

func (e *editor) put(trail []*treeNode, parts []string, at int, c Change) {
	dir := trail[len(trail)-1]
	id := e.emit("blob", c.Data)
	mode := strconv.FormatUint(uint64(c.Mode), 8)
	if at >= 0 {
		if c.Mode == 0 || c.Mode == dir.entries[at].modeBits() {
			mode = dir.entries[at].mode
		}
		if dir.entries[at].id == id && dir.entries[at].mode == mode {
			return
		}
		dir.entries[at].id, dir.entries[at].mode = id, mode
	} else {
		if c.Mode == 0 {
			mode = strconv.FormatUint(uint64(ModeFile), 8)
		}
		dir.insert(treeEntry{mode: mode, name: parts[len(parts)-1], id: id})
	}
	for _, n := range trail {
		n.dirty = true
	}
}

func (n *treeNode) insert(e treeEntry) {
	at := len(n.entries)
	for i, x := range n.entries {
		if compareNames(x.name, x.isTree(), e.name, e.isTree()) > 0 {
			at = i
			break
		}
	}
	n.entries = slices.Insert(n.entries, at, e)
}

// remove takes a file out, and the directories that it leaves empty: git has no empty ones.
func (e *editor) remove(trail []*treeNode, parts []string, at int) {
	for _, n := range trail {
		n.dirty = true
	}
	for i := len(trail) - 1; i >= 0; i-- {
		if at >= 0 {
			trail[i].entries = slices.Delete(trail[i].entries, at, at+1)
		}
		if i == 0 || len(trail[i].entries) > 0 || len(trail[i].kids) > 0 {
			return
		}
		delete(trail[i-1].kids, parts[i-1])
		at = findEntry(trail[i-1].entries, parts[i-1])
	}
}

// write encodes what changed since the last call, children first, and gives the id of the whole tree.
func (e *editor) write() ID {
	if e.root.dirty || e.rootID == "" {
		e.rootID = e.writeNode(e.root)
	}
	return e.rootID
}

func (e *editor) writeNode(n *treeNode) ID {
	for name, kid := range n.kids {
		if !kid.dirty {
			continue
		}
		id := e.writeNode(kid)
		if at := findEntry(n.entries, name); at >= 0 {
			n.entries[at].id = id
		} else {
			n.insert(treeEntry{mode: "40000", name: name, id: id})
		}
	}
	n.dirty = false
	id := e.emit("tree", encodeTree(n.entries))
	e.s.mu.Lock()
	e.s.trees[id] = slices.Clone(n.entries) // so that the new tree can be compared with the old one
	e.s.mu.Unlock()
	return id
}
