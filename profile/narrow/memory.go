package narrow

import (
	"slices"
	"strconv"
)

// defaultAccess is the mode of a section or a store that does not say (OAP SPEC, memory).
const defaultAccess = "read_only"

// memoryMode gives what a side says of memory as a whole.
func (s *Side) memoryMode() (mode string, limited bool) {
	w, stated := s.word("memory", "mode")
	_, section := s.get("memory")
	switch {
	case stated:
		return lesserAccess(w, "read_write"), true
	case s.Silence == GrantsNothing && !section:
		return "off", true
	case s.Silence == GrantsNothing:
		return defaultAccess, true
	}
	return "", false
}

// narrowMemory lowers modes, and intersects scopes. The mode of the section is the ceiling of its stores.
func (e *Effective) narrowMemory() {
	if !e.has("memory") {
		return
	}
	memory := e.object("memory")
	mode, from := "read_write", ""
	for i := range e.Sides {
		if m, limited := e.Sides[i].memoryMode(); limited && access(m) < access(mode) {
			mode, from = m, e.Sides[i].Source
		}
	}
	requested, asked := memory["mode"].(string)
	if !asked {
		requested = defaultAccess
	}
	memory["mode"] = mode
	if mode != requested {
		e.adjust("/spec/memory/mode", requested, mode, from+" allows less", from)
	}
	e.narrowScopes(memory)
	e.narrowStores(memory, mode, from)
}

func (e *Effective) narrowScopes(memory map[string]any) {
	_, stated := memory["scopes"]
	left := texts(memory["scopes"])
	for i := range e.Sides {
		s := &e.Sides[i]
		theirs, limited := s.names("memory", "scopes")
		if !limited || i == 0 {
			continue
		}
		if !stated {
			stated, left = true, theirs
			e.adjust("/spec/memory/scopes", nil, list(left), "the profile names no scopes", s.Source)
			continue
		}
		next := meets(sound(left), sound(theirs))
		if !slices.Equal(left, next) {
			e.adjust("/spec/memory/scopes", list(left), list(next), s.Source+" opens less", s.Source)
		}
		left = next
	}
	if stated {
		memory["scopes"] = list(left)
	}
}

// narrowStores lowers every store to the section and to what other sides say of the store of its name.
// One that is off goes; if it was required, no session may start (OAP L1-I7).
func (e *Effective) narrowStores(memory map[string]any, ceiling, from string) {
	entries, ok := memory["stores"].([]any)
	if !ok {
		return
	}
	kept := []any{}
	for i, v := range entries {
		store, _ := v.(map[string]any)
		name, _ := store["name"].(string)
		at := "/spec/memory/stores/" + strconv.Itoa(i)
		requested, asked := store["mode"].(string)
		if !asked {
			requested = defaultAccess
		}
		mode, source := requested, from
		if access(ceiling) < access(mode) {
			mode = ceiling
		}
		for j := range e.Sides {
			for _, other := range e.Sides[j].objects("memory", "stores") {
				if m, ok := other["mode"].(string); ok && other["name"] == any(name) && access(m) < access(mode) {
					mode, source = lesserAccess(m, m), e.Sides[j].Source
				}
			}
		}
		if source == "" {
			source = e.Sides[0].Source
		}
		if mode != requested {
			e.adjust(at+"/mode", requested, mode, "a store is no more open than its section and the other sides", source)
		}
		if access(mode) == 0 && access(requested) > 0 && store["required"] == true {
			e.Blockers = append(e.Blockers, Adjustment{Field: at, Requested: name, Reason: "the store is required, and it is off here", Source: source})
		}
		store["mode"] = mode
		kept = append(kept, store)
	}
	memory["stores"] = kept
}

// Memory gives the mode in which a store may be used for a scope: "off", "read_only" or "read_write". A
// scope that nobody names is off, and so is no scope where scopes are named.
func (e *Effective) Memory(store, scope string) (mode, reason string) {
	memory, _ := e.Spec["memory"].(map[string]any)
	stores, _ := memory["stores"].([]any)
	i := slices.IndexFunc(stores, func(v any) bool {
		s, _ := v.(map[string]any)
		return s["name"] == any(store)
	})
	if i < 0 {
		return "off", "the profile has no store of that name"
	}
	scopes, named := memory["scopes"]
	if (named || scope != "") && !slices.ContainsFunc(texts(scopes), func(p string) bool { return allows(p, scope) }) {
		return "off", "the scope is not among memory.scopes"
	}
	s, _ := stores[i].(map[string]any)
	mode, _ = s["mode"].(string)
	section, _ := memory["mode"].(string)
	return lesserAccess(mode, section), "the mode of the store"
}
