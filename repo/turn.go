package repo

import (
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"time"
)

// Turn waits until no other process on this machine holds the same file, for processes that would otherwise get into
// each other's way somewhere else. It is a courtesy and protects nothing: after limit, and where there can be no such
// file, the caller goes ahead. waited tells that somebody else has had a turn meanwhile. done ends the turn; it may be
// called more than once. The error is that of ctx.
func Turn(ctx context.Context, file string, limit time.Duration) (done func(), waited bool, err error) {
	none := func() {}
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return none, false, nil
	}
	f, err := os.OpenFile(file, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return none, false, nil
	}
	deadline := time.Now().Add(limit)
	for pause := time.Millisecond; ; pause = min(pause*3/2, 20*time.Millisecond) {
		ok, err := tryFlock(f)
		if ok {
			return func() { unlock(f); _ = f.Close() }, waited, nil
		}
		if err != nil || time.Now().After(deadline) {
			_ = f.Close()
			return none, waited, nil
		}
		waited = true
		if err := sleep(ctx, pause/2+rand.N(pause)); err != nil {
			_ = f.Close()
			return none, waited, err
		}
	}
}
