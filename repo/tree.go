package repo

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
)

// The modes that git gives entries of a tree.
const (
	ModeFile       uint32 = 0o100644
	ModeExecutable uint32 = 0o100755
	ModeSymlink    uint32 = 0o120000
	ModeGitlink    uint32 = 0o160000
	modeTree       uint32 = 0o40000
	modeType       uint32 = 0o170000
)

// Entry is a file, symbolic link or gitlink in a tree. Path is the whole path from the top.
type Entry struct {
	Path string
	Mode uint32
	ID   ID
}

// treeEntry keeps the mode as it is written, so that odd modes of old repositories (100664) survive.
type treeEntry struct {
	mode string
	name string
	id   ID
}

func (e treeEntry) modeBits() uint32 {
	m, err := strconv.ParseUint(e.mode, 8, 32)
	if err != nil {
		return 0
	}
	return uint32(m)
}

func (e treeEntry) isTree() bool { return e.modeBits()&modeType == modeTree }

// parseTree reads "mode SP name NUL id" records.
func parseTree(data []byte, idLen int) ([]treeEntry, error) {
	var out []treeEntry
	for len(data) > 0 {
		sp := bytes.IndexByte(data, ' ')
		if sp < 1 {
			return nil, fmt.Errorf("tree entry %d has no mode", len(out))
		}
		nul := bytes.IndexByte(data[sp:], 0)
		if nul < 2 || len(data) < sp+nul+1+idLen {
			return nil, fmt.Errorf("tree entry %d is cut short", len(out))
		}
		out = append(out, treeEntry{
			mode: string(data[:sp]),
			name: string(data[sp+1 : sp+nul]),
			id:   idOf(data[sp+nul+1 : sp+nul+1+idLen]),
		})
		data = data[sp+nul+1+idLen:]
	}
	return out, nil
}

// encodeTree writes the records in the order given.
func encodeTree(entries []treeEntry) []byte {
	n := 0
	for _, e := range entries {
		n += len(e.mode) + len(e.name) + len(e.id)/2 + 2
	}
	b := make([]byte, 0, n)
	for _, e := range entries {
		b = append(b, e.mode...)
		b = append(b, ' ')
		b = append(b, e.name...)
		b = append(b, 0)
		b = append(b, e.id.raw()...)
	}
	return b
}

// compareNames orders entries as git does: a tree sorts as if its name ended in a slash (git:
// tree.c, base_name_compare).
func compareNames(a string, aTree bool, b string, bTree bool) int {
	if aTree {
		a += "/"
	}
	if bTree {
		b += "/"
	}
	return strings.Compare(a, b)
}

// findEntry gives the place of a name. Trees that git wrote are sorted, but the two sort keys a name
// can have make a linear look the simple one; a directory of a thousand entries costs microseconds.
func findEntry(entries []treeEntry, name string) int {
	for i := range entries {
		if entries[i].name == name {
			return i
		}
	}
	return -1
}
