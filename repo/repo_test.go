package repo

import (
	"context"
	"os"
	"testing"

	"github.com/open-agent-profile/oap/internal/oaptest"
)

// open opens a test repository and closes it at the end.
func open(t testing.TB, r *oaptest.Repo) *Repo {
	t.Helper()
	got, err := Open(context.Background(), Options{Dir: r.Dir, Env: r.Env})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(got.Close)
	return got
}

// want fails unless err is an *Error of that kind and reason.
func want(t testing.TB, err error, kind Kind, reason string) {
	t.Helper()
	if KindOf(err) != kind || ReasonOf(err) != reason {
		t.Fatalf("got error %v (%v, %q), want %v, %q", err, KindOf(err), ReasonOf(err), kind, reason)
	}
}

func must[T any](v T, err error) func(t testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func mkdir(t testing.TB, dir string) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
}
