package catalog

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/open-agent-profile/oap/repo"
)

// TestReadIsBounded wants a huge file to cost no more memory than a document may have.
func TestReadIsBounded(t *testing.T) {
	top := t.TempDir()
	name := filepath.Join(top, "huge.agent.yaml")
	if err := os.WriteFile(name, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(name, 3<<30); err != nil { // a hole, not 3 GiB
		t.Fatal(err)
	}
	w := Worktree{Top: top}
	data, err := w.Read(t.Context(), "huge.agent.yaml")
	if err != nil || len(data) != maxRead {
		t.Errorf("%d bytes, %v, want %d", len(data), err, maxRead)
	}
	list, err := List(t.Context(), w, []string{"."})
	if err != nil || len(list) != 1 || list[0].Err == nil {
		t.Errorf("%v, %v, want one entry with its trouble", list, err)
	}
}

func TestReadOdd(t *testing.T) {
	top := t.TempDir()
	if err := os.Mkdir(filepath.Join(top, "d.agent.yaml"), 0o755); err != nil {
		t.Fatal(err)
	}
	w := Worktree{Top: top}
	for _, p := range []string{"d.agent.yaml", "missing.agent.yaml"} {
		if _, err := w.Read(t.Context(), p); !errors.Is(err, fs.ErrNotExist) || repo.KindOf(err) != 0 {
			t.Errorf("%s: %v, want no such file", p, err)
		}
	}
}

func TestCollisions(t *testing.T) {
	for _, tt := range []struct {
		name, why   string
		paths, want []string
	}{
		{"none", "different names", []string{"a/p", "a/q", "b/p"}, nil},
		{"file", "one folder", []string{"a/P", "a/p", "a/q"}, []string{"a/P", "a/p"}},
		{"folder", "a folder collides as well", []string{"A/p", "a/p"}, []string{"A/p", "a/p"}},
		{"beyond ASCII", "file systems fold all letters", []string{"É", "é"}, []string{"É", "é"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for _, e := range Collisions(tt.paths) {
				got = append(got, e.Paths...)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tt.why, diff)
			}
		})
	}
}
