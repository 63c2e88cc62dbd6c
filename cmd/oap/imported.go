package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"strings"

	"github.com/open-agent-profile/oap/canonical"
	"github.com/open-agent-profile/oap/profile"
	"github.com/open-agent-profile/oap/profile/resolve"
)

// importedFolder lies below a profile root and holds what oap import has written: profiles that nobody vouches for,
// each with the spec digest that it was reviewed under (decision 0005).
const importedFolder = "imported"

// pinSuffix is that of the file with the digest.
const pinSuffix = ".pin"

// isImported reports whether a path lies in the folder for imported profiles of a root; both with slashes.
func isImported(root, p string) bool {
	return strings.HasPrefix(p, path.Join(root, importedFolder)+"/")
}

// changedImportError refuses an imported profile whose contract is not the one that was reviewed.
type changedImportError struct{ name, path, pinned, has string }

func (e *changedImportError) Error() string {
	if e.pinned == "" {
		return fmt.Sprintf("%s lies among imported profiles, and nothing says which contract of it was reviewed: %s is missing", e.path, e.name+pinSuffix)
	}
	return fmt.Sprintf("%s was imported with the spec digest %s, and has %s now", e.path, e.pinned, e.has)
}

// vouched gives the root with the trust that a place in it has. An imported profile has the least, and is not used at
// all unless its contract is the one that was reviewed. read reads a file of the root by its path.
func vouched(root resolve.Root, p string, doc *profile.Document, read func(string) ([]byte, error)) (resolve.Root, error) {
	if !isImported(filepath.ToSlash(root.Path), filepath.ToSlash(p)) {
		return root, nil
	}
	root.Trust = resolve.Imported
	broken := &changedImportError{name: doc.Name(), path: p}
	text, err := read(path.Join(path.Dir(filepath.ToSlash(p)), doc.Name()+pinSuffix))
	if errors.Is(err, fs.ErrNotExist) {
		return root, broken
	}
	if err != nil {
		return root, err
	}
	digest, err := doc.SpecDigest()
	if err != nil {
		return root, err
	}
	broken.pinned, broken.has = strings.TrimSpace(string(text)), digest.String()
	if pinned, err := canonical.ParseDigest(broken.pinned); err != nil || pinned != digest {
		return root, broken
	}
	return root, nil
}

// vouched reads pins where the profiles are read.
func (d *discovery) vouched(ctx context.Context, root resolve.Root, doc *profile.Document) (resolve.Root, error) {
	return vouched(root, doc.Path, doc, func(p string) ([]byte, error) { return d.source.Read(ctx, p) })
}
