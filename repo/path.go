package repo

import (
	"path"
	"strings"
	"unicode/utf8"

	"github.com/open-agent-profile/oap/internal/term"
)

// CheckPath reports why a path must not be written: it leaves the tree, could reach git's own
// directory on some file system, or holds characters that a terminal or another system takes for
// something else. It follows git's own checks (git: read-cache.c, verify_path; path.c) and is stricter
// where git trusts the person at the keyboard.
func CheckPath(p string) error {
	bad := func(why string) error {
		return invalid("bad-path", term.Escape(p), "cannot be a path in a repository: %s", why)
	}
	switch {
	case p == "":
		return bad("it is empty")
	case len(p) > 4096:
		return bad("it is longer than 4096 bytes")
	case !utf8.ValidString(p):
		return bad("it is not UTF-8")
	case strings.HasPrefix(p, "/") || strings.HasSuffix(p, "/"):
		return bad("it starts or ends with a slash")
	case strings.ContainsRune(p, '\\'):
		return bad("a backslash separates folders on some systems")
	}
	for _, c := range p {
		if c < 0x20 || c == 0x7f {
			return bad("it contains a control character")
		}
	}
	for part := range strings.SplitSeq(p, "/") {
		switch {
		case part == "":
			return bad("it has an empty part")
		case part == "." || part == "..":
			return bad("it contains " + part)
		case len(part) > 255:
			return bad("a part is longer than 255 bytes")
		case gitDirName(part):
			return bad("it names git's own directory")
		}
	}
	return nil
}

// gitDirName reports whether a file system may take the name for ".git": letter case, the short name
// that NTFS makes, trailing dots and spaces and streams that NTFS drops, and the invisible characters
// that HFS+ ignores (git: path.c is_ntfs_dotgit; utf8.c is_hfs_dotgit).
func gitDirName(name string) bool {
	var b strings.Builder
	for _, c := range name {
		switch {
		case c >= 0x200c && c <= 0x200f, c >= 0x202a && c <= 0x202e, c >= 0x206a && c <= 0x206f, c == 0xfeff:
			continue
		}
		b.WriteRune(c)
	}
	n, _, _ := strings.Cut(b.String(), ":")
	n = strings.ToLower(strings.TrimRight(n, ". "))
	return n == ".git" || n == "git~1"
}

// dirOf is the folder of a path, "" for the top.
func dirOf(p string) string {
	d := path.Dir(p)
	if d == "." {
		return ""
	}
	return d
}

// splitPath gives the parts of a checked path.
func splitPath(p string) []string { return strings.Split(p, "/") }
