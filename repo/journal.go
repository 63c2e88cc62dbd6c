package repo

import (
	"bufio"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// fileID names a file so that no other one is ever taken for it. Born is 0 where the file system keeps
// no time of birth; such a file cannot be proven to be ours.
type fileID struct {
	Dev  uint64 `json:"dev"`
	Ino  uint64 `json:"ino"`
	Born int64  `json:"born"`
}

func (f fileID) proves(g fileID) bool { return f == g && f.Born != 0 }

// record is one line of the journal. A journal is written before anything is touched that a killed
// process could leave half done, and removed when all is done. Its first line says what is to happen; a later
// one of the kind says it anew, when locks were taken before that was known.
type record struct {
	Begin *transition `json:"begin,omitempty"`
	Lock  *lockRecord `json:"lock,omitempty"` // about to be linked into place
	// Prepare is the time at which git was told to lock refs. What git locked is in Held.
	Prepare int64        `json:"prepare,omitempty"`
	Temps   []string     `json:"temps,omitempty"` // of a recovery
	Held    []lockRecord `json:"held,omitempty"`
}

type lockRecord struct {
	Path string `json:"path"`
	fileID
}

// transition is the transition of an Update: refs, and the files and index entries of working trees.
type transition struct {
	Refs  []RefUpdate  `json:"refs"` // the branch first; ids "" are absence
	Log   string       `json:"log"`
	Trees []treeRecord `json:"trees,omitempty"`
	Locks []lockRecord `json:"locks,omitempty"` // ref locks of others that were there before
	Dir   string       `json:"dir"`             // git directory whose HEAD git locks with the branch it names
	Head  string       `json:"head"`            // that branch
}

type treeRecord struct {
	GitDir string       `json:"git_dir"`
	Root   string       `json:"root"`
	Index  string       `json:"index"`
	Temps  []string     `json:"temps,omitempty"` // absolute; removed if they are there
	Files  []fileRecord `json:"files"`
}

type fileRecord struct {
	Path    string   `json:"path"`
	Old     ID       `json:"old,omitempty"`
	New     ID       `json:"new,omitempty"`
	OldMode uint32   `json:"old_mode,omitempty"`
	NewMode uint32   `json:"new_mode,omitempty"`
	Made    []string `json:"made,omitempty"` // directories that are made for it, outermost first
}

// journal is the open journal of a running Update.
type journal struct {
	file *os.File
	path string
}

func (q *queue) journalPath() string { return filepath.Join(q.dir, "journal") }

// begin opens the journal and writes its first line.
func (q *queue) begin(r *Repo, c *transition) (*journal, error) {
	f, err := os.OpenFile(q.journalPath(), os.O_WRONLY|os.O_CREATE|os.O_EXCL|os.O_APPEND, 0o666)
	if err != nil {
		return nil, ioError("journal", err)
	}
	_ = f.Chmod(r.sharedMode(0o666))
	j := &journal{f, q.journalPath()}
	if err := j.add(record{Begin: c}); err != nil {
		j.end()
		return nil, err
	}
	return j, nil
}

// reopen goes on with the journal of a killed Update.
func (q *queue) reopen() (*journal, error) {
	f, err := os.OpenFile(q.journalPath(), os.O_WRONLY|os.O_APPEND, 0)
	if err == nil {
		_, err = f.WriteString("\n") // ends a torn line
	}
	return &journal{f, q.journalPath()}, ioError("journal", err)
}

// add appends one line. One write makes a line whole or torn, and a torn one is not read.
func (j *journal) add(rec record) error {
	b, err := json.Marshal(rec)
	if err == nil {
		_, err = j.file.Write(append(b, '\n'))
	}
	return ioError("journal", err)
}

func (j *journal) sync() error { return ioError("journal", j.file.Sync()) }

func (j *journal) end() {
	_ = j.file.Close()
	_ = os.Remove(j.path)
}

// left is what a killed Update wrote.
type left struct {
	change  *transition
	locks   []lockRecord // ours, with proof
	temps   []string
	prepare time.Time // zero: git was not told to lock refs
	held    bool      // the ref locks are among locks
}

// readJournal gives what a killed Update left, nil if there is nothing.
func (q *queue) readJournal() (*left, error) {
	f, err := os.Open(q.journalPath())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, ioError("journal", err)
	}
	defer f.Close()
	l := &left{}
	in := bufio.NewReader(f)
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			break // the end, or a torn line
		}
		var rec record
		if json.Unmarshal(line, &rec) != nil {
			continue // torn, and gone on with by a recovery
		}
		switch {
		case rec.Begin != nil:
			l.change, l.prepare, l.held = rec.Begin, time.Time{}, false
		case rec.Lock != nil:
			l.locks = append(l.locks, *rec.Lock)
		case rec.Prepare != 0:
			l.prepare, l.held = time.Unix(0, rec.Prepare), false // a recovery locks anew
		case rec.Temps != nil:
			l.temps = append(l.temps, rec.Temps...)
		case rec.Held != nil:
			l.locks, l.held = append(l.locks, rec.Held...), true
		}
	}
	return l, nil
}
