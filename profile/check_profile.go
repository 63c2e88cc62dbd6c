package profile

import (
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/open-agent-profile/oap/canonical"
	"github.com/open-agent-profile/oap/internal/term"
)

var (
	envRef    = lazy(`^\$\{([A-Z][A-Z0-9_]{0,63})\}$`)
	headerRef = lazy(`^(?:Bearer )?\$\{[A-Z][A-Z0-9_]{0,63}\}$`)
	driveRoot = lazy(`^[A-Za-z]:`)
)

// lazy compiles a pattern when it is first needed: most runs of oap need none, and every run would wait.
func lazy(pattern string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(pattern) })
}

// profile runs the checks on an agent profile that no schema can express.
func (r *report) profile() {
	r.names()
	r.mcpServers()
	r.workspacePaths()
	r.variables()
	r.identities()
	r.history()
	r.tools()
	r.invisible()
}

func (r *report) names() {
	name := r.doc.Name()
	if _, ok := lookup(r.doc.Value, "metadata", "trust").(string); ok {
		r.add(Warning, "trust-in-file", "/metadata/trust", "trust is decided by where a profile is found; the value here is ignored")
	}
	if stem, ok := trimSuffix(r.doc.Path, ProfileSuffixes); ok && name != "" && stem != name {
		r.add(Warning, "file-name", "/metadata/name", "the profile is named %s but its file %s; the name in the document counts", quote(name), quote(path.Base(r.doc.Path)))
	}
	if reservedOnWindows(name) {
		r.add(Warning, "windows-name", "/metadata/name", "Windows cannot check out a file named %s", quote(name))
	}
	if words := strings.Fields(r.doc.str("metadata", "description")); len(words) > 0 && len(words) < 4 {
		r.add(Warning, "short-description", "/metadata/description", "a description of %d words says too little about when to use this agent", len(words))
	}
}

// reservedOnWindows knows the device names, which Windows reserves with any suffix behind a dot.
func reservedOnWindows(name string) bool {
	stem, _, _ := strings.Cut(strings.ToLower(name), ".")
	switch stem {
	case "con", "prn", "aux", "nul":
		return true
	}
	return len(stem) == 4 && (strings.HasPrefix(stem, "com") || strings.HasPrefix(stem, "lpt")) && stem[3] >= '1' && stem[3] <= '9'
}

// mcpServers wants references in env and headers, and in env the variable of the same name: a profile
// may pass a variable on, not smuggle one under a harmless name (OAP L1-I6; SPEC, MCP servers).
func (r *report) mcpServers() {
	each(r.doc.Value, []string{"spec", "tools", "mcp_servers"}, func(at canonical.Pointer, s map[string]any) {
		env, _ := s["env"].(map[string]any)
		for k, v := range env {
			p := at.Append("env", k).String()
			m := envRef().FindStringSubmatch(text(v))
			switch {
			case m == nil:
				r.add(Error, "mcp-env", p, "an MCP environment value must be a reference such as ${%s}, never a literal", envName(k))
			case m[1] != k:
				r.add(Error, "mcp-env-name", p, "%s passes the variable %s under another name; only ${%s} is allowed here", quote(k), m[1], envName(k))
			}
		}
		headers, _ := s["headers"].(map[string]any)
		for k, v := range headers {
			if !headerRef().MatchString(text(v)) {
				r.add(Error, "mcp-header", at.Append("headers", k).String(), "an MCP header value must be a reference such as ${TOKEN} or Bearer ${TOKEN}, never a literal")
			}
		}
	})
}

// envName repeats a key in an example only where it is a variable name.
func envName(k string) string {
	if envRef().MatchString("${" + k + "}") {
		return k
	}
	return "NAME"
}

func text(v any) string {
	s, _ := v.(string)
	return s
}

// workspacePaths refuses what leaves the workspace by its spelling (OAP L1-I5). deny_paths are left out:
// they can only take away. Links are followed at resolve time, where there is a file system.
func (r *report) workspacePaths() {
	bad := func(at canonical.Pointer, p string) {
		if reason := escapes(p); reason != "" {
			r.add(Error, "workspace-path", at.String(), "%s %s; paths stay inside the workspace", quote(p), reason)
		}
	}
	each(r.doc.Value, []string{"spec", "context", "files"}, func(at canonical.Pointer, f map[string]any) {
		if p, ok := f["path"].(string); ok {
			bad(at.Append("path"), p)
		}
	})
	if p := r.doc.str("spec", "context", "working_directory"); p != "" {
		bad(canonical.Pointer{"spec", "context", "working_directory"}, p)
	}
	for _, roots := range []string{"read_roots", "write_roots"} {
		eachText(r.doc.Value, []string{"spec", "permissions", "filesystem", roots}, bad)
	}
}

