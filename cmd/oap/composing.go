package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/open-agent-profile/oap/profile/narrow"
	"github.com/open-agent-profile/oap/profile/resolve"
	"github.com/open-agent-profile/oap/repo"
	"github.com/open-agent-profile/oap/repo/catalog"
	"github.com/open-agent-profile/oap/repo/history"
)

// composing are the flags of every command that resolves a profile.
type composing struct {
	at        string
	workspace string
	skills    []string
	strict    bool     // a session starts: what is required has to be there
	stores    []string // kinds of memory stores that the harness serves
}

func (o *composing) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.at, "at", "", "read the profile and everything it extends at commit `REV`")
	f.StringVar(&o.workspace, "workspace", "", "`DIR` that paths of the profile are relative to (default: the working tree)")
	f.StringArrayVar(&o.skills, "skills", nil, "`DIR` with skills, to verify those that the profile names (may be repeated)")
}

// composition is a resolved profile and where it was found.
type composition struct {
	*resolve.Resolved
	discovery *discovery
	workspace string
}

// compose finds a profile by NAME, ROOT:NAME, NAME@REV or path, resolves it and warns of what is odd about it.
func (a *app) compose(ctx context.Context, spec string, o composing) (*composition, error) {
	name, rev := spec, ""
	if !looksLikePath(spec) {
		name, rev = catalog.SplitRevision(spec)
	}
	at := o.at
	var past *catalog.At
	if rev != "" {
		if at != "" {
			return nil, usagef("say either %s or --at %s", spec, at)
		}
		r, s, roots, err := a.committed(ctx)
		if err != nil {
			return nil, err
		}
		if past, err = history.At(ctx, r, s.ID(), roots, name, rev); err != nil {
			return nil, err
		}
		if past.Err != nil {
			return nil, past.Err
		}
		at = string(past.Commit)
	}
	d, err := a.discover(ctx, at)
	if err != nil {
		return nil, err
	}
	c := &composition{discovery: d}
	if c.workspace, err = a.workspace(d, o.workspace); err != nil {
		return nil, err
	}
	src, collisions, err := a.pick(ctx, d, name, past)
	if err != nil {
		return nil, err
	}
	if c.Resolved, err = resolve.Resolve(ctx, d, d.roots, src, a.machine(c.workspace, o)); err != nil {
		return nil, err
	}
	c.Collisions = append(collisions, c.Collisions...)
	return c, nil
}

// pick finds the profile itself.
func (a *app) pick(ctx context.Context, d *discovery, name string, past *catalog.At) (*resolve.Source, []resolve.Collision, error) {
	switch root, rest, ok := strings.Cut(name, ":"); {
	case past != nil:
		src, err := d.place(ctx, resolve.Root{Name: "project", Path: past.Root, Trust: resolve.Project}, past.Document)
		return src, nil, err
	case looksLikePath(name):
		doc, err := a.document(name)
		if err != nil {
			return nil, nil, err
		}
		file := a.resolve(name)
		real := realPath(absolute(file))
		root := d.rootOf(file)
		if root.Name != "file" && d.repo != nil && !filepath.IsAbs(root.Path) {
			top := filepath.Join(realPath(d.repo.Root), filepath.FromSlash(root.Path))
			held, err := vouched(resolve.Root{Path: top}, real, doc, a.readFile)
			if err != nil {
				return nil, nil, err
			}
			if held.Trust != "" {
				root.Trust = held.Trust
			}
		}
		return &resolve.Source{Root: root, Path: name, ID: real, Document: doc}, nil, nil
	case ok:
		var only []resolve.Root
		for _, r := range d.roots {
			if r.Path == filepath.Clean(root) {
				only = append(only, r)
			}
		}
		if only == nil {
			return nil, nil, &repo.Error{Kind: repo.NotFound, Reason: "root", Path: root, Msg: "no profile root of that name"}
		}
		return resolve.Find(ctx, d, only, rest)
	default:
		return resolve.Find(ctx, d, d.roots, name)
	}
}

func absolute(p string) string {
	if abs, err := filepath.Abs(p); err == nil {
		return abs
	}
	return p
}

// machine is what resolving may ask about this machine.
func (a *app) machine(workspace string, o composing) resolve.Options {
	m := resolve.Options{Env: func(name string) bool { return a.getenv(name) != "" }}
	if workspace != "" {
		m.Inside = resolve.Inside(os.DirFS(workspace))
	}
	if o.strict || len(o.skills) > 0 {
		m.Skill = a.skillDigest(o.skills)
	}
	if o.strict {
		m.Store = storeServed(o.stores, workspace)
	}
	return m
}

// warnComposed tells what is not as the profile has it.
func (a *app) warnComposed(c *composition) {
	for _, col := range c.Collisions {
		a.warnf("%s is used for %q, and not %s: %s", col.Used, col.Name, col.Shadowed, col.Reason)
	}
	for _, dropped := range c.Dropped {
		a.warnf("%s is left out: %s", dropped.Pointer, dropped.Reason)
	}
}

// compositionFailure classifies what resolving and narrowing refuse: an exit code, a kind and a next step. It is
// a part of classify.
func compositionFailure(err error) (code int, kind string, hints []string) {
	var (
		missing   *resolve.NotFoundError
		duplicate *resolve.DuplicateError
		cycle     *resolve.CycleError
		deep      *resolve.DepthError
		pin       *resolve.PinError
		refused   *narrow.RefusedError
		decision  *decisionError
		changed   *changedImportError
	)
	switch {
	case errors.As(err, &missing):
		return exitNotFound, "not-found", []string{"oap list"}
	case errors.As(err, &duplicate):
		return exitNo, "duplicate", nil
	case errors.As(err, &cycle), errors.As(err, &deep):
		return exitNo, "extends", nil
	case errors.As(err, &pin):
		return exitRefused, "pin", []string{"look at what changed, then write the new " + pin.Field + " into extends: oap diff " + pin.Name}
	case errors.As(err, &changed):
		return exitRefused, "pin", []string{"look at what changed: git log -p " + changed.path, "oap import --pin " + changed.name}
	case errors.As(err, &refused):
		return exitRefused, "subagent", nil
	case errors.As(err, &decision):
		return decision.code(), string(decision.verdict), nil
	}
	return 0, "", nil
}
