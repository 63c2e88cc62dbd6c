package main

import (
	"slices"

	"github.com/open-agent-profile/oap/canonical"
	"github.com/open-agent-profile/oap/profile/narrow"
	"github.com/open-agent-profile/oap/profile/resolve"
	"github.com/open-agent-profile/oap/repo"
)

// sessionHooks are the hooks of the lifecycle. The harness runs them; oap never does.
type sessionHooks struct {
	OnStart []sessionHook `json:"on_start"`
	OnEnd   []sessionHook `json:"on_end"`
}

type sessionHook struct {
	Hook     string         `json:"hook"`
	Required bool           `json:"required"`
	With     map[string]any `json:"with"`
	Known    bool           `json:"known"` // the harness has it
}

// lifecycle lists the hooks of a profile. One that the harness does not have is a warning, and stops the session
// if it is required (OAP SPEC, lifecycle).
func (a *app) lifecycle(e *narrow.Effective, known []string) (sessionHooks, error) {
	var missing *repo.Error
	read := func(list string) []sessionHook {
		hooks := []sessionHook{}
		v, _ := canonical.Get(e.Spec, canonical.Pointer{"lifecycle", list})
		entries, _ := v.([]any)
		for _, entry := range entries {
			m, _ := entry.(map[string]any)
			h := sessionHook{With: map[string]any{}}
			h.Hook, _ = m["hook"].(string)
			h.Required, _ = m["required"].(bool)
			if with, ok := m["with"].(map[string]any); ok {
				h.With = with
			}
			h.Known = slices.Contains(known, h.Hook)
			switch {
			case !h.Known && h.Required && missing == nil:
				missing = &repo.Error{Kind: repo.Refused, Reason: "hook-missing", Path: h.Hook, Msg: "the profile requires this lifecycle hook, and the harness does not declare it with --hook"}
			case !h.Known && !h.Required:
				a.warnf("the harness has no lifecycle hook %q (%s)", h.Hook, list)
			}
			hooks = append(hooks, h)
		}
		return hooks
	}
	all := sessionHooks{OnStart: read("on_start"), OnEnd: read("on_end")}
	if missing != nil {
		return all, missing
	}
	return all, nil
}

// sessionServer is an MCP server as a harness may launch or call it. References to the environment stay
// references.
type sessionServer struct {
	Name      string `json:"name"`
	Transport string `json:"transport"`
	Server    any    `json:"server"` // as in the effective contract: command and args, or url and headers, and its tools
	// Ask is set where a person is asked before it is launched: nobody vouches for what the profile names
	// (OAP L3-M2).
	Ask bool `json:"ask"`
}

func servers(e *narrow.Effective) []sessionServer {
	all := []sessionServer{}
	v, _ := canonical.Get(e.Spec, canonical.Pointer{"tools", "mcp_servers"})
	entries, _ := v.([]any)
	for _, entry := range entries {
		m, _ := entry.(map[string]any)
		s := sessionServer{Server: m, Ask: e.Trust != resolve.Managed && e.Trust != resolve.User}
		s.Name, _ = m["name"].(string)
		s.Transport, _ = m["transport"].(string)
		all = append(all, s)
	}
	return all
}
