package merging

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/open-agent-profile/oap/profile"
	"github.com/open-agent-profile/oap/repo"
)

// Stages are the versions of a profile that git's index holds while a merge, rebase or cherry-pick waits.
type Stages struct {
	Path string
	IDs  [4]repo.ID // 1 is the base, 2 ours, 3 theirs; "" is absence
}

// Unmerged lists the profiles that the index of the working tree has in several versions.
func Unmerged(ctx context.Context, r *repo.Repo) ([]Stages, error) {
	if r.Root == "" {
		return nil, nil
	}
	out, err := r.Git(ctx, "ls-files", "--unmerged", "-z", "--full-name", "--", ":/")
	if err != nil {
		return nil, err
	}
	var all []Stages
	for rec := range strings.SplitSeq(string(out), "\x00") {
		head, path, ok := strings.Cut(rec, "\t")
		f := strings.Fields(head)
		if !ok || len(f) != 3 || !profile.IsProfilePath(path) {
			continue
		}
		n, err := strconv.Atoi(f[2])
		if err != nil || n < 1 || n > 3 {
			return nil, fmt.Errorf("git ls-files: unexpected stage %q", f[2])
		}
		if len(all) == 0 || all[len(all)-1].Path != path {
			all = append(all, Stages{Path: path})
		}
		all[len(all)-1].IDs[n] = repo.ID(f[1])
	}
	return all, nil
}

// SettleStages merges the versions of one profile by meaning and puts the result into the working tree and the index.
// The commit is left to whoever is merging. A file in which no conflict stands any more has been settled by
// a person and is left alone, with the reason "settled-by-hand".
func SettleStages(ctx context.Context, r *repo.Repo, s Stages, o Options) (*Result, error) {
	if s.IDs[2] == "" || s.IDs[3] == "" {
		return nil, refuse("removed", s.Path, "one side removed the profile, the other changed it")
	}
	full := filepath.Join(r.Root, filepath.FromSlash(s.Path))
	have, err := os.ReadFile(full)
	switch {
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return nil, err
	case err == nil && Markers(have) == 0:
		return nil, refuse("settled-by-hand", s.Path, "holds no conflict any more; git add says that it is settled")
	}
	snapshot, err := r.Snapshot(ctx, "")
	if err != nil {
		return nil, err
	}
	v := Versions{Path: s.Path}
	for i, into := range []*[]byte{nil, &v.Base, &v.Ours, &v.Theirs} {
		if into == nil || s.IDs[i] == "" {
			continue
		}
		if *into, err = snapshot.Blob(ctx, s.IDs[i]); err != nil {
			return nil, err
		}
	}
	res, err := Merge(v, o)
	if err != nil || res.Text == nil {
		return res, err
	}
	if err := place(s.Path, full, res.Text); err != nil || len(res.Conflicts) > 0 {
		return res, err // with markers only where a person has to choose
	}
	if _, err := r.Git(ctx, "add", "--", ":(top,literal)"+s.Path); err != nil {
		return res, err
	}
	// Where git converts files on checkout, it writes the file itself, so that line ends are those of the tree.
	_, err = r.Git(ctx, "-C", r.Root, "checkout-index", "--force", "--index", "--", s.Path)
	return res, err
}

// place writes the file in one step.
func place(path, full string, text []byte) error {
	mode := fs.FileMode(0o644)
	if fi, err := os.Lstat(full); err == nil {
		if !fi.Mode().IsRegular() {
			return refuse("not-a-file", path, "is no regular file in the working tree")
		}
		mode = fi.Mode().Perm()
	}
	f, err := os.CreateTemp(filepath.Dir(full), ".oap-tmp-*")
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err = errors.Join(err, f.Chmod(mode), f.Sync(), f.Close()); err == nil {
		err = os.Rename(f.Name(), full)
	}
	if err != nil {
		_ = os.Remove(f.Name())
		return err
	}
	return nil
}
