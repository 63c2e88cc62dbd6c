package agentmanifest

import (
	"fmt"
	"slices"
	"strings"
)

// tools sets the list of what the agent may call. It is always written: without one a host may grant its own
// default, and an empty one grants nothing.
func (x *exporter) tools() {
	tools, _ := x.spec["tools"].(map[string]any)
	written := []any{}
	if policy := text(tools["policy"]); policy != "" && policy != "allowlist" {
		what := fmt.Sprintf("the policy %s cannot be said in a manifest, which lists what is allowed", policy)
		if x.Strict {
			x.refuse("/spec/tools/policy", "%s", what)
		}
		x.drop("/spec/tools/policy", "%s, so no tool is", what)
		x.put("/toolAllowlist", written, "", "nothing is allowed")
		return
	}
	for i, v := range list(tools["allow"]) {
		at := fmt.Sprintf("/spec/tools/allow/%d", i)
		names, ok := x.expand(text(v))
		if !ok {
			x.drop(at, "%q is a pattern, a manifest lists tools by name, and no list of the server's tools says which", text(v))
			continue
		}
		for _, tool := range names {
			granted, line := x.Granted(tool)
			id := x.translate(tool)
			switch {
			case !granted:
				x.drop(at, "%q is not granted: %s", tool, line)
			case id == "":
				x.drop(at, "no tool of OpenWOP is known to be %q: name it in %stool-map", tool, Domain)
			case !slices.Contains(written, any(id)):
				written = append(written, id)
			}
		}
	}
	x.used["/spec/tools/policy"] = true
	x.put("/toolAllowlist", written, "/spec/tools/allow", "")
	x.used[annotation("tool-map")] = true
	if x.set.Tools != nil {
		x.Mapped = append(x.Mapped, Mapped{"/toolAllowlist", annotation("tool-map"), ""})
	}
}

// expand gives the tools that an entry means; false for a pattern of which that cannot be said.
func (x *exporter) expand(entry string) (names []string, ok bool) {
	if !strings.Contains(entry, "*") {
		return []string{entry}, true
	}
	server, ok := strings.CutPrefix(entry, "mcp/")
	if ok {
		server, ok = strings.CutSuffix(server, "/*")
	}
	if !ok || strings.ContainsAny(server, "/*") {
		return nil, false
	}
	tools, _ := x.spec["tools"].(map[string]any)
	for _, v := range list(tools["mcp_servers"]) {
		m, _ := v.(map[string]any)
		if text(m["name"]) != server {
			continue
		}
		of, _ := m["tools"].(map[string]any)
		allowed, said := of["allow"]
		if !said {
			return nil, false
		}
		for _, t := range list(allowed) {
			if strings.ContainsAny(text(t), "*/") {
				return nil, false
			}
			names = append(names, "mcp/"+server+"/"+text(t))
		}
		return names, true
	}
	return nil, false
}

// translate gives the id of a tool in a manifest; "" where there is none. What comes after "mcp:" is free in
// OpenWOP; here it is the server and the tool with a slash between.
func (x *exporter) translate(tool string) string {
	if id := x.set.Tools[tool]; id != "" {
		return id
	}
	id := tool
	if rest, ok := strings.CutPrefix(tool, "mcp/"); ok {
		id = "mcp:" + rest
	}
	if toolID.MatchString(id) {
		return id
	}
	return ""
}
