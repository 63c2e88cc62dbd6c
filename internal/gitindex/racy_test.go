package gitindex

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// second is when the files of these tests are written, long ago, so that nothing waits for a clock.
var second = time.Unix(1_700_000_000, 0)

// quiet makes a repository in which only times and sizes tell that a file changed. A change of the ctime
// would give an edit away here; outside of tests, edit and index lie in one second of it, too.
func quiet(t *testing.T) *repository {
	r := newRepository(t, "sha1")
	r.git("config", "core.trustctime", "false")
	for _, name := range []string{"README", subject} {
		r.must(os.Chtimes(r.path(name), second, second))
	}
	r.must(os.Chtimes(r.indexFile(), second, second))
	return r
}

// edit changes a file in place, keeping size and time.
func (r *repository) edit(name, text string, mtime time.Time) {
	r.t.Helper()
	fi, err := os.Stat(r.path(name))
	r.must(err)
	if fi.Size() != int64(len(text)) {
		r.t.Fatalf("%d bytes instead of %d", len(text), fi.Size())
	}
	r.must(os.WriteFile(r.path(name), []byte(text), 0o666))
	r.must(os.Chtimes(r.path(name), mtime, mtime))
}

func (r *repository) modified(name string) bool {
	r.t.Helper()
	line := r.git("status", "--porcelain", "--", name) // first the index against HEAD, then the file against the index
	return len(line) > 1 && line[1] == 'M'
}

func TestAnEditInTheSecondOfTheOldIndexStaysVisible(t *testing.T) {
	for _, tt := range []struct {
		name, why string
		useTime   bool // give the new index the time that FileTime says
	}{
		{name: "with FileTime", why: "git still looks into the file", useTime: true},
		{name: "without", why: "shows that the other case tests something: git is fooled"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := quiet(t)
			r.git("update-index", "--refresh")
			r.must(os.Chtimes(r.indexFile(), second, second))
			r.edit("README", "CONTENT OF README\n", second)

			old := r.index()
			_, blob, trees := r.commit("another content\n")
			st, _ := StatOf(r.write(subject, "another content\n"))
			index, err := replace(t, old, r.idLen, subject, blob, &st, trees)
			if err != nil {
				t.Fatal(err)
			}
			if tt.useTime {
				r.install(old, index, &st)
			} else {
				r.must(os.WriteFile(r.indexFile(), index, 0o666))
			}
			if got := r.modified("README"); got != tt.useTime {
				t.Errorf("modified is %v, want %v", got, tt.useTime)
			}
		})
	}
}

func TestAnEditRightAfterTheReplacementShows(t *testing.T) {
	t.Parallel()
	r := quiet(t)
	r.must(os.Chtimes(r.indexFile(), second.Add(time.Hour), second.Add(time.Hour)))
	old := r.index()
	_, blob, trees := r.commit("another content\n")
	r.write(subject, "another content\n")
	written := second.Add(2 * time.Hour)
	r.must(os.Chtimes(r.path(subject), written, written))
	fi, err := os.Lstat(r.path(subject))
	r.must(err)
	st, _ := StatOf(fi)
	index, err := replace(t, old, r.idLen, subject, blob, &st, trees)
	if err != nil {
		t.Fatal(err)
	}
	r.install(old, index, &st)
	r.edit(subject, "ANOTHER CONTENT\n", written)
	if !r.modified(subject) {
		t.Error("git does not see the edit")
	}
}

// Without a stat git has to read the file, whatever it holds, and whatever a monitor says of it.
func TestWithoutStatGitLooks(t *testing.T) {
	tests := []struct {
		name, why string
		old, new  string // texts of the subject in the old and the new entry
		file      string // text of the file
		monitor   bool   // a monitor that reports no change is set up
		want      bool   // whether the file is modified
	}{
		{name: "file holds it", why: "clean after a look", new: "new\n", file: "new\n"},
		{name: "file differs", why: "same size as the new one", new: "new\n", file: "odd\n", want: true},
		{name: "file kept", why: "the old stat data still fit the file", file: "content of " + subject + "\n", new: "new\n", want: true},
		{name: "empty blob, file not", why: "0 is also the right size of an empty file", new: "", file: "odd\n", want: true},
		{name: "empty blob, empty file", why: "the same", new: "", file: ""},
		{name: "file empty, blob not", why: "sizes are equal by the mark", new: "new\n", file: "", want: true},
		{name: "monitor", why: "the monitor knows only of files, not of the entry", new: "new\n", file: "odd\n", monitor: true, want: true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := quiet(t)
			if tt.monitor {
				r.write(subject, tt.file)
				watch(r)
			}
			old := r.index()
			_, blob, trees := r.commit(tt.new)
			index, err := replace(t, old, r.idLen, subject, blob, nil, trees)
			if err != nil {
				t.Fatal(err)
			}
			if fi, err := os.Stat(r.path(subject)); !tt.monitor && (err != nil || fi.Size() != int64(len(tt.file))) {
				r.write(subject, tt.file)
			} else if !tt.monitor {
				r.edit(subject, tt.file, second)
			}
			r.install(old, index, nil)
			if got := r.modified(subject); got != tt.want {
				t.Errorf("modified is %v, want %v", got, tt.want)
			}
		})
	}
}

