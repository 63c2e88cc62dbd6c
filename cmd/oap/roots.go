package main

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/open-agent-profile/oap/profile/resolve"
	"github.com/open-agent-profile/oap/repo"
	"github.com/open-agent-profile/oap/repo/catalog"
)

// discovery is where the profiles are that a name can mean: in the repository, at one moment of it, and in
// folders of the machine. It is a resolve.Loader.
type discovery struct {
	repo   *repo.Repo     // nil outside of a repository
	source catalog.Source // of the roots in the repository, whose paths are relative
	commit repo.ID        // where source is a commit
	roots  []resolve.Root
}

// noRoot is the value of a setting that switches a root off.
const noRoot = "none"

// discover opens the repository, if there is one, and lists the roots in the order of the specification
// (docs/harness.md). At a commit only the repository counts: what lies on a machine has no history, and the
// answer would be another one tomorrow.
func (a *app) discover(ctx context.Context, at string) (*discovery, error) {
	d := &discovery{}
	r, err := a.repo(ctx)
	outside := repo.ReasonOf(err) == "not-a-repository" && at == "" && a.branch == ""
	if err != nil && !outside {
		return nil, err
	}
	if outside {
		d.roots = a.userRoots(nil)
		return d, nil
	}
	d.repo = r
	var project []string
	if at != "" {
		id, err := r.Resolve(ctx, at+"^{commit}")
		if err != nil {
			return nil, err
		}
		s, err := r.Snapshot(ctx, id)
		if err != nil {
			return nil, err
		}
		d.source, d.commit = catalog.Commit{Snapshot: s}, id
		project, err = a.profileRoots(r)
		if err != nil {
			return nil, err
		}
	} else {
		if d.source, project, err = a.source(ctx); err != nil {
			return nil, err
		}
		if c, ok := d.source.(catalog.Commit); ok {
			d.commit = c.Snapshot.ID()
		} else {
			d.roots = a.userRoots(r)
		}
	}
	native, err := a.folders(r, "nativeRoot")
	if err != nil {
		return nil, err
	}
	for _, p := range project {
		d.roots = append(d.roots, resolve.Root{Name: "project", Path: p, Trust: resolve.Project})
	}
	for _, p := range native {
		if !slices.Contains(project, p) {
			d.roots = append(d.roots, resolve.Root{Name: "native project", Path: p, Trust: resolve.Project})
		}
	}
	if d.commit == "" {
		for _, p := range a.list(r, "pluginRoot") {
			d.roots = append(d.roots, resolve.Root{Name: "plugin", Path: a.onDisk(r, p), Trust: resolve.Project})
		}
	}
	return d, nil
}

// userRoots are the roots of the machine and of the person, each with the setting that moves it.
func (a *app) userRoots(r *repo.Repo) []resolve.Root {
	home, config := a.getenv("HOME"), a.getenv("XDG_CONFIG_HOME")
	if config == "" && home != "" {
		config = filepath.Join(home, ".config")
	}
	var roots []resolve.Root
	add := func(name string, t resolve.Trust, setting, within, usual string) {
		p := a.setting(r, setting)
		if p == "" && within != "" {
			p = filepath.Join(within, usual)
		}
		if p != "" && p != noRoot {
			roots = append(roots, resolve.Root{Name: name, Path: a.onDisk(r, p), Trust: t})
		}
	}
	add("managed", resolve.Managed, "managedRoot", filepath.FromSlash("/etc"), "oap/agents")
	add("universal user", resolve.User, "userRoot", home, ".agentprofiles")
	add("native user", resolve.User, "nativeUserRoot", config, "oap/agents")
	return roots
}

// folders reads a setting with folders of the tree.
func (a *app) folders(r *repo.Repo, name string) ([]string, error) {
	given := a.list(r, name)
	if len(given) == 0 {
		return nil, nil
	}
	clean, err := catalog.CleanRoots(given)
	if err != nil {
		return nil, &usageError{err.Error()}
	}
	return clean, nil
}

// list reads a setting that may be given several times; in a variable the values are separated as in PATH.
func (a *app) list(r *repo.Repo, name string) []string {
	if v := a.getenv(envVariable(name)); v != "" {
		return filepath.SplitList(v)
	}
	if r == nil {
		return nil
	}
	return r.Settings("oap." + name)
}

// onDisk makes a folder of a setting absolute: ~ is the home folder, and what is relative begins at the top of
// the working tree.
func (a *app) onDisk(r *repo.Repo, p string) string {
	if rest, ok := strings.CutPrefix(p, "~/"); ok {
		return filepath.Join(a.getenv("HOME"), rest)
	}
	if !filepath.IsAbs(p) && r != nil && r.Root != "" {
		return filepath.Join(r.Root, p)
	}
	if abs, err := filepath.Abs(a.resolve(p)); err == nil {
		return abs
	}
	return p
}

// workspace gives the folder that a session works in: the one named, else the working tree. Without either,
// paths are compared as they are spelt.
func (a *app) workspace(d *discovery, named string) (string, error) {
	if named == "" {
		if d.repo != nil {
			return d.repo.Root, nil
		}
		return "", nil
	}
	abs, err := filepath.Abs(a.resolve(named))
	if err != nil {
		return "", err
	}
	if info, err := os.Stat(abs); err != nil {
		return "", err
	} else if !info.IsDir() {
		return "", usagef("--workspace %s is not a folder", named)
	}
	return filepath.EvalSymlinks(abs)
}
