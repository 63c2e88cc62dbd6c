package repo

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// recover clears what a killed Update left: temporary files and locks that are provably ours, and a
// change that is half done. It runs under the queue lock, which children inherit, so that nobody who
// wrote any of it is alive. It reports what it did about a half-done change.
func (r *Repo) recover(ctx context.Context, line *queue) ([]string, error) {
	r.sweep(line)
	l, err := line.readJournal()
	if err != nil || l == nil {
		return nil, err
	}
	var note string
	if l.change != nil {
		for _, t := range l.change.Trees {
			for _, temp := range append(t.Temps, l.temps...) {
				_ = os.Remove(temp)
			}
		}
		for _, k := range l.locks {
			if id, err := fileIDOf(k.Path); err == nil && id.proves(k.fileID) {
				_ = os.Remove(k.Path)
			}
		}
		if !l.prepare.IsZero() && !l.held {
			if err := r.clearRefLocks(ctx, l); err != nil {
				return nil, err
			}
		}
		if note, err = r.settle(ctx, line, l.change); err != nil {
			return nil, err
		}
	}
	if err := os.Remove(line.journalPath()); err != nil {
		return nil, ioError("journal", err)
	}
	if note == "" {
		return nil, nil
	}
	return []string{note}, nil
}

// sweep removes temporary files with names of ours from the directories that only oap and git use.
func (r *Repo) sweep(line *queue) {
	for dir, prefix := range map[string]string{line.dir: tempState, r.objectsDir: tempObject} {
		f, err := os.Open(dir)
		if err != nil {
			continue
		}
		names, _ := f.Readdirnames(-1)
		_ = f.Close()
		for _, n := range names {
			if strings.HasPrefix(n, prefix) {
				_ = os.Remove(filepath.Join(dir, n))
			}
		}
	}
}

// clearRefLocks is for the moment between git's making a lock and our noting which one it is. A lock
// that holds our new commit is git's for us. An empty one is taken for ours only if it was born in the
// seconds after we told git to lock, was not there before, and nobody has used or dropped it for a
// while: git holds an empty lock for milliseconds.
func (r *Repo) clearRefLocks(ctx context.Context, l *left) error {
	for _, path := range r.refLocks(l.change.Refs, l.change.Head) {
		id, err := fileIDOf(path)
		if err != nil || id.Born == 0 {
			continue
		}
		if slices.ContainsFunc(l.change.Locks, func(k lockRecord) bool { return k.Path == path && k.proves(id) }) {
			continue
		}
		data, err := os.ReadFile(path)
		if err != nil {
			continue
		}
		ours := slices.ContainsFunc(l.change.Refs, func(u RefUpdate) bool {
			return u.New != "" && string(data) == string(u.New)+"\n" && strings.HasSuffix(filepath.ToSlash(path), "/"+u.Name+".lock")
		})
		if !ours {
			born := time.Unix(0, id.Born)
			// File systems stamp with a clock that ticks some milliseconds late.
			if len(data) > 0 || born.Before(l.prepare.Add(-20*time.Millisecond)) || born.After(l.prepare.Add(5*time.Second)) {
				continue
			}
			if err := sleep(ctx, time.Second); err != nil {
				return err
			}
		}
		if again, err := fileIDOf(path); err == nil && again.proves(id) {
			_ = os.Remove(path)
		}
	}
	return nil
}

// settle finishes a change whose files and index entries are all in place, and undoes any other that
// has not reached its ref.
func (r *Repo) settle(ctx context.Context, line *queue, c *transition) (string, error) {
	if len(c.Refs) == 0 || len(c.Trees) == 0 {
		return "", nil
	}
	u := c.Refs[0]
	tip, err := r.RefTip(ctx, u.Name)
	if err != nil {
		return "", err
	}
	if tip != u.Old {
		if past, err := r.isAncestor(ctx, u.New, tip); past || err != nil {
			return "", err
		}
	}
	j, err := line.reopen()
	if err != nil {
		return "", err
	}
	defer j.file.Close()
	if tip == u.Old && r.allStaged(ctx, c) && r.finishRefs(ctx, line, j, c) == nil {
		return "finished an interrupted update of " + shortRef(u.Name), nil
	}
	s, err := r.Snapshot(ctx, tip)
	if err != nil {
		return "", err
	}
	for _, t := range c.Trees {
		if err := r.restore(ctx, line, j, s, t); err != nil {
			return "", err
		}
	}
	return "undid an interrupted update of " + shortRef(u.Name), nil
}

