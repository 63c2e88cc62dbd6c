//go:build unix

package remote

import (
	"os/exec"
	"syscall"
)

// alone makes the command end with all its children. In a session of its own it has no terminal either; with a
// person at the terminal it stays in ours, so that questions reach them.
func alone(cmd *exec.Cmd, session bool) {
	if !session {
		cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
		return
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }
}
