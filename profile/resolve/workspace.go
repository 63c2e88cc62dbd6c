package resolve

import (
	"errors"
	"io/fs"
	"path"
	"strconv"
	"strings"

	"github.com/open-agent-profile/oap/canonical"
)

// paths follows the links of every workspace path, which its spelling alone cannot (OAP L1-I5; SPEC,
// security). deny_paths are left out: they can only take away.
func (p *preparer) paths() {
	if p.options.Inside == nil {
		return
	}
	check := func(at canonical.Pointer, v any) {
		s, ok := v.(string)
		if !ok {
			return
		}
		switch inside, err := p.options.Inside(s); {
		case err != nil:
			p.fail("workspace-path", at, "%q cannot be followed: %v", s, err)
		case !inside:
			p.fail("workspace-path", at, "%q leads out of the workspace over a link", s)
		}
	}
	context := canonical.Pointer{"spec", "context"}
	files, _ := p.object(context...)["files"].([]any)
	for i, v := range files {
		f, _ := v.(map[string]any)
		check(context.Append("files", strconv.Itoa(i), "path"), f["path"])
	}
	check(context.Append("working_directory"), p.object(context...)["working_directory"])
	filesystem := canonical.Pointer{"spec", "permissions", "filesystem"}
	for _, list := range []string{"read_roots", "write_roots"} {
		roots, _ := p.object(filesystem...)[list].([]any)
		for i, v := range roots {
			check(filesystem.Append(list, strconv.Itoa(i)), v)
		}
	}
}

// maxLinks is how many links one path may go over, as in most systems.
const maxLinks = 40

// Inside gives the function for [Options] that follows links in a file tree, such as os.DirFS of the
// workspace. A path to what does not exist is judged by the part that does. A link to an absolute path
// counts as leaving, even where it would lead back in: the tree does not know where it stands.
func Inside(tree fs.FS) func(string) (bool, error) {
	return func(p string) (bool, error) {
		rest := strings.FieldsFunc(p, func(c rune) bool { return c == '/' || c == '\\' })
		if strings.HasPrefix(p, "/") || strings.HasPrefix(p, `\`) {
			return false, nil
		}
		at := "."
		for links := 0; len(rest) > 0; {
			seg := rest[0]
			rest = rest[1:]
			switch {
			case seg == ".":
				continue
			case seg == ".." && at == ".":
				return false, nil
			case seg == "..":
				// at holds no link any more, so its parent is the real one.
				at = path.Dir(at)
				continue
			}
			next := path.Join(at, seg)
			if !fs.ValidPath(next) {
				return false, nil
			}
			info, err := fs.Lstat(tree, next)
			if errors.Is(err, fs.ErrNotExist) {
				// Nothing more to follow, but ".." further on still counts.
				at = next
				continue
			} else if err != nil {
				return false, err
			}
			if info.Mode()&fs.ModeSymlink == 0 {
				at = next
				continue
			}
			if links++; links > maxLinks {
				return false, errors.New("too many links")
			}
			target, err := fs.ReadLink(tree, next)
			if err != nil {
				return false, err
			}
			if path.IsAbs(target) || strings.HasPrefix(target, `\`) || len(target) > 1 && target[1] == ':' {
				return false, nil
			}
			rest = append(strings.FieldsFunc(target, func(c rune) bool { return c == '/' || c == '\\' }), rest...)
		}
		return true, nil
	}
}
