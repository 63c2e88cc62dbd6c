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

// patched gives the bytes and the time of the index with the new entries. Files of the working tree
// are in place already, so that their stat data can be noted.
func (x *indexFile) patched(ctx context.Context, files []*fileMove, dirs []treeMove, dir string) ([]byte, time.Time, error) {
	data, when, err := x.overlay(files, dirs)
	if err == nil || !errors.Is(err, gitindex.ErrUnsupported) {
		return data, when, err
	}
	return x.byGit(ctx, files, dir)
}

// overlay lays new ids over the old ones, where nothing comes or goes.
func (x *indexFile) overlay(files []*fileMove, dirs []treeMove) ([]byte, time.Time, error) {
	var trees []gitindex.TreeChange
	for _, d := range dirs {
		if d.old == "" || d.new == "" {
			return nil, time.Time{}, gitindex.ErrUnsupported
		}
		trees = append(trees, gitindex.TreeChange{Dir: d.dir, Old: d.old.raw(), New: d.new.raw()})
	}
	data := x.data
	var last *gitindex.Stat
	for i, f := range files {
		if f.Old == "" || f.New == "" || f.OldMode != f.NewMode || data == nil {
			return nil, time.Time{}, gitindex.ErrUnsupported
		}
		last = nil
		if f.stat != nil {
			if st, ok := gitindex.StatOf(f.stat); ok {
				last = &st
			}
		}
		var err error
		if data, err = gitindex.Replace(data, x.r.idLen(), f.Path, f.New.raw(), last, trees); err != nil {
			return nil, time.Time{}, x.patchError(err)
		}
		if i == 0 && len(files) > 1 {
			for j := range trees { // the cached trees are the new ones now, and stay
				trees[j].Old = trees[j].New
			}
		}
	}
	if len(files) != 1 {
		return data, x.time.Add(-time.Microsecond), nil // always right, if not always cheap: gitindex.FileTime
	}
	when, err := gitindex.FileTime(x.data, x.r.idLen(), files[0].Path, last, x.time, time.Now())
	return data, when, x.patchError(err)
}

func (x *indexFile) patchError(err error) error {
	if err == nil || errors.Is(err, gitindex.ErrUnsupported) {
		return err
	}
	return &Error{Kind: Invalid, Reason: "bad-index", Path: x.w.index, Msg: "the index cannot be changed", Err: err}
}

// put makes bytes the index: a new file beside the old one takes its name.
func (x *indexFile) put(temp string, data []byte, when time.Time) error {
	if data == nil {
		return ioError("index", os.Remove(x.w.index))
	}
	f, err := os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return ioError("index", err)
	}
	_, err = f.Write(data)
	err = errors.Join(err, f.Chmod(x.mode), f.Close())
	if err == nil {
		err = os.Chtimes(temp, when, when)
	}
	if err == nil {
		err = os.Rename(temp, x.w.index)
	}
	if err != nil {
		_ = os.Remove(temp)
	}
	return ioError("index", err)
}

func (x *indexFile) tempName(token string) string {
	return filepath.Join(filepath.Dir(x.w.index), "index.oap-"+token)
}
