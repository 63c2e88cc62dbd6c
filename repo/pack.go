package repo

import (
	"bytes"
	"compress/zlib"
	"context"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/binary"
	"hash"
	"io"
)

// packTypes are the numbers of object types in a pack (git: gitformat-pack).
var packTypes = map[string]byte{"commit": 1, "tree": 2, "blob": 3, "tag": 4}

// pack stores the pending objects as one pack, which git index-pack checks, indexes and makes durable.
func (s *objectStore) pack(ctx context.Context) error {
	var b bytes.Buffer
	if err := writePack(&b, s.pending, s.r.ObjectFormat); err != nil {
		return ioError("packing objects", err)
	}
	_, err := s.r.run(ctx, invocation{stdin: &b}, "-c", "core.fsyncMethod=fsync", "-c", "pack.indexVersion=2", "index-pack", "--stdin")
	return wrapGit(err, IO, "pack", "", "git did not take the pack")
}

func writePack(w io.Writer, objects []newObject, format string) error {
	var sum hash.Hash = sha1.New()
	if format == "sha256" {
		sum = sha256.New()
	}
	out := io.MultiWriter(w, sum)
	head := append([]byte("PACK"), 0, 0, 0, 2)
	if _, err := out.Write(binary.BigEndian.AppendUint32(head, uint32(len(objects)))); err != nil {
		return err
	}
	z, err := zlib.NewWriterLevel(out, zlib.BestSpeed)
	if err != nil {
		return err
	}
	for _, o := range objects {
		if _, err := out.Write(packHeader(packTypes[o.typ], len(o.data))); err != nil {
			return err
		}
		z.Reset(out)
		if _, err := z.Write(o.data); err != nil {
			return err
		}
		if err := z.Close(); err != nil {
			return err
		}
	}
	_, err = w.Write(sum.Sum(nil))
	return err
}

// packHeader holds the type and the size: four bits of it in the first byte, seven in each further one.
func packHeader(typ byte, size int) []byte {
	c := typ<<4 | byte(size&15)
	size >>= 4
	var b []byte
	for size > 0 {
		b = append(b, c|0x80)
		c = byte(size & 0x7f)
		size >>= 7
	}
	return append(b, c)
}
