package main

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/open-agent-profile/oap/canonical"
)

// skillFile makes a folder a skill.
const skillFile = "SKILL.md"

// skillDigest finds skills in folders, in their order, and gives their digests. Nothing is installed or run
// (OAP L3-K1).
func (a *app) skillDigest(folders []string) func(name, source string) (canonical.Digest, error) {
	return func(name, _ string) (canonical.Digest, error) {
		// A name is one folder: "../x" would be a skill that nobody put where skills are.
		if !filepath.IsLocal(name) || strings.ContainsAny(name, `/\`) || name == "." {
			return canonical.Digest{}, fmt.Errorf("the name %q is not that of a folder", name)
		}
		for _, folder := range folders {
			dir := filepath.Join(a.resolve(folder), name)
			if _, err := os.Stat(filepath.Join(dir, skillFile)); errors.Is(err, fs.ErrNotExist) {
				continue
			}
			return folderDigest(dir)
		}
		return canonical.Digest{}, fs.ErrNotExist
	}
}

// folderDigest is the SHA-256 of the RFC 8785 form of {path: digest of the file} over all files of a folder
// (docs/harness.md). A link would let other files stand for those that were reviewed, so there is none.
func folderDigest(dir string) (canonical.Digest, error) {
	files := map[string]any{}
	root, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return canonical.Digest{}, err
	}
	err = filepath.WalkDir(root, func(p string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, p)
		switch {
		case err != nil:
			return err
		case e.IsDir() && e.Name() == ".git":
			return filepath.SkipDir
		case e.IsDir():
			return nil
		case !e.Type().IsRegular():
			return fmt.Errorf("%s is not a regular file", filepath.ToSlash(rel))
		}
		data, err := readFile(p)
		if err != nil {
			return err
		}
		if len(data) > maxInput {
			return fmt.Errorf("%s is too large", filepath.ToSlash(rel))
		}
		sum := sha256.Sum256(data)
		files[filepath.ToSlash(rel)] = "sha256:" + hex.EncodeToString(sum[:])
		return nil
	})
	if err != nil {
		return canonical.Digest{}, err
	}
	return canonical.Sum(files)
}

// storeServed reports why a store of memory cannot be used: oap keeps folders of notes, and the harness says which
// other kinds it serves.
func storeServed(kinds []string, workspace string) func(name, kind, uri string) error {
	return func(_, kind, uri string) error {
		if slices.Contains(kinds, kind) {
			return nil
		}
		if kind != notesKind {
			return fmt.Errorf("the harness does not serve stores of the kind %q", kind)
		}
		root, err := openFolder(workspace, uri)
		if err == nil {
			err = root.Close()
		}
		return err
	}
}
