package repo

import (
	"errors"
	"fmt"
	"io/fs"
	"os/exec"
	"syscall"
	"testing"
)

func TestErrorKinds(t *testing.T) {
	no := exec.Command("false").Run()
	for _, c := range []struct {
		name   string
		err    error
		kind   Kind
		reason string
	}{
		{"disk full", ioError("x", fmt.Errorf("write: %w", syscall.ENOSPC)), IO, "disk-full"},
		{"permission", ioError("x", &fs.PathError{Err: syscall.EACCES}), IO, "permission"},
		{"other", ioError("x", errors.New("boom")), IO, "io"},
		{"passes", ioError("x", refuse("dirty", "p", "m")), Refused, "dirty"},
		{"git on a full disk", childError(t.Context(), nil, no, "fatal: unable to write: No space left on device"), IO, "disk-full"},
		{"git without permission", childError(t.Context(), nil, no, "error: Permission denied"), IO, "permission"},
		{"wrapped", fmt.Errorf("profile: %w", notFound("no-path", "p", "m")), NotFound, "no-path"},
		{"none", errors.New("x"), 0, ""},
	} {
		if KindOf(c.err) != c.kind || ReasonOf(c.err) != c.reason {
			t.Errorf("%s: %v %q", c.name, KindOf(c.err), ReasonOf(c.err))
		}
	}
	if ioError("x", nil) != nil {
		t.Error("no error is an error")
	}
	err := &Error{Kind: Refused, Path: "a/b", Msg: "has local changes", Err: &gitError{args: []string{"-c", "x=y", "update-ref"}, code: 128, stderr: "warning: w\nfatal: cannot \x1b[2J\nhint: advice\n"}}
	if got := err.Error(); got != `a/b: has local changes: git update-ref: exit 128: cannot \x1b[2J` {
		t.Errorf("%q", got)
	}
}

func TestVersions(t *testing.T) {
	for v, old := range map[string]bool{"git version 2.33.8": true, "git version 2.34.0": false, "git version 2.39.5 (Apple Git-154)": false, "git version 3.0.0-rc1": false, "nonsense": false} {
		if have := versionOf(v); (have != "" && versionLess(have, oldestGit)) != old {
			t.Errorf("%q", v)
		}
	}
}
