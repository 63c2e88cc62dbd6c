package repo

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/open-agent-profile/oap/internal/gitindex"
)

// indexFile is the index of a working tree while its lock is ours.
type indexFile struct {
	r    *Repo
	w    *worktree
	data []byte // nil: there is none yet
	time time.Time
	mode fs.FileMode

	unmap func() // nil: data is ordinary memory
}

func (r *Repo) readIndex(w *worktree) (*indexFile, error) {
	x := &indexFile{r: r, w: w, mode: r.sharedMode(0o666)}
	f, err := os.Open(w.index)
	if errors.Is(err, fs.ErrNotExist) {
		return x, nil
	}
	if err != nil {
		return nil, ioError("index", err)
	}
	defer f.Close()
	fi, err := f.Stat()
	if err != nil {
		return nil, ioError("index", err)
	}
	x.time, x.mode = fi.ModTime(), fi.Mode().Perm()
	x.data, x.unmap, err = mapFile(f, fi.Size())
	return x, ioError("index", err)
}

// close gives the bytes back.
func (x *indexFile) close() {
	if x != nil && x.unmap != nil {
		x.unmap()
		x.unmap, x.data = nil, nil
	}
}

// find gives the entries of a path: none, one, or the stages of a conflict.
func (x *indexFile) find(ctx context.Context, path string) ([]gitindex.Entry, error) {
	if x.data == nil {
		return nil, nil
	}
	found, err := gitindex.Find(x.data, x.r.idLen(), path)
	if errors.Is(err, gitindex.ErrUnsupported) {
		return x.ask(ctx, path)
	}
	if err != nil {
		return nil, &Error{Kind: Invalid, Reason: "bad-index", Path: x.w.index, Msg: "the index cannot be read", Err: err}
	}
	return found, nil
}

// newIndex is what an index file is to be.
type newIndex struct {
	write func(*os.File) error
	time  time.Time
}

// patched gives the index with the new entries. Files of the working tree are in place already, so that
// their stat data can be noted.
func (x *indexFile) patched(ctx context.Context, files []*fileMove, dirs []treeMove, dir string) (newIndex, error) {
	n, err := x.overlay(files, dirs)
	if err == nil || !errors.Is(err, gitindex.ErrUnsupported) {
		return n, err
	}
	data, err := x.byGit(ctx, files, dir)
	return newIndex{writer(data), time.Now()}, err
}

func writer(data []byte) func(*os.File) error {
	return func(f *os.File) error {
		_, err := f.Write(data)
		return err
	}
}

// overlay lays new ids over the old ones, where nothing comes or goes.
func (x *indexFile) overlay(files []*fileMove, dirs []treeMove) (n newIndex, err error) {
	var trees []gitindex.TreeChange
	for _, d := range dirs {
		if d.old == "" || d.new == "" {
			return n, gitindex.ErrUnsupported
		}
		trees = append(trees, gitindex.TreeChange{Dir: d.dir, Old: d.old.raw(), New: d.new.raw()})
	}
	if x.data == nil {
		return n, gitindex.ErrUnsupported
	}
	var list []gitindex.Replacement
	for _, f := range files {
		if f.Old == "" || f.New == "" || f.OldMode != f.NewMode {
			return n, gitindex.ErrUnsupported
		}
		g := gitindex.Replacement{Path: f.Path, ID: f.New.raw()}
		if f.stat != nil {
			if st, ok := gitindex.StatOf(f.stat); ok {
				g.Stat = &st
			}
		}
		list = append(list, g)
	}
	p, err := gitindex.Replace(x.data, x.r.idLen(), list, trees)
	if err != nil {
		return n, x.patchError(err)
	}
	n = newIndex{func(f *os.File) error { return p.Write(f) }, x.time.Add(-time.Microsecond)}
	if len(list) == 1 { // of several, a time before is always right, if not always cheap
		n.time, err = gitindex.FileTime(x.data, x.r.idLen(), list[0].Path, list[0].Stat, x.time, time.Now())
	}
	return n, x.patchError(err)
}

func (x *indexFile) patchError(err error) error {
	if err == nil || errors.Is(err, gitindex.ErrUnsupported) {
		return err
	}
	return &Error{Kind: Invalid, Reason: "bad-index", Path: x.w.index, Msg: "the index cannot be changed", Err: err}
}

// put makes something the index: a new file beside the old one takes its name.
func (x *indexFile) put(temp string, n newIndex) error {
	f, err := os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return ioError("index", err)
	}
	err = errors.Join(n.write(f), f.Chmod(x.mode), f.Close())
	if err == nil {
		err = os.Chtimes(temp, n.time, n.time)
	}
	if err == nil {
		err = os.Rename(temp, x.w.index)
	}
	if err != nil {
		_ = os.Remove(temp)
	}
	return ioError("index", err)
}

// putBack makes the index what it was.
func (x *indexFile) putBack(temp string) error {
	if x.data == nil {
		return ioError("index", os.Remove(x.w.index))
	}
	return x.put(temp, newIndex{writer(x.data), x.time})
}

func (x *indexFile) tempName(token string) string {
	return filepath.Join(filepath.Dir(x.w.index), "index.oap-"+token)
}
