package narrow

import (
	"net/url"
	"path"
	"strings"

	"github.com/open-agent-profile/oap/profile"
)

// place brings a path into one form: absolute where the place of the workspace is known, else relative to
// it or absolute, as it came. ok is false for what cannot be compared: another drive, a home folder, a
// variable, a climb out of a workspace whose own place is not known.
func place(p, workspace string) (clean string, ok bool) {
	p = strings.ReplaceAll(p, `\`, "/")
	switch {
	case p == "", strings.ContainsRune(p, 0), strings.HasPrefix(p, "~"), strings.HasPrefix(p, "$"), strings.HasPrefix(p, "%"),
		len(p) > 1 && p[1] == ':', strings.HasPrefix(p, "//"):
		return "", false
	case workspace != "" && !path.IsAbs(p):
		p = workspace + "/" + p
	}
	p = path.Clean(p)
	return p, p != ".." && !strings.HasPrefix(p, "../")
}

// contains reports whether a path surely lies at or below a root.
func contains(root, p, workspace string) bool {
	r, okRoot := place(root, workspace)
	q, okPath := place(p, workspace)
	switch {
	case !okRoot || !okPath:
		return false
	case r == "/":
		return true
	case r == ".":
		return !path.IsAbs(q)
	default:
		return q == r || strings.HasPrefix(q, r+"/")
	}
}

// meetRoots intersects two lists of roots: of two nested ones the inner stays, disjoint ones go.
func meetRoots(as, bs []string, workspace string) []string {
	out := []string{}
	seen := map[string]bool{}
	for _, a := range as {
		for _, b := range bs {
			inner := b
			if contains(b, a, workspace) {
				inner = a
			} else if !contains(a, b, workspace) {
				continue
			}
			if !seen[inner] {
				seen[inner] = true
				out = append(out, inner)
			}
		}
	}
	return out
}

// closes reports whether a closed path may take in a target: the path itself, what lies below it, and,
// where it is a bare name, that name in any folder, which is how people mean ".env". The target may also
// be a command, of which every word is looked at.
func closes(pattern, target, workspace string) bool {
	words := strings.FieldsFunc(target, func(c rune) bool { return strings.ContainsRune(" \t\"'=,:@{}"+shellMeta, c) })
	for _, w := range append(words, target) {
		if closesPath(pattern, w, workspace) {
			return true
		}
	}
	return false
}

func closesPath(pattern, target, workspace string) bool {
	closed, known := place(pattern, workspace)
	at, ok := place(target, workspace)
	// What cannot be placed is compared from its end, so that it takes in more.
	loose := !known || !ok || path.IsAbs(closed) != path.IsAbs(at)
	if plain := strings.Trim(strings.ReplaceAll(pattern, `\`, "/"), "/"); loose || !strings.Contains(plain, "/") && !path.IsAbs(pattern) {
		closed, loose = tail(plain), true
	}
	if !ok {
		at = path.Clean(strings.ReplaceAll(target, `\`, "/"))
	}
	if closed == "." {
		return true // the workspace, or nothing that could be read as less
	}
	globs := []profile.Glob{profile.Glob(loosened(closed))}
	at = strings.ToLower(at)
	if loose {
		globs = append(globs, "**/"+globs[0])
		at = "/" + strings.TrimPrefix(at, "/")
	}
	for _, g := range globs {
		// Every folder on the way to the target, and the target.
		for end := len(at); end > 0; end = strings.LastIndexByte(at[:end], '/') {
			if g.Match(at[:end]) {
				return true
			}
		}
	}
	return globs[0] == "/"
}

// tail drops what leads to a place outside: "~", a variable, a drive, "..".
func tail(p string) string {
	segs := strings.Split(path.Clean(p), "/")
	for len(segs) > 1 && (segs[0] == ".." || strings.HasSuffix(segs[0], ":") || strings.ContainsAny(segs[0][:min(1, len(segs[0]))], "~$%")) {
		segs = segs[1:]
	}
	return strings.Join(segs, "/")
}

// hosts gives the hosts that a side allows. An empty list is none: together with network "allow" it
// stands for the harness's own default (OAP SPEC, allow_hosts).
func (s *Side) hosts() (hosts []string, stated bool) {
	hosts, _ = s.names("permissions", "allow_hosts")
	return hosts, len(hosts) > 0
}

// hostOf gives the host of an address, with its port where it has one; "" where the address can be read
// in more than one way.
func hostOf(target string) string {
	if strings.ContainsAny(target, "\\ \t\r\n\x00") {
		return "" // browsers and libraries disagree about these
	}
	if !strings.Contains(target, "://") {
		target = "//" + target
	}
	u, err := url.Parse(target)
	if err != nil || u.Opaque != "" || u.User != nil || strings.ContainsAny(u.Host, "@%") {
		return ""
	}
	return plainHost(u.Host)
}

func plainHost(h string) string {
	h = strings.ToLower(h)
	name, port, hasPort := strings.Cut(h, ":")
	if strings.HasPrefix(h, "[") || strings.Count(h, ":") > 1 {
		return h // an IPv6 address, compared as it is written
	}
	name = strings.TrimSuffix(name, ".")
	if hasPort {
		return name + ":" + port
	}
	return name
}

// coversHost reports whether an entry of allow_hosts takes in a host, or another entry: the same host,
// any port of it where the entry names none, and for "*.example.org" every host below it.
func coversHost(entry, host string) bool {
	entry, host = plainHost(entry), plainHost(host)
	if entry == host || entry == everything {
		return host != ""
	}
	name, port, hasPort := strings.Cut(entry, ":")
	hostName, hostPort, hostHasPort := strings.Cut(host, ":")
	switch {
	case strings.HasPrefix(entry, "[") || strings.Count(entry, ":") > 1, strings.HasPrefix(host, "["), strings.Count(host, ":") > 1:
		return false
	case hasPort && (!hostHasPort || port != hostPort):
		return false
	case name == hostName:
		return true
	}
	below, ok := strings.CutPrefix(name, "*")
	return ok && strings.HasPrefix(below, ".") && !strings.Contains(below, "*") && strings.HasSuffix(hostName, below) && len(hostName) > len(below)
}

// meetHosts intersects two lists of hosts.
func meetHosts(as, bs []string) []string {
	out := []string{}
	seen := map[string]bool{}
	for _, a := range as {
		for _, b := range bs {
			inner := b
			if coversHost(b, a) {
				inner = a
			} else if !coversHost(a, b) {
				continue
			}
			if !seen[inner] {
				seen[inner] = true
				out = append(out, inner)
			}
		}
	}
	return out
}
