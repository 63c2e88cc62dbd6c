//go:build unix

package repo

import (
	"os"
	"testing"
	"time"

	"github.com/open-agent-profile/oap/internal/oaptest"
)

// TestOtherIndex wants a branch left alone while git works with an index of its own, as it does in hooks of
// git commit -- PATH: the commit that follows would take our change back.
func TestOtherIndex(t *testing.T) {
	r := oaptest.New(t)
	base(r)
	data, err := os.ReadFile(r.Path(".git/index"))
	if err != nil {
		t.Fatal(err)
	}
	r.Write(".git/next-index-1", string(data))
	before := state(t, r)
	_, err = open(t, r.With("GIT_INDEX_FILE=.git/next-index-1")).Update(t.Context(), toMain, put(profile, "x\n", "s"))
	if ReasonOf(err) != "other-index" {
		t.Fatal(err)
	}
	if after := state(t, r); len(before) != len(after) {
		t.Error("something changed")
	}
	// Its own index by another spelling is its own index.
	must(open(t, r.With("GIT_INDEX_FILE="+r.Path(".git/./index"))).Update(t.Context(), toMain, put(profile, "x\n", "s")))(t)
	r.Sound()
}

// TestHookThatStays wants the queue free again although a hook has left a process behind.
func TestHookThatStays(t *testing.T) {
	r := oaptest.New(t)
	base(r)
	r.Write(".git/hooks/reference-transaction", "#!/bin/sh\n(sleep 20 >/dev/null 2>&1 </dev/null &)\nexit 0\n")
	if err := os.Chmod(r.Path(".git/hooks/reference-transaction"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"1\n", "2\n"} {
		got, err := Open(t.Context(), Options{Dir: r.Dir, Env: r.Env, LockTimeout: 5 * time.Second})
		if err != nil {
			t.Fatal(err)
		}
		must(got.Update(t.Context(), toMain, put(profile, text, "s")))(t)
		got.Close()
	}
	r.Fsck()
}
