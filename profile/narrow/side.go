package narrow

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/open-agent-profile/oap/canonical"
)

// Silence is what it means that a side does not mention something.
type Silence string

// The kinds of silence.
const (
	// GrantsNothing is a profile's: no allow list is no tool, no decision is "ask" (OAP SPEC, narrowing).
	GrantsNothing Silence = "grants-nothing"
	// AsksFirst is a policy's: it lists no tools where it does not want to, but a decision that it leaves
	// out is "ask".
	AsksFirst Silence = "asks-first"
	// SaysNothing is that of a base or a limit of trust: it narrows what it names and nothing else. A base
	// of instructions only must not leave its children without tools (OAP L3-E2: what a base narrowed).
	SaysNothing Silence = "says-nothing"
)

// Side is one of the documents that an effective profile is within. It is data, so that the record of a
// session holds all that a later call or a subagent is to be judged by.
type Side struct {
	Source  string         `json:"source"` // "policy", "profile scout", "base scout", "parent lead: policy", …
	At      string         `json:"at"`     // pointer of Limits in its document
	Silence Silence        `json:"silence"`
	Limits  map[string]any `json:"limits"` // members of a spec that limit; read-only
}

// limiting are the members of a contract that limit what an agent may do.
var limiting = []string{"tools", "permissions", "context", "memory", "runtime", "lifecycle", "model"}

// newSide takes the limiting members of a contract or a policy.
func newSide(source, at string, silence Silence, from any) Side {
	s := Side{Source: source, At: at, Silence: silence, Limits: map[string]any{}}
	m, _ := from.(map[string]any)
	for _, k := range limiting {
		if v, ok := m[k]; ok {
			s.Limits[k] = v
		}
	}
	return s
}

func (s *Side) get(path ...string) (any, bool) { return canonical.Get(s.Limits, path) }

func (s *Side) pointer(path ...string) string { return s.At + canonical.Pointer(path).String() }

// names reads a list that allows. What is no list, or no text in one, allows nothing.
func (s *Side) names(path ...string) (list []string, stated bool) {
	v, stated := s.get(path...)
	entries, _ := v.([]any)
	for _, e := range entries {
		// An entry that is no text keeps its place, so that pointers to the others are right.
		t, _ := e.(string)
		list = append(list, t)
	}
	return list, stated
}

// denied reads a list that denies. What is no list, or no text in one, denies everything.
func (s *Side) denied(path ...string) []string {
	v, stated := s.get(path...)
	entries, isList := v.([]any)
	if stated && !isList {
		return []string{everything}
	}
	var list []string
	for _, e := range entries {
		t, ok := e.(string)
		if !ok {
			t = everything
		}
		list = append(list, t)
	}
	return list
}

// objects reads a list of objects.
func (s *Side) objects(path ...string) []map[string]any {
	v, _ := s.get(path...)
	entries, _ := v.([]any)
	list := make([]map[string]any, 0, len(entries))
	for _, e := range entries {
		m, _ := e.(map[string]any)
		list = append(list, m)
	}
	return list
}

// number reads a bound. What is no number is zero.
func (s *Side) number(path ...string) (n float64, stated bool) {
	v, stated := s.get(path...)
	n, _ = v.(float64)
	return n, stated
}

// word reads a text. What is no text is a word that nobody knows, which is the strictest everywhere.
func (s *Side) word(path ...string) (w string, stated bool) {
	v, stated := s.get(path...)
	w, _ = v.(string)
	return w, stated
}

// granting gives the patterns of tools that a side grants; limited is false where it grants all that
// others do. The second result is the pointer of what says so.
func (s *Side) granting() (patterns []string, at string, limited bool) {
	policy, hasPolicy := s.word("tools", "policy")
	allow, hasAllow := s.names("tools", "allow")
	switch {
	case s.Silence == AsksFirst || s.Silence == SaysNothing && !hasPolicy:
		return allow, s.pointer("tools", "allow"), hasAllow
	case hasPolicy && (policy == "denylist" || policy == "inherit"):
		return nil, "", false
	default: // an allowlist, which is also what an unknown word is
		return allow, s.pointer("tools", "allow"), true
	}
}

// withholding gives the patterns of tools that a side denies. Under inherit both lists are ignored
// (design section 8).
func (s *Side) withholding() []string {
	if policy, _ := s.word("tools", "policy"); policy == "inherit" {
		return nil
	}
	return s.denied("tools", "deny")
}

// grants reports whether the side lets the agent have a tool, and which line says so.
func (s *Side) grants(tool string) Verdict {
	v := Verdict{Decision: Deny, Source: s.Source}
	for i, p := range s.withholding() {
		if denies(p, tool) {
			v.Pointer, v.Reason = s.pointer("tools", "deny", strconv.Itoa(i)), fmt.Sprintf("tools.deny has %q", p)
			return v
		}
	}
	patterns, at, limited := s.granting()
	granted := !limited
	for i, p := range patterns {
		if limited && allows(p, tool) {
			granted, v.Pointer = true, at+"/"+strconv.Itoa(i)
			v.Reason = fmt.Sprintf("tools.allow has %q", p)
			break
		}
	}
	if !granted {
		v.Pointer, v.Reason = at, "no line of tools.allow grants it"
		return v
	}
	if not := s.ofServer(tool); not != nil {
		return *not
	}
	if v.Decision = Allow; v.Reason == "" {
		v.Reason = "its tools are not limited"
	}
	return v
}

// ofServer judges a tool of an MCP server, mcp/SERVER/TOOL, by the lists of that server, where the side
// has the server. It gives nil where they do not stand against the tool.
func (s *Side) ofServer(tool string) *Verdict {
	rest, ok := strings.CutPrefix(tool, "mcp/")
	if !ok {
		return nil
	}
	for i, server := range s.objects("tools", "mcp_servers") {
		name, _ := server["name"].(string)
		short, ok := strings.CutPrefix(rest, name+"/")
		if !ok || server["tools"] == nil {
			continue
		}
		at := []string{"tools", "mcp_servers", strconv.Itoa(i), "tools"}
		no := &Verdict{Decision: Deny, Source: s.Source}
		if _, ok := server["tools"].(map[string]any); !ok {
			no.Pointer, no.Reason = s.pointer(at...), fmt.Sprintf("the tools of server %q cannot be read", name)
			return no
		}
		for j, p := range s.denied(append(at, "deny")...) {
			if denies(p, short) || denies(p, tool) {
				no.Pointer = s.pointer(append(at, "deny", strconv.Itoa(j))...)
				no.Reason = fmt.Sprintf("the server %q denies %q", name, p)
				return no
			}
		}
		granted, limited := s.names(append(at, "allow")...)
		for _, p := range granted {
			limited = limited && !allows(p, short)
		}
		if limited {
			no.Pointer, no.Reason = s.pointer(append(at, "allow")...), fmt.Sprintf("the server %q does not allow it", name)
			return no
		}
	}
	return nil
}
