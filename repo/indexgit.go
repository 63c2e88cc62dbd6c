package repo

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/open-agent-profile/oap/internal/gitindex"
)

// ask lets git read an index that is split, sparse or of a later format.
func (x *indexFile) ask(ctx context.Context, path string) ([]gitindex.Entry, error) {
	inv := invocation{dir: x.w.root, env: x.w.env()}
	out, err := x.r.run(ctx, inv, "--literal-pathspecs", "-c", "core.fsmonitor=false", "ls-files", "-s", "-v", "-z", "--", path)
	if err != nil {
		return nil, wrapGit(err, Invalid, "bad-index", x.w.index, "the index cannot be read")
	}
	var found []gitindex.Entry
	for rec := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		head, name, ok := strings.Cut(rec, "\t")
		f := strings.Fields(head)
		if !ok || len(f) != 4 || name != path {
			continue // of a directory git lists the files
		}
		mode, err1 := strconv.ParseUint(f[1], 8, 32)
		stage, err2 := strconv.Atoi(f[3])
		if err := errors.Join(err1, err2); err != nil {
			return nil, &Error{Kind: Invalid, Reason: "bad-index", Path: x.w.index, Msg: "git's list cannot be read", Err: err}
		}
		e := gitindex.Entry{Path: name, Mode: uint32(mode), ID: ID(f[2]).raw(), Stage: stage}
		e.SkipWorktree = strings.EqualFold(f[0], "S")
		e.AssumeValid = f[0] == strings.ToLower(f[0])
		found = append(found, e)
	}
	return found, nil
}

// byGit lets git change a copy: entries come and go, and formats that only git knows. A second run
// notes the stat data of the files, where git, too, finds in them what we put there.
func (x *indexFile) byGit(ctx context.Context, files []*fileMove, dir string) ([]byte, error) {
	fail := func(err error) ([]byte, error) {
		return nil, wrapGit(err, IO, "index", x.w.index, "git could not change a copy of the index")
	}
	name, err := x.copyTo(dir)
	if err != nil {
		return nil, err
	}
	defer os.Remove(name)
	inv := invocation{dir: x.w.root, env: append(x.w.env(), "GIT_INDEX_FILE="+name)}
	var list, present strings.Builder
	for _, f := range files {
		if f.New == "" {
			fmt.Fprintf(&list, "0 %s\t%s\x00", x.r.zeroID(), f.Path)
			continue
		}
		fmt.Fprintf(&list, "%o %s\t%s\x00", f.NewMode, f.New, f.Path)
		if f.stat != nil {
			present.WriteString(f.Path + "\x00")
		}
	}
	run := func(in string, args ...string) error {
		inv := inv
		inv.stdin = strings.NewReader(in)
		_, err := x.r.run(ctx, inv, append([]string{"-c", "core.fsmonitor=false", "update-index"}, args...)...)
		return err
	}
	if err := run(list.String(), "-z", "--index-info"); err != nil {
		return fail(err)
	}
	var flagged strings.Builder
	for _, f := range files {
		if f.skipped {
			flagged.WriteString(f.Path + "\x00")
		}
	}
	if flagged.Len() > 0 { // --index-info makes entries anew, without their flags
		if err := run(flagged.String(), "--skip-worktree", "-z", "--stdin"); err != nil {
			return fail(err)
		}
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, ioError("copy of the index", err)
	}
	if present.Len() > 0 && run(present.String(), "-z", "--stdin") == nil {
		if better, err := os.ReadFile(name); err == nil && x.agrees(ctx, name, files) {
			data = better
		}
	}
	return data, nil
}

// copyTo makes a copy for git to work on. It gets the time of the original, on which git's own guard
// against edits in the same second depends. A fresh name without a file is an empty index.
func (x *indexFile) copyTo(dir string) (string, error) {
	f, err := os.CreateTemp(dir, tempState+"index-")
	if err != nil {
		return "", ioError("copy of the index", err)
	}
	name := f.Name()
	_, err = f.Write(x.data)
	err = errors.Join(err, f.Close())
	if err == nil && x.data == nil {
		err = os.Remove(name)
	} else if err == nil {
		err = os.Chtimes(name, x.time, x.time)
	}
	return name, ioError("copy of the index", err)
}

// agrees reports whether an index holds the new ids and nothing else at the paths.
func (x *indexFile) agrees(ctx context.Context, name string, files []*fileMove) bool {
	w := *x.w
	w.index = name
	y := &indexFile{r: x.r, w: &w}
	for _, f := range files {
		found, err := y.ask(ctx, f.Path)
		if err != nil || (f.New == "") != (len(found) == 0) {
			return false
		}
		if len(found) > 0 && (found[0].Stage != 0 || idOf(found[0].ID) != f.New) {
			return false
		}
	}
	return true
}
