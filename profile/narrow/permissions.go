package narrow

import (
	"slices"
	"strconv"
)

// narrowPermissions fills in and lowers decisions, intersects roots and hosts, unites closed paths, and
// combines the rules.
func (e *Effective) narrowPermissions() {
	e.narrowRules() // before the decisions, of which it reads what the sides say
	perms := e.object("permissions")
	for _, kind := range append([]string{"default"}, permissionKinds...) {
		requested := perms[kind]
		var v Verdict
		for i := range e.Sides {
			d, at := e.Sides[i].permission(kind)
			next := Verdict{Decision: d, Source: e.Sides[i].Source, Pointer: at, Reason: reasonOf(kind, at, d)}
			if i == 0 {
				v = next
			}
			v = v.lesser(next)
		}
		perms[kind] = string(v.Decision)
		own, _ := e.Sides[0].permission(kind)
		switch {
		case requested != nil && requested != any(string(v.Decision)):
			e.adjust("/spec/permissions/"+kind, requested, string(v.Decision), v.Reason, v.Source)
		case requested == nil && v.Decision != own:
			e.adjust("/spec/permissions/"+kind, nil, string(v.Decision), v.Reason, v.Source)
		}
	}
	for _, roots := range []string{"read_roots", "write_roots"} {
		e.narrowRoots(roots)
	}
	e.narrowClosed()
	e.narrowHosts()
}

// narrowRoots keeps the inner of nested roots and drops disjoint ones. An empty list is none at all, and
// no list is whatever the other sides have.
func (e *Effective) narrowRoots(name string) {
	path := []string{"permissions", "filesystem", name}
	field := "/spec/permissions/filesystem/" + name
	var left []string
	stated := e.has(path...)
	if stated {
		left = texts(e.object("permissions", "filesystem")[name])
	}
	for i := range e.Sides {
		s := &e.Sides[i]
		theirs, limited := s.names(path...)
		if !limited {
			continue
		}
		if !stated {
			stated, left = true, slices.DeleteFunc(theirs, func(t string) bool { return t == "" })
			e.adjust(field, nil, list(left), "the profile sets no roots", s.Source)
			continue
		}
		next := meetRoots(left, theirs, e.Workspace)
		if slices.Equal(left, next) {
			continue
		}
		if i > 0 || len(next) != len(left) {
			e.adjust(field, list(left), list(next), s.Source+" opens less", s.Source)
		}
		left = next
	}
	if stated {
		e.object("permissions", "filesystem")[name] = list(left)
	}
}

func (e *Effective) narrowClosed() {
	path := []string{"permissions", "filesystem", "deny_paths"}
	var closed []string
	if e.has(path...) {
		closed = texts(e.object("permissions", "filesystem")["deny_paths"])
	}
	for i := range e.Sides {
		for _, p := range e.Sides[i].denied(path...) {
			if !slices.Contains(closed, p) {
				closed = append(closed, p)
				e.adjust("/spec/permissions/filesystem/deny_paths", nil, p, "closed by "+e.Sides[i].Source, e.Sides[i].Source)
			}
		}
	}
	if closed != nil {
		e.object("permissions", "filesystem")["deny_paths"] = list(closed)
	}
}

// noHost stands where hosts are limited and none is left, since an empty list would mean the harness's own
// default. The name never resolves (RFC 6761 §6.4).
const noHost = "none.invalid"

// narrowHosts intersects the hosts. Where none is left the network is closed, too.
func (e *Effective) narrowHosts() {
	perms := e.object("permissions")
	left := texts(perms["allow_hosts"])
	limited := len(left) > 0
	for i := range e.Sides {
		s := &e.Sides[i]
		theirs, has := s.hosts()
		if !has {
			continue
		}
		if !limited {
			limited, left = true, theirs
			e.adjust("/spec/permissions/allow_hosts", perms["allow_hosts"], list(left), "the profile sets no hosts", s.Source)
			continue
		}
		next := meetHosts(left, theirs)
		if !slices.Equal(left, next) {
			e.adjust("/spec/permissions/allow_hosts", list(left), list(next), s.Source+" opens less", s.Source)
		}
		left = next
	}
	if !limited {
		return
	}
	if perms["allow_hosts"] = list(left); len(left) > 0 {
		return
	}
	perms["allow_hosts"] = []any{noHost}
	if perms["network"] != string(Deny) {
		e.adjust("/spec/permissions/network", perms["network"], string(Deny), "no host is left that may be called", e.source("permissions"))
		perms["network"] = string(Deny)
	}
}

// narrowContext drops files that the permissions close: what is put into a prompt is read.
func (e *Effective) narrowContext() {
	e.narrowNumbers()
	if !e.has("context", "files") {
		return
	}
	context := e.object("context")
	files, _ := context["files"].([]any)
	kept := []any{}
	for i, v := range files {
		f, _ := v.(map[string]any)
		p, _ := f["path"].(string)
		closed := Verdict{Decision: Allow}
		for j := range e.Sides {
			closed = closed.lesser(e.Sides[j].byPlace(call{target: p, kinds: map[string]bool{"read": true}}, e.Workspace))
		}
		if closed.Decision == Deny {
			e.adjust("/spec/context/files/"+strconv.Itoa(i), p, nil, closed.Reason, closed.Source)
			continue
		}
		kept = append(kept, v)
	}
	context["files"] = kept
}
