package merging

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/open-agent-profile/oap/repo"
)

// emptyTree stands for the tree of no commit.
const emptyTree = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"

// changes gives what differs between two commits, by path. A path that changed its kind, say from file to link, is
// one change.
func changes(ctx context.Context, r *repo.Repo, from, to repo.ID) (map[string]repo.Diff, error) {
	if from == "" {
		from = emptyTree
		if r.ObjectFormat == "sha256" {
			from = "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321"
		}
	}
	out, err := r.Git(ctx, "diff-tree", "-r", "-z", "--raw", "--no-abbrev", "--no-renames", "--no-ext-diff", string(from), string(to), "--")
	if err != nil {
		return nil, err
	}
	fields := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
	all := map[string]repo.Diff{}
	for i := 0; i+1 < len(fields); i += 2 {
		head := strings.Fields(strings.TrimPrefix(fields[i], ":"))
		if len(head) != 5 {
			return nil, fmt.Errorf("git diff-tree: unexpected record %q", fields[i])
		}
		d := repo.Diff{Path: fields[i+1]}
		for j, into := range []*uint32{&d.OldMode, &d.NewMode} {
			m, err := strconv.ParseUint(head[j], 8, 32)
			if err != nil {
				return nil, fmt.Errorf("git diff-tree: unexpected mode %q", head[j])
			}
			*into = uint32(m)
		}
		for j, into := range []*repo.ID{&d.Old, &d.New} {
			if strings.Trim(head[2+j], "0") != "" {
				*into = repo.ID(head[2+j])
			}
		}
		all[d.Path] = d
	}
	return all, nil
}
