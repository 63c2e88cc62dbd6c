package merging

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
)

// Labels name the sides in conflict markers.
type Labels struct {
	Ours, Base, Theirs string // "" is "ours", "base", "theirs"
	Size               int    // of the markers; 0 is git's own
	Diff3              bool   // show the base as well
}

// GitText gives git merge-file as a [TextMerge]. It works outside repositories; env nil is that of the process.
func GitText(ctx context.Context, env []string, l Labels) TextMerge {
	args := []string{"merge-file", "-p", "-q"}
	for _, label := range [][2]string{{l.Ours, "ours"}, {l.Base, "base"}, {l.Theirs, "theirs"}} {
		if label[0] == "" {
			label[0] = label[1]
		}
		args = append(args, "-L", label[0])
	}
	if l.Size > 0 {
		args = append(args, "--marker-size="+strconv.Itoa(l.Size))
	}
	return func(ours, base, theirs []byte, union bool) ([]byte, int, error) {
		dir, err := os.MkdirTemp("", "oap-merge-")
		if err != nil {
			return nil, 0, err
		}
		defer os.RemoveAll(dir)
		args := slices.Clone(args)
		switch {
		case union:
			args = append(args, "--union")
		case l.Diff3:
			args = append(args, "--diff3")
		}
		for _, f := range []struct {
			name string
			data []byte
		}{{"ours", ours}, {"base", base}, {"theirs", theirs}} {
			name := filepath.Join(dir, f.name)
			if err := os.WriteFile(name, f.data, 0o600); err != nil {
				return nil, 0, err
			}
			args = append(args, name)
		}
		return runMergeFile(ctx, env, args)
	}
}

// runMergeFile reads the exit code as git defines it: the number of conflicts, at most 127, or an error.
func runMergeFile(ctx context.Context, env, args []string) ([]byte, int, error) {
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Env = env
	var out, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &stderr
	err := cmd.Run()
	exit, ran := errors.AsType[*exec.ExitError](err)
	switch {
	case err == nil:
		return out.Bytes(), 0, nil
	case ctx.Err() != nil:
		return nil, 0, context.Cause(ctx)
	case ran && exit.ExitCode() > 0 && exit.ExitCode() < 128:
		return out.Bytes(), exit.ExitCode(), nil
	}
	return nil, 0, fmt.Errorf("git merge-file: %w: %s", err, bytes.TrimSpace(stderr.Bytes()))
}
