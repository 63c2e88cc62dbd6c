package repo

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/open-agent-profile/oap/internal/term"
)

func (f *fileMove) full(w *worktree) string {
	return filepath.Join(w.root, filepath.FromSlash(f.Path))
}

// write brings the file into its new state. What stands at the path is replaced only if it is still
// what was compared.
func (f *fileMove) write(w *worktree) error {
	full := f.full(w)
	switch {
	case f.skipped || f.have == nil && f.data == nil:
		return nil
	case f.data == nil:
		if err := f.unchanged(w); err != nil {
			return err
		}
		if err := os.Remove(full); err != nil {
			return ioError("working tree", err)
		}
		f.done = true
		for d := dirOf(f.Path); d != ""; d = dirOf(d) { // as git does
			if os.Remove(filepath.Join(w.root, filepath.FromSlash(d))) != nil {
				break
			}
		}
		return nil
	case !bytes.Equal(f.have, f.data) || f.have == nil || f.modeChanges():
		if err := f.place(w); err != nil {
			return err
		}
	}
	fi, err := os.Lstat(full)
	f.stat = fi
	return ioError("working tree", err)
}

func (f *fileMove) modeChanges() bool {
	return f.Old != "" && canonicalMode(f.OldMode) != canonicalMode(f.NewMode)
}

// perm keeps the mode of the file, but for the executable bits if the commit changes them.
func (f *fileMove) perm() fs.FileMode {
	executable := canonicalMode(f.NewMode) == ModeExecutable
	if f.seen == nil {
		if executable {
			return 0o777 &^ umask()
		}
		return 0o666 &^ umask()
	}
	m := f.seen.Mode().Perm()
	if f.modeChanges() {
		m &^= 0o111
		if executable {
			m |= m & 0o444 >> 2
		}
	}
	return m
}

// place writes a temporary file and gives it the name.
func (f *fileMove) place(w *worktree) error {
	for _, d := range f.made {
		if err := os.Mkdir(filepath.Join(w.root, filepath.FromSlash(d)), 0o777); err != nil && !errors.Is(err, fs.ErrExist) {
			return ioError("working tree", err)
		}
	}
	if err := writeTemp(f.temp, f.data, f.perm()); err != nil {
		return err
	}
	if f.have != nil {
		err := f.unchanged(w)
		if err == nil {
			err = ioError("working tree", os.Rename(f.temp, f.full(w)))
		}
		if err != nil {
			_ = os.Remove(f.temp)
			return err
		}
		f.done = true
		return nil
	}
	defer os.Remove(f.temp)
	err := os.Link(f.temp, f.full(w)) // never replaces anything
	if errors.Is(err, fs.ErrExist) {
		return refuse("untracked", f.Path, "an untracked file is in the way in %s", term.Escape(w.root))
	}
	if err != nil { // a file system without links
		err = os.Rename(f.temp, f.full(w))
	}
	f.done = err == nil
	return ioError("working tree", err)
}

func writeTemp(name string, data []byte, perm fs.FileMode) error {
	file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return ioError("working tree", err)
	}
	_, err = file.Write(data)
	if err == nil {
		err = file.Chmod(perm)
	}
	if err == nil {
		err = file.Sync()
	}
	if err = errors.Join(err, file.Close()); err != nil {
		_ = os.Remove(name)
	}
	return ioError("working tree", err)
}

// unchanged refuses a file that somebody has saved since it was compared.
func (f *fileMove) unchanged(w *worktree) error {
	now, err := os.Lstat(f.full(w))
	if err != nil {
		return ioError("working tree", err)
	}
	if !os.SameFile(now, f.seen) || now.Size() != f.seen.Size() || !now.ModTime().Equal(f.seen.ModTime()) {
		return refuse("dirty", f.Path, "was saved just now in %s", term.Escape(w.root))
	}
	return nil
}

// undo puts the file back as it was, unless somebody has changed it meanwhile.
func (f *fileMove) undo(w *worktree) error {
	defer func() {
		for i := len(f.made) - 1; i >= 0; i-- {
			_ = os.Remove(filepath.Join(w.root, filepath.FromSlash(f.made[i])))
		}
	}()
	if !f.done {
		return nil
	}
	full := f.full(w)
	now, err := os.ReadFile(full)
	if f.data == nil { // was removed
		if !errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err := os.MkdirAll(filepath.Dir(full), 0o777); err != nil {
			return ioError("working tree", err)
		}
	} else if err != nil || !bytes.Equal(now, f.data) {
		return nil
	}
	f.done = false
	if f.have == nil {
		return ioError("working tree", os.Remove(full))
	}
	if err := writeTemp(f.temp, f.have, f.seen.Mode().Perm()); err != nil {
		return err
	}
	return ioError("working tree", os.Rename(f.temp, full))
}
