package gitindex

import (
	"bytes"
	"encoding/binary"
	"errors"
	"slices"
	"testing"
)

// built is an entry of an index made by hand.
type built struct {
	name  string
	mode  uint32
	mtime uint32
}

// build makes an index of version 2 with ids of 20 bytes; tail stands for the extensions.
func build(entries []built, tail []byte) []byte {
	b := binary.BigEndian.AppendUint32([]byte("DIRC"), 2)
	b = binary.BigEndian.AppendUint32(b, uint32(len(entries)))
	for _, e := range entries {
		start := len(b)
		b = append(b, make([]byte, statLen)...)
		binary.BigEndian.PutUint32(b[start+atMTime:], e.mtime)
		binary.BigEndian.PutUint32(b[start+atMode:], e.mode)
		binary.BigEndian.PutUint32(b[start+atSize:], 4)
		b = append(b, bytes.Repeat([]byte{'i'}, 20)...)
		b = binary.BigEndian.AppendUint16(b, uint16(min(len(e.name), nameMask)))
		b = append(append(b, e.name...), 0)
		for (len(b)-start)%8 != 0 {
			b = append(b, 0)
		}
	}
	b = append(b, tail...)
	return append(b, checksum(20, b)...)
}

func checksum(idLen int, b []byte) []byte {
	h := newHash(idLen)
	h.Write(b)
	return h.Sum(nil)
}

func handmade(t testing.TB) []byte {
	t.Helper()
	var tree []byte
	tree = appendNode(tree, treeNode{count: 3, subs: 1, id: bytes.Repeat([]byte{'r'}, 20)})
	tree = appendNode(tree, treeNode{name: "b", count: 1, id: bytes.Repeat([]byte{'s'}, 20)})
	return build([]built{{"a", 0o100644, 100}, {"b/c", 0o100755, 500}, {"d", 0o160000, 900}}, section("TREE", tree))
}

func section(name string, data []byte) []byte {
	return append(binary.BigEndian.AppendUint32([]byte(name), uint32(len(data))), data...)
}

// signed puts a right checksum behind bytes whose last 20 stand for one.
func signed(index []byte) []byte {
	body := index[:len(index)-20]
	return append(slices.Clone(body), checksum(20, body)...)
}

var newID = bytes.Repeat([]byte{'n'}, 20)

func TestDamage(t *testing.T) {
	good := handmade(t)
	at := func(pos int, b ...byte) []byte {
		c := slices.Clone(good)
		copy(c[pos:], b)
		return signed(c)
	}
	flags := headerLen + statLen + 20
	tests := []struct {
		name, why   string
		index       []byte
		unsupported bool
	}{
		{name: "nothing", why: "an index has at least a header", index: nil},
		{name: "no signature", why: "another kind of file", index: at(0, 'd')},
		{name: "version 5", why: "unknown", index: at(7, 5), unsupported: true},
		{name: "version 1", why: "git never reads it", index: at(7, 1), unsupported: true},
		{name: "more entries than bytes", why: "a count is only a claim", index: at(8, 0xff, 0xff, 0xff, 0xff)},
		{name: "fewer entries than there are", why: "the rest reads as a required extension", index: at(11, 2), unsupported: true},
		{name: "path length", why: "flags and NUL must agree", index: at(flags+1, 2)},
		{name: "extended flags in version 2", why: "git writes 3 then", index: at(flags, 0x40), unsupported: true},
		{name: "compression in version 4", why: "nothing to strip", index: func() []byte {
			c := slices.Clone(good)
			c[7], c[flags+2] = 4, 9
			return signed(c)
		}()},
		{name: "required extension", why: "its meaning is unknown", index: build(nil, section("abcd", nil)), unsupported: true},
		{name: "split index", why: "entries lie elsewhere", index: build(nil, section("link", make([]byte, 20))), unsupported: true},
		{name: "extension too long", why: "its length is only a claim", index: build(nil, []byte("TREE\xff\xff\xff\xff"))},
		{name: "extension cut off", why: "less than its header", index: build(nil, []byte("TREE\x00"))},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Find(tt.index, 20, "a")
			var damage *FormatError
			if tt.unsupported != errors.Is(err, ErrUnsupported) || tt.unsupported == errors.As(err, &damage) {
				t.Errorf("Find: %v", err)
			}
			if _, again := replace(t, tt.index, 20, "a", newID, nil, nil); again == nil || again.Error() != err.Error() {
				t.Errorf("Replace: %v, but Find: %v", again, err)
			}
		})
	}
	for n := range good {
		if _, err := replace(t, good[:n], 20, "b/c", newID, nil, nil); err == nil {
			t.Fatalf("an index cut off after %d of %d bytes is accepted", n, len(good))
		}
	}
	if _, err := replace(t, good, 20, "b/c", newID[:19], nil, nil); err == nil {
		t.Error("a short id is accepted")
	}
}

