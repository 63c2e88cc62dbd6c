package repo

import (
	"context"
	"path"
	"strings"
)

// maxLinks is how many symbolic links are followed before they count as a loop (Linux: 40).
const maxLinks = 40

// Follow gives the path that p really names in the tree, through symbolic links, of p itself and of its
// directories. A link that leads out of the repository (an absolute one always counts as such) or runs
// in a circle is Refused, a broken one is NotFound.
func (s *Snapshot) Follow(ctx context.Context, p string) (string, error) {
	if err := CheckPath(p); err != nil {
		return "", err
	}
	rest, done := splitPath(p), ""
	tree := []ID{s.root()} // ids of the directories that done names, top first
	for links := 0; len(rest) > 0; {
		name := rest[0]
		rest = rest[1:]
		switch name {
		case "", ".":
			continue
		case "..":
			if done == "" {
				return "", refuse("symlink", p, "is a symbolic link that leads out of the repository")
			}
			done, tree = dirOf(done), tree[:len(tree)-1]
			continue
		}
		entries, err := s.tree(ctx, tree[len(tree)-1])
		if err != nil {
			return "", err
		}
		at := findEntry(entries, name)
		if at < 0 {
			return "", notFound("no-path", p, "no such file in the commit")
		}
		e := entries[at]
		switch e.modeBits() & modeType {
		case modeTree:
			done, tree = path.Join(done, name), append(tree, e.id)
		case ModeSymlink:
			if links++; links > maxLinks {
				return "", refuse("symlink", p, "symbolic links lead in a circle")
			}
			target, err := s.Blob(ctx, e.id)
			if err != nil {
				return "", err
			}
			if path.IsAbs(string(target)) || strings.ContainsAny(string(target), "\x00\\") {
				return "", refuse("symlink", p, "is a symbolic link that leads out of the repository")
			}
			rest = append(splitPath(string(target)), rest...)
		case ModeGitlink:
			return "", refuse("gitlink", p, "leads into another repository (gitlink)")
		default:
			if len(rest) > 0 {
				return "", notFound("no-path", p, "no such file in the commit")
			}
			done = path.Join(done, name)
		}
	}
	if done == "" {
		return "", refuse("directory", p, "names the top directory")
	}
	return done, CheckPath(done)
}
