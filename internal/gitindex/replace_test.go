package gitindex

import (
	"encoding/binary"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestReplaceIsWhatGitWouldWrite(t *testing.T) {
	for _, tt := range matrix {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			format := tt.format
			if format == "" {
				format = "sha1"
			}
			r := newRepository(t, format)
			if tt.setup != nil {
				tt.setup(r)
			}
			checkReplace(t, r, tt)
		})
	}
}

func checkReplace(t *testing.T, r *repository, tt matrixCase) {
	t.Helper()
	before := r.index()
	if got := binary.BigEndian.Uint32(before[4:]); got != tt.version {
		t.Fatalf("setup made version %d, want %d", got, tt.version)
	}
	have := extensionNames(t, before, r.idLen)
	for _, x := range tt.extensions {
		if !slices.Contains(have, x) {
			t.Fatalf("setup made extensions %v, want %s among them", have, x)
		}
	}
	status := r.git("status", "--porcelain=v2")
	before = r.index() // status may have written it

	const text = "another content\n"
	commit, blob, trees := r.commit(text)
	oracle := filepath.Join(t.TempDir(), "index")
	copyFile(t, r.indexFile(), oracle)
	r.with(oracle, "update-index", "--cacheinfo", fmt.Sprintf("100644,%x,%s", blob, subject))

	var st *Stat
	if !tt.unwritten {
		s, ok := StatOf(r.write(subject, text))
		if !ok {
			t.Skip("no stat data on this system")
		}
		st = &s
	}
	after, err := replace(t, before, r.idLen, subject, blob, st, trees)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(have, extensionNames(t, after, r.idLen)); diff != "" {
		t.Errorf("extensions (-before +after):\n%s", diff)
	}
	checkTrees(t, r.idLen, before, after, trees, tt.coldTrees)
	checkEnd(t, after, r.idLen)

	old, entries := mustFind(t, before, r.idLen), mustFind(t, after, r.idLen)
	old.ID = blob
	if diff := cmp.Diff(old, entries); diff != "" {
		t.Errorf("entry (-before +after):\n%s", diff)
	}
	r.install(before, after, st)
	checkEntries(t, r, oracle, tt.unwritten)
	r.git("update-ref", "HEAD", commit)
	if diff := cmp.Diff(strings.Split(status, "\n"), strings.Split(r.git("status", "--porcelain=v2"), "\n")); diff != "" {
		t.Errorf("status (-before +after):\n%s", diff)
	}
	r.install(before, after, st) // status may have refreshed it
	checkJudgement(t, r, oracle)
}

func mustFind(t *testing.T, index []byte, idLen int) Entry {
	t.Helper()
	entries, err := Find(index, idLen, subject)
	if err != nil || len(entries) != 1 {
		t.Fatalf("Find: %v, %v", entries, err)
	}
	return entries[0]
}

// checkEntries compares all entries with those of an index that git changed.
func checkEntries(t *testing.T, r *repository, oracle string, unwritten bool) {
	t.Helper()
	want := r.with(oracle, "ls-files", "-s", "--sparse")
	if diff := cmp.Diff(want, r.git("ls-files", "-s", "--sparse")); diff != "" {
		t.Errorf("ls-files -s (-git +ours):\n%s", diff)
	}
	if !unwritten {
		r.with(oracle, "add", "--sparse", subject)
		if diff := cmp.Diff(r.with(oracle, "ls-files", "--debug", subject), r.git("ls-files", "--debug", subject)); diff != "" {
			t.Errorf("ls-files --debug (-git +ours):\n%s", diff)
		}
	}
}

// checkJudgement asks git what it makes of the index.
func checkJudgement(t *testing.T, r *repository, oracle string) {
	t.Helper()
	tree := r.git("write-tree")
	if want := r.fromScratch(); tree != want {
		t.Errorf("write-tree is %s, want %s", tree, want)
	}
	if want := r.with(oracle, "write-tree"); tree != want {
		t.Errorf("write-tree is %s, with git's own index %s", tree, want)
	}
	if out := r.git("fsck", "--strict", "--no-dangling"); out != "" {
		t.Errorf("fsck: %s", out)
	}
	r.write("agents/team/surprise", "x")
	if got := r.git("status", "--porcelain", "agents/team/surprise"); got != "?? agents/team/surprise" {
		t.Errorf("status of a new file is %q", got)
	}
}
