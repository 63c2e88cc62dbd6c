package gitindex

import (
	"bytes"
	"encoding/binary"
)

// Layout of one entry (gitformat-index, "Index entry"): ten 32-bit numbers, the object id, flags, in
// version 3 and later perhaps more flags, the path.
const (
	headerLen = 12
	statLen   = 40

	atCTime     = 0
	atMTime     = 8
	atDev       = 16
	atIno       = 20
	atMode      = 24
	atUID       = 28
	atGID       = 32
	atSize      = 36
	stageShift  = 12
	nameMask    = 0x0fff // a longer name has this length and is ended by its NUL
	assumeValid = 0x8000
	extended    = 0x4000
	stageMask   = 0x3000

	skipWorktree  = 0x4000 // in the second word of flags
	intentToAdd   = 0x2000
	extendedKnown = skipWorktree | intentToAdd

	modeType = 0o170000
	modeFile = 0o100000
	modeDir  = 0o040000 // a collapsed folder of a sparse index
	modeLink = 0o160000 // a submodule
)

// raw is one entry in place. The name is valid until the next entry is read.
type raw struct {
	at    int // offset of the stat data
	mode  uint32
	flags uint16
	more  uint16 // extended flags
	name  []byte
}

func (r *raw) stage() int { return int(r.flags&stageMask) >> stageShift }

// scan calls visit for every entry in order and gives the offset behind the last. It allocates nothing
// per entry, because it runs over all of a large index to find one of them.
func scan(index []byte, idLen int, visit func(*raw)) (end int, err error) {
	if idLen != 20 && idLen != 32 {
		return 0, unsupported("object ids of %d bytes", idLen)
	}
	if len(index) < headerLen+idLen {
		return 0, &FormatError{len(index), "too short"}
	}
	if string(index[:4]) != "DIRC" {
		return 0, &FormatError{0, "it does not start with DIRC"}
	}
	version := binary.BigEndian.Uint32(index[4:])
	if version < 2 || version > 4 {
		return 0, unsupported("version %d", version)
	}
	count := binary.BigEndian.Uint32(index[8:])
	s := scanner{body: index[:len(index)-idLen], idLen: idLen, compressed: version == 4}
	pos := headerLen
	for range count {
		if pos, err = s.next(pos); err != nil {
			return 0, err
		}
		if s.entry.flags&extended != 0 && version == 2 {
			return 0, unsupported("extended flags in version 2")
		}
		visit(&s.entry)
	}
	return pos, nil
}

type scanner struct {
	body       []byte // without the trailing checksum
	idLen      int
	compressed bool // version 4: a name is told by its difference from the one before
	entry      raw
	name       []byte
}

// next reads the entry at pos and gives the offset of the following one.
func (s *scanner) next(pos int) (int, error) {
	at, fixed := pos, statLen+s.idLen+2
	if len(s.body)-pos < fixed {
		return 0, &FormatError{pos, "entry is cut off"}
	}
	e := raw{
		at:    at,
		mode:  binary.BigEndian.Uint32(s.body[at+atMode:]),
		flags: binary.BigEndian.Uint16(s.body[at+statLen+s.idLen:]),
	}
	pos += fixed
	if e.flags&extended != 0 {
		if len(s.body)-pos < 2 {
			return 0, &FormatError{pos, "entry is cut off"}
		}
		e.more = binary.BigEndian.Uint16(s.body[pos:])
		if e.more&^extendedKnown != 0 {
			return 0, unsupported("entry flags %#x", e.more)
		}
		pos += 2
	}
	keep := 0
	if s.compressed {
		strip, n := varint(s.body[pos:])
		if n == 0 || strip > uint64(len(s.name)) {
			return 0, &FormatError{pos, "bad path compression"}
		}
		keep, pos = len(s.name)-int(strip), pos+n
	}
	n := bytes.IndexByte(s.body[pos:], 0)
	if n < 0 {
		return 0, &FormatError{pos, "path has no end"}
	}
	if s.compressed {
		s.name = append(s.name[:keep], s.body[pos:pos+n]...)
		e.name, pos = s.name, pos+n+1
	} else {
		// One to eight NULs follow, so that entries start at multiples of eight.
		e.name, pos = s.body[pos:pos+n], at+(pos-at+n+8)&^7
	}
	if want := int(e.flags & nameMask); min(len(e.name), nameMask) != want {
		return 0, &FormatError{at, "path length does not fit its flags"}
	}
	if len(e.name) == 0 {
		return 0, unsupported("entry without a path") // a split index has them
	}
	if pos > len(s.body) {
		return 0, &FormatError{at, "entry is cut off"}
	}
	s.entry = e
	return pos, nil
}

// varint reads git's offset encoding (git: varint.c), in which every continuation adds one. It gives 0
// bytes read where the number is cut off or too large.
func varint(b []byte) (value uint64, n int) {
	for i, c := range b {
		if i > 0 {
			value++
		}
		if value >= 1<<56 {
			return 0, 0
		}
		value = value<<7 | uint64(c&0x7f)
		if c&0x80 == 0 {
			return value, i + 1
		}
	}
	return 0, 0
}
