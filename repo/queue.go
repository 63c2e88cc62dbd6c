package repo

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"time"
)

// tempState starts the name of temporary files in the state directory.
const tempState = "tmp-"

// stateDir gives the directory in the common git directory that holds the queue lock and the journal.
func (r *Repo) stateDir() (string, error) {
	dir := filepath.Join(r.CommonDir, "oap")
	if err := r.sharedDir(dir); err != nil {
		return "", ioError("state directory", err)
	}
	return dir, nil
}

// queue is the lock on which the oap processes of a repository wait for each other. Children inherit
// the file, so that the lock is held while any of them lives.
type queue struct {
	dir  string
	file *os.File
}

// enqueue takes the queue lock, or is Busy.
func (r *Repo) enqueue(ctx context.Context) (*queue, error) {
	dir, err := r.stateDir()
	if err != nil {
		return nil, err
	}
	f, err := os.OpenFile(filepath.Join(dir, "queue"), os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return nil, ioError("queue lock", err)
	}
	err = r.wait(ctx, "queue", "another oap works in this repository", func() (bool, error) { return tryFlock(f) })
	if err != nil {
		_ = f.Close()
		return nil, err
	}
	_ = f.Chmod(r.sharedMode(0o666)) // fails for a file of another user, who has set it
	return &queue{dir, f}, nil
}

func (q *queue) release() {
	unlock(q.file)
	_ = q.file.Close()
}

// wait tries until it works, fails, or the lock timeout is over. Pauses grow and vary, so that waiters
// do not march in step.
func (r *Repo) wait(ctx context.Context, reason, what string, try func() (bool, error)) error {
	limit := r.timeout
	deadline := time.Now().Add(limit)
	for pause := time.Millisecond; ; pause = min(pause*3/2, 20*time.Millisecond) {
		ok, err := try()
		if err != nil {
			return ioError(what, err)
		}
		if ok {
			return nil
		}
		if time.Now().After(deadline) {
			return &Error{Kind: Busy, Reason: reason, Msg: fmt.Sprintf("%s and has not finished within %s", what, limit)}
		}
		if err := sleep(ctx, pause/2+rand.N(pause)); err != nil {
			return err
		}
	}
}

func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
