package catalog

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strconv"
	"strings"

	"github.com/open-agent-profile/oap/profile"
	"github.com/open-agent-profile/oap/repo"
)

func quoted(s string) string { return strconv.Quote(s) }

// Kind sorts the errors of this package.
type Kind string

// The kinds of [Error].
const (
	NotFound  Kind = "not-found"   // no such profile
	Ambiguous Kind = "ambiguous"   // several roots hold the name: say ROOT:NAME
	Duplicate Kind = "duplicate"   // one root holds the name twice (OAP L1-D2)
	Revision  Kind = "revision"    // the profile has no such revision here
	Shallow   Kind = "shallow"     // a revision may exist beyond the shallow boundary
	Case      Kind = "letter-case" // paths that some file systems take for one
)

// Error says why a profile could not be found.
type Error struct {
	Kind  Kind
	Name  string
	Paths []string // where the name stands, for Ambiguous and Duplicate
	Roots []string // where it was looked for; for Ambiguous, those that hold it
	Msg   string
}

func (e *Error) Error() string { return e.Msg }

// Entry is one profile of a source. Err is set where the file is no document, or cannot be read; Document is
// then nil.
type Entry struct {
	Root     string
	Path     string
	Document *profile.Document
	Err      error
}

// Name is the document's own name, or the file's where there is no document.
func (e *Entry) Name() string {
	if e.Document != nil && e.Document.Name() != "" {
		return e.Document.Name()
	}
	base := path.Base(e.Path)
	for _, s := range profile.ProfileSuffixes {
		if stem, ok := strings.CutSuffix(base, s); ok {
			return stem
		}
	}
	return base
}

// Load reads and parses one profile.
func Load(ctx context.Context, src Source, root, p string) (*Entry, error) {
	data, err := src.Read(ctx, p)
	if err != nil {
		return nil, err
	}
	doc, err := profile.Parse(p, data)
	return &Entry{Root: root, Path: p, Document: doc, Err: err}, nil
}

// own reports whether the trouble is with the one file: others can still be read.
func own(ctx context.Context, err error) bool {
	return err != nil && ctx.Err() == nil && repo.KindOf(err) != repo.IO && repo.KindOf(err) != repo.Busy
}

// List reads every profile under the roots, ordered by root and path. A file that is no document, that is a
// link out of the tree or that cannot be read is an entry with Err; an error means that reading failed as
// such.
func List(ctx context.Context, src Source, roots []string) ([]*Entry, error) {
	var all []*Entry
	seen := map[string]bool{}
	for _, root := range roots {
		paths, err := src.Profiles(ctx, root)
		if err != nil {
			return nil, err
		}
		for _, p := range paths {
			if seen[p] {
				continue // one root may lie inside another
			}
			seen[p] = true
			e, err := Load(ctx, src, root, p)
			switch {
			case errors.Is(err, fs.ErrNotExist):
				continue // removed meanwhile
			case own(ctx, err):
				e = &Entry{Root: root, Path: p, Err: err}
			case err != nil:
				return nil, err
			}
			all = append(all, e)
		}
	}
	return all, nil
}

// Duplicates gives an error for each name that stands twice in one root (OAP L1-D2).
func Duplicates(entries []*Entry) []*Error {
	type key struct{ root, name string }
	paths := map[key][]string{}
	var order []key
	for _, e := range entries {
		k := key{e.Root, e.Name()}
		if len(paths[k]) == 0 {
			order = append(order, k)
		}
		paths[k] = append(paths[k], e.Path)
	}
	var errs []*Error
	for _, k := range order {
		if len(paths[k]) > 1 {
			errs = append(errs, duplicate(k.name, k.root, paths[k]))
		}
	}
	return errs
}

// Collisions gives an error for paths that differ by letter case only, so that a checkout on Windows or
// macOS has one of them in place of both.
func Collisions(paths []string) []*Error {
	same := map[string][]string{}
	var order []string
	for _, p := range paths {
		k := strings.ToLower(p)
		if len(same[k]) == 0 {
			order = append(order, k)
		}
		same[k] = append(same[k], p)
	}
	var errs []*Error
	for _, k := range order {
		if ps := same[k]; len(ps) > 1 {
			errs = append(errs, &Error{Kind: Case, Paths: ps, Msg: fmt.Sprintf("the paths %s differ by letter case only, which some file systems cannot tell apart", strings.Join(ps, ", "))})
		}
	}
	return errs
}

