package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/open-agent-profile/oap/repo"
)

// outbox is a folder into which a sandboxed session, which may write neither .git nor profiles, puts
// finished deltas. What was applied moves to done/, what was refused to failed/ with the reason beside it.
type outbox struct {
	dir   string
	files []string
}

// outboxDir is OAP_OUTBOX, then git config oap.outbox, then a folder of the user's that lies outside every
// repository.
func (a *app) outboxDir(r *repo.Repo) (string, error) {
	if dir := a.setting(r, "outbox"); dir != "" {
		return dir, nil
	}
	state := a.getenv("XDG_STATE_HOME")
	if state == "" {
		home := a.getenv("HOME")
		if home == "" {
			return "", usagef("there is no home folder for the outbox; set OAP_OUTBOX")
		}
		state = filepath.Join(home, ".local", "state")
	}
	return filepath.Join(state, "oap", "outbox"), nil
}

// openOutbox lists what lies in the outbox.
func (a *app) openOutbox(r *repo.Repo) (*outbox, error) {
	dir, err := a.outboxDir(r)
	if err != nil {
		return nil, err
	}
	box := &outbox{dir: dir}
	files, err := deltaFiles(dir)
	switch {
	case notFound(err):
		return box, nil
	case repo.KindOf(err) == repo.NotFound:
		return box, nil
	case err != nil:
		return nil, err
	}
	box.files = files
	return box, nil
}

// done moves an applied delta away. The move comes after the commit: a crash between the two applies the
// delta again, which changes nothing.
func (b *outbox) done(source string) error { return b.move(source, "done") }

// failed moves a refused delta away and writes the reason beside it. What was only busy stays, so that
// the next run tries again.
func (b *outbox) failed(source string, err error) error {
	f := classify(err)
	if f.Code == exitBusy || f.Code == exitInterrupted || f.Code == exitIO {
		return nil
	}
	if err := b.move(source, "failed"); err != nil {
		return err
	}
	reason, err := json.MarshalIndent(f, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(b.dir, "failed", filepath.Base(source)+".error.json"), append(reason, '\n'), 0o600)
}

func (b *outbox) move(source, to string) error {
	if filepath.Dir(source) != filepath.Clean(b.dir) {
		return nil // named on the command line, not from the outbox
	}
	dir := filepath.Join(b.dir, to)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	err := os.Rename(source, filepath.Join(dir, free(dir, filepath.Base(source))))
	if notFound(err) {
		return nil // another run emptied the outbox meanwhile
	}
	return err
}

// free gives a name that the folder does not have yet: sessions often reuse one file name, and what was
// done before is a record.
func free(dir, base string) string {
	name := base
	for i := 1; exists(filepath.Join(dir, name)); i++ {
		name = fmt.Sprintf("%d-%s", i, base)
	}
	return name
}
