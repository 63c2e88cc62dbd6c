package gitindex

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

type matrixCase struct {
	name, why  string
	format     string // sha1 if empty
	setup      func(r *repository)
	version    uint32   // that setup must bring about
	extensions []string // likewise
	unwritten  bool     // the file in the working tree is not written
	coldTrees  []string // folders on the path whose cached tree must be given up
}

var matrix = []matrixCase{
	{name: "version 2", why: "what git writes by default", version: 2, extensions: []string{"TREE"}},
	{
		name: "version 3, intent to add", why: "another entry has extended flags", version: 3,
		setup: func(r *repository) {
			r.write("agents/team/new.yaml", "new\n")
			r.git("add", "-N", "agents/team/new.yaml")
		},
	},
	{
		name: "version 3, skip-worktree on the path", why: "the flag stays and no file is needed", version: 3, unwritten: true,
		setup: func(r *repository) {
			r.git("update-index", "--skip-worktree", subject)
			r.must(os.Remove(r.path(subject)))
		},
	},
	{
		name: "assume-unchanged on the path", why: "the flag shares a word with the length", version: 2, unwritten: true,
		setup: func(r *repository) { r.git("update-index", "--assume-unchanged", subject) },
	},
	{
		name: "version 4", why: "compressed paths", version: 4, extensions: []string{"TREE"},
		setup: func(r *repository) { r.git("update-index", "--index-version", "4") },
	},
	{
		name: "version 4 with extended flags", why: "both additions at once", version: 4,
		setup: func(r *repository) {
			r.git("update-index", "--index-version", "4")
			r.git("update-index", "--skip-worktree", "README", "zoo/last")
		},
	},
	{name: "sha256", why: "longer ids and another checksum", format: "sha256", version: 2, extensions: []string{"TREE"}},
	{
		name: "sha256, version 4, offsets", why: "a longer hash in EOIE, too", format: "sha256", version: 4, extensions: []string{"TREE", "EOIE", "IEOT"},
		setup: func(r *repository) {
			r.git("config", "index.threads", "3")
			r.git("update-index", "--index-version", "4")
		},
	},
	{
		name: "untracked cache", why: "it has to stay right", version: 2, extensions: []string{"UNTR"},
		setup: func(r *repository) {
			r.git("update-index", "--force-untracked-cache")
			r.write("agents/team/untracked", "x")
			r.git("status")
			r.git("status")
		},
	},
	{
		name: "sparse index", why: "the path lies in the cone", version: 3, extensions: []string{"sdir"},
		setup: func(r *repository) { r.git("sparse-checkout", "set", "--cone", "--sparse-index", "agents") },
	},
	{
		name: "staged beside", why: "the cached trees cover another change", version: 2,
		setup: func(r *repository) {
			r.write("agents/team/writer.yaml", "staged\n")
			r.git("add", "agents/team/writer.yaml")
			r.git("write-tree") // so that the trees with the change are cached
			r.write("agents/team/writer.yaml", "staged and edited\n")
		},
		coldTrees: folders,
	},
	{
		name: "staged above", why: "only the outer cached trees cover another change", version: 2,
		setup: func(r *repository) {
			r.write("lib/code.go", "staged\n")
			r.write("lib/added.go", "added\n")
			r.git("add", "lib")
			r.git("rm", "-q", "zoo/last")
			r.git("write-tree")
		},
		coldTrees: []string{""},
	},
	{
		name: "staged, trees not cached", why: "an invalid tree has no id to replace", version: 2,
		setup: func(r *repository) {
			r.write("agents/other.yaml", "staged\n")
			r.git("add", "agents/other.yaml")
		},
		coldTrees: []string{"", "agents"},
	},
	{
		name: "offsets with a tree given up", why: "EOIE hashes the size of TREE", version: 2, extensions: []string{"TREE", "EOIE", "IEOT"},
		setup: func(r *repository) {
			r.git("config", "index.threads", "4")
			r.write("agents/team/writer.yaml", "staged\n")
			r.git("add", "agents/team/writer.yaml")
			r.git("write-tree")
		},
		coldTrees: folders,
	},
	{
		name: "many entries with offsets", why: "git reads blocks of them in threads", version: 4, extensions: []string{"TREE", "EOIE", "IEOT"},
		setup: func(r *repository) {
			r.git("config", "index.threads", "4")
			fill(r, 3_000)
			r.git("update-index", "--index-version", "4")
		},
	},
	{
		name: "resolved conflict", why: "REUC remembers the stages of another path", version: 2, extensions: []string{"REUC"},
		setup: func(r *repository) {
			conflict(r, "agents/other.yaml")
			r.write("agents/other.yaml", "resolved\n")
			r.git("add", "agents/other.yaml")
		},
		coldTrees: []string{"", "agents"},
	},
	{
		name: "packed", why: "nothing depends on loose objects", version: 2,
		setup: func(r *repository) { r.git("gc", "-q") },
	},
}

// fill commits many entries; the working tree lacks their files.
func fill(r *repository, n int) {
	r.t.Helper()
	blob := r.input("x", "hash-object", "-w", "--stdin")
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "100644 %s\tmany/%03d/user-%d.yaml\n", blob, i%256, i)
	}
	r.input(b.String(), "update-index", "--index-info")
	r.git("commit", "-qm", "many")
}

// conflict leaves a path unmerged.
func conflict(r *repository, name string) {
	r.t.Helper()
	r.git("checkout", "-qb", "theirs")
	r.write(name, "theirs\n")
	r.git("commit", "-qam", "theirs")
	r.git("checkout", "-q", "main")
	r.write(name, "ours\n")
	r.git("commit", "-qam", "ours")
	if err := r.command("merge", "-q", "theirs").Run(); err == nil {
		r.t.Fatal("the merge went through")
	}
	r.must(os.Remove(filepath.Join(r.dir, ".git", "MERGE_HEAD")))
}
