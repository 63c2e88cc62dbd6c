package resolve

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"

	"github.com/open-agent-profile/oap/profile"
)

// Loader reads profiles. One Loader answers for all roots, and all from one moment: the working tree, or
// one commit.
type Loader interface {
	// Load gives every profile of a root whose metadata.name is name, whatever its file is called
	// (OAP L1-D4). A root that does not exist has none. A file that is named after name and cannot be
	// read as a document is an error, since it is what the caller means.
	Load(ctx context.Context, root Root, name string) ([]*Source, error)
}

// Source is one profile as found.
type Source struct {
	Root     Root
	Path     string // for people, and with Root the identity where ID is empty
	ID       string // what the file really is, where several paths lead to it: a real path, a blob id
	Document *profile.Document
}

// identity tells documents apart. Names do not: a project's reviewer may extend the user's reviewer.
func (s *Source) identity() string {
	if s.ID != "" {
		return s.ID
	}
	return s.Root.Path + "\x00" + s.Path
}

// FSLoader loads profiles from file trees. Open gives the tree of a root, and an error that is
// [fs.ErrNotExist] where there is no such root.
type FSLoader struct {
	Open func(Root) (fs.FS, error)
}

// Load implements [Loader]. Like every reader of a root it looks at folders below, too. A file that is no
// document and is called otherwise is passed over: it is for a check of the whole root to report.
func (l FSLoader) Load(ctx context.Context, root Root, name string) ([]*Source, error) {
	tree, err := l.Open(root)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, fmt.Errorf("root %s: %w", root.Path, err)
	}
	var found []*Source
	err = fs.WalkDir(tree, ".", func(p string, d fs.DirEntry, err error) error {
		switch {
		case p == "." && errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil:
			return err
		case ctx.Err() != nil:
			return ctx.Err()
		case d.IsDir() || !profile.IsProfilePath(p):
			return nil
		}
		src, err := fs.ReadFile(tree, p)
		if err != nil {
			return err
		}
		if !mayHold(src, name) && !namedAfter(p, name) {
			return nil
		}
		doc, err := profile.Parse(path.Join(root.Path, p), src)
		switch {
		case err == nil && doc.Name() == name:
			found = append(found, &Source{Root: root, Path: doc.Path, Document: doc})
		case err != nil && namedAfter(p, name):
			return err
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("profile %q in %s: %w", name, root.Path, err)
	}
	return found, nil
}

// mayHold reports whether a text can say a name at all: most files of a root need no parsing. A text with
// a backslash may spell it otherwise.
func mayHold(src []byte, name string) bool {
	return bytes.Contains(src, []byte(name)) || bytes.IndexByte(src, '\\') >= 0
}

func namedAfter(p, name string) bool {
	return slices.ContainsFunc(profile.ProfileSuffixes, func(suffix string) bool { return path.Base(p) == name+suffix })
}
