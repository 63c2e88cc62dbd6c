package audit

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/open-agent-profile/oap/profile"
	"github.com/open-agent-profile/oap/repo"
)

// commit is a commit that touched a profile, or with Only anything.
type commit struct {
	*repo.LogEntry
	order  int // oldest first
	side   bool
	claims []claim
	files  []repo.Diff // profiles
	others []string    // other paths, where those matter
	cut    bool        // history ends here for want of more, not because it began here
}

// walk is the history to be judged, oldest commit first.
type walk struct {
	repo    *repo.Repo
	options Options
	commits []*commit
	views   *reader
}

// run reads the commits, and while git goes on walking, the documents in them.
func (w *walk) run(ctx context.Context) error {
	cut, err := w.boundary()
	if err != nil {
		return err
	}
	type answer struct {
		merges bool
		err    error
	}
	asked := make(chan answer, 1)
	go func() {
		merges, err := w.merges(ctx)
		asked <- answer{merges, err}
	}()
	if err := w.line(ctx); err != nil {
		return err
	}
	// In a history without merges the first-parent line is all there is.
	if got := <-asked; got.err != nil {
		return got.err
	} else if got.merges {
		if err := w.sides(ctx); err != nil {
			return err
		}
	}
	for i, c := range w.commits {
		c.order = i
		c.cut = cut[c.ID]
	}
	return w.views.wait()
}

// boundary lists the commits at which a shallow clone ends (git: gitrepository-layout, shallow).
func (w *walk) boundary() (map[repo.ID]bool, error) {
	if !w.repo.Shallow {
		return nil, nil
	}
	data, err := os.ReadFile(filepath.Join(w.repo.CommonDir, "shallow"))
	if err != nil {
		return nil, &repo.Error{Kind: repo.IO, Reason: "shallow", Msg: "the boundary of the shallow clone cannot be read", Err: err}
	}
	cut := map[repo.ID]bool{}
	for line := range strings.Lines(string(data)) {
		cut[repo.ID(strings.TrimSpace(line))] = true
	}
	return cut, nil
}

func (w *walk) merges(ctx context.Context) (bool, error) {
	args := []string{"rev-list", "--merges", "--max-count=1", string(w.options.Tip)}
	for _, id := range w.not() {
		args = append(args, "^"+id)
	}
	out, err := w.repo.Git(ctx, append(args, "--")...)
	return len(strings.TrimSpace(string(out))) > 0, err
}

func (w *walk) not() []string {
	if w.options.Start == "" {
		return nil
	}
	return []string{string(w.options.Start)}
}

// line walks the first-parent line, on which a merge stands for all that it brought.
func (w *walk) line(ctx context.Context) error {
	log := repo.LogOptions{From: []string{string(w.options.Tip)}, Not: w.not(), Changes: true, FirstParent: true}
	if !w.options.OnlyState {
		log.Paths = w.options.paths()
	}
	for e, err := range w.repo.Log(ctx, log) {
		if err != nil {
			return err
		}
		w.add(&commit{LogEntry: e})
	}
	slices.Reverse(w.commits)
	return nil
}

// add takes a commit in if it has to do with what is judged.
func (w *walk) add(c *commit) {
	w.take(c)
	if len(c.files) > 0 || len(c.others) > 0 {
		w.commits = append(w.commits, c)
	}
}

// take sorts the changes of a commit and asks for its documents.
func (w *walk) take(c *commit) {
	c.claims = claimsOf(c.Message)
	for _, d := range c.Changes {
		switch {
		case w.mine(d.Path):
			d = regular(d)
			c.files = append(c.files, d)
			w.views.want(d.Path, d.Old)
			w.views.want(d.Path, d.New)
		case w.options.OnlyState:
			c.others = append(c.others, d.Path)
		}
	}
}

// mine reports whether a path is that of a profile under the roots.
func (w *walk) mine(p string) bool {
	return profile.IsProfilePath(p) && slices.ContainsFunc(w.options.Roots, func(root string) bool {
		return root == "." || strings.HasPrefix(p, root+"/")
	})
}

// regular takes links and gitlinks for absence: there is no document in them.
func regular(d repo.Diff) repo.Diff {
	if d.OldMode&0o170000 != repo.ModeFile&0o170000 {
		d.Old = ""
	}
	if d.NewMode&0o170000 != repo.ModeFile&0o170000 {
		d.New = ""
	}
	return d
}
