package repo

import (
	"bytes"
	"compress/zlib"
	"io"
	"strings"
	"testing"

	"github.com/open-agent-profile/oap/internal/oaptest"
)

// Every size around the limits reads back, for us and for git.
func TestLooseObjects(t *testing.T) {
	r := oaptest.New(t)
	got := open(t, r)
	s := newObjectStore(got)
	var ids []ID
	for _, typ := range []string{"blob", "tree"} {
		for _, n := range []int{0, 1, 3999, 4000, 4001, 65530 - 40, storedTreeBelow - 12, storedTreeBelow, storedTreeBelow + 1, 200000} {
			o := newObject{typ: typ, data: []byte(strings.Repeat("x", n))}
			z, err := zlib.NewReader(bytes.NewReader(deflated(o)))
			if err != nil {
				t.Fatal(err)
			}
			data, err := io.ReadAll(z)
			if err != nil || string(data) != string(objectHeader(typ, n))+string(o.data) {
				t.Fatalf("%s of %d bytes: %v", typ, n, err)
			}
			if typ == "blob" {
				ids = append(ids, s.add(typ, o.data))
			}
		}
	}
	if err := s.flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, id := range ids {
		if data, err := got.typed(t.Context(), id, "blob"); err != nil || got.hashObject("blob", data) != id {
			t.Errorf("%s: %v", id, err)
		}
	}
	r.Fsck()
}
