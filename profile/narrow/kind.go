package narrow

import "strings"

// A call is of a kind if its action or its tool says so. Permissions speak of three kinds; "read" is
// the fourth, for read_roots. The words are those of the format and of a few harnesses; a harness with
// other names translates them before it asks.
var (
	kindOfAction = map[string]string{
		"shell": "shell", "exec": "shell", "run": "shell",
		"edit": "edit", "write": "edit", "delete": "edit",
		"network": "network", "fetch": "network",
		"read": "read", "search": "read", "list": "read",
	}
	kindOfTool = map[string]string{
		"shell": "shell", "bash": "shell", "exec": "shell", "terminal": "shell",
		"edit": "edit", "write": "edit", "apply_patch": "edit",
		"network": "network", "fetch": "network", "web_fetch": "network", "http": "network",
		"read": "read", "search": "read", "grep": "read", "glob": "read", "list": "read",
	}
	permissionKinds = []string{"shell", "edit", "network"}
)

// kinds gives the kinds of a call, the tool's and the action's: a tool that edits and is asked to read is
// held to both.
func kinds(tool, action string) map[string]bool {
	of := map[string]bool{}
	if k := kindOfTool[strings.ToLower(tool)]; k != "" {
		of[k] = true
	}
	if k := kindOfAction[strings.ToLower(action)]; k != "" {
		of[k] = true
	}
	return of
}

// permission gives what a side says of a kind of action, "default" included, and the pointer of the line.
func (s *Side) permission(kind string) (d Decision, at string) {
	for _, k := range []string{kind, "default"} {
		if w, stated := s.word("permissions", k); stated {
			return Decision(w).Lesser(Allow), s.pointer("permissions", k)
		}
	}
	if s.Silence == SaysNothing {
		return Allow, ""
	}
	return Ask, ""
}

// byKind gives the strictest of what a side says of the kinds of a call, and the default where the call
// is of none.
func (s *Side) byKind(of map[string]bool) Verdict {
	v := Verdict{Decision: Allow, Source: s.Source}
	named := false
	for _, k := range permissionKinds {
		if !of[k] {
			continue
		}
		d, at := s.permission(k)
		next := Verdict{Decision: d, Source: s.Source, Pointer: at, Reason: reasonOf(k, at, d)}
		if !named {
			v, named = next, true
		}
		v = v.lesser(next)
	}
	if !named {
		d, at := s.permission("default")
		v.Decision, v.Pointer, v.Reason = d, at, reasonOf("default", at, d)
	}
	return v
}

func reasonOf(kind, at string, d Decision) string {
	switch {
	case at == "" && d == Ask:
		return "permissions do not say, and then a person is asked"
	case at == "":
		return "permissions are not limited"
	case strings.HasSuffix(at, "/default"):
		return "permissions.default is " + string(d)
	default:
		return "permissions." + kind + " is " + string(d)
	}
}
