package main

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/open-agent-profile/oap/profile"
	"github.com/open-agent-profile/oap/repo"
)

// outbox is a folder into which a sandboxed session, which may write neither .git nor profiles, puts
// finished deltas. A run first takes each file into taking/, under a name that no other run uses, so that
// what a session writes meanwhile under the same name is a delta of its own. What was applied moves from
// there to done/, what was refused to failed/ with the reason beside it, and the rest goes back. What a
// crash leaves in taking/ is taken first by the next run; a delta that was applied already changes nothing.
type outbox struct {
	dir   string   // absolute
	root  *os.Root // nothing is followed out of the folder, which the sandbox can write
	files []string // the sources, in the order in which they are to be applied
	taken map[string]*takenDelta
}

// takenDelta is one file of the outbox, in the hands of this run.
type takenDelta struct {
	base string // its name in the outbox
	at   string // where it lies now, relative to the outbox; empty when it has left
	odd  bool   // it could not be read as a file, whatever the reason
}

// outboxDir is OAP_OUTBOX, then git config oap.outbox, then a folder of the user's that lies outside every
// repository. A relative one is relative to -C.
func (a *app) outboxDir(r *repo.Repo) (string, error) {
	if dir := a.setting(r, "outbox"); dir != "" {
		return filepath.Abs(a.resolve(dir))
	}
	state, err := a.stateDir()
	if err != nil {
		return "", err
	}
	return filepath.Join(state, "outbox"), nil
}

// stateDir is where the user's programs keep what is between two runs (XDG base directories).
func (a *app) stateDir() (string, error) {
	state := a.getenv("XDG_STATE_HOME")
	if state == "" {
		home := a.getenv("HOME")
		if home == "" {
			return "", usagef("there is no home folder for the outbox; set OAP_OUTBOX")
		}
		state = filepath.Join(home, ".local", "state")
	}
	return filepath.Join(state, "oap"), nil
}

// openOutbox takes what lies in the outbox. The app gives back what is left of it when the run ends.
func (a *app) openOutbox(r *repo.Repo) (*outbox, error) {
	dir, err := a.outboxDir(r)
	if err != nil {
		return nil, err
	}
	return a.openBox(dir)
}

func (a *app) openBox(dir string) (*outbox, error) {
	b := &outbox{dir: dir, taken: map[string]*takenDelta{}}
	var err error
	b.root, err = os.OpenRoot(dir)
	switch {
	case notFound(err):
		return b, nil
	case err != nil:
		return nil, err
	}
	a.outbox = b
	return b, b.take()
}

// take moves every delta into taking/: first what an interrupted run has left there, then what is new.
func (b *outbox) take() error {
	left, err := b.deltas("taking")
	if err != nil && !notFound(err) {
		return err
	}
	fresh, err := b.deltas(".")
	if err != nil || len(left)+len(fresh) == 0 {
		return err
	}
	if err := b.folder("taking"); err != nil {
		return err
	}
	run := rand.Text()[:16]
	for i, from := range append(left, fresh...) {
		d := &takenDelta{base: takenName(path.Base(from)), at: fmt.Sprintf("taking/%s-%06d_%s", run, i, takenName(path.Base(from)))}
		err := b.root.Rename(from, d.at)
		if notFound(err) {
			continue // another run was faster
		}
		if err != nil {
			return err
		}
		source := filepath.Join(b.dir, d.base)
		if b.taken[source] != nil { // an interrupted run has left an older one of this name
			source = filepath.Join(b.dir, filepath.FromSlash(d.at))
		}
		b.files, b.taken[source] = append(b.files, source), d
	}
	return nil
}

// deltas lists what is named as a delta in a folder of the outbox, in byte order of the names that
// sessions have given.
func (b *outbox) deltas(dir string) ([]string, error) {
	f, err := b.root.Open(dir)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	names, err := f.Readdirnames(-1)
	var found []string
	for _, name := range names {
		if profile.IsDeltaPath(takenName(name)) {
			found = append(found, path.Join(dir, name))
		}
	}
	slices.SortFunc(found, func(x, y string) int {
		return strings.Compare(takenName(path.Base(x))+x, takenName(path.Base(y))+y)
	})
	return found, err
}

// takenName gives the name that a file of taking/ had in the outbox.
func takenName(name string) string {
	if run, rest, ok := strings.Cut(name, "_"); ok && len(run) == 16+1+6 && run[16] == '-' && profile.IsDeltaPath(rest) {
		return rest
	}
	return name
}

