//go:build unix

package repo

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"

	"golang.org/x/sys/unix"
)

// tryFlock takes the advisory lock of an open file, or reports that somebody else has it. The kernel
// gives it back when the last process that inherited the descriptor is gone, however it ended.
func tryFlock(f *os.File) (bool, error) {
	for {
		err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		switch {
		case err == nil:
			return true, nil
		case errors.Is(err, unix.EWOULDBLOCK):
			return false, nil
		case !errors.Is(err, unix.EINTR):
			return false, err
		}
	}
}

// unlock gives the lock back at once, for all who inherited the descriptor: a hook may have left a process
// behind that lives for days.
func unlock(f *os.File) { _ = unix.Flock(int(f.Fd()), unix.LOCK_UN) }

// ownGroup puts a child into a process group of its own, so that what kills ours leaves it the time to
// see its input end and to give its locks back.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &unix.SysProcAttr{Setpgid: true} }

var processUmask = func() fs.FileMode {
	m := unix.Umask(0)
	unix.Umask(m)
	return fs.FileMode(m)
}()

func umask() fs.FileMode { return processUmask }
