package repo

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/open-agent-profile/oap/internal/term"
)

// treeSync brings one working tree and its index along with the branch.
type treeSync struct {
	r      *Repo
	w      worktree
	token  string // in the names of our files
	index  *indexFile
	files  []*fileMove
	dirs   []treeMove
	locked bool
	put    bool // the index is the new one
}

func newToken() string { return fmt.Sprintf("%016x", rand.Uint64()) }

// plan notes what is to change, without touching anything.
func (s *treeSync) plan(files []Diff, dirs []treeMove) {
	w := &s.w
	s.dirs = dirs
	// Removals last: they take empty folders with them, which something new may still need.
	files = slices.SortedStableFunc(slices.Values(files), func(a, b Diff) int {
		switch gone := a.New == ""; {
		case gone == (b.New == ""):
			return 0
		case gone:
			return 1
		}
		return -1
	})
	for i, d := range files {
		f := &fileMove{Diff: d}
		f.temp = filepath.Join(filepath.Dir(f.full(w)), fmt.Sprintf(".oap-tmp-%s-%d", s.token, i))
		for dir := dirOf(d.Path); dir != "" && d.New != ""; dir = dirOf(dir) {
			if _, err := os.Lstat(filepath.Join(w.root, filepath.FromSlash(dir))); !errors.Is(err, fs.ErrNotExist) {
				break
			}
			f.made = append([]string{dir}, f.made...)
		}
		s.files = append(s.files, f)
	}
}

func (s *treeSync) lockName() string { return s.w.index + ".lock" }

func (s *treeSync) lockTemp() string {
	return filepath.Join(filepath.Dir(s.w.index), "oap-lock-"+s.token)
}

func (s *treeSync) record() treeRecord {
	rec := treeRecord{GitDir: s.w.gitDir, Root: s.w.root, Index: s.w.index,
		Temps: []string{s.lockTemp(), filepath.Join(filepath.Dir(s.w.index), "index.oap-"+s.token)}}
	for _, f := range s.files {
		rec.Temps = append(rec.Temps, f.temp)
		rec.Files = append(rec.Files, fileRecord{Path: f.Path, Old: f.Old, New: f.New, OldMode: f.OldMode, NewMode: f.NewMode, Made: f.made})
	}
	return rec
}

// lock takes index.lock as git does, by a name that only one can make. The file is born under another
// name, so that the journal knows it before it is a lock.
func (s *treeSync) lock(ctx context.Context, j *journal) error {
	f, err := os.OpenFile(s.lockTemp(), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return ioError("index lock", err)
	}
	defer os.Remove(s.lockTemp())
	_ = f.Close()
	id, err := fileIDOf(s.lockTemp())
	if err != nil {
		return ioError("index lock", err)
	}
	if err := j.add(record{Lock: &lockRecord{s.lockName(), id}}); err != nil {
		return err
	}
	return s.r.wait(ctx, "index-lock", term.Escape(s.lockName())+" is held by another program", func() (bool, error) {
		err := os.Link(s.lockTemp(), s.lockName())
		if errors.Is(err, fs.ErrExist) {
			return false, nil
		}
		if err != nil && !errors.Is(err, fs.ErrPermission) && !errors.Is(err, fs.ErrNotExist) {
			// A file system without links: born as a lock, and so without proof after a crash.
			var f *os.File
			if f, err = os.OpenFile(s.lockName(), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600); err == nil {
				_ = f.Close()
			} else if errors.Is(err, fs.ErrExist) {
				return false, nil
			}
		}
		s.locked = err == nil
		return s.locked, err
	})
}

// check decides under the lock whether the paths are clean.
func (s *treeSync) check(ctx context.Context) error {
	var err error
	if s.index, err = s.r.readIndex(&s.w); err != nil {
		return err
	}
	for _, f := range s.files {
		found, err := s.index.find(ctx, f.Path)
		if err != nil {
			return err
		}
		if err := f.checkEntry(&s.w, found); err != nil {
			return err
		}
		if err := f.checkFile(ctx, s.r, &s.w); err != nil {
			return err
		}
	}
	return nil
}

// write brings the files and then the index into the new state.
func (s *treeSync) write(ctx context.Context, stateDir string, m *refMove) error {
	for _, f := range s.files {
		if err := f.write(&s.w); err != nil {
			return err
		}
	}
	crash("files", m)
	n, err := s.index.patched(ctx, s.files, s.dirs, stateDir)
	if err != nil {
		return err
	}
	if err := s.index.put(s.index.tempName(s.token), n); err != nil {
		return err
	}
	s.put = true
	return nil
}

// undo puts index and files back. It reports what it could not.
func (s *treeSync) undo() error {
	var errs []error
	if s.put {
		errs = append(errs, s.index.putBack(s.index.tempName(s.token)))
	}
	for i := len(s.files) - 1; i >= 0; i-- {
		errs = append(errs, s.files[i].undo(&s.w))
	}
	return errors.Join(errs...)
}

// forget drops what was planned and read, and keeps the lock.
func (s *treeSync) forget() {
	s.index.close()
	s.index, s.files, s.dirs, s.put = nil, nil, nil, false
}

func (s *treeSync) unlock() {
	s.index.close()
	if s.locked {
		_ = os.Remove(s.lockName())
		s.locked = false
	}
}

// sameTrees reports whether two lists name the same working trees.
func sameTrees(a []*treeSync, b []worktree) bool {
	key := func(w worktree) string { return w.gitDir + "\x00" + w.root }
	var as, bs strings.Builder
	for _, s := range a {
		as.WriteString(key(s.w) + "\n")
	}
	for _, w := range b {
		bs.WriteString(key(w) + "\n")
	}
	return as.String() == bs.String()
}
