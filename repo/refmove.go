package repo

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// refMove is a running git update-ref --stdin: it holds the locks of the refs, and of HEAD, from
// prepare to commit, writes reflogs and runs the reference-transaction hook. It gives everything back
// when its input ends.
type refMove struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
	err tail

	told bool // a transaction is open
	over bool // the child has ended or will
}

// startRefs starts the child ahead of its use.
func (r *Repo) startRefs(q *queue, log string) (*refMove, error) {
	m := &refMove{}
	m.cmd = r.command(context.Background(), invocation{files: []*os.File{q.file}},
		"-c", "core.fsync=reference", "update-ref", "-m", log, "--stdin")
	ownGroup(m.cmd)
	m.cmd.Stderr = &m.err
	m.cmd.WaitDelay = time.Second // for a hook that leaves something behind which holds our pipe
	in, err := m.cmd.StdinPipe()
	if err != nil {
		return nil, ioError("pipe to git update-ref", err)
	}
	out, err := m.cmd.StdoutPipe()
	if err != nil {
		return nil, ioError("pipe from git update-ref", err)
	}
	if err := m.cmd.Start(); err != nil {
		return nil, childError(context.Background(), m.cmd.Args[1:], err, "")
	}
	m.in, m.out = in, bufio.NewReader(out)
	return m, nil
}

// prepare makes git check the old values and lock.
func (m *refMove) prepare(ctx context.Context, refs []RefUpdate) error {
	var b strings.Builder
	b.WriteString("start\n")
	for _, u := range refs {
		b.WriteString(u.command())
	}
	b.WriteString("prepare\n")
	// A hook may take its time; whoever interrupts us interrupts git, which then removes its locks.
	stop := context.AfterFunc(ctx, m.interrupt)
	defer stop()
	m.told = true
	return m.say(b.String(), "start: ok", "prepare: ok")
}

// commit moves the refs. From here on nothing is interrupted.
func (m *refMove) commit() error {
	if err := m.say("commit\n", "commit: ok"); err != nil {
		return err
	}
	// Refs, reflogs and hooks are done; git only has to end.
	m.over = true
	_ = m.in.Close()
	go func() { _ = m.cmd.Wait() }()
	return nil
}

func (m *refMove) say(text string, answers ...string) error {
	if _, err := io.WriteString(m.in, text); err != nil {
		return errors.Join(m.wait(), err)
	}
	for _, want := range answers {
		line, err := m.out.ReadString('\n')
		if strings.TrimSpace(line) == want {
			continue
		}
		if waitErr := m.wait(); waitErr != nil {
			return waitErr
		}
		return fmt.Errorf("git update-ref answered %q: %w", line, errors.Join(err, io.ErrUnexpectedEOF))
	}
	return nil
}

func (m *refMove) wait() error {
	m.over = true
	err := m.cmd.Wait()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return &gitError{args: []string{"update-ref"}, code: exit.ExitCode(), stderr: string(m.err.b)}
	}
	if errors.Is(err, exec.ErrWaitDelay) {
		return nil
	}
	return err
}

func (m *refMove) interrupt() {
	_ = m.in.Close()
	_ = m.cmd.Process.Signal(syscall.SIGTERM)
}

// abort gives the locks back. It is safe after an end of any kind.
func (m *refMove) abort() {
	if m == nil || m.over {
		return
	}
	m.over = true
	if !m.told {
		// It holds nothing. At the end of its input git would commit a transaction of nothing, and run
		// the hook for it.
		_ = m.cmd.Process.Kill()
		_ = m.in.Close()
		go func() { _ = m.cmd.Wait() }()
		return
	}
	_ = m.in.Close()
	_ = m.cmd.Wait()
}

// refLocks gives the lock files that git makes for these refs in the files backend (git:
// refs/files-backend.c). HEAD is locked with the branch it names.
func (r *Repo) refLocks(refs []RefUpdate, head string) []string {
	var out []string
	for _, u := range refs {
		if u.Name == head {
			out = append(out, filepath.Join(r.GitDir, "HEAD.lock"))
		}
		out = append(out, filepath.Join(r.CommonDir, filepath.FromSlash(u.Name))+".lock")
		if u.New == "" {
			out = append(out, filepath.Join(r.CommonDir, "packed-refs.lock"))
		}
	}
	return out
}

// identify gives the proof of each of these files that exists.
func identify(paths []string) (out []lockRecord) {
	for _, p := range paths {
		if id, err := fileIDOf(p); err == nil {
			out = append(out, lockRecord{p, id})
		}
	}
	return out
}
