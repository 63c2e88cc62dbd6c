package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// foreignError refuses to replace a folder that is somebody else's.
type foreignError struct{ dir, file, what string }

func (e *foreignError) Error() string {
	return fmt.Sprintf("%s holds %s, which is no %s; choose a folder of its own", e.dir, e.file, e.what)
}

// treeFiles lists the files of a folder that oap has written, by paths with slashes. The error is a foreignError
// where it holds anything that is not ours, links among it.
func treeFiles(dir, what string, ours func(rel string) bool) (files []string, err error) {
	err = filepath.WalkDir(dir, func(p string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		rel, err := filepath.Rel(dir, p)
		rel = filepath.ToSlash(rel)
		if err == nil && (!e.Type().IsRegular() || !ours(rel)) {
			return &foreignError{dir, rel, what}
		}
		files = append(files, rel)
		return err
	})
	return files, err
}

// putTree makes a whole folder beside dir, and then puts it in the place of dir, whatever that held. On an error dir
// is as it was.
func putTree(dir string, files map[string][]byte) error {
	dir = filepath.Clean(dir)
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return err
	}
	tmp, err := os.MkdirTemp(filepath.Dir(dir), ".oap-tree-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	made := filepath.Join(tmp, "new")
	for p, data := range files {
		full := filepath.Join(made, filepath.FromSlash(p))
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(full, data, 0o644); err != nil {
			return err
		}
	}
	if exists(dir) {
		// No system call that is everywhere swaps two folders. Between these two renames the place is empty.
		old := filepath.Join(tmp, "old")
		if err := os.Rename(dir, old); err != nil {
			return err
		}
		if err := os.Rename(made, dir); err != nil {
			return errors.Join(err, os.Rename(old, dir))
		}
		return nil
	}
	return os.Rename(made, dir)
}
