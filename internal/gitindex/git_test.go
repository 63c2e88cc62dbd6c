package gitindex

import (
	"bytes"
	"encoding/hex"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// repository is a real one, made and judged by git.
type repository struct {
	t     testing.TB
	dir   string
	idLen int
}

// subject is the path that the tests replace, and folders those on the way to it.
const subject = "agents/team/reviewer.yaml"

var folders = []string{"", "agents", "agents/team"}

// newRepository makes a repository with one commit of the subject and of files around it.
func newRepository(t testing.TB, format string) *repository {
	t.Helper()
	r := &repository{t: t, dir: t.TempDir(), idLen: 20}
	if format == "sha256" {
		r.idLen = 32
	}
	r.git("init", "-q", "-b", "main", "--object-format="+format)
	for _, name := range []string{
		"README", "agents/other.yaml", "agents/team/reviewer.yaml.bak", "agents/team/a/deep.yaml",
		"agents/team/writer.yaml", "agents-old/team/reviewer.yaml", "lib/code.go", "zoo/last", subject,
	} {
		r.write(name, "content of "+name+"\n")
	}
	r.git("add", ".")
	r.git("commit", "-qm", "base")
	return r
}

func (r *repository) command(args ...string) *exec.Cmd {
	cmd := exec.Command("git", args...)
	cmd.Dir = r.dir
	cmd.Env = append(os.Environ(), "HOME="+r.dir, "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+os.DevNull, "LC_ALL=C",
		"GIT_AUTHOR_NAME=A", "GIT_AUTHOR_EMAIL=a@example.org", "GIT_COMMITTER_NAME=A", "GIT_COMMITTER_EMAIL=a@example.org",
		"GIT_AUTHOR_DATE=2026-01-01T00:00:00Z", "GIT_COMMITTER_DATE=2026-01-01T00:00:00Z")
	return cmd
}

func (r *repository) git(args ...string) string {
	r.t.Helper()
	return r.run(r.command(args...))
}

// with runs git on another index file.
func (r *repository) with(index string, args ...string) string {
	r.t.Helper()
	cmd := r.command(args...)
	cmd.Env = append(cmd.Env, "GIT_INDEX_FILE="+index)
	return r.run(cmd)
}

func (r *repository) input(stdin string, args ...string) string {
	r.t.Helper()
	cmd := r.command(args...)
	cmd.Stdin = strings.NewReader(stdin)
	return r.run(cmd)
}

func (r *repository) run(cmd *exec.Cmd) string {
	r.t.Helper()
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil || stderr.Len() > 0 && cmd.Args[1] == "fsck" {
		r.t.Fatalf("%v: %v\n%s%s", cmd.Args, err, out, stderr.Bytes())
	}
	return strings.TrimRight(string(out), "\n")
}

func (r *repository) path(name string) string { return filepath.Join(r.dir, filepath.FromSlash(name)) }

// write replaces a file by rename, as a careful program does.
func (r *repository) write(name, text string) os.FileInfo {
	r.t.Helper()
	r.must(os.MkdirAll(filepath.Dir(r.path(name)), 0o777))
	temp := r.path(name) + ".new"
	r.must(os.WriteFile(temp, []byte(text), 0o666))
	r.must(os.Rename(temp, r.path(name)))
	fi, err := os.Lstat(r.path(name))
	r.must(err)
	return fi
}

func (r *repository) must(err error) {
	r.t.Helper()
	if err != nil {
		r.t.Fatal(err)
	}
}

func (r *repository) id(text string) []byte {
	r.t.Helper()
	id, err := hex.DecodeString(text)
	r.must(err)
	return id
}

func (r *repository) indexFile() string { return filepath.Join(r.dir, ".git", "index") }

func (r *repository) index() []byte {
	r.t.Helper()
	b, err := os.ReadFile(r.indexFile())
	r.must(err)
	return b
}

// commit makes a commit with another text in the subject, and says what changed. The branch stays.
func (r *repository) commit(text string) (commit string, blob []byte, trees []TreeChange) {
	r.t.Helper()
	blobID := r.input(text, "hash-object", "-w", "--stdin")
	temp := filepath.Join(r.t.TempDir(), "index")
	r.with(temp, "read-tree", "HEAD")
	r.with(temp, "update-index", "--cacheinfo", "100644,"+blobID+","+subject)
	root := r.with(temp, "write-tree")
	for _, dir := range folders {
		trees = append(trees, TreeChange{dir, r.id(r.git("rev-parse", "HEAD:"+dir)), r.id(r.git("rev-parse", root+":"+dir))})
	}
	return r.git("commit-tree", "-p", "HEAD", "-m", "change", root), r.id(blobID), trees
}

// install puts an index in place as the package wants it done.
func (r *repository) install(old, index []byte, st *Stat) {
	r.t.Helper()
	r.place(old, st, func(f *os.File) error {
		_, err := f.Write(index)
		return err
	})
}

func (r *repository) place(old []byte, st *Stat, write func(*os.File) error) {
	r.t.Helper()
	was, err := os.Stat(r.indexFile())
	r.must(err)
	lock := r.indexFile() + ".lock"
	f, err := os.Create(lock)
	r.must(err)
	r.must(errors.Join(write(f), f.Close()))
	now, err := os.Stat(lock)
	r.must(err)
	mtime, err := FileTime(old, r.idLen, subject, st, was.ModTime(), now.ModTime())
	r.must(err)
	r.must(os.Chtimes(lock, time.Time{}, mtime))
	r.must(os.Rename(lock, r.indexFile()))
}

// fromScratch is the tree that git computes for the entries of the index, without its caches.
func (r *repository) fromScratch() string {
	r.t.Helper()
	var staged strings.Builder
	intended := r.git("diff", "--name-only", "--diff-filter=A") // of those only the intent is staged
	for _, line := range strings.SplitAfter(r.git("ls-files", "-s")+"\n", "\n") {
		if f := strings.Fields(line); len(f) == 4 && f[2] == "0" && f[3] != intended {
			staged.WriteString(line)
		}
	}
	cmd := r.command("update-index", "--index-info")
	temp := filepath.Join(r.t.TempDir(), "index")
	cmd.Env, cmd.Stdin = append(cmd.Env, "GIT_INDEX_FILE="+temp), strings.NewReader(staged.String())
	r.run(cmd)
	return r.with(temp, "write-tree")
}

func copyFile(t testing.TB, from, to string) {
	t.Helper()
	b, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(to, b, 0o666); err != nil {
		t.Fatal(err)
	}
}