func TestChecksum(t *testing.T) {
	good := handmade(t)
	flipped := slices.Clone(good)
	flipped[headerLen+statLen]++ // an id
	var damage *FormatError
	if _, err := replace(t, flipped, 20, "b/c", newID, nil, nil); !errors.As(err, &damage) {
		t.Errorf("a flipped bit is signed anew: %v", err)
	}
	unhashed := slices.Clone(good)
	clear(unhashed[len(unhashed)-20:])
	got, err := replace(t, unhashed, 20, "b/c", newID, nil, nil)
	if err != nil || !allZero(got[len(got)-20:]) {
		t.Errorf("index.skipHash: the checksum is %x, %v", got[len(got)-20:], err)
	}
}

func TestExtensionsAfterReplacement(t *testing.T) {
	tests := []struct {
		name, why string
		in, want  []byte
	}{
		{"unknown cache", "its meaning is unknown, and git drops it too", section("ABCD", []byte("x")), nil},
		{"damaged trees", "git ignores them", section("TREE", []byte("\x001 9\n")), nil},
		{"no trees", "an empty cache is no damage to the rest", append(section("TREE", nil), section("REUC", []byte("x"))...), section("REUC", []byte("x"))},
		{"invalid trees", "-1 has no id", section("TREE", []byte("\x00-1 0\n")), section("TREE", []byte("\x00-1 0\n"))},
		{"resolve undo", "another path's", section("REUC", []byte("x")), section("REUC", []byte("x"))},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			in := build([]built{{"a", 0o100644, 1}}, tt.in)
			out, err := replace(t, in, 20, "a", newID, &Stat{Size: 1}, nil)
			if err != nil {
				t.Fatal(err)
			}
			head := len(build([]built{{"a", 0o100644, 1}}, nil)) - 20
			if got := out[head : len(out)-20]; !bytes.Equal(got, tt.want) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestVarint(t *testing.T) {
	tests := []struct {
		in    []byte
		value uint64
		n     int
	}{
		{nil, 0, 0},
		{[]byte{0x80}, 0, 0},
		{[]byte{0x7f, 1}, 127, 1},
		{[]byte{0x80, 0x00}, 128, 2},
		{[]byte{0x80, 0x80, 0x00}, 16512, 3},
		{bytes.Repeat([]byte{0xff}, 20), 0, 0},
	}
	for _, tt := range tests {
		if value, n := varint(tt.in); value != tt.value || n != tt.n {
			t.Errorf("%x: got %d of %d bytes, want %d of %d", tt.in, value, n, tt.value, tt.n)
		}
	}
}

// FuzzReplace: no bytes make the package panic, and a replacement changes this entry alone.
func FuzzReplace(f *testing.F) {
	good := handmade(f)
	f.Add(good, "b/c", true, false)
	f.Add(build([]built{{"a", 0o100644, 1}, {"b/", 0o040000, 1}}, section("sdir", nil)), "b/c", false, false)
	four := slices.Clone(good)
	four[7] = 4
	f.Add(four, "a", true, false)
	f.Add(build([]built{{"a", 0o100644, 1}}, append(section("FSMN", []byte("x")), section("EOIE", make([]byte, 24))...)), "a", false, true)
	f.Fuzz(func(t *testing.T, index []byte, path string, stat, wide bool) {
		idLen := 20
		if wide {
			idLen = 32
		}
		if len(index) >= idLen {
			body := index[:len(index)-idLen]
			index = append(slices.Clone(body), checksum(idLen, body)...)
		}
		id := bytes.Repeat([]byte{'n'}, idLen)
		var st *Stat
		if stat {
			st = &Stat{MTimeSec: 7, Size: 9}
		}
		trees := []TreeChange{{"", bytes.Repeat([]byte{'r'}, idLen), id}, {"b", bytes.Repeat([]byte{'s'}, idLen), id}}
		patch, err := Replace(index, idLen, []Replacement{{path, id, st}}, trees)
		found, findErr := Find(index, idLen, path)
		if findErr != nil && err == nil {
			t.Fatalf("Find refuses what Replace took: %v", findErr)
		}
		if err != nil {
			return
		}
		out := laid(index, patch)
		got, err := Find(out, idLen, path)
		if err != nil || len(got) != 1 || len(found) != 1 {
			t.Fatalf("afterwards: %v, %v", got, err)
		}
		if !bytes.Equal(got[0].ID, id) || got[0].Mode != found[0].Mode {
			t.Fatalf("got %+v, had %+v", got[0], found[0])
		}
		at := -1
		end, err := scan(index, idLen, func(e *raw) {
			if string(e.name) == path {
				at = e.at
			}
		})
		if err != nil || end > len(out) {
			t.Fatal(err)
		}
		if !bytes.Equal(index[:at], out[:at]) || !bytes.Equal(index[at+statLen+idLen:end], out[at+statLen+idLen:end]) {
			t.Fatal("another entry changed")
		}
		again, err := Replace(out, idLen, []Replacement{{path, id, st}}, nil)
		if err != nil || len(laid(out, again)) > len(out) {
			t.Fatalf("once more: %v", err)
		}
	})
}
