package gitindex

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"
)

// Stat is what git remembers of a file, so that it need not read it again. All numbers are cut to 32 bits,
// as git does. Replace keeps the mode of the entry, whatever Mode says: git stores its own there, not the
// file's.
type Stat struct{ CTimeSec, CTimeNsec, MTimeSec, MTimeNsec, Dev, Ino, Mode, UID, GID, Size uint32 }

// Entry is what the index holds for a path at one stage.
type Entry struct {
	Path                                   string
	Mode                                   uint32 // 0100644, 0100755, 0120000 (symbolic link) or 0160000 (submodule)
	ID                                     []byte // a copy
	Stage                                  int    // 0, or 1 to 3 in a conflict
	AssumeValid, SkipWorktree, IntentToAdd bool
}

// TreeChange names the tree of a folder before and after. Old is the tree that the branch had, New the one
// with the entries replaced; both must hold the same besides their paths.
type TreeChange struct {
	Dir      string // "" is the root
	Old, New []byte
}

// Find returns the entries of a path at all stages, none if it is not in the index. idLen is the length
// of an object id, 20 (SHA-1) or 32 (SHA-256). The error is [ErrUnsupported] or a [*FormatError].
func Find(index []byte, idLen int, path string) ([]Entry, error) {
	p, err := locate(index, idLen, path)
	if err != nil {
		return nil, err
	}
	var found []Entry
	for _, r := range p.found[0] {
		id := index[r.at+statLen:][:idLen]
		found = append(found, Entry{
			Path: path, Mode: r.mode, ID: bytes.Clone(id), Stage: r.stage(),
			AssumeValid: r.flags&assumeValid != 0, SkipWorktree: r.more&skipWorktree != 0, IntentToAdd: r.more&intentToAdd != 0,
		})
	}
	return found, nil
}

// replaceable tells whether one file entry at stage 0 was found.
func replaceable(found []raw, path string) error {
	if len(found) == 0 {
		return fmt.Errorf("%q: %w", path, ErrNotFound)
	}
	if len(found) > 1 || found[0].stage() != 0 {
		return fmt.Errorf("%q: %w", path, ErrUnmerged)
	}
	if found[0].mode&modeType != modeFile {
		return fmt.Errorf("%q: %w", path, unsupported("mode %o", found[0].mode))
	}
	if found[0].more&intentToAdd != 0 {
		// git leaves such an entry out of the tree, whatever id it has: the flag has to go, and an entry may
		// have to become shorter for that.
		return fmt.Errorf("%q: %w", path, unsupported("it is only intended to be added"))
	}
	return nil
}

// place is where paths stand in an index.
type place struct {
	found      [][]raw // of each path
	end        int     // behind the entries
	extensions []extension
}

func locate(index []byte, idLen int, paths ...string) (place, error) {
	p := place{found: make([][]raw, len(paths))}
	number := make(map[string]int, len(paths))
	for i, path := range paths {
		number[path] = i
	}
	collapsed := ""
	end, err := scan(index, idLen, func(e *raw) {
		if i, ok := number[string(e.name)]; ok {
			p.found[i] = append(p.found[i], *e)
		} else if e.mode == modeDir {
			for _, path := range paths {
				if strings.HasPrefix(path, string(e.name)) {
					collapsed = path
				}
			}
		}
	})
	if err != nil {
		return place{}, err
	}
	if p.extensions, err = readExtensions(index[:len(index)-idLen], end); err != nil {
		return place{}, err
	}
	if collapsed != "" {
		return place{}, unsupported("%q lies in a collapsed folder", collapsed)
	}
	p.end = end
	return p, nil
}

// putStat writes the stat data of an entry but for its mode, which is git's own.
//
// Without a stat, the size becomes 0. git never trusts that with an id which is not the empty blob's, and
// reads the file before it calls it modified (git: read-cache.c, ie_modified). The mtime becomes 0, because
// such an entry does not rely on the time of the index file (FileTime).
func putStat(entry []byte, st *Stat) {
	put := func(at int, v uint32) { binary.BigEndian.PutUint32(entry[at:], v) }
	if st == nil {
		put(atMTime, 0)
		put(atMTime+4, 0)
		put(atSize, 0)
		return
	}
	put(atCTime, st.CTimeSec)
	put(atCTime+4, st.CTimeNsec)
	put(atMTime, st.MTimeSec)
	put(atMTime+4, st.MTimeNsec)
	put(atDev, st.Dev)
	put(atIno, st.Ino)
	put(atUID, st.UID)
	put(atGID, st.GID)
	put(atSize, st.Size)
}

func allZero(b []byte) bool {
	for _, c := range b {
		if c != 0 {
			return false
		}
	}
	return true
}
