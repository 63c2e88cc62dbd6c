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

// worktree is a working tree whose HEAD names the branch that is being updated.
type worktree struct {
	gitDir string
	root   string
	index  string
	own    bool
}

// env makes git work in that working tree, whatever the caller's environment says.
func (w *worktree) env() []string {
	return []string{"GIT_DIR=" + w.gitDir, "GIT_WORK_TREE=" + w.root, "GIT_INDEX_FILE=" + w.index}
}

// holders gives the working trees that have a branch checked out, and notes about those that are gone.
// A branch that an unfinished operation will come back to is Refused: moving it would make the
// operation fail at its end.
func (r *Repo) holders(ctx context.Context, ref string) (held []worktree, notes []string, err error) {
	dirs := []string{r.CommonDir}
	linked, err := os.ReadDir(filepath.Join(r.CommonDir, "worktrees"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, nil, ioError("list of working trees", err)
	}
	for _, e := range linked {
		dirs = append(dirs, filepath.Join(r.CommonDir, "worktrees", e.Name()))
	}
	for _, dir := range dirs {
		head, err := r.headRef(ctx, dir)
		if errors.Is(err, fs.ErrNotExist) {
			continue // being made or removed right now
		}
		if err != nil {
			return nil, nil, err
		}
		if head != ref && !returnsTo(dir, ref) {
			continue
		}
		w, note, err := r.worktreeOf(ctx, dir)
		if err != nil {
			return nil, nil, err
		}
		if note != "" {
			notes = append(notes, note)
		}
		if w == nil {
			continue
		}
		if op := operation(dir); op != "" {
			return nil, nil, refuse("operation-in-progress", w.root, "a %s is in progress on %s", op, shortRef(ref))
		}
		held = append(held, *w)
	}
	return held, notes, nil
}

func shortRef(ref string) string { return strings.TrimPrefix(ref, "refs/heads/") }

// returnsTo reports whether a rebase or bisect with a detached HEAD started from the branch.
func returnsTo(gitDir, ref string) bool {
	for _, name := range []string{"rebase-merge/head-name", "rebase-apply/head-name", "BISECT_START"} {
		data, err := os.ReadFile(filepath.Join(gitDir, name))
		if text := strings.TrimSpace(string(data)); err == nil && (text == ref || "refs/heads/"+text == ref) {
			return true
		}
	}
	return false
}

// operation names what is unfinished in a working tree (git: wt-status.c, wt_status_get_state).
func operation(gitDir string) string {
	for _, o := range []struct{ file, name string }{
		{"rebase-apply/applying", "git am"}, {"rebase-merge", "rebase"}, {"rebase-apply", "rebase"},
		{"MERGE_HEAD", "merge"}, {"CHERRY_PICK_HEAD", "cherry-pick"}, {"REVERT_HEAD", "revert"}, {"BISECT_LOG", "bisect"},
	} {
		if _, err := os.Lstat(filepath.Join(gitDir, o.file)); err == nil {
			return o.name
		}
	}
	return ""
}

// worktreeOf finds the working tree of a git directory; nil if it has none.
func (r *Repo) worktreeOf(ctx context.Context, gitDir string) (*worktree, string, error) {
	w := &worktree{gitDir: gitDir, index: filepath.Join(gitDir, "index")}
	switch {
	case gitDir == r.GitDir && r.Root != "":
		w.own, w.root = true, r.Root
		if !samePath(r.indexPath, w.index) {
			// As in a hook of git commit -- PATH: git goes on with the index it knows and would take the
			// change back with its next commit.
			return nil, "", refuse("other-index", "", "git uses another index here (GIT_INDEX_FILE), as it does while a commit is being made; the branch can be moved when that is done")
		}
		return w, "", nil
	case gitDir == r.GitDir && r.Bare:
		return nil, "", nil
	case gitDir == r.CommonDir:
		root, err := r.mainRoot(ctx)
		w.root = root
		if root == "" {
			w = nil
		}
		return w, "", err
	}
	data, err := os.ReadFile(filepath.Join(gitDir, "gitdir"))
	if err != nil {
		return nil, "", ioError("place of a working tree", err)
	}
	link := strings.TrimSpace(string(data))
	if !filepath.IsAbs(link) {
		link = filepath.Join(gitDir, link) // extensions.relativeWorktrees
	}
	w.root = filepath.Dir(link)
	if _, err := os.Lstat(link); err != nil {
		if _, err := os.Lstat(filepath.Join(gitDir, "locked")); err == nil {
			return nil, "", refuse("worktree-missing", w.root, "the branch is checked out in a working tree that is not there now, and is locked")
		}
		return nil, "the working tree " + term.Escape(w.root) + " has the branch checked out but is gone", nil
	}
	return w, "", nil
}

// samePath reports whether two paths are one file, also through links and where neither exists.
func samePath(a, b string) bool {
	if filepath.Clean(a) == filepath.Clean(b) {
		return true
	}
	x, errX := filepath.EvalSymlinks(filepath.Dir(a))
	y, errY := filepath.EvalSymlinks(filepath.Dir(b))
	return errX == nil && errY == nil && x == y && filepath.Base(a) == filepath.Base(b)
}

// mainRoot gives the top of the main working tree, "" if the repository is bare. Git is asked, because
// core.worktree and core.bare may stand in settings that count for the main working tree only.
func (r *Repo) mainRoot(ctx context.Context) (string, error) {
	env := []string{"GIT_DIR=" + r.CommonDir, "GIT_WORK_TREE=", "GIT_INDEX_FILE=", "GIT_PREFIX=", "GIT_COMMON_DIR="}
	unset := func(dir string, args ...string) (string, error) {
		cmd := r.command(ctx, invocation{dir: dir}, args...)
		cmd.Env = without(cmd.Env, env)
		out, err := cmd.Output()
		return strings.TrimSuffix(string(out), "\n"), err
	}
	out, err := unset(r.CommonDir, "--git-dir=.", "rev-parse", "--is-bare-repository")
	if err == nil && out == "true" {
		return "", nil
	}
	if tree, err := unset(r.CommonDir, "--git-dir=.", "config", "core.worktree"); err == nil && tree != "" {
		if !filepath.IsAbs(tree) {
			tree = filepath.Join(r.CommonDir, tree)
		}
		return tree, nil
	}
	parent := filepath.Dir(r.CommonDir)
	if filepath.Base(r.CommonDir) == ".git" {
		return parent, nil
	}
	return "", refuse("worktree-unknown", r.CommonDir, "the branch is checked out in the main working tree, but git does not record where that is")
}

// without takes variables out of an environment.
func without(env, names []string) []string {
	var out []string
next:
	for _, kv := range env {
		for _, n := range names {
			if key, _, _ := strings.Cut(n, "="); strings.HasPrefix(kv, key+"=") {
				continue next
			}
		}
		out = append(out, kv)
	}
	return out
}
