package repo

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/open-agent-profile/oap/internal/oaptest"
)

// points are the moments in the order of an Update; "files" to "written" are those at which a
// checked-out branch is half moved.
var points = []string{"stored", "begun", "locked", "prepared", "held", "files", "written", "moved"}

// crashed runs an Update of dir/p.yaml that is killed at the points.
func crashed(t *testing.T, r *oaptest.Repo, all bool, points ...string) {
	t.Helper()
	env := []string{crashVar + "=" + strings.Join(points, ",")}
	if all {
		env = append(env, crashAllVar+"=1")
	}
	out, err := childCommand(r.With(env...), "append "+profile+" 1 crash").CombinedOutput()
	if err == nil || !strings.Contains(err.Error(), "killed") {
		t.Fatalf("was not killed: %v %s", err, out)
	}
}

func crashRepo(t *testing.T, shape string) (r, at *oaptest.Repo) {
	r = oaptest.New(t)
	r.Commit("one", profile, "lines:\n", "other", "o\n")
	r.Write("other", "dirty\n")
	switch shape {
	case "elsewhere":
		return r, linked(r, "w", "side")
	case "split index":
		r.Git("update-index", "--split-index")
	case "bare":
		r.Git("clone", "-q", "--bare", ".", r.Beside("bare.git"))
		r = r.At(r.Beside("bare.git"))
	}
	return r, r
}

// usual reports whether a case runs by default. Any other one runs as one in another shape or way does;
// long runs try everything.
func usual(shape, point string, all bool) bool {
	half := slices.Contains(points[4:7], point)
	switch shape {
	case "checked out":
		return half || all
	case "bare":
		return all
	}
	return half && all
}

func TestCrashAtEachPoint(t *testing.T) {
	for _, shape := range []string{"checked out", "elsewhere", "bare", "split index"} {
		for _, all := range []bool{false, true} {
			for _, point := range points {
				if shape == "bare" && point == "files" {
					continue // there are none
				}
				if scale(1) == 1 && !usual(shape, point, all) {
					continue
				}
				t.Run(fmt.Sprintf("%s/%s all=%v", shape, point, all), func(t *testing.T) {
					t.Parallel()
					r, at := crashRepo(t, shape)
					crashed(t, at, all, point)
					text := r.Git("show", "main:"+profile)
					if text != "lines:" && text != "lines:\ncrash-0" {
						t.Fatalf("between old and new: %q", text)
					}
					runChild(t, at, "next")
					after := r.Git("show", "main:"+profile)
					if after != text+"\nnext-0" && after != "lines:\ncrash-0\nnext-0" {
						t.Fatalf("after recovery: %q", after)
					}
					if shape != "bare" {
						if s := r.Git("status", "--porcelain"); strings.TrimSpace(s) != "M other" {
							t.Errorf("status: %q", s)
						}
						if r.Read(profile) != after+"\n" || r.Read("other") != "dirty\n" {
							t.Errorf("file: %q", r.Read(profile))
						}
					}
					r.Fsck()
					debris(t, r)
				})
			}
		}
	}
}

// A recovery may be killed, too.
func TestCrashInRecovery(t *testing.T) {
	for _, first := range []string{"files", "written"} {
		for _, second := range []string{"restoring", "restored", "prepared"} {
			if first == "written" != (second == "prepared") {
				continue // what is whole is finished, what is not is undone
			}
			t.Run(first+" "+second, func(t *testing.T) {
				t.Parallel()
				r, _ := crashRepo(t, "checked out")
				crashed(t, r, true, first)
				crashed(t, r, true, second)
				runChild(t, r, "next")
				if s := r.Git("status", "--porcelain"); strings.TrimSpace(s) != "M other" {
					t.Errorf("status: %q", s)
				}
				r.Fsck()
				debris(t, r)
			})
		}
	}
}

