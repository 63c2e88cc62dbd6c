package catalog

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/open-agent-profile/oap/profile"
	"github.com/open-agent-profile/oap/repo"
)

// Source is where profile files are read from: a commit or the working tree. Paths are slash-separated
// and relative to the top of the tree.
type Source interface {
	// Profiles lists the paths of profile files at or below a folder, sorted. A missing folder is empty.
	Profiles(ctx context.Context, dir string) ([]string, error)
	// Read gives a file's bytes; the error wraps fs.ErrNotExist where there is none.
	Read(ctx context.Context, path string) ([]byte, error)
}

// Commit reads a snapshot of the repository.
type Commit struct{ Snapshot *repo.Snapshot }

// Profiles lists profile files of the commit; it reads trees, not files.
func (c Commit) Profiles(ctx context.Context, dir string) ([]string, error) {
	return c.Files(ctx, dir, profile.IsProfilePath)
}

// Files lists, sorted, the paths at or below a folder that match accepts. A folder that is a link is
// followed inside the tree, and paths are spelt as it was; links below it are files.
func (c Commit) Files(ctx context.Context, dir string, match func(path string) bool) ([]string, error) {
	real, err := c.Snapshot.Follow(ctx, dir)
	switch {
	case dir == ".", dir == "", repo.ReasonOf(err) == "directory": // the top, also by way of a link
		real = ""
	case repo.KindOf(err) == repo.NotFound:
		return nil, nil
	case err != nil:
		return nil, err
	}
	entries, err := c.Snapshot.List(ctx, real, match)
	if err != nil {
		return nil, err
	}
	paths := make([]string, len(entries))
	for i, e := range entries {
		paths[i] = path.Join(dir, strings.TrimPrefix(e.Path, real))
	}
	slices.Sort(paths)
	return paths, nil
}

// Read gives a file of the commit. A symbolic link is followed inside the tree and refused where it
// leads out or nowhere. A folder is no file.
func (c Commit) Read(ctx context.Context, p string) ([]byte, error) {
	final, err := c.Snapshot.Follow(ctx, p)
	if repo.KindOf(err) == repo.NotFound {
		if e, entryErr := c.Snapshot.Entry(ctx, p); entryErr == nil && e.Mode == repo.ModeSymlink {
			return nil, &repo.Error{Kind: repo.Refused, Reason: "symlink", Path: p, Msg: leadsNowhere}
		}
	}
	if err != nil {
		return nil, notExist(err, p)
	}
	f, err := c.Snapshot.File(ctx, final)
	if err != nil {
		return nil, notExist(err, p)
	}
	return f.Data, nil
}

func notExist(err error, p string) error {
	var e *repo.Error
	if errors.As(err, &e) && (e.Kind == repo.NotFound || e.Reason == "directory") {
		return &fs.PathError{Op: "read", Path: p, Err: fs.ErrNotExist}
	}
	return err
}

// Worktree reads the files of a working tree whose top is Top.
type Worktree struct{ Top string }

// Profiles walks the folder only, never the rest of the tree; .git is left out.
func (w Worktree) Profiles(ctx context.Context, dir string) ([]string, error) {
	var paths []string
	top, err := w.inside(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	err = filepath.WalkDir(top, func(full string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case ctx.Err() != nil:
			return ctx.Err()
		case e.IsDir() && e.Name() == ".git":
			return filepath.SkipDir
		case e.IsDir():
			return nil
		}
		rel, err := filepath.Rel(top, full)
		if err != nil {
			return err
		}
		// Paths are spelt as the root was, also where that is a link.
		if p := path.Join(dir, filepath.ToSlash(rel)); profile.IsProfilePath(p) {
			paths = append(paths, p)
		}
		return nil
	})
	slices.Sort(paths)
	return paths, err
}

// maxRead is one byte more than any document may have; the parser then says so.
const maxRead = 16<<20 + 1

const leadsNowhere = "the link leads nowhere"

// Read gives a file's bytes, of a file that no document could be as large as its first ones. What is no
// regular file is refused: reading a pipe or a device could go on for ever.
func (w Worktree) Read(_ context.Context, p string) ([]byte, error) {
	real, err := w.inside(p)
	if errors.Is(err, fs.ErrNotExist) {
		if info, err := os.Lstat(filepath.Join(w.Top, filepath.FromSlash(p))); err == nil && info.Mode()&fs.ModeSymlink != 0 {
			return nil, &repo.Error{Kind: repo.Refused, Reason: "symlink", Path: p, Msg: leadsNowhere}
		}
	}
	if err != nil {
		return nil, err
	}
	info, err := os.Stat(real)
	switch {
	case err != nil:
		return nil, err
	case info.IsDir():
		return nil, &fs.PathError{Op: "read", Path: p, Err: fs.ErrNotExist}
	case !info.Mode().IsRegular():
		return nil, &repo.Error{Kind: repo.Refused, Reason: "not-a-file", Path: p, Msg: "is no regular file"}
	}
	f, err := os.Open(real)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	// The size is known, so that a document is read into one piece of memory.
	text := bytes.NewBuffer(make([]byte, 0, min(info.Size(), maxRead)+bytes.MinRead))
	_, err = text.ReadFrom(io.LimitReader(f, maxRead))
	return text.Bytes(), err
}

// inside follows the links of a path. One that leads out of the tree is refused, as it would be on writing.
func (w Worktree) inside(p string) (string, error) {
	real, err := filepath.EvalSymlinks(filepath.Join(w.Top, filepath.FromSlash(p)))
	if err != nil {
		return "", err
	}
	top, err := filepath.EvalSymlinks(w.Top)
	if err != nil {
		return "", err
	}
	if rel, err := filepath.Rel(top, real); err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return "", &repo.Error{Kind: repo.Refused, Reason: "symlink", Path: p, Msg: "the path is a link that leads out of the repository"}
	}
	return real, nil
}

// DefaultRoot is where profiles live unless something else is set.
const DefaultRoot = ".agents"

// CleanRoots checks and normalises profile roots; none means [DefaultRoot]. A root stays inside the tree
// and is no folder of git's.
func CleanRoots(roots []string) ([]string, error) {
	if len(roots) == 0 {
		return []string{DefaultRoot}, nil
	}
	var clean []string
	for _, r := range roots {
		c := path.Clean(filepath.ToSlash(r))
		if r == "" || path.IsAbs(c) || filepath.IsAbs(r) || c == ".." || strings.HasPrefix(c, "../") {
			return nil, &RootError{r, "is not a folder below the top of the tree"}
		}
		for _, seg := range strings.Split(c, "/") {
			if strings.EqualFold(seg, ".git") {
				return nil, &RootError{r, "belongs to git"}
			}
		}
		if !slices.Contains(clean, c) {
			clean = append(clean, c)
		}
	}
	return clean, nil
}

// RootError names a profile root that cannot be one.
type RootError struct{ Root, Reason string }

func (e *RootError) Error() string { return "profile root " + quoted(e.Root) + " " + e.Reason }
