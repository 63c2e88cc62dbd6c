package repo

import (
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"strconv"
)

// ID is the full hexadecimal name of an object; "" stands for none.
type ID string

// Short gives the first 12 digits, for people.
func (id ID) Short() string {
	if len(id) > 12 {
		return string(id[:12])
	}
	return string(id)
}

// valid reports whether id is 40 or 64 lower-case hex digits, and not all zero.
func (id ID) valid() bool {
	if len(id) != 2*sha1.Size && len(id) != 2*sha256.Size {
		return false
	}
	zero := true
	for i := range len(id) {
		c := id[i]
		if (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
		zero = zero && c == '0'
	}
	return !zero
}

// raw gives the bytes of a valid id.
func (id ID) raw() []byte {
	b, err := hex.DecodeString(string(id))
	if err != nil {
		return nil
	}
	return b
}

func idOf(raw []byte) ID { return ID(hex.EncodeToString(raw)) }

// idLen is the length of a raw id.
func (r *Repo) idLen() int {
	if r.ObjectFormat == "sha256" {
		return sha256.Size
	}
	return sha1.Size
}

// zeroID is how git's protocols spell "no object".
func (r *Repo) zeroID() string { return hex.EncodeToString(make([]byte, r.idLen())) }

// hashObject names an object: the hash of "type SP size NUL data" (git: object-file.c).
func (r *Repo) hashObject(typ string, data []byte) ID {
	var h hash.Hash
	if r.ObjectFormat == "sha256" {
		h = sha256.New()
	} else {
		h = sha1.New()
	}
	h.Write(objectHeader(typ, len(data)))
	h.Write(data)
	return idOf(h.Sum(nil))
}

func objectHeader(typ string, size int) []byte {
	b := make([]byte, 0, 32)
	b = append(b, typ...)
	b = append(b, ' ')
	b = strconv.AppendInt(b, int64(size), 10)
	return append(b, 0)
}
