package gitindex

import (
	"bytes"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"hash"
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
// with the entry replaced; both must hold the same besides the path.
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
	for _, r := range p.found {
		id := index[r.at+statLen:][:idLen]
		found = append(found, Entry{
			Path: path, Mode: r.mode, ID: bytes.Clone(id), Stage: r.stage(),
			AssumeValid: r.flags&assumeValid != 0, SkipWorktree: r.more&skipWorktree != 0, IntentToAdd: r.more&intentToAdd != 0,
		})
	}
	return found, nil
}

// Replace returns the bytes of an index in which the path has another object id, and leaves the given
// ones alone. The entry must be a file at stage 0; it keeps its mode and flags.
//
// st is the file's, taken after it got its name (a rename changes the ctime), and says that the file holds
// what id names. Without it the entry is marked so that git compares the file at its next look.
//
// trees are the folders on the path. The trees that git keeps in the index for a quick commit are replaced
// where they are Old and given up where they are anything else, because then more is staged in that folder.
//
// The error is [ErrNotFound], [ErrUnmerged], [ErrUnsupported] or a [*FormatError].
func Replace(index []byte, idLen int, path string, id []byte, st *Stat, trees []TreeChange) ([]byte, error) {
	p, err := locate(index, idLen, path)
	if err != nil {
		return nil, err
	}
	if err := replaceable(p.found, path); err != nil {
		return nil, err
	}
	if len(id) != idLen {
		return nil, fmt.Errorf("object id has %d bytes in an index of %d", len(id), idLen)
	}
	trailer := index[len(index)-idLen:]
	unhashed := allZero(trailer) // index.skipHash
	// A damaged index must not get a checksum that fits. Both sums take most of the time, so they run at once.
	sound := make(chan bool, 1)
	go func() { sound <- unhashed || bytes.Equal(checksum(idLen, index[:len(index)-idLen]), trailer) }()

	out := make([]byte, 0, len(index)+64)
	out = append(out, index[:p.end]...)
	entry := out[p.found[0].at:]
	putStat(entry, st)
	copy(entry[statLen:], id)
	out = appendExtensions(out, p.extensions, change{idLen: idLen, path: path, trees: trees, recheck: st == nil})
	if unhashed {
		out = append(out, trailer...)
	} else {
		out = append(out, checksum(idLen, out)...)
	}
	if !<-sound {
		return nil, &FormatError{len(index) - idLen, "checksum differs"}
	}
	return out, nil
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

// place is where a path stands in an index.
type place struct {
	found      []raw
	end        int // behind the entries
	extensions []extension
}

func locate(index []byte, idLen int, path string) (place, error) {
	var p place
	collapsed := false
	end, err := scan(index, idLen, func(e *raw) {
		if len(e.name) == len(path) && string(e.name) == path {
			p.found = append(p.found, *e)
		} else if e.mode == modeDir && strings.HasPrefix(path, string(e.name)) {
			collapsed = true
		}
	})
	if err != nil {
		return place{}, err
	}
	if p.extensions, err = readExtensions(index[:len(index)-idLen], end); err != nil {
		return place{}, err
	}
	if collapsed {
		return place{}, unsupported("%q lies in a collapsed folder", path)
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

func newHash(idLen int) hash.Hash {
	if idLen == sha256.Size {
		return sha256.New()
	}
	return sha1.New()
}

func checksum(idLen int, b []byte) []byte {
	h := newHash(idLen)
	h.Write(b)
	return h.Sum(nil)
}

func allZero(b []byte) bool {
	for _, c := range b {
		if c != 0 {
			return false
		}
	}
	return true
}