// watch sets a monitor up that reports the names in .git/reported, and lets git believe it.
func watch(r *repository) {
	r.t.Helper()
	hook := filepath.Join(r.dir, ".git", "monitor")
	r.must(os.WriteFile(hook, []byte("#!/bin/sh\nprintf 'token\\0'\ncat .git/reported\n"), 0o777))
	r.must(os.WriteFile(filepath.Join(r.dir, ".git", "reported"), nil, 0o666))
	r.git("config", "core.fsmonitor", ".git/monitor")
	r.git("add", ".")
	r.git("update-index", "--fsmonitor")
	r.git("status")
}

// A monitor that is told of the file keeps its knowledge of all others.
func TestMonitorIsKeptWithStat(t *testing.T) {
	t.Parallel()
	r := newRepository(t, "sha1")
	watch(r)
	old := r.index()
	_, blob, trees := r.commit("new\n")
	st, _ := StatOf(r.write(subject, "new\n"))
	r.must(os.WriteFile(filepath.Join(r.dir, ".git", "reported"), []byte(subject+"\x00"), 0o666))
	index, err := replace(t, old, r.idLen, subject, blob, &st, trees)
	if err != nil {
		t.Fatal(err)
	}
	names := extensionNames(t, index, r.idLen)
	if len(names) == 0 || names[len(names)-1] != "FSMN" {
		t.Errorf("extensions are %v, want FSMN among them", names)
	}
	r.install(old, index, &st)
	if r.modified(subject) {
		t.Error("the file is called modified")
	}
	r.write(subject, "odd\n")
	if !r.modified(subject) {
		t.Error("the next edit is not seen")
	}
}

func TestFileTime(t *testing.T) {
	index := handmade(t)
	marked, err := replace(t, index, 20, "a", newID, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	untracked := build([]built{{"b/c", 0o100644, 500}}, section("UNTR", []byte("x")))
	at := func(sec, nsec int64) time.Time { return time.Unix(sec, nsec) }
	stat := func(sec, nsec uint32) *Stat { return &Stat{MTimeSec: sec, MTimeNsec: nsec} }
	// Its entries: "a" of second 100, "b/c" (replaced) of second 500, "d", a submodule, of second 900.
	tests := []struct {
		name, why string
		index     []byte
		st        *Stat
		old, now  time.Time
		want      time.Time
	}{
		{"the file's", "an edit in the same second has to show", index, stat(200, 7), at(150, 0), at(203, 0), at(200, 7)},
		{"not ahead of now", "files written until then would count as older", index, stat(300, 0), at(150, 0), at(203, 5), at(203, 5)},
		{"no stat", "the entry is marked itself", index, nil, at(150, 0), at(203, 5), at(203, 5)},
		{"another entry in the same second", "git must go on looking into it", index, stat(200, 0), at(100, 900), at(203, 0), at(99, 999_999_900)},
		{"another entry is younger", "the same", index, stat(200, 0), at(99, 5000), at(203, 0), at(99, 4000)},
		{"one second later", "it was not looked into before", index, stat(200, 0), at(101, 0), at(203, 0), at(200, 0)},
		{"untracked files", "their folders rely on it", untracked, stat(200, 0), at(150, 1000), at(203, 0), at(150, 0)},
		{"marked entry", "git looks into it anyway", marked, stat(200, 0), at(50, 0), at(203, 0), at(200, 0)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := FileTime(tt.index, 20, "b/c", tt.st, tt.old, tt.now)
			if err != nil || !got.Equal(tt.want) {
				t.Errorf("got %v, %v, want %v", got, err, tt.want)
			}
		})
	}
}
