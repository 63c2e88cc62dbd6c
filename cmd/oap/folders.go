package main

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/open-agent-profile/oap/repo"
)

// workFolder gives the place, relative to the top of the working tree, that a folder to be written in really
// has: links are followed, and what is not there yet is made where they lead. Refused is what leads out of
// the tree or into another repository, which would change files that are not this repository's.
func workFolder(ctx context.Context, r *repo.Repo, dir string) (string, error) {
	refuse := func(reason, msg string) (string, error) {
		return "", &repo.Error{Kind: repo.Refused, Reason: reason, Path: dir, Msg: msg}
	}
	top, err := filepath.EvalSymlinks(r.Root)
	if err != nil {
		return "", err
	}
	real := "."
	for part := range strings.SplitSeq(dir, "/") {
		full := filepath.Join(top, real, part)
		info, err := os.Lstat(full)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			real = filepath.Join(real, part)
			continue
		case err != nil:
			return "", err
		case info.Mode()&fs.ModeSymlink != 0:
			if full, err = filepath.EvalSymlinks(full); err != nil {
				return refuse("symlink", "is a link that leads nowhere")
			}
			if info, err = os.Stat(full); err != nil {
				return "", err
			}
		}
		if !info.IsDir() {
			return "", &fs.PathError{Op: "mkdir", Path: full, Err: errors.New("is no folder")}
		}
		if real, err = filepath.Rel(top, full); err != nil || !filepath.IsLocal(real) {
			return refuse("symlink", "is a link that leads out of the repository")
		}
	}
	real = filepath.ToSlash(real)
	if real == "." {
		return real, nil
	}
	if err := repo.CheckPath(real); err != nil {
		return refuse("symlink", "leads into git's own folder")
	}
	for at := real; at != "."; at = path.Dir(at) {
		if exists(filepath.Join(top, filepath.FromSlash(at), ".git")) {
			return refuse("gitlink", "lies in another repository")
		}
	}
	return real, isGitlink(ctx, r, real)
}

// isGitlink refuses a submodule that has not been checked out: only the commit tells it from a folder.
func isGitlink(ctx context.Context, r *repo.Repo, dir string) error {
	head, err := r.Head(ctx)
	if err != nil {
		return err
	}
	s, err := r.Snapshot(ctx, head.Commit)
	if err != nil {
		return err
	}
	if _, err := s.Follow(ctx, dir); repo.ReasonOf(err) == "gitlink" {
		return err
	}
	return nil
}

// treeFolder is workFolder for a commit: what stands in the working tree does not matter.
func treeFolder(ctx context.Context, s *repo.Snapshot, dir string) (string, error) {
	if dir == "." {
		return dir, nil
	}
	real, err := s.Follow(ctx, dir)
	switch {
	case err == nil || repo.ReasonOf(err) == "directory":
		return path.Clean(real), nil
	case repo.KindOf(err) != repo.NotFound:
		return "", err
	}
	above, err := treeFolder(ctx, s, path.Dir(dir))
	return path.Join(above, path.Base(dir)), err
}

// makeFolder makes a folder that workFolder has looked at, and reports whether it was missing.
func makeFolder(r *repo.Repo, dir string) (made bool, err error) {
	top, err := os.OpenRoot(r.Root)
	if err != nil {
		return false, err
	}
	defer top.Close()
	if info, err := top.Stat(dir); err == nil && info.IsDir() {
		return false, nil
	}
	return true, top.MkdirAll(dir, 0o777)
}

// makeFile makes a file in the working tree and never replaces one.
func makeFile(r *repo.Repo, name string, text []byte) error {
	top, err := os.OpenRoot(r.Root)
	if err != nil {
		return err
	}
	defer top.Close()
	f, err := top.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	if _, err := f.Write(text); err != nil {
		return errors.Join(err, f.Close(), top.Remove(name))
	}
	return f.Close()
}
