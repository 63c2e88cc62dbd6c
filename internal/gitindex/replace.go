package gitindex

import (
	"bytes"
	"crypto/sha1"
	"crypto/sha256"
	"fmt"
	"hash"
	"io"
	"slices"
	"strings"
)

// Replacement is another object id for a path.
//
// Stat is the file's, taken after it got its name (a rename changes the ctime), and says that the file holds
// what ID names. Without it the entry is marked so that git compares the file at its next look.
type Replacement struct {
	Path string
	ID   []byte
	Stat *Stat
}

// Patch is a new index, told by what differs from an old one. Of a large index that is a few hundred bytes
// in one place and the extensions at the end.
type Patch struct {
	old   []byte
	edits []edit // in order, none longer than what it is laid over
	end   int    // where the entries end; behind it nothing is taken from the old index
	tail  []byte // extensions and checksum
}

type edit struct {
	at   int
	data []byte
}

// Replace tells how an index becomes one in which paths have other object ids. Every path must be that of a
// file at stage 0, and be given once; its entry keeps its mode and flags. The bytes of the index must not
// change while the patch is used.
//
// trees are the folders above the paths. The trees that git keeps in the index for a quick commit are replaced
// where they are Old and given up where they are anything else, because then more is staged in that folder.
//
// The error is [ErrNotFound], [ErrUnmerged], [ErrUnsupported] or a [*FormatError].
func Replace(index []byte, idLen int, files []Replacement, trees []TreeChange) (*Patch, error) {
	c := change{idLen: idLen, folders: map[string]bool{}, trees: trees}
	paths := make([]string, len(files))
	for i, f := range files {
		paths[i] = f.Path
		for dir := f.Path; dir != ""; {
			dir = dir[:max(0, strings.LastIndexByte(dir, '/'))]
			c.folders[dir] = true
		}
		c.recheck = c.recheck || f.Stat == nil
	}
	p, err := locate(index, idLen, paths...)
	if err != nil {
		return nil, err
	}
	out := &Patch{old: index, end: p.end}
	for i, f := range files {
		if err := replaceable(p.found[i], f.Path); err != nil {
			return nil, err
		}
		if len(f.ID) != idLen {
			return nil, fmt.Errorf("object id has %d bytes in an index of %d", len(f.ID), idLen)
		}
		at := p.found[i][0].at
		entry := bytes.Clone(index[at:][:statLen+idLen])
		putStat(entry, f.Stat)
		copy(entry[statLen:], f.ID)
		out.edits = append(out.edits, edit{at, entry})
	}
	slices.SortFunc(out.edits, func(a, b edit) int { return a.at - b.at })
	out.tail = changedExtensions(p.end, p.extensions, c)
	return out, out.sign(idLen)
}

// Write writes the new index into an empty file: the old bytes as they lie in memory, in one piece, and
// the differences over them. No copy of a large index is made, which would cost more than all the rest.
func (p *Patch) Write(file interface {
	io.Writer
	io.WriterAt
}) error {
	if _, err := file.Write(p.old[:p.end]); err != nil {
		return err
	}
	for _, e := range append(slices.Clip(p.edits), edit{p.end, p.tail}) {
		if _, err := file.WriteAt(e.data, int64(e.at)); err != nil {
			return err
		}
	}
	return nil
}

// sign checks the old checksum and appends the new one. A damaged index must not get a checksum that fits.
// Hashing takes most of the time of a change: what lies before the first edit is hashed once for both, the
// rest at once.
func (p *Patch) sign(idLen int) error {
	body := len(p.old) - idLen
	trailer := p.old[body:]
	if allZero(trailer) { // index.skipHash
		p.tail = append(p.tail, trailer...)
		return nil
	}
	done := p.end
	if len(p.edits) > 0 {
		done = p.edits[0].at
	}
	was := newHash(idLen)
	was.Write(p.old[:done])
	now := fork(was, idLen, p.old[:done])
	sound := make(chan bool, 1)
	go func(from int) {
		was.Write(p.old[from:body])
		sound <- bytes.Equal(was.Sum(nil), trailer)
	}(done)
	for _, e := range p.edits {
		now.Write(p.old[done:e.at])
		now.Write(e.data)
		done = e.at + len(e.data)
	}
	now.Write(p.old[done:p.end])
	now.Write(p.tail)
	p.tail = now.Sum(p.tail)
	if !<-sound {
		return &FormatError{body, "checksum differs"}
	}
	return nil
}

func newHash(idLen int) hash.Hash {
	if idLen == sha256.Size {
		return sha256.New()
	}
	return sha1.New()
}

// fork gives a second hash with the state of the first, which has taken the given bytes.
func fork(h hash.Hash, idLen int, taken []byte) hash.Hash {
	if c, ok := h.(hash.Cloner); ok {
		if h, err := c.Clone(); err == nil {
			return h
		}
	}
	h = newHash(idLen)
	h.Write(taken)
	return h
}
