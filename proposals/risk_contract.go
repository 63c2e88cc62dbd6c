package proposals

import "math"

// The contract of the format (OAP facts a.3 to a.5) with the rule of every place. What stands nowhere here is
// unknown and so high. The grades are those of design section 8; where it is silent:
//   - a name or an id is high: other profiles grant by name, and a rename can step into such a grant;
//   - hooks run things and guard things, so that neither more nor fewer of them is harmless: high;
//   - retention is medium both ways: more keeps untrusted text for longer, less drops entries;
//   - context is medium both ways, its budgets are limits like others;
//   - what a server is started or called with is high in any change, less of it included;
//   - constraints are prompt text, so a new one is medium although it is meant to narrow.
var contractRule = object(map[string]rule{
	"oap":      plain(High, "the version of the format"),
	"kind":     plain(High, "the kind of the document"),
	"extends":  bases,
	"metadata": object(metadataRules),
	"spec": object(map[string]rule{
		"role":        object(roleRules),
		"model":       object(modelRules),
		"tools":       object(toolRules),
		"permissions": object(permissionRules),
		"context":     object(contextRules),
		"memory":      object(memoryRules),
		"runtime":     object(runtimeRules),
		"lifecycle":   object(lifecycleRules),
	}),
	"state":   ignored,
	"history": ignored,
})

// Facts a.4. Revision and time move with every write; trust is what a file cannot claim.
var metadataRules = map[string]rule{
	"name":         plain(High, "the name"),
	"id":           plain(High, "the id"),
	"description":  plain(Low, "the description"),
	"display_name": plain(Low, "the name for people"),
	"created_at":   plain(Low, "the date of creation"),
	"authors":      plain(Low, "the list of authors"),
	"tags":         plain(Low, "the list of tags"),
	"license":      plain(Low, "the license"),
	"homepage":     plain(Low, "the home page"),
	"annotations":  annotations,
	"trust":        trust,
	"revision":     ignored,
	"updated_at":   ignored,
}

// Facts a.5, g: all of it ends up in the prompt, constraints last so that they win.
var roleRules = map[string]rule{
	"instructions": plain(Medium, "the text of the instructions"),
	"objectives":   plain(Medium, "the list of objectives"),
	"expertise":    plain(Medium, "the list of expertise"),
	"examples":     records(Medium, "the list of examples", "input", "output", "note"),
	"constraints": set{
		add: Medium, drop: High, order: Medium, left: true,
		adds: "is a new constraint", drops: "is no longer a constraint",
	}.rate,
	"persona": object(map[string]rule{
		"tone":        plain(Medium, "the tone"),
		"voice":       plain(Medium, "the voice"),
		"verbosity":   plain(Medium, "the verbosity"),
		"formatting":  plain(Medium, "the formatting"),
		"language":    plain(Medium, "the language"),
		"style_rules": plain(Medium, "the list of style rules"),
	}),
}

// Facts a.5: parameters are wishes, and what is used instead of the model is reported.
var modelRules = map[string]rule{
	"provider":  plain(Medium, "the provider of the model"),
	"id":        plain(Medium, "the model"),
	"tier":      plain(Medium, "the class of model"),
	"fallbacks": records(Medium, "the list of other models", "provider", "id"),
	"parameters": object(map[string]rule{
		"temperature":       plain(Medium, "the temperature"),
		"top_p":             plain(Medium, "top_p"),
		"max_output_tokens": plain(Medium, "the length of answers"),
		"reasoning_effort":  plain(Medium, "the reasoning effort"),
		"stop":              plain(Medium, "the list of stop texts"),
		"seed":              plain(Medium, "the seed"),
	}),
}

