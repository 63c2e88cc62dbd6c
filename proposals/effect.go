package proposals

import (
	"fmt"
	"slices"
	"strings"

	"github.com/open-agent-profile/oap/canonical"
	"github.com/open-agent-profile/oap/profile"
)

// Effect is one line of what a contract grants on its own, before and after.
type Effect struct {
	What   string `json:"what"`
	Before string `json:"before"`
	After  string `json:"after"`
}

// Effects sets side by side what two contracts grant by themselves: tools, permissions, writeback and the
// like, whether they differ or not. Bases and the policy of whoever runs the agent can only take away
// from it. A tool that is both allowed and denied is not granted.
func Effects(before, after map[string]any) []Effect {
	var out []Effect
	for _, e := range []struct {
		what string
		of   func(map[string]any) string
	}{
		{"tools", grantedTools},
		{"shell", permissionOf("shell")},
		{"edit", permissionOf("edit")},
		{"network", permissionOf("network")},
		{"hosts", listOr("any that the network permission lets through", "spec", "permissions", "allow_hosts")},
		{"read", listOr("as the harness says", "spec", "permissions", "filesystem", "read_roots")},
		{"write", listOr("as the harness says", "spec", "permissions", "filesystem", "write_roots")},
		{"memory", textOr("read_only", "spec", "memory", "mode")},
		{"subagents", listOr("none", "spec", "runtime", "subagents", "allow")},
		{"writeback", textOr("propose", "spec", "lifecycle", "writeback")},
	} {
		out = append(out, Effect{e.what, e.of(before), e.of(after)})
	}
	return out
}

// Differs reports whether the two sides of a line say different things.
func (e Effect) Differs() bool { return e.Before != e.After }

func grantedTools(doc map[string]any) string {
	denied := textsAt(doc, "spec", "tools", "deny")
	switch textOr("allowlist", "spec", "tools", "policy")(doc) {
	case "inherit":
		return "all that the harness has"
	case "denylist":
		if len(denied) == 0 {
			return "all that the harness has"
		}
		return "all that the harness has but " + joined(denied)
	}
	var granted, masked []string
	for _, name := range textsAt(doc, "spec", "tools", "allow") {
		if slices.ContainsFunc(denied, func(d string) bool { return d == name || profile.Glob(d).Match(name) }) {
			masked = append(masked, name)
		} else {
			granted = append(granted, name)
		}
	}
	s := "none"
	if len(granted) > 0 {
		s = joined(granted)
	}
	if len(masked) > 0 {
		s += fmt.Sprintf(" (allowed, and denied all the same: %s)", joined(masked))
	}
	return s
}

// permissionOf reads one permission; what is left out is the profile's default, else "ask" (OAP facts h.2).
func permissionOf(name string) func(map[string]any) string {
	return func(doc map[string]any) string {
		return textOr(textOr("ask", "spec", "permissions", "default")(doc), "spec", "permissions", name)(doc)
	}
}

func textOr(absent string, path ...string) func(map[string]any) string {
	return func(doc map[string]any) string {
		v, ok := canonical.Get(doc, path)
		if !ok {
			return absent
		}
		return short(v)
	}
}

func listOr(absent string, path ...string) func(map[string]any) string {
	return func(doc map[string]any) string {
		if _, ok := canonical.Get(doc, path); !ok {
			return absent
		}
		if list := textsAt(doc, path...); len(list) > 0 {
			return joined(list)
		}
		return "none"
	}
}

// joined writes a list on one line, each entry so that it cannot pass for two.
func joined(list []string) string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = s
		if strings.ContainsAny(s, ", ()") || s != visible(s) || s == "" {
			out[i] = quote(s)
		}
	}
	return strings.Join(out, ", ")
}
