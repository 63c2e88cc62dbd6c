package gitindex

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// replace gives the bytes of an index with one replacement. Every test that uses it tests, too, that the
// given bytes stay and that a file comes out the same as bytes in memory.
func replace(t testing.TB, index []byte, idLen int, path string, id []byte, st *Stat, trees []TreeChange) ([]byte, error) {
	t.Helper()
	return replaceAll(t, index, idLen, []Replacement{{path, id, st}}, trees)
}

func replaceAll(t testing.TB, index []byte, idLen int, files []Replacement, trees []TreeChange) ([]byte, error) {
	t.Helper()
	input := bytes.Clone(index)
	p, err := Replace(index, idLen, files, trees)
	if err != nil {
		return nil, err
	}
	f, err := os.CreateTemp(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := p.Write(f); err != nil {
		t.Fatal(err)
	}
	written, err := os.ReadFile(f.Name())
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(index, input) {
		t.Error("the given bytes changed")
	}
	out := laid(index, p)
	if !bytes.Equal(written, out) {
		t.Errorf("a file of %d bytes, in memory %d, differ", len(written), len(out))
	}
	return out, nil
}

// laid is the index of a patch put together in memory.
func laid(index []byte, p *Patch) []byte {
	out := bytes.Clone(index[:p.end])
	for _, e := range p.edits {
		copy(out[e.at:], e.data)
	}
	return append(out, p.tail...)
}

// Several paths at once are what git would write, in one or many folders, and in whichever order.
func TestReplaceSeveral(t *testing.T) {
	type file struct{ path, text string }
	tests := []struct {
		name, why  string
		setup      func(r *repository)
		files      []file
		incomplete bool // cached trees that cover staged changes are given up
	}{
		{name: "two in one folder", why: "the folder's tree covers both", files: []file{{"agents/team/writer.yaml", "w"}, {subject, "s"}}},
		{name: "three apart", why: "all folders above any of them change", files: []file{{"zoo/last", "z"}, {subject, "s"}, {"agents/team/a/deep.yaml", "d"}}},
		{name: "at the root", why: "a path without a folder", files: []file{{"README", "r"}, {"agents-old/team/reviewer.yaml", "o"}}},
		{
			name: "compressed, with offsets", why: "entries keep their lengths in every version",
			setup: func(r *repository) {
				r.git("config", "index.threads", "3")
				r.git("update-index", "--index-version", "4")
			},
			files: []file{{"lib/code.go", "c"}, {subject, "s"}, {"README", "r"}},
		},
		{
			name: "staged beside", why: "one folder loses its tree, the other keeps it", incomplete: true,
			setup: func(r *repository) {
				r.write("agents/team/writer.yaml", "staged\n")
				r.git("add", "agents/team/writer.yaml")
				r.git("write-tree")
			},
			files: []file{{"lib/code.go", "c"}, {subject, "s"}},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := newRepository(t, "sha1")
			if tt.setup != nil {
				tt.setup(r)
			}
			status := r.git("status", "--porcelain=v2")
			before := r.index()
			oracle, fresh := filepath.Join(t.TempDir(), "index"), filepath.Join(t.TempDir(), "fresh")
			copyFile(t, r.indexFile(), oracle)
			r.with(fresh, "read-tree", "HEAD")
			var files []Replacement
			dirs := map[string]bool{}
			for _, f := range tt.files {
				blob := r.input(f.text, "hash-object", "-w", "--stdin")
				for _, index := range []string{oracle, fresh} {
					r.with(index, "update-index", "--cacheinfo", fmt.Sprintf("100644,%s,%s", blob, f.path))
				}
				st, ok := StatOf(r.write(f.path, f.text))
				if !ok {
					t.Skip("no stat data on this system")
				}
				files = append(files, Replacement{f.path, r.id(blob), &st})
				for dir := filepath.Dir(f.path); dir != "."; dir = filepath.Dir(dir) {
					dirs[filepath.ToSlash(dir)] = true
				}
			}
			root := r.with(fresh, "write-tree")
			trees := []TreeChange{{"", r.id(r.git("rev-parse", "HEAD:")), r.id(root)}}
			for dir := range dirs {
				trees = append(trees, TreeChange{dir, r.id(r.git("rev-parse", "HEAD:"+dir)), r.id(r.git("rev-parse", root+":"+dir))})
			}
			after, err := replaceAll(t, before, r.idLen, files, trees)
			if err != nil {
				t.Fatal(err)
			}
			slices.Reverse(files)
			if again, err := replaceAll(t, before, r.idLen, files, trees); err != nil || !bytes.Equal(after, again) {
				t.Errorf("in another order it differs: %v", err)
			}
			var cold []string
			if tt.incomplete {
				cold = folders
			}
			checkTrees(t, r.idLen, before, after, trees, cold)
			checkEnd(t, after, r.idLen)
			r.install(before, after, files[0].Stat)
			if diff := cmp.Diff(r.with(oracle, "ls-files", "-s"), r.git("ls-files", "-s")); diff != "" {
				t.Errorf("ls-files -s (-git +ours):\n%s", diff)
			}
			r.git("update-ref", "HEAD", r.git("commit-tree", "-p", "HEAD", "-m", "change", root))
			if diff := cmp.Diff(status, r.git("status", "--porcelain=v2")); diff != "" {
				t.Errorf("status (-before +after):\n%s", diff)
			}
			r.install(before, after, files[0].Stat)
			checkJudgement(t, r, oracle)
		})
	}
	index := handmade(t)
	if _, err := Replace(index, 20, []Replacement{{"a", newID, nil}, {"a", newID, nil}}, nil); err == nil {
		t.Error("a path given twice is accepted")
	}
	if got, err := replaceAll(t, index, 20, nil, nil); err != nil || !bytes.Equal(got, index) {
		t.Errorf("nothing to replace: %v", err)
	}
}