// What a person does after the crash is theirs.
func TestCrashThenPerson(t *testing.T) {
	for _, c := range []struct {
		name, point string
		act         func(*oaptest.Repo)
		file        string // content after recovery, without what the next update adds
		refused     string // reason if the next update must not write
	}{
		{name: "edits the file", point: "files", act: func(r *oaptest.Repo) { r.Write(profile, "mine\n") }, file: "mine\n", refused: "dirty"},
		{name: "edits a file that is staged", point: "written", act: func(r *oaptest.Repo) { r.Write(profile, "mine\n") }, file: "mine\n", refused: "dirty"},
		{name: "commits what is staged", point: "written", act: func(r *oaptest.Repo) { removeLocks(r); r.Git("commit", "-q", "-m", "mine") }, file: "lines:\ncrash-0\n"},
		{name: "resets", point: "written", act: func(r *oaptest.Repo) { removeLocks(r); r.Git("reset", "-q", "--hard") }, file: "lines:\n"},
		{name: "unstages", point: "written", act: func(r *oaptest.Repo) { removeLocks(r); r.Git("reset", "-q") }, file: "lines:\n"},
		{name: "commits something else", point: "files", act: func(r *oaptest.Repo) {
			removeLocks(r)
			r.Git("commit", "-q", "--allow-empty", "-m", "mine")
		}, file: "lines:\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r, _ := crashRepo(t, "checked out")
			crashed(t, r, true, c.point)
			c.act(r)
			got := open(t, r)
			_, err := got.Update(t.Context(), toMain, appendLine(profile, "next"))
			if c.refused != "" {
				want(t, err, Refused, c.refused)
			} else if err != nil {
				t.Fatal(err)
			} else {
				c.file += "next\n"
			}
			if r.Read(profile) != c.file {
				t.Errorf("file: %q, want %q", r.Read(profile), c.file)
			}
			r.Fsck()
			debris(t, r)
		})
	}
}

func removeLocks(r *oaptest.Repo) {
	for _, n := range []string{"index.lock", "HEAD.lock", "refs/heads/main.lock"} {
		_ = os.Remove(r.Path(".git/" + n))
	}
}

// A lock that stands where ours stood is somebody else's.
func TestForeignLocksStay(t *testing.T) {
	for _, name := range []string{"index.lock", "HEAD.lock", "refs/heads/main.lock"} {
		for _, point := range []string{"prepared", "written"} {
			if point == "prepared" && name != "HEAD.lock" && scale(1) == 1 {
				continue
			}
			t.Run(name+" "+point, func(t *testing.T) {
				t.Parallel()
				r, _ := crashRepo(t, "checked out")
				crashed(t, r, true, point)
				lock := r.Path(".git/" + name)
				data, err := os.ReadFile(lock)
				if err != nil {
					t.Fatalf("no lock of ours to begin with: %v", err)
				}
				if err := os.Rename(lock, lock+".ours"); err != nil {
					t.Fatal(err)
				}
				content := strings.Repeat("f", 40) + "\n"
				if name == "index.lock" {
					content = string(data)
				}
				if err := os.WriteFile(lock, []byte(content), 0o644); err != nil {
					t.Fatal(err)
				}
				got := must(Open(t.Context(), Options{Dir: r.Dir, Env: r.Env, LockTimeout: 50 * time.Millisecond}))(t)
				defer got.Close()
				_, err = got.Update(t.Context(), UpdateRequest{Ref: "refs/heads/main", Retries: 1}, appendLine(profile, "next"))
				if KindOf(err) != Busy {
					t.Errorf("got %v, want Busy", err)
				}
				if now, err := os.ReadFile(lock); err != nil || string(now) != content {
					t.Errorf("the lock was touched: %q %v", now, err)
				}
				// When the other one has finished, everything works.
				os.Remove(lock)
				os.Remove(lock + ".ours")
				runChild(t, r, "next")
				if s := r.Git("status", "--porcelain"); strings.TrimSpace(s) != "M other" {
					t.Errorf("status: %q", s)
				}
				debris(t, r)
			})
		}
	}
}
