package repo

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/open-agent-profile/oap/internal/term"
)

// Status is how a path of the working tree stands to its index and commit.
type Status string

// The statuses, the gravest first where several are true.
const (
	Conflicted Status = "conflicted" // an unfinished merge left it
	Staged     Status = "staged"     // the index differs from HEAD
	Missing    Status = "missing"    // tracked, but not there
	Modified   Status = "modified"   // the file differs from the index
	Untracked  Status = "untracked"  // not in the index, or ignored
	Clean      Status = "clean"
)

// StatusOf gives the status of one path, as git status says it. A path that neither exists nor is known
// to git is NotFound. It looks at that path only.
func (r *Repo) StatusOf(ctx context.Context, p string) (Status, error) {
	if r.Root == "" {
		return "", refuse("no-worktree", "", "the repository has no working tree here")
	}
	if err := CheckPath(p); err != nil {
		return "", err
	}
	out, err := r.run(ctx, invocation{dir: r.Root}, "--literal-pathspecs", "status", "--porcelain", "-z",
		"--no-renames", "--untracked-files=all", "--ignored", "--", p)
	if err != nil {
		return "", wrapGit(err, IO, "status", p, "git cannot tell its status")
	}
	for rec := range strings.SplitSeq(string(out), "\x00") {
		if len(rec) < 4 || rec[3:] != p {
			continue
		}
		x, y := rec[0], rec[1]
		switch {
		case x == '?' || x == '!':
			return Untracked, nil
		case x == 'U' || y == 'U' || x == 'A' && y == 'A' || x == 'D' && y == 'D':
			return Conflicted, nil
		case x != ' ':
			return Staged, nil
		case y == 'D':
			return Missing, nil
		}
		return Modified, nil
	}
	x, err := r.readIndex(&worktree{gitDir: r.GitDir, root: r.Root, index: r.indexPath, own: true})
	if err != nil {
		return "", err
	}
	defer x.close()
	found, err := x.find(ctx, p)
	if err == nil && len(found) == 0 {
		err = notFound("no-path", p, "no such file")
	}
	return Clean, err
}

// WorkFile reads a file of the working tree, by its path from the top. A symbolic link anywhere on the
// way is Refused: what it leads to may not belong to the repository.
func (r *Repo) WorkFile(p string) ([]byte, error) {
	if r.Root == "" {
		return nil, refuse("no-worktree", "", "the repository has no working tree here")
	}
	if err := CheckPath(p); err != nil {
		return nil, err
	}
	f := fileMove{Diff: Diff{Path: p}}
	w := &worktree{root: r.Root}
	if err := f.checkParents(w); err != nil {
		return nil, err
	}
	fi, err := os.Lstat(f.full(w))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, notFound("no-path", p, "no such file")
	case err != nil:
		return nil, ioError("working tree", err)
	case fi.Mode()&fs.ModeSymlink != 0:
		return nil, refuse("symlink", p, "is a symbolic link")
	case !fi.Mode().IsRegular():
		return nil, refuse("not-a-file", p, "is no regular file")
	case fi.Size() > maxObject:
		return nil, invalid("too-large", p, "is larger than %d bytes", maxObject)
	}
	data, err := os.ReadFile(f.full(w))
	return data, ioError("working tree", err)
}

// PathOf gives the path from the top of the working tree for a file name as people type it, relative to
// the directory that the Repo was opened in. What lies outside is Refused.
func (r *Repo) PathOf(name string) (string, error) {
	if r.Root == "" {
		return "", refuse("no-worktree", "", "the repository has no working tree here")
	}
	full := name
	if !filepath.IsAbs(full) {
		full = filepath.Join(r.Root, filepath.FromSlash(r.Prefix), name)
	}
	rel, err := filepath.Rel(r.Root, full)
	if err == nil && (rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator))) && filepath.IsAbs(name) {
		// The name may go through a symbolic link that the root does not.
		if dir, e := filepath.EvalSymlinks(filepath.Dir(full)); e == nil {
			rel, err = filepath.Rel(r.Root, filepath.Join(dir, filepath.Base(full)))
		}
	}
	rel = filepath.ToSlash(rel)
	if err != nil || rel == ".." || strings.HasPrefix(rel, "../") {
		return "", refuse("outside", term.Escape(name), "lies outside the working tree %s", term.Escape(r.Root))
	}
	return rel, nil
}
