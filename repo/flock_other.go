//go:build !unix

package repo

import (
	"io/fs"
	"os"
	"os/exec"
)

// tryFlock has no inheritable lock to offer here; git's own locks still keep writers apart, and a lost
// race is tried again.
func tryFlock(*os.File) (bool, error) { return true, nil }

func unlock(*os.File) {}

func ownGroup(*exec.Cmd) {}

func umask() fs.FileMode { return 0 }