// Facts h.2: what a session may call.
var toolRules = map[string]rule{
	"policy": level{order: []string{"allowlist", "denylist", "inherit"}, unset: "allowlist"}.rate,
	"allow":  allowing("may be used", "may no longer be used").rate,
	"deny":   denying("is denied", "is no longer denied").rate,
	// A binding caps the decision of a tool; "allow" caps nothing, but not every reader takes it for a cap.
	"bindings": named{what: "binding", deep: true, members: map[string]rule{
		"name":       ignored,
		"permission": level{order: []string{"deny", "ask", "unset", "allow"}, unset: "unset", pseudo: true}.rate,
		"config":     plain(High, "what a tool is set up with"),
	}}.rate,
	"mcp_servers": named{what: "tool server", add: High, members: map[string]rule{
		"transport": plain(High, "the transport"),
		"command":   plain(High, "the command"),
		"args":      plain(High, "the list of arguments"),
		"url":       plain(High, "the address"),
		"env":       plain(High, "the environment"),
		"headers":   plain(High, "the set of headers"),
		"tools": object(map[string]rule{
			"allow": serverTools.rate,
			"deny":  denying("is denied", "is no longer denied").rate,
		}),
	}}.rate,
	"skills": named{what: "skill", add: High, members: map[string]rule{
		"source":   plain(High, "the source"),
		"digest":   pin,
		"required": required,
	}}.rate,
}

// serverTools: the format does not say whether a server without a list gives all of its tools or none.
var serverTools = limiting("may be used", "may no longer be used", false)

// limiting is a list of grants of which none may mean no limit.
func limiting(adds, drops string, empty bool) set {
	s := allowing(adds, drops)
	s.openAbsent, s.openEmpty = true, empty
	return s
}

// Facts h.2: upper limits, of which absence means another thing from line to line.
var permissionRules = map[string]rule{
	"default": level{order: decisions, unset: "ask"}.rate,
	"shell":   permission,
	"edit":    permission,
	"network": permission,
	"filesystem": object(map[string]rule{
		"read_roots":  roots("may be read", "may no longer be read").rate,
		"write_roots": roots("may be written", "may no longer be written").rate,
		"deny_paths":  denying("is closed", "is no longer closed").rate,
	}),
	// An empty list leaves the hosts to the harness where the network is open (OAP facts a.5).
	"allow_hosts": limiting("may be called", "may no longer be called", true).rate,
	"rules":       exceptions,
}

// Facts a.5: what a session has at hand. It brings text, not rights, except for how much there may be.
var contextRules = map[string]rule{
	"working_directory": plain(Medium, "the working directory"),
	"files":             records(Medium, "the list of files", "path", "mode", "max_bytes", "description"),
	"documents":         records(Medium, "the list of documents", "uri", "digest", "mode", "description"),
	"variables":         variables,
	"budget": object(map[string]rule{
		"max_context_tokens": ceiling(1),
		"max_state_tokens":   ceiling(0),
		"max_state_bytes":    ceiling(0),
	}),
}

// Facts a.5: whether an absent or empty list of scopes means none or all is left open there.
var memoryRules = map[string]rule{
	"mode":   level{order: accesses, unset: "read_only"}.rate,
	"scopes": limiting("is a new area of memory", "is no longer an area of memory", true).rate,
	"stores": named{what: "memory store", add: High, members: map[string]rule{
		"kind":     plain(High, "the kind of store"),
		"uri":      plain(High, "the place of the store"),
		"mode":     level{order: accesses, unset: "read_only"}.rate,
		"required": required,
	}}.rate,
}

// Facts a.5: the numbers have the least that the schema takes.
var runtimeRules = map[string]rule{
	"mode":            runtimeMode,
	"max_turns":       ceiling(1),
	"max_tool_calls":  ceiling(0),
	"timeout_seconds": ceiling(1),
	"max_cost_usd":    ceiling(math.SmallestNonzeroFloat64),
	"subagents": object(map[string]rule{
		"allow":          allowing("may be called", "may no longer be called").rate,
		"max_concurrent": ceiling(1),
		"max_depth":      ceiling(1),
	}),
}

// Facts a.5, f.4: what of a session's findings is kept, and who is asked.
var lifecycleRules = map[string]rule{
	"writeback": level{order: []string{"off", "propose", "auto"}, unset: "propose"}.rate,
	"retention": object(map[string]rule{
		"max_facts":        plain(Medium, "the number of facts to keep"),
		"max_open_threads": plain(Medium, "the number of threads to keep"),
		"fact_ttl_days":    plain(Medium, "the age of facts"),
		"eviction":         plain(Medium, "the order of eviction"),
		"max_history":      plain(Medium, "the length of the history"),
	}),
	"on_start": plain(High, "the list of hooks at the start"),
	"on_end":   plain(High, "the list of hooks at the end"),
}