func duplicate(name, root string, paths []string) *Error {
	return &Error{Kind: Duplicate, Name: name, Paths: paths, Roots: []string{root},
		Msg: fmt.Sprintf("the name %s stands %d times under %s: %s", quoted(name), len(paths), root, strings.Join(paths, ", "))}
}

// Find gives the profile that a name, or ROOT:NAME, stands for.
//
// Within a root it looks, in this order, at files of that name directly in the root, then at files of
// that name in folders below (reading folders, not profiles), then at the names inside all documents.
// The first step that finds the name decides, so the usual case costs one read and does not grow with
// the number of profiles; that a name is unique over a whole root is for List and oap validate to say.
func Find(ctx context.Context, src Source, roots []string, name string) (*Entry, error) {
	if root, rest, ok := strings.Cut(name, ":"); ok {
		clean, err := CleanRoots([]string{root})
		if err != nil {
			return nil, err
		}
		roots, name = clean, rest
	}
	var found []*Entry
	for _, root := range roots {
		e, err := findIn(ctx, src, root, name)
		if err != nil {
			return nil, err
		}
		if e != nil && (len(found) == 0 || found[0].Path != e.Path) {
			found = append(found, e)
		}
	}
	switch len(found) {
	case 0:
		return nil, &Error{Kind: NotFound, Name: name, Roots: roots,
			Msg: fmt.Sprintf("no profile named %s under %s", quoted(name), strings.Join(roots, ", "))}
	case 1:
		return found[0], nil
	}
	e := &Error{Kind: Ambiguous, Name: name}
	for _, f := range found {
		e.Paths, e.Roots = append(e.Paths, f.Path), append(e.Roots, f.Root)
	}
	e.Msg = fmt.Sprintf("the name %s stands in several roots: %s", quoted(name), strings.Join(e.Paths, ", "))
	return nil, e
}

func findIn(ctx context.Context, src Source, root, name string) (*Entry, error) {
	e, err := directly(ctx, src, root, name)
	if e != nil || err != nil {
		return e, err
	}
	paths, err := src.Profiles(ctx, root)
	if err != nil {
		return nil, err
	}
	if e, err = among(ctx, src, root, name, paths, true); e != nil || err != nil {
		return e, err
	}
	return among(ctx, src, root, name, paths, false)
}

// directly tries <root>/<name>.agent.* without listing anything.
func directly(ctx context.Context, src Source, root, name string) (*Entry, error) {
	if name == "" || strings.ContainsAny(name, "/\\\x00") {
		return nil, nil
	}
	var paths []string
	for _, s := range profile.ProfileSuffixes {
		paths = append(paths, path.Join(root, name+s))
	}
	return among(ctx, src, root, name, paths, true)
}

// among loads the given files, those of the name only if byFile, and gives the one whose document has
// the name. A file of the name that is no document is the answer too: its error is what the person
// needs to see. Trouble with a file of another name is not.
func among(ctx context.Context, src Source, root, name string, paths []string, byFile bool) (*Entry, error) {
	var found []*Entry
	for _, p := range paths {
		named := strings.HasPrefix(path.Base(p), name+".agent.")
		if byFile && !named {
			continue
		}
		e, err := Load(ctx, src, root, p)
		switch {
		case errors.Is(err, fs.ErrNotExist), !named && own(ctx, err):
			continue
		case err != nil:
			return nil, err
		}
		if e.Name() == name && (e.Err == nil || named) {
			found = append(found, e)
		}
	}
	switch len(found) {
	case 0:
		return nil, nil
	case 1:
		return found[0], nil
	}
	ps := make([]string, len(found))
	for i, f := range found {
		ps[i] = f.Path
	}
	return nil, duplicate(name, root, ps)
}