// folder makes a folder of the outbox. A link is no folder, wherever it leads.
func (b *outbox) folder(name string) error {
	if err := b.root.Mkdir(name, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	info, err := b.root.Lstat(name)
	if err == nil && !info.IsDir() {
		err = &repo.Error{Kind: repo.Refused, Reason: "not-a-folder", Path: filepath.Join(b.dir, name), Msg: "is no folder"}
	}
	return err
}

// read gives a delta's text. Only a regular file has one: opening anything else could wait for ever, or
// show what the sandbox itself may not read.
func (b *outbox) read(source string) ([]byte, error) {
	d := b.taken[source]
	data, err := b.text(d.at)
	d.odd = err != nil
	if reason := new(fs.PathError); errors.As(err, &reason) {
		err = &repo.Error{Kind: repo.Refused, Reason: "unreadable", Path: source, Msg: "cannot be read", Err: reason.Err}
	} else if err != nil {
		err = &repo.Error{Kind: repo.Refused, Reason: "not-a-file", Path: source, Msg: err.Error()}
	}
	return data, err
}

var errNotRegular = errors.New("is no regular file")

func (b *outbox) text(at string) ([]byte, error) {
	if info, err := b.root.Lstat(at); err != nil {
		return nil, err
	} else if !info.Mode().IsRegular() {
		return nil, errNotRegular
	}
	// Not to wait, should it have become a pipe since.
	f, err := b.root.OpenFile(at, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, errNotRegular
	}
	return readLimited(f)
}

// done moves an applied delta away. The move comes after the commit: a crash between the two applies the
// delta again, which changes nothing.
func (b *outbox) done(source string) error {
	_, err := b.move(source, "done")
	return err
}

// failed moves a refused delta away and writes the reason beside it, under the name that the delta got.
// What was only busy stays, so that the next run tries again.
func (b *outbox) failed(source string, err error) error {
	d := b.taken[source]
	f := classify(err)
	if d == nil || !d.odd && (f.Code == exitBusy || f.Code == exitInterrupted || f.Code == exitIO) {
		return nil
	}
	name, err := b.move(source, "failed")
	if err != nil || name == "" {
		return err
	}
	reason, err := json.MarshalIndent(f, "", "  ")
	if err != nil {
		return err
	}
	return b.root.WriteFile(name+".error.json", append(reason, '\n'), 0o600)
}

// move takes a file out of taking/ and gives its new place; none where another run, which took this one
// for interrupted, has moved it. What was named on the command line stays where it is.
func (b *outbox) move(source, to string) (string, error) {
	d := b.taken[source]
	if d == nil || d.at == "" {
		return "", nil
	}
	if err := b.folder(to); err != nil {
		return "", err
	}
	name, err := b.put(d.at, to, d.base)
	d.at = ""
	if notFound(err) {
		return "", nil
	}
	return name, err
}

// put moves a file and never replaces one: sessions often reuse a name, and what was done before is a
// record. A link, unlike a rename, fails where the name is taken; folders, and file systems without links,
// have to do with a look before.
func (b *outbox) put(from, dir, base string) (string, error) {
	for i := 0; ; i++ {
		name := path.Join(dir, base)
		if i > 0 {
			name = path.Join(dir, fmt.Sprintf("%d-%s", i, base))
		}
		if _, err := b.root.Lstat(name); err == nil {
			continue
		}
		err := b.root.Link(from, name)
		switch {
		case errors.Is(err, fs.ErrExist):
		case err == nil:
			return name, b.root.Remove(from)
		case notFound(err):
			return "", err
		default:
			return name, b.root.Rename(from, name)
		}
	}
}

// close gives back what the run has neither applied nor refused.
func (b *outbox) close() {
	if b == nil || b.root == nil {
		return
	}
	for _, source := range b.files {
		if d := b.taken[source]; d.at != "" {
			// Where this fails the file stays in taking/, where the next run finds it.
			_, _ = b.put(d.at, ".", d.base)
		}
	}
	_ = b.root.Close()
}

// free gives a name that the folder does not have yet.
func free(dir, base string) string {
	name := base
	for i := 1; exists(filepath.Join(dir, name)); i++ {
		name = fmt.Sprintf("%d-%s", i, base)
	}
	return name
}
