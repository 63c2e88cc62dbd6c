package draft

import (
	"fmt"

	"github.com/open-agent-profile/oap/canonical"
	"github.com/open-agent-profile/oap/delta"
)

func (w *writer) request(tools []ToolRequest) error {
	for i, r := range tools {
		if err := w.tool(fmt.Sprintf("tool %d", i+1), r); err != nil {
			return err
		}
	}
	return nil
}

// tool asks for a tool by an addition, never by a whole list: that list would be one of the past when
// a person reads it, and would take away what was granted meanwhile.
func (w *writer) tool(source string, r ToolRequest) error {
	tool, err := name(source, "tool", r.Tool, maxTool)
	if err != nil {
		return err
	}
	if tool == "" {
		return refuse(source, "the tool is empty")
	}
	spec, _ := w.profile["spec"].(map[string]any)
	tools, ok := spec["tools"].(map[string]any)
	if !ok && spec["tools"] != nil {
		return fmt.Errorf("%w: /spec/tools is no object", ErrNotProfile)
	}
	allow, ok := tools["allow"].([]any)
	if !ok && tools["allow"] != nil {
		return fmt.Errorf("%w: /spec/tools/allow is no list", ErrNotProfile)
	}
	if contains(allow, tool) {
		w.warn(source, "%q is in the allow list already", tool)
		return nil
	}
	w.ineffective(source, tool, tools)
	p := delta.Proposal{Op: delta.OpAdd, HasValue: true, Rationale: r.Rationale}
	switch {
	case ok:
		p.Pointer, p.Value = canonical.Pointer{"spec", "tools", "allow", "-"}, tool
	case tools != nil:
		p.Pointer, p.Value = canonical.Pointer{"spec", "tools", "allow"}, []any{tool}
	default:
		p.Pointer, p.Value = canonical.Pointer{"spec", "tools"}, map[string]any{"policy": "allowlist", "allow": []any{tool}}
	}
	if base, _ := w.profile["extends"].([]any); !ok && len(base) > 0 {
		// OAP facts h.1: lists are not joined.
		w.warn(source, "the profile extends others, and an allow list of its own takes the place of theirs")
	}
	p.Path = p.Pointer.String()
	return w.propose(source, p)
}

// ineffective warns where the addition would grant nothing (OAP facts h.2).
func (w *writer) ineffective(source, tool string, tools map[string]any) {
	if policy, _ := tools["policy"].(string); policy != "" && policy != "allowlist" {
		w.warn(source, "under the policy %q the allow list has no effect", policy)
	}
	if deny, _ := tools["deny"].([]any); contains(deny, tool) {
		w.warn(source, "%q is in the deny list, which goes before the allow list", tool)
	}
}
