//go:build unix

package main

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/open-agent-profile/oap/internal/oaptest"
	"github.com/open-agent-profile/oap/repo"
)

// silent is an input that interrupts the run when it is read, and then says nothing until the test ends.
type silent struct {
	interrupt func()
	end       chan struct{}
}

func (s silent) Read([]byte) (int, error) {
	s.interrupt()
	<-s.end
	return 0, io.EOF
}

// TestInterrupted wants a run that waits for standard input, or for a pipe, to end when it is interrupted.
func TestInterrupted(t *testing.T) {
	dir := t.TempDir()
	env := oaptest.Env(t.TempDir())
	if err := repo.Init(t.Context(), dir, env); err != nil {
		t.Fatal(err)
	}
	fifo := filepath.Join(dir, "pipe.agent.yaml")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(fifo, filepath.Join(dir, "pipe.delta.yaml")); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{
		"apply-delta -", "delta check -", "validate -", "show -", "digest -",
		"apply-delta pipe.delta.yaml", "delta check pipe.delta.yaml", "validate pipe.agent.yaml", "show ./pipe.agent.yaml", "digest ./pipe.agent.yaml",
		"textconv pipe.agent.yaml", "merge-file pipe.agent.yaml pipe.agent.yaml pipe.agent.yaml",
	} {
		t.Run(line, func(t *testing.T) {
			ctx, interrupt := context.WithCancel(t.Context())
			defer interrupt()
			if !strings.HasSuffix(line, " -") {
				go func() { // opening waits until the run has opened the pipe, too
					w, err := os.OpenFile(fifo, os.O_WRONLY, 0)
					interrupt()
					if err == nil {
						t.Cleanup(func() { w.Close() })
					}
				}()
			}
			end := make(chan struct{})
			defer close(end)
			var out, errs bytes.Buffer
			a := newApp(silent{interrupt, end}, &out, &errs, func(string) string { return "" })
			a.environ = env
			code := run(ctx, a, append([]string{"-C", dir}, strings.Fields(line)...))
			if code != exitInterrupted || !strings.Contains(errs.String(), "interrupted") {
				t.Errorf("exit %d, %s", code, errs.String())
			}
		})
	}
}
