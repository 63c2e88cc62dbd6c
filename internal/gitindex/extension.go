package gitindex

import "encoding/binary"

// extension is one optional part behind the entries: four letters, a 32-bit length, data.
type extension struct {
	name string
	data []byte
}

// readExtensions splits what follows the entries. An extension whose name does not start with an upper-case
// letter changes the meaning of the entries (gitformat-index), so only those known to be harmless pass.
func readExtensions(body []byte, pos int) ([]extension, error) {
	var all []extension
	for pos < len(body) {
		if len(body)-pos < 8 {
			return nil, &FormatError{pos, "extension is cut off"}
		}
		name, size := string(body[pos:pos+4]), binary.BigEndian.Uint32(body[pos+4:])
		if uint64(size) > uint64(len(body)-pos-8) {
			return nil, &FormatError{pos, "extension is cut off"}
		}
		if name[0] < 'A' || name[0] > 'Z' {
			// "sdir" only says that entries may be folders, which locate sees for itself.
			if name != "sdir" {
				return nil, unsupported("extension %q", name)
			}
		}
		pos += 8
		all = append(all, extension{name, body[pos : pos+int(size)]})
		pos += int(size)
	}
	return all, nil
}

// change is what the extensions have to follow.
type change struct {
	idLen   int
	folders map[string]bool // those above the paths; "" is the root
	trees   []TreeChange
	recheck bool // the stat data of an entry say nothing about its file any more
}

// changedExtensions gives the extensions as they are after the change; end is where the entries end. These
// have kept their places, so that offsets and counts stay right.
func changedExtensions(end int, all []extension, c change) []byte {
	var out []byte
	index := false
	headers := newHash(c.idLen)
	for _, x := range all {
		data := x.data
		switch x.name {
		case "IEOT", "REUC", "sdir":
		case "UNTR":
			// It lists files that are not in the index. The paths were in it and are; new names in a folder show
			// in the folder's own stat data.
		case "FSMN":
			// It holds which entries are known to match their files. With a stat one does, or the monitor
			// reports it. Without one git would not look at the file; it makes the extension anew.
			if c.recheck {
				continue
			}
		case "TREE":
			var ok bool
			if data, ok = patchTrees(x.data, c); !ok {
				continue // git ignores one that it cannot read
			}
		case "EOIE":
			index = true
			continue
		default:
			continue // unknown caches: git drops them whenever it writes
		}
		start := len(out)
		out = append(out, x.name...)
		out = binary.BigEndian.AppendUint32(out, uint32(len(data)))
		headers.Write(out[start:])
		out = append(out, data...)
	}
	if !index {
		return out
	}
	// End of index entries: where they end, and a hash over the headers of the other extensions; always last.
	out = append(out, "EOIE"...)
	out = binary.BigEndian.AppendUint32(out, uint32(4+c.idLen))
	out = binary.BigEndian.AppendUint32(out, uint32(end))
	return headers.Sum(out)
}
