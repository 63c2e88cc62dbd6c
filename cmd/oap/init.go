package main

import (
	"context"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/open-agent-profile/oap/repo"
	"github.com/open-agent-profile/oap/repo/catalog"
)

func (a *app) newInitCommand() *cobra.Command {
	var git, drivers bool
	cmd := &cobra.Command{
		Use:   "init",
		Short: "Make the folder for profiles",
		Long: `Make the profile root in this repository and say what was written. Repeating it changes
nothing. With --git a repository is made first if there is none. A root other than .agents
is recorded with git config oap.root, the only time that oap writes .git/config.

With --drivers, .gitattributes gives profiles oap's merge and diff drivers, and the git config
lines that switch them on in a clone are printed.`,
		Example: `  oap init
  oap init --git -C my-agents
  oap init --root team/agents`,
		Args: takes(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, args []string) error { return a.runInit(cmd.Context(), git, drivers) },
	}
	cmd.Flags().BoolVar(&git, "git", false, "make a git repository if there is none")
	cmd.Flags().BoolVar(&drivers, "drivers", false, "give profiles a merge and a diff driver")
	return cmd
}

// initialised is the JSON answer.
type initialised struct {
	Type    string   `json:"type"` // "init"
	Top     string   `json:"top"`
	Roots   []string `json:"roots"`
	Written []string `json:"written"`
	Config  []string `json:"config,omitempty"` // lines for a person to run
}

func (a *app) runInit(ctx context.Context, git, drivers bool) error {
	done := initialised{Type: "init", Written: []string{}}
	r, err := a.repo(ctx)
	if reason := repo.ReasonOf(err); git && (reason == "not-a-repository" || reason == "no-directory") {
		if r, err = a.makeRepository(ctx); err != nil {
			return err
		}
		done.Written = append(done.Written, filepath.Join(r.Root, ".git"))
	}
	if err != nil {
		return err
	}
	if done.Roots, err = a.profileRoots(r); err != nil {
		return err
	}
	if r.Root == "" {
		return &repo.Error{Kind: repo.Refused, Reason: "bare", Msg: "a bare repository has no working tree to make folders in"}
	}
	done.Top = r.Root
	for _, root := range done.Roots {
		dir, err := workFolder(ctx, r, root)
		if err != nil {
			return err
		}
		made, err := makeFolder(r, dir)
		if err != nil {
			return err
		}
		if made {
			done.Written = append(done.Written, filepath.Join(r.Root, filepath.FromSlash(dir)))
		}
	}
	set, err := a.recordRoots(ctx, r, done.Roots)
	if err != nil {
		return err
	}
	done.Written = append(done.Written, set...)
	if drivers {
		// Git reads no .gitattributes through a link, and to write through one changes another file.
		if info, err := os.Lstat(filepath.Join(r.Root, ".gitattributes")); err == nil && !info.Mode().IsRegular() {
			return &repo.Error{Kind: repo.Refused, Reason: "symlink", Path: ".gitattributes", Msg: "is no regular file"}
		}
		file, err := a.writeDrivers(ctx, r)
		if err != nil {
			return err
		}
		if file != "" {
			done.Written = append(done.Written, file)
		}
		done.Config = driverSettings
	}
	if a.json {
		return a.emit(done)
	}
	if len(done.Written) == 0 {
		a.printf("nothing to do: %s is ready\n", done.Top)
	}
	for _, w := range done.Written {
		a.printf("wrote %s\n", w)
	}
	if drivers {
		a.printDrivers()
	}
	a.notef("next: oap new NAME --description 'When to use this agent'")
	return nil
}

// makeRepository is git init in -C, whose folder is made too.
func (a *app) makeRepository(ctx context.Context) (*repo.Repo, error) {
	dir := a.dir
	if dir == "" {
		dir = "."
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	if err := repo.Init(ctx, dir, nil); err != nil {
		return nil, err
	}
	return a.repo(ctx)
}

// recordRoots writes roots given by flag to git config, unless they stand there or are the default.
func (a *app) recordRoots(ctx context.Context, r *repo.Repo, roots []string) ([]string, error) {
	if len(a.roots) == 0 || len(roots) == 1 && roots[0] == catalog.DefaultRoot {
		return nil, nil
	}
	have, err := catalog.CleanRoots(r.Settings("oap.root"))
	if err != nil {
		return nil, &usageError{err.Error()}
	}
	if len(r.Settings("oap.root")) == 0 {
		have = nil
	}
	var written []string
	for _, root := range roots {
		if slices.Contains(have, root) {
			continue
		}
		if err := r.AddSetting(ctx, "oap.root", root); err != nil {
			return nil, err
		}
		written = append(written, "git config oap.root "+root)
	}
	return written, nil
}
