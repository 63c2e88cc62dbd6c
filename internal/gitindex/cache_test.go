package gitindex

import (
	"bytes"
	"encoding/binary"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func extensionNames(t *testing.T, index []byte, idLen int) []string {
	t.Helper()
	end, err := scan(index, idLen, func(*raw) {})
	if err != nil {
		t.Fatal(err)
	}
	all, err := readExtensions(index[:len(index)-idLen], end)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, x := range all {
		names = append(names, x.name)
	}
	return names
}

// checkTrees wants the new trees where there were trees before, but for those that had to be given up.
func checkTrees(t *testing.T, idLen int, before, after []byte, trees []TreeChange, cold []string) {
	t.Helper()
	was, is := cachedTrees(t, before, idLen), cachedTrees(t, after, idLen)
	if len(was) != len(is) {
		t.Errorf("%d folders are cached, were %d", len(is), len(was))
	}
	for dir, node := range was {
		i := slices.IndexFunc(trees, func(c TreeChange) bool { return c.Dir == dir })
		switch {
		case i < 0: // off the path
		case slices.Contains(cold, dir):
			node.count, node.id = -1, nil
		case node.count >= 0:
			node.id = trees[i].New
		}
		if diff := cmp.Diff(node, is[dir], cmp.AllowUnexported(treeNode{})); diff != "" {
			t.Errorf("cached tree of %q (-want +got):\n%s", dir, diff)
		}
	}
}

func cachedTrees(t *testing.T, index []byte, idLen int) map[string]treeNode {
	t.Helper()
	end, err := scan(index, idLen, func(*raw) {})
	if err != nil {
		t.Fatal(err)
	}
	all, err := readExtensions(index[:len(index)-idLen], end)
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(all, func(x extension) bool { return x.name == "TREE" })
	if i < 0 {
		return nil
	}
	nodes, data := map[string]treeNode{}, all[i].data
	var walk func(dir string)
	walk = func(dir string) {
		node, rest, ok := readNode(data, idLen)
		if !ok {
			t.Fatal("the cache of trees is damaged")
		}
		data = rest
		dir = strings.TrimPrefix(dir+"/"+node.name, "/")
		nodes[dir] = node
		for range node.subs {
			walk(dir)
		}
	}
	walk("")
	return nodes
}

// checkEnd computes the EOIE extension anew from the bytes; git ignores a wrong one without a word.
func checkEnd(t *testing.T, index []byte, idLen int) {
	t.Helper()
	body := index[:len(index)-idLen]
	size := 8 + 4 + idLen
	at := len(body) - size
	if !slices.Contains(extensionNames(t, index, idLen), "EOIE") {
		return
	}
	if string(body[at:at+4]) != "EOIE" {
		t.Fatal("EOIE is not last")
	}
	end := int(binary.BigEndian.Uint32(body[at+8:]))
	h := newHash(idLen)
	for pos := end; pos < at; {
		h.Write(body[pos : pos+8])
		pos += 8 + int(binary.BigEndian.Uint32(body[pos+4:]))
	}
	if !bytes.Equal(h.Sum(nil), body[at+12:]) {
		t.Error("EOIE has a wrong hash")
	}
}
