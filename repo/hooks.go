package repo

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// commitHooks runs pre-commit against the tree and commit-msg against the text, and gives the text that
// commit-msg leaves.
func (r *Repo) commitHooks(ctx context.Context, b *built, text string) (string, error) {
	dir, err := r.stateDir()
	if err != nil {
		return "", err
	}
	if r.hook("pre-commit") != "" {
		if err := b.store.flush(ctx); err != nil {
			return "", err
		}
		index, err := r.treeIndex(ctx, dir, b.tree)
		if err != nil {
			return "", err
		}
		defer os.Remove(index)
		if err := r.runHook(ctx, "pre-commit", []string{"GIT_INDEX_FILE=" + index}); err != nil {
			return "", err
		}
	}
	if r.hook("commit-msg") == "" {
		return text, nil
	}
	f, err := os.CreateTemp(dir, tempState+"msg-")
	if err != nil {
		return "", ioError("message for the hook", err)
	}
	defer os.Remove(f.Name())
	_, err = f.WriteString(text)
	if err := errors.Join(err, f.Close()); err != nil {
		return "", ioError("message for the hook", err)
	}
	if err := r.runHook(ctx, "commit-msg", nil, f.Name()); err != nil {
		return "", err
	}
	data, err := os.ReadFile(f.Name())
	if err != nil {
		return "", ioError("message of the hook", err)
	}
	if strings.TrimSpace(string(data)) == "" {
		return "", refuse("hook", "", "the commit-msg hook left an empty message")
	}
	return strings.ReplaceAll(string(data), "\x00", ""), nil
}

// treeIndex makes an index of a tree, for a hook that looks at what is to be committed.
func (r *Repo) treeIndex(ctx context.Context, dir string, tree ID) (string, error) {
	f, err := os.CreateTemp(dir, tempState+"index-")
	if err != nil {
		return "", ioError("index for the hook", err)
	}
	name := f.Name()
	_ = f.Close()
	_ = os.Remove(name) // git takes an empty file for a damaged index
	_, err = r.run(ctx, invocation{env: []string{"GIT_INDEX_FILE=" + name}}, "read-tree", string(tree))
	if err != nil {
		return "", wrapGit(err, IO, "hook", "", "the index for the hook could not be made")
	}
	return name, nil
}

// hook gives the program of a hook, "" if there is none. A file that is not executable is none, as in
// git. (git hook run would do, but is younger than the oldest git that oap works with.)
func (r *Repo) hook(name string) string {
	p := filepath.Join(r.hooksDir, name)
	fi, err := os.Stat(p)
	if err != nil || !fi.Mode().IsRegular() || fi.Mode()&0o111 == 0 {
		return ""
	}
	return p
}

// runHook runs a hook where git would: at the top of the working tree, else in the git directory.
func (r *Repo) runHook(ctx context.Context, name string, env []string, args ...string) error {
	cmd := exec.CommandContext(ctx, r.hook(name), args...)
	cmd.Dir = r.Root
	cmd.Env = append(append([]string{}, r.userEnv...), "GIT_EDITOR=:")
	if r.Root == "" {
		cmd.Dir = r.GitDir
		cmd.Env = append(cmd.Env, "GIT_DIR="+r.GitDir)
	}
	cmd.Env = append(cmd.Env, env...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	if err == nil {
		return nil
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	msg := "the " + name + " hook said no"
	if text := strings.TrimSpace(out.String()); text != "" {
		msg += ": " + firstLine(text)
	}
	return &Error{Kind: Refused, Reason: "hook", Msg: msg, Err: err}
}