func (r *Repo) isAncestor(ctx context.Context, a, b ID) (bool, error) {
	if a == "" || b == "" {
		return a == b, nil
	}
	_, err := r.run(ctx, invocation{}, "merge-base", "--is-ancestor", string(a), string(b))
	if ge, ok := err.(*gitError); ok && ge.code == 1 {
		return false, nil
	}
	return err == nil, wrapGit(err, IO, "history", string(a), "git cannot compare two commits")
}

func (t treeRecord) worktree() *worktree {
	return &worktree{gitDir: t.GitDir, root: t.Root, index: t.Index}
}

// allStaged reports whether every index holds every new entry. The index comes last before the refs.
func (r *Repo) allStaged(ctx context.Context, c *transition) bool {
	for _, t := range c.Trees {
		x, err := r.readIndex(t.worktree())
		if err != nil {
			return false
		}
		for _, f := range t.Files {
			if !x.holds(ctx, f.Path, f.New) {
				x.close()
				return false
			}
		}
		x.close()
	}
	return true
}

// holds reports whether a path has exactly this blob in the index; "" is none.
func (x *indexFile) holds(ctx context.Context, path string, id ID) bool {
	found, err := x.find(ctx, path)
	if err != nil || len(found) > 1 {
		return false
	}
	if len(found) == 0 {
		return id == ""
	}
	return found[0].Stage == 0 && idOf(found[0].ID) == id
}

func (r *Repo) finishRefs(ctx context.Context, line *queue, j *journal, c *transition) error {
	m, err := r.startRefs(line, c.Log)
	if err != nil {
		return err
	}
	defer m.abort()
	v := &mover{r: r, line: line, refs: m, q: &UpdateRequest{}, list: c.Refs, j: j}
	if err := v.hold(ctx); err != nil {
		return err
	}
	return m.commit()
}

// restore takes back what an interrupted change did to one working tree: files that say exactly what
// we wrote, index entries that name exactly our blobs. Where the branch has our content by now, or
// somebody has edited on, things stay as they are.
func (r *Repo) restore(ctx context.Context, line *queue, j *journal, tip *Snapshot, t treeRecord) error {
	w := t.worktree()
	if _, err := os.Lstat(w.root); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	var back []Diff
	for _, f := range t.Files {
		e, err := tip.Entry(ctx, f.Path)
		if err != nil && KindOf(err) != NotFound {
			continue
		}
		if e.ID == f.Old {
			back = append(back, Diff{Path: f.Path, OldMode: f.NewMode, NewMode: f.OldMode, Old: f.New, New: f.Old})
		}
	}
	s := &treeSync{r: r, w: *w, token: newToken()}
	s.plan(back, nil)
	if err := j.add(record{Temps: s.record().Temps}); err != nil {
		return err
	}
	if err := s.lock(ctx, j); err != nil {
		return err
	}
	defer s.unlock()
	var err error
	if s.index, err = r.readIndex(w); err != nil {
		return err
	}
	crash("restoring", nil)
	var staged []*fileMove
	for _, f := range s.files {
		if f.checkFile(ctx, r, w) == nil {
			if err := f.write(w); err != nil {
				return err
			}
		}
		if s.index.holds(ctx, f.Path, f.Old) {
			staged = append(staged, f)
		}
	}
	for _, f := range t.Files {
		for _, d := range slices.Backward(f.Made) {
			_ = os.Remove(filepath.Join(w.root, filepath.FromSlash(d)))
		}
	}
	crash("restored", nil)
	if len(staged) == 0 {
		return nil
	}
	n, err := s.index.patched(ctx, staged, nil, line.dir)
	if err != nil {
		return err
	}
	return s.index.put(s.index.tempName(s.token), n)
}
