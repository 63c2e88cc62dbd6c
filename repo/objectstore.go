package repo

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// tempObject starts the name of an object that is being written. Git's own gc sweeps names that start
// with tmp_obj_ (git: builtin/prune.c), and so does the next Update.
const tempObject = "tmp_obj_oap"

// packFrom is the number of new objects from which one pack is written instead of single files.
const packFrom = 100

// objectStore collects the new objects of a plan and stores them.
type objectStore struct {
	r       *Repo
	pending []newObject
	known   map[ID]bool
}

func newObjectStore(r *Repo) *objectStore { return &objectStore{r: r, known: map[ID]bool{}} }

// add names an object and keeps it for flush.
func (s *objectStore) add(typ string, data []byte) ID {
	id := s.r.hashObject(typ, data)
	if !s.known[id] {
		s.known[id] = true
		s.pending = append(s.pending, newObject{id, typ, data})
	}
	return id
}

// flush stores what was added, durably: after a power cut a ref never names what is not there.
func (s *objectStore) flush(ctx context.Context) error {
	if len(s.pending) >= packFrom {
		if err := s.pack(ctx); err != nil {
			return err
		}
		s.pending = nil
		return nil
	}
	// Disks are slow to make one file durable, not many at once.
	errs := make([]error, len(s.pending))
	var wg sync.WaitGroup
	for i, o := range s.pending {
		if ctx.Err() != nil {
			errs[i] = context.Cause(ctx)
			break
		}
		wg.Go(func() { errs[i] = s.r.writeLoose(o) })
	}
	wg.Wait()
	s.pending = nil
	return ioError("storing an object", errors.Join(errs...))
}

// writeLoose stores one object in git's loose form: the zlib stream of header and data, in a file named
// by the id (git: gitrepository-layout).
func (r *Repo) writeLoose(o newObject) error {
	dir := filepath.Join(r.objectsDir, string(o.id[:2]))
	name := filepath.Join(dir, string(o.id[2:]))
	if _, err := os.Lstat(name); err == nil {
		// A new time keeps a gc that runs now from taking it for garbage (git: freshen_file).
		if os.Chtimes(name, time.Time{}, time.Now()) == nil {
			return nil
		}
	}
	f, err := os.CreateTemp(r.objectsDir, tempObject)
	if err != nil {
		return err
	}
	temp := f.Name()
	defer os.Remove(temp)
	if _, err := f.Write(deflated(o)); err != nil {
		f.Close()
		return err
	}
	if err := r.finish(f, 0o444); err != nil {
		return err
	}
	err = os.Rename(temp, name)
	if errors.Is(err, fs.ErrNotExist) {
		// The directory is new, or a gc has just removed it because it was empty.
		if err := r.sharedDir(dir); err != nil {
			return err
		}
		err = os.Rename(temp, name)
	}
	return err
}

// finish sets the mode that git would give, makes the file durable and closes it.
func (r *Repo) finish(f *os.File, mode fs.FileMode) error {
	err := f.Chmod(r.sharedMode(mode))
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}
