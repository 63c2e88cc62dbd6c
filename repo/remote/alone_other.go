//go:build !unix

package remote

import "os/exec"

// alone leaves the command as it is: other systems have no process groups of this kind.
func alone(*exec.Cmd, bool) {}