// escapes says how a path leaves the workspace; empty where it does not. Beyond absolute paths and
// climbing, a shell's shorthand for other places counts: ~, $HOME, %USERPROFILE%, and C:x, which is
// relative to another drive's directory.
func escapes(p string) string {
	switch {
	case strings.HasPrefix(p, "/"), strings.HasPrefix(p, `\`):
		return "is absolute"
	case driveRoot().MatchString(p):
		return "names a drive"
	case strings.HasPrefix(p, "~"):
		return "starts in a home folder"
	case strings.HasPrefix(p, "$"), strings.HasPrefix(p, "%"):
		return "starts with a variable"
	}
	depth := 0
	for _, seg := range strings.FieldsFunc(p, func(c rune) bool { return c == '/' || c == '\\' }) {
		switch seg {
		case ".":
		case "..":
			depth--
		default:
			depth++
		}
		if depth < 0 {
			return "climbs out"
		}
	}
	return ""
}

// variables wants every ${{ vars.X }} of the prompt defined, and warns of one in state, which is never
// filled in (OAP L2-S5).
func (r *report) variables() {
	vars, _ := lookup(r.doc.Value, "spec", "context", "variables").(map[string]any)
	undefined := func(at canonical.Pointer, s string) {
		for _, name := range Variables(s) {
			if _, ok := vars[name]; !ok {
				r.add(Error, "undefined-variable", at.String(), "the variable %s is not defined in /spec/context/variables", name)
			}
		}
	}
	if s := r.doc.str("spec", "role", "instructions"); s != "" && r.doc.Value["extends"] == nil {
		undefined(canonical.Pointer{"spec", "role", "instructions"}, s)
	}
	if r.doc.Value["extends"] == nil {
		// A base may define the variables of a document that extends it; those are checked when
		// the two are resolved.
		for _, list := range []string{"objectives", "constraints"} {
			eachText(r.doc.Value, []string{"spec", "role", list}, undefined)
		}
	}
	walkText(r.doc.Value["state"], canonical.Pointer{"state"}, func(at canonical.Pointer, s string) {
		if len(Variables(s)) > 0 {
			r.add(Warning, "template-in-state", at.String(), "templates are not filled in inside state")
		}
	})
}

// identities wants the names of entries to be names: one entry each, and not empty.
func (r *report) identities() {
	for list, key := range identities {
		if list == "/history" {
			continue // revisions may repeat after a merge; order is checked below
		}
		p, err := canonical.ParsePointer(list)
		if err != nil {
			continue
		}
		sev, rule := Warning, "duplicate-name"
		if key == "id" {
			sev, rule = Error, "duplicate-id"
		}
		seen := map[string]bool{}
		each(r.doc.Value, p, func(at canonical.Pointer, e map[string]any) {
			id, ok := e[key].(string)
			switch {
			case !ok:
			case id == "":
				r.add(Warning, "empty-name", at.Append(key).String(), "an empty %s cannot be addressed", key)
			case seen[id]:
				r.add(sev, rule, at.Append(key).String(), "%s %s stands in %s more than once", key, quote(id), list)
			}
			seen[id] = true
		})
	}
}

// history wants revisions that never fall and never pass the document's own.
func (r *report) history() {
	last := 0
	falls := false
	each(r.doc.Value, []string{"history"}, func(_ canonical.Pointer, e map[string]any) {
		if n, ok := e["revision"].(float64); ok {
			falls = falls || int(n) < last
			last = int(n)
		}
	})
	if falls {
		r.add(Error, "history-order", "/history", "revisions go down; the oldest entry comes first")
	}
	if now := r.doc.Revision(); last > now {
		r.add(Error, "history-future", "/history", "the last entry is of revision %d, the document of revision %d", last, now)
	}
}

// tools warns of lines that grant less than they seem to, and refuses patterns of another dialect.
func (r *report) tools() {
	tools, ok := lookup(r.doc.Value, "spec", "tools").(map[string]any)
	if !ok {
		return
	}
	globs := func(path ...string) (gs []Glob) {
		eachText(r.doc.Value, append([]string{"spec", "tools"}, path...), func(at canonical.Pointer, s string) {
			g, err := ParseGlob(s)
			if err != nil {
				r.add(Error, "bad-pattern", at.String(), "%s", term.Escape(err.Error()))
				return
			}
			gs = append(gs, g)
		})
		return gs
	}
	allow, deny := globs("allow"), globs("deny")
	each(r.doc.Value, []string{"spec", "tools", "mcp_servers"}, func(at canonical.Pointer, _ map[string]any) {
		i := at[len(at)-1]
		globs("mcp_servers", i, "tools", "allow")
		globs("mcp_servers", i, "tools", "deny")
	})
	policy, _ := tools["policy"].(string)
	_, hasAllow := tools["allow"]
	_, hasDeny := tools["deny"]
	switch {
	case policy == "inherit" && (hasAllow || hasDeny):
		r.add(Warning, "inherit-lists", "/spec/tools/policy", "policy inherit ignores allow and deny")
	case (policy == "" || policy == "allowlist") && !hasAllow && len(tools) > 0 && r.doc.Value["extends"] == nil:
		r.add(Warning, "empty-allowlist", "/spec/tools", "an allowlist without allow grants no tool at all")
	}
	if policy != "" && policy != "allowlist" || r.doc.Value["extends"] != nil && !hasAllow {
		return
	}
	each(r.doc.Value, []string{"spec", "tools", "bindings"}, func(at canonical.Pointer, b map[string]any) {
		name, ok := b["name"].(string)
		covers := func(g Glob) bool { return g.Match(name) || string(g) == name }
		if ok && (!slices.ContainsFunc(allow, covers) || slices.ContainsFunc(deny, covers)) {
			r.add(Warning, "inert-binding", at.String(), "the tool %s is not granted, so its binding has no effect", quote(name))
		}
	})
}

// invisible warns of characters in the contract that a reviewer cannot see. State is shown escaped
// wherever it is shown, so it is not judged here.
func (r *report) invisible() {
	for _, block := range []string{"metadata", "spec"} {
		walkText(r.doc.Value[block], canonical.Pointer{block}, func(at canonical.Pointer, s string) {
			if c, _, found := term.Invisible(s); found && c != unicode.ReplacementChar {
				r.add(Warning, "invisible-text", at.String(), "the text holds the invisible or direction-changing character U+%04X", c)
			}
		})
	}
}
