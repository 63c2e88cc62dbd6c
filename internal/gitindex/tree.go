package gitindex

import (
	"bytes"
	"strconv"
	"strings"
)

// treeNode is one folder of the cache of trees (gitformat-index, "Cache tree"): its name, a NUL, the number
// of entries below it or -1, a space, the number of sub-folders in the cache, a newline, and, unless the
// number of entries is -1, the id of its tree. Sub-folders follow at once.
type treeNode struct {
	name        string
	count, subs int
	id          []byte
}

// patchTrees returns the cache of trees after the change; false if it cannot be read.
//
// A cached id that equals Old tells that the folder, as staged, is the tree which New was made from, so
// New is what git would compute. Any other id covers more staged changes; there the folder loses its id.
// Folders off the paths keep theirs.
func patchTrees(data []byte, c change) ([]byte, bool) {
	type level struct {
		left   int  // sub-folders still to come
		onPath bool // a path goes through this folder
		dir    string
	}
	out := make([]byte, 0, len(data))
	levels := []level{{left: 1}}
	for len(levels) > 0 {
		top := &levels[len(levels)-1]
		if top.left == 0 {
			levels = levels[:len(levels)-1]
			continue
		}
		top.left--
		node, rest, ok := readNode(data, c.idLen)
		if !ok || (len(levels) == 1) != (node.name == "") {
			return nil, false
		}
		data = rest
		next := level{left: node.subs}
		if len(levels) == 1 || top.onPath {
			next.dir = strings.TrimPrefix(top.dir+"/"+node.name, "/")
			next.onPath = c.folders[next.dir]
		}
		if next.onPath && node.count >= 0 {
			if node.id = replacement(c, next.dir, node.id); node.id == nil {
				node.count = -1
			}
		}
		out = appendNode(out, node)
		levels = append(levels, next)
	}
	return out, len(data) == 0
}

// replacement is the new tree of a folder, nil if it is not known.
func replacement(c change, dir string, cached []byte) []byte {
	for _, t := range c.trees {
		if t.Dir == dir && bytes.Equal(t.Old, cached) && len(t.New) == c.idLen {
			return t.New
		}
	}
	return nil
}

func readNode(data []byte, idLen int) (n treeNode, rest []byte, ok bool) {
	name, data, ok := bytes.Cut(data, []byte{0})
	if !ok {
		return n, nil, false
	}
	count, data, ok := bytes.Cut(data, []byte{' '})
	if !ok {
		return n, nil, false
	}
	subs, data, ok := bytes.Cut(data, []byte{'\n'})
	if !ok {
		return n, nil, false
	}
	n.name = string(name)
	var errCount, errSubs error
	n.count, errCount = strconv.Atoi(string(count))
	n.subs, errSubs = strconv.Atoi(string(subs))
	if errCount != nil || errSubs != nil || n.count < -1 || n.subs < 0 {
		return n, nil, false
	}
	if n.count >= 0 {
		if len(data) < idLen {
			return n, nil, false
		}
		n.id, data = data[:idLen], data[idLen:]
	}
	return n, data, true
}

func appendNode(out []byte, n treeNode) []byte {
	out = append(append(out, n.name...), 0)
	out = append(strconv.AppendInt(out, int64(n.count), 10), ' ')
	out = append(strconv.AppendInt(out, int64(n.subs), 10), '\n')
	return append(out, n.id...)
}
