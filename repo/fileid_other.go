//go:build !linux && !darwin

package repo

import "os"

// fileIDOf cannot name a file for good here, so that no stale lock is ever taken for ours.
func fileIDOf(path string) (fileID, error) {
	_, err := os.Lstat(path)
	return fileID{}, err
}
