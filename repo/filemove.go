package repo

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/open-agent-profile/oap/internal/gitindex"
	"github.com/open-agent-profile/oap/internal/term"
)

// fileMove is one path on its way from the old commit to the new one in a working tree.
type fileMove struct {
	Diff
	temp string   // name of the temporary file beside it
	made []string // directories to be made for it, outermost first

	skipped bool        // skip-worktree, and not there: the file is left alone
	stat    os.FileInfo // of the file in its new state; nil if it is left alone or gone
	seen    os.FileInfo // of the file that have was read from
	have    []byte      // what the file contains; nil if there is none
	data    []byte      // what it is to contain; nil if it is left alone or removed
	done    bool        // the file is in its new state
}

// canonicalMode is how git notes a mode of a file in its index.
func canonicalMode(m uint32) uint32 {
	if m&modeType == ModeFile&modeType {
		if m&0o100 != 0 {
			return ModeExecutable
		}
		return ModeFile
	}
	return m
}

// checkEntry refuses a path that somebody has staged.
func (f *fileMove) checkEntry(w *worktree, found []gitindex.Entry) error {
	in := term.Escape(w.root)
	for _, m := range []uint32{f.OldMode, f.NewMode} {
		if m != 0 && m&modeType != ModeFile&modeType {
			return refuse("not-a-file", f.Path, "a symbolic link or gitlink changes, which needs a checkout in %s", in)
		}
	}
	if len(found) > 1 || len(found) == 1 && found[0].Stage != 0 {
		return refuse("conflicted", f.Path, "has an unresolved conflict in %s", in)
	}
	if len(found) == 0 {
		if f.Old != "" {
			return refuse("staged", f.Path, "is staged for removal in %s", in)
		}
		return nil
	}
	e := found[0]
	id, mode := f.Old, f.OldMode
	if f.Old == "" {
		id, mode = f.New, f.NewMode // somebody has staged just what is to be committed
	}
	if e.IntentToAdd || idOf(e.ID) != id || e.Mode != canonicalMode(mode) {
		return refuse("staged", f.Path, "has staged changes in %s", in)
	}
	f.skipped = e.SkipWorktree
	return nil
}

// checkFile refuses a file with changes of its own, and works out what to write.
func (f *fileMove) checkFile(ctx context.Context, r *Repo, w *worktree) error {
	in := term.Escape(w.root)
	if err := f.checkParents(w); err != nil {
		return err
	}
	full := filepath.Join(w.root, filepath.FromSlash(f.Path))
	fi, err := os.Lstat(full)
	if errors.Is(err, fs.ErrNotExist) {
		switch {
		case f.skipped:
			return nil
		case f.Old != "":
			return refuse("missing", f.Path, "is deleted in %s", in)
		}
		f.data, err = r.smudged(ctx, w, f.Path, f.New)
		return err
	}
	f.skipped = false // git, too, goes by the file that is there (git: sparse-index.c, clear_skip_worktree…)
	switch {
	case err != nil:
		return ioError("working tree", err)
	case fi.Mode()&fs.ModeSymlink != 0:
		return refuse("symlink", f.Path, "is a symbolic link in %s", in)
	case !fi.Mode().IsRegular():
		return refuse("not-a-file", f.Path, "is no regular file in %s", in)
	}
	f.seen = fi
	if f.have, err = os.ReadFile(full); err != nil {
		return ioError("working tree", err)
	}
	if f.have == nil {
		f.have = []byte{}
	}
	if f.Old == "" {
		return f.checkSame(ctx, r, w)
	}
	return f.checkClean(ctx, r, w)
}

// checkParents refuses a path below a symbolic link: writing would change another place.
func (f *fileMove) checkParents(w *worktree) error {
	parts := splitPath(f.Path)
	for i := 1; i < len(parts); i++ {
		dir := strings.Join(parts[:i], "/")
		fi, err := os.Lstat(filepath.Join(w.root, filepath.FromSlash(dir)))
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil:
			return ioError("working tree", err)
		case fi.Mode()&fs.ModeSymlink != 0:
			return refuse("symlink", f.Path, "lies below a symbolic link in %s", term.Escape(w.root))
		case !fi.IsDir():
			return refuse("path-clash", f.Path, "lies below a file in %s", term.Escape(w.root))
		}
	}
	return nil
}

// checkSame lets a new file be there already if it says the same.
func (f *fileMove) checkSame(ctx context.Context, r *Repo, w *worktree) error {
	data, err := r.smudged(ctx, w, f.Path, f.New)
	if err != nil {
		return err
	}
	if bytes.Equal(f.have, data) {
		f.data = data
		return nil
	}
	if raw, err := r.typed(ctx, f.New, "blob"); err != nil || bytes.Equal(f.have, raw) {
		f.data = raw
		return err
	}
	return refuse("untracked", f.Path, "an untracked file is in the way in %s", term.Escape(w.root))
}

// checkClean compares the file with the old blob as git does: byte for byte, then through the filters
// and line-end rules of the working tree, in both directions.
func (f *fileMove) checkClean(ctx context.Context, r *Repo, w *worktree) error {
	old, err := r.typed(ctx, f.Old, "blob")
	if err != nil {
		return err
	}
	if bytes.Equal(f.have, old) {
		if f.New != "" {
			f.data, err = r.typed(ctx, f.New, "blob")
		}
		return err
	}
	if old, err = r.smudged(ctx, w, f.Path, f.Old); err != nil {
		return err
	}
	if !bytes.Equal(f.have, old) {
		inv := invocation{dir: w.root, env: w.env(), stdin: bytes.NewReader(f.have)}
		out, err := r.run(ctx, inv, "hash-object", "--path="+f.Path, "--stdin")
		if err != nil {
			return wrapGit(err, Refused, "dirty", f.Path, "has local changes in "+term.Escape(w.root))
		}
		if ID(strings.TrimSpace(string(out))) != f.Old {
			return refuse("dirty", f.Path, "has local changes in %s", term.Escape(w.root))
		}
	}
	if f.New != "" {
		f.data, err = r.smudged(ctx, w, f.Path, f.New)
	}
	return err
}

// smudged gives a blob as git would check it out: line ends, encodings, filters.
func (r *Repo) smudged(ctx context.Context, w *worktree, path string, id ID) ([]byte, error) {
	out, err := r.run(ctx, invocation{dir: w.root, env: w.env()}, "cat-file", "--filters", "--path="+path, string(id))
	if err != nil {
		return nil, wrapGit(err, Refused, "filter", path, "git cannot check the file out in "+term.Escape(w.root))
	}
	if out == nil {
		out = []byte{}
	}
	return out, nil
}
