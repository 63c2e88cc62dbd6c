package repo

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"hash/adler32"
	"io"
	"sync"
)

// storedBelow is the size below which an object is not compressed. It fits into one block of a disk
// either way, and a compressor costs more memory than all the rest of an Update. Trees, most of which
// are names of objects, hardly shrink.
const (
	storedBelow     = 4000
	storedTreeBelow = 64 << 10
)

// zlibs keeps writers.
var zlibs = sync.Pool{New: func() any {
	z, _ := zlib.NewWriterLevel(io.Discard, zlib.BestSpeed) // the level is a good one
	return z
}}

// deflated gives the zlib stream of an object with its header, as a loose object is stored.
func deflated(o newObject) []byte {
	head := objectHeader(o.typ, len(o.data))
	if len(o.data) < storedBelow || o.typ == "tree" && len(o.data) < storedTreeBelow-len(head) {
		return stored(head, o.data)
	}
	var b bytes.Buffer
	z := zlibs.Get().(*zlib.Writer)
	defer zlibs.Put(z)
	z.Reset(&b)
	for _, part := range [][]byte{head, o.data} {
		_, _ = z.Write(part) // a buffer takes everything
	}
	_ = z.Close()
	return b.Bytes()
}

// stored writes one final block without compression (RFC 1951 §3.2.4) in a zlib stream (RFC 1950).
func stored(parts ...[]byte) []byte {
	data := bytes.Join(parts, nil)
	b := make([]byte, 0, len(data)+11)
	b = append(b, 0x78, 0x01, 1)
	b = binary.LittleEndian.AppendUint16(b, uint16(len(data)))
	b = binary.LittleEndian.AppendUint16(b, ^uint16(len(data)))
	b = append(b, data...)
	return binary.BigEndian.AppendUint32(b, adler32.Checksum(data))
}
