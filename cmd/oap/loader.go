package main

import (
	"bytes"
	"context"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/open-agent-profile/oap/profile"
	"github.com/open-agent-profile/oap/profile/resolve"
	"github.com/open-agent-profile/oap/repo"
	"github.com/open-agent-profile/oap/repo/catalog"
)

// Load implements resolve.Loader: a root with an absolute path is a folder of the machine, every other lies in
// the repository.
func (d *discovery) Load(ctx context.Context, root resolve.Root, name string) ([]*resolve.Source, error) {
	if filepath.IsAbs(root.Path) {
		found, err := resolve.FSLoader{Open: func(root resolve.Root) (fs.FS, error) { return os.DirFS(root.Path), nil }}.Load(ctx, root, name)
		for _, s := range found {
			s.ID = realPath(s.Path)
		}
		return found, err
	}
	if d.source == nil {
		return nil, nil
	}
	paths, err := d.source.Profiles(ctx, root.Path)
	if err != nil {
		return nil, err
	}
	var found []*resolve.Source
	for _, p := range paths {
		s, err := d.read(ctx, root, p, name)
		if err != nil {
			return nil, err
		}
		if s != nil {
			found = append(found, s)
		}
	}
	return found, nil
}

// read gives the profile of a file in the repository if it has the name; nil if not. A file that is named so and
// cannot be read is an error, since it is what the caller means.
func (d *discovery) read(ctx context.Context, root resolve.Root, p, name string) (*resolve.Source, error) {
	named := slices.ContainsFunc(profile.ProfileSuffixes, func(suffix string) bool { return path.Base(p) == name+suffix })
	data, err := d.source.Read(ctx, p)
	switch {
	case err != nil && !named && ctx.Err() == nil && repo.KindOf(err) != repo.IO: // it is not what the caller means
		return nil, nil
	case err != nil:
		return nil, err
	case !named && !bytes.Contains(data, []byte(name)) && bytes.IndexByte(data, '\\') < 0:
		return nil, nil // it cannot say the name, and most files of a root do not
	}
	doc, err := profile.Parse(p, data)
	switch {
	case err != nil && named:
		return nil, err
	case err != nil || doc.Name() != name:
		return nil, nil
	}
	return d.place(ctx, root, doc)
}

// place says what a document of the repository really is, where links lead to one file by several paths.
func (d *discovery) place(ctx context.Context, root resolve.Root, doc *profile.Document) (*resolve.Source, error) {
	root, err := d.vouched(ctx, root, doc)
	if err != nil {
		return nil, err
	}
	s := &resolve.Source{Root: root, Path: doc.Path, Document: doc}
	if c, ok := d.source.(catalog.Commit); ok {
		final, err := c.Snapshot.Follow(ctx, doc.Path)
		if err != nil {
			return nil, err
		}
		s.ID = string(d.commit) + ":" + final
		return s, nil
	}
	s.ID = realPath(filepath.Join(d.repo.Root, filepath.FromSlash(doc.Path)))
	return s, nil
}

// realPath follows the links of a path; one that cannot be followed stands for itself.
func realPath(p string) string {
	if real, err := filepath.EvalSymlinks(p); err == nil {
		return real
	}
	return p
}

// rootOf gives the root that holds a file named on the command line, so that it is trusted as what is found
// there. Nobody vouches for any other file.
func (d *discovery) rootOf(file string) resolve.Root {
	abs, err := filepath.Abs(file)
	if err == nil && file != "-" {
		abs = realPath(abs)
		for _, root := range slices.Backward(d.roots) {
			top := root.Path
			if !filepath.IsAbs(top) {
				if d.repo.Root == "" || d.commit != "" {
					continue
				}
				top = filepath.Join(d.repo.Root, filepath.FromSlash(top))
			}
			rel, err := filepath.Rel(realPath(top), abs)
			if err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
				return root
			}
		}
	}
	return resolve.Root{Name: "file", Path: file, Trust: resolve.Imported}
}
