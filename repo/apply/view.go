package apply

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/open-agent-profile/oap/canonical"
	"github.com/open-agent-profile/oap/delta"
	"github.com/open-agent-profile/oap/profile"
	"github.com/open-agent-profile/oap/repo"
	"github.com/open-agent-profile/oap/repo/catalog"
)

// view is the branch as a run sees it: a snapshot of the tip, with the profiles that earlier requests of
// the same run have changed laid over it.
type view struct {
	snapshot *repo.Snapshot
	roots    []string
	changed  map[string]*profile.Document   // by path
	made     map[string][]*profile.Document // all that this run has made, newest first, by path
	keys     map[canonical.Digest]int       // requests of this run that are to be committed, counted from 1
}

func newView(s *repo.Snapshot, roots []string) *view {
	return &view{snapshot: s, roots: roots, changed: map[string]*profile.Document{}, made: map[string][]*profile.Document{}, keys: map[canonical.Digest]int{}}
}

// put lays a new version of a profile over the snapshot.
func (v *view) put(path string, doc *profile.Document) {
	v.changed[path] = doc
	v.made[path] = append([]*profile.Document{doc}, v.made[path]...)
}

// Profiles implements [catalog.Source]; a run changes profiles but never adds one.
func (v *view) Profiles(ctx context.Context, dir string) ([]string, error) {
	return catalog.Commit{Snapshot: v.snapshot}.Profiles(ctx, dir)
}

// Read implements [catalog.Source].
func (v *view) Read(ctx context.Context, path string) ([]byte, error) {
	if d, ok := v.changed[path]; ok {
		return d.Bytes(), nil
	}
	return catalog.Commit{Snapshot: v.snapshot}.Read(ctx, path)
}

// target is the profile that a delta is for.
type target struct {
	doc  *profile.Document
	path string // where the file really lies: links inside the repository are followed
}

// find gives the profile at the branch tip that a delta names. Errors: [*Error] of kind NotFound,
// Uncommitted, WrongID, Invalid.
func (v *view) find(ctx context.Context, r *repo.Repo, d *delta.Delta) (*target, error) {
	name := d.Target.Name
	e, err := catalog.Find(ctx, v, v.roots, name)
	var missing *catalog.Error
	if errors.As(err, &missing) && missing.Kind == catalog.NotFound {
		return nil, v.absent(ctx, r, d, missing)
	}
	if err != nil {
		return nil, err
	}
	if e.Err != nil {
		return nil, &Error{Kind: Invalid, Profile: name, Path: e.Path, Err: e.Err,
			Msg: fmt.Sprintf("the profile on the branch cannot be read: %v", e.Err)}
	}
	path, err := v.snapshot.Follow(ctx, e.Path)
	if err != nil {
		return nil, err
	}
	doc := e.Document
	if done, ok := v.changed[path]; ok {
		doc = done
	} else if fs := doc.Check(); profile.HasErrors(fs) {
		return nil, invalid("the profile on the branch is not valid", name, e.Path, fs)
	}
	if id := doc.ID(); id != "" && d.Target.ID != "" && id != d.Target.ID {
		return nil, &Error{Kind: WrongID, Profile: name, Path: path,
			Msg: fmt.Sprintf("the delta is for the agent with id %q, but %s has id %q", d.Target.ID, name, id)}
	}
	return &target{doc: doc, path: path}, nil
}

// absent explains a name that the branch does not have: it may lie in the working tree, uncommitted, or
// have been renamed, which the id tells.
func (v *view) absent(ctx context.Context, r *repo.Repo, d *delta.Delta, missing *catalog.Error) error {
	name := d.Target.Name
	if r.Root != "" {
		e, err := catalog.Find(ctx, catalog.Worktree{Top: r.Root}, v.roots, name)
		if err == nil && !v.has(ctx, e.Path) {
			return &Error{Kind: Uncommitted, Profile: name, Path: e.Path,
				Msg: fmt.Sprintf("the profile %s is not committed yet: %s is only in the working tree", name, e.Path)}
		}
	}
	out := &Error{Kind: NotFound, Profile: name, Err: missing, Msg: missing.Error()}
	if d.Target.ID == "" {
		return out
	}
	all, err := catalog.List(ctx, v, v.roots)
	if err != nil {
		return out
	}
	i := slices.IndexFunc(all, func(e *catalog.Entry) bool { return e.Document != nil && e.Document.ID() == d.Target.ID })
	if i >= 0 {
		out.Msg += fmt.Sprintf("; the agent with that id is now named %q", all[i].Name())
		out.Details = map[string]string{"renamed_to": all[i].Name()}
	}
	return out
}

func (v *view) has(ctx context.Context, path string) bool {
	_, err := v.snapshot.File(ctx, path)
	return err == nil
}
