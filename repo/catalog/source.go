package catalog

import (
	"context"
	"errors"
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
	entries, err := c.Snapshot.List(ctx, dir, profile.IsProfilePath)
	if err != nil {
		return nil, err
	}
	paths := make([]string, len(entries))
	for i, e := range entries {
		paths[i] = e.Path
	}
	slices.Sort(paths)
	return paths, nil
}

// Read gives a file of the commit. A symbolic link is followed inside the tree and refused where it
// leads out.
func (c Commit) Read(ctx context.Context, p string) ([]byte, error) {
	final, err := c.Snapshot.Follow(ctx, p)
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
	if errors.As(err, &e) && e.Kind == repo.NotFound {
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

// Read gives a file's bytes.
func (w Worktree) Read(_ context.Context, p string) ([]byte, error) {
	real, err := w.inside(p)
	if err != nil {
		return nil, err
	}
	return os.ReadFile(real)
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
