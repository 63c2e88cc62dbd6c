package audit

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/open-agent-profile/oap/repo"
)

// sides adds the commits that merges brought, oldest first. Git's own walk over a path leaves some of them out,
// and a second walk over everything would take as long as the first; so the commits are named first, which needs
// no tree, and then looked at.
func (w *walk) sides(ctx context.Context) error {
	ids, err := w.brought(ctx)
	if err != nil {
		return err
	}
	for part := range slices.Chunk(ids, atOnce) {
		args := []string{
			"--literal-pathspecs", "log", "--no-walk=unsorted", "-z", "--format=tformat:%H", "--raw", "--no-abbrev", "--no-renames",
			"--no-ext-diff", "--no-relative", "--diff-merges=first-parent", "--ignore-submodules=none", "--no-show-signature",
		}
		args = append(append(args, part...), "--")
		if !w.options.OnlyState {
			args = append(args, w.options.paths()...)
		}
		out, err := w.repo.Git(ctx, args...)
		if err != nil {
			return err
		}
		found, err := rawLog(string(out))
		if err != nil {
			return err
		}
		for _, e := range found {
			if len(e.Changes) == 0 {
				continue
			}
			c, err := w.repo.ReadCommit(ctx, e.ID)
			if err != nil {
				return err
			}
			e.Commit = *c
			w.add(&commit{LogEntry: e, side: true})
		}
	}
	return nil
}

// brought names the commits of the range that are not on the first-parent line, oldest first.
func (w *walk) brought(ctx context.Context) ([]string, error) {
	args := []string{"rev-list", "--topo-order", "--parents", string(w.options.Tip)}
	for _, id := range w.not() {
		args = append(args, "^"+id)
	}
	out, err := w.repo.Git(ctx, append(args, "--")...)
	if err != nil {
		return nil, err
	}
	var ids []string
	next := string(w.options.Tip)
	// Children come before their parents, so that one pass follows the line.
	for row := range strings.Lines(string(out)) {
		f := strings.Fields(row)
		switch {
		case len(f) == 0:
		case f[0] != next:
			ids = append(ids, f[0])
		case len(f) > 1:
			next = f[1]
		default:
			next = ""
		}
	}
	slices.Reverse(ids)
	return ids, nil
}

// rawLog reads ids, each with its changes: "id NUL", and for each change ":mode mode id id status NUL path NUL"
// (git: diff-format). Between an id and its changes there is a line end of git's.
func rawLog(out string) ([]*repo.LogEntry, error) {
	var all []*repo.LogEntry
	fields := strings.Split(strings.TrimSuffix(out, "\x00"), "\x00")
	for i := 0; i < len(fields); i++ {
		head := strings.TrimLeft(fields[i], "\n")
		if head == "" {
			continue
		}
		if head[0] != ':' {
			all = append(all, &repo.LogEntry{Commit: repo.Commit{ID: repo.ID(head)}})
			continue
		}
		f := strings.Fields(head[1:])
		if len(f) != 5 || len(all) == 0 || i+1 == len(fields) {
			return nil, fmt.Errorf("git log cannot be understood at %q", head)
		}
		i++
		d := repo.Diff{Path: fields[i]}
		for n, to := range []*uint32{&d.OldMode, &d.NewMode} {
			m, err := strconv.ParseUint(f[n], 8, 32)
			if err != nil {
				return nil, fmt.Errorf("git log cannot be understood at %q: %w", head, err)
			}
			*to = uint32(m)
		}
		for n, to := range []*repo.ID{&d.Old, &d.New} {
			if strings.Trim(f[2+n], "0") != "" {
				*to = repo.ID(f[2+n])
			}
		}
		last := all[len(all)-1]
		last.Changes = append(last.Changes, d)
	}
	return all, nil
}
