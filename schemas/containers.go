package schemas

import (
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/open-agent-profile/oap/canonical"
)

// mapping checks the members of an object: the declared ones in declared order, then the rest by name,
// so that the walk is the same each time although Go maps have no order.
func (r *run) mapping(o *objectRules, m map[string]any) {
	for _, name := range o.required {
		if _, ok := m[name]; !ok {
			r.add("required", "missing member %s", quote(name))
		}
	}
	if o.min >= 0 && len(m) < o.min {
		r.add("minProperties", "has %s, at least %d needed", counted(len(m), "member", "members"), o.min)
	}
	if o.max >= 0 && len(m) > o.max {
		r.add("maxProperties", "has %s, at most %d allowed", counted(len(m), "member", "members"), o.max)
	}
	declared := 0
	for _, name := range o.order {
		if v, ok := m[name]; ok {
			declared++
			r.member(name, o.members[name], v)
		}
	}
	if declared < len(m) && o.additional != nil || o.patterns != nil || o.names != nil {
		r.others(o, m)
	}
}

func (r *run) others(o *objectRules, m map[string]any) {
	names := make([]string, 0, len(m))
	for name := range m {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		if len(r.out) >= r.limit {
			return
		}
		if o.names != nil && !r.matches(o.names, name) {
			r.addMember(name, "propertyNames", "%s is no name for a member here")
		}
		_, known := o.members[name]
		for _, p := range o.patterns {
			if p.re.re().MatchString(name) {
				known = true
				r.member(name, p.node, m[name])
			}
		}
		switch {
		case known || o.additional == nil:
		case o.additional.never:
			r.addMember(name, "additionalProperties", "unknown member %s")
		default:
			r.member(name, o.additional, m[name])
		}
	}
}

func (r *run) member(name string, n *node, v any) {
	r.path = append(r.path, step{name: name})
	r.visit(n, v)
	r.path = r.path[:len(r.path)-1]
}

func (r *run) list(l *listRules, list []any) {
	if l.min >= 0 && len(list) < l.min {
		r.add("minItems", "has %s, at least %d needed", counted(len(list), "entry", "entries"), l.min)
	}
	if l.max >= 0 && len(list) > l.max {
		r.add("maxItems", "has %s, at most %d allowed", counted(len(list), "entry", "entries"), l.max)
	}
	if l.unique {
		r.distinct(list)
	}
	if l.items == nil {
		return
	}
	for i, v := range list {
		r.path = append(r.path, step{index: i, isIndex: true})
		r.visit(l.items, v)
		r.path = r.path[:len(r.path)-1]
	}
}

// distinct compares by canonical bytes, which keeps long lists linear. What has none is reported by the
// other rules.
func (r *run) distinct(list []any) {
	first := make(map[string]int, len(list))
	for i, v := range list {
		key, err := canonical.JCS(v)
		if err != nil {
			continue
		}
		if j, twice := first[string(key)]; twice {
			r.add("uniqueItems", "entry %d repeats entry %d, counted from 0", i, j)
			return
		}
		first[string(key)] = i
	}
}

// text checks a string. Lengths are in code points (JSON Schema Validation §6.3.1).
func (r *run) text(n *node, s string) {
	t := &n.text
	switch {
	case t.min > 0 && len(s) == 0:
		r.add("minLength", "must not be empty")
	case t.min > 0 && utf8.RuneCountInString(s) < t.min:
		r.add("minLength", "has %s, at least %d needed", counted(utf8.RuneCountInString(s), "character", "characters"), t.min)
	case t.max >= 0 && len(s) > t.max && utf8.RuneCountInString(s) > t.max:
		r.add("maxLength", "has %s, at most %d allowed", counted(utf8.RuneCountInString(s), "character", "characters"), t.max)
	}
	if t.pattern != nil && !t.pattern.re().MatchString(s) {
		title := n.title
		if title == "" {
			title = "of the form " + t.pattern.source
		}
		r.add("pattern", "%s is not %s", r.show(s), title)
	}
	if t.uri && !isURI(s) {
		r.add("format", "%s is not an absolute address such as https://example.org", r.show(s))
	}
	if t.dateTime && !isDateTime(s) {
		r.add("format", "%s is not an RFC 3339 time such as 2026-01-31T09:30:00Z", r.show(s))
	}
}

// isURI wants a scheme, and a host of brackets to be an IPv6 address (JSON Schema Validation §7.3.5).
func isURI(s string) bool {
	u, err := url.Parse(s)
	if err != nil || !u.IsAbs() {
		return false
	}
	host := u.Hostname()
	if !strings.Contains(host, ":") {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.Is6() && strings.Contains(u.Host, "[")
}
