package narrow

import (
	"strings"

	"github.com/open-agent-profile/oap/profile"
)

// numbers are the bounds of a contract: the smallest counts, and where the profile has none, that of
// others.
var numbers = [][]string{
	{"context", "budget", "max_context_tokens"},
	{"context", "budget", "max_state_tokens"},
	{"context", "budget", "max_state_bytes"},
	{"runtime", "max_turns"},
	{"runtime", "max_tool_calls"},
	{"runtime", "timeout_seconds"},
	{"runtime", "max_cost_usd"},
	{"runtime", "subagents", "max_concurrent"},
	{"runtime", "subagents", "max_depth"},
}

func (e *Effective) narrowNumbers() {
	for _, path := range numbers {
		least, from, stated := e.least(path...)
		if !stated || path[1] == "subagents" && !e.has("runtime", "subagents") {
			continue // who calls nobody needs no bound for it
		}
		last := len(path) - 1
		parent := e.object(path[:last]...)
		requested := parent[path[last]]
		if requested == any(least) {
			continue
		}
		parent[path[last]] = least
		reason := from + " sets less"
		if requested == nil {
			reason = "the profile sets no bound"
		}
		e.adjust("/spec/"+strings.Join(path, "/"), requested, least, reason, from)
	}
}

// least gives the smallest of a bound and the side that has it.
func (e *Effective) least(path ...string) (n float64, from string, stated bool) {
	for i := range e.Sides {
		if m, has := e.Sides[i].number(path...); has && (!stated || m < n) {
			n, from, stated = m, e.Sides[i].Source, true
		}
	}
	return n, from, stated
}

// narrowWriteback takes the least of all sides. A profile that does not say proposes (OAP L2-A6).
func (e *Effective) narrowWriteback() {
	lifecycle := e.object("lifecycle")
	requested, asked := lifecycle["writeback"]
	least, from := profile.WritebackPropose, ""
	if asked {
		w, _ := requested.(string)
		least = profile.Writeback(w).Lesser(profile.WritebackAuto)
	}
	for i := range e.Sides[1:] {
		s := &e.Sides[i+1]
		w, stated := s.word("lifecycle", "writeback")
		if !stated && s.Silence == GrantsNothing {
			w, stated = string(profile.WritebackPropose), true
		}
		if stated && least.Lesser(profile.Writeback(w)) != least {
			least, from = least.Lesser(profile.Writeback(w)), s.Source
		}
	}
	lifecycle["writeback"] = string(least)
	if from != "" {
		e.adjust("/spec/lifecycle/writeback", requested, string(least), from+" allows less", from)
	}
}

// Writeback is how state may reach the file here.
func (e *Effective) Writeback() profile.Writeback {
	lifecycle, _ := e.Spec["lifecycle"].(map[string]any)
	w, _ := lifecycle["writeback"].(string)
	return profile.Writeback(w).Lesser(profile.WritebackAuto)
}
