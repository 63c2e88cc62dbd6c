package main

import (
	"github.com/open-agent-profile/oap/profile"
	"github.com/open-agent-profile/oap/repo"
)

// Caps differ from other settings: they protect the machine from the session, which may set variables and
// flags. So no source overrides another; the strictest word of all counts.

// writebackCap is the least of what OAP_WRITEBACK and git config oap.writeback say; empty where none does.
func (a *app) writebackCap(r *repo.Repo) (profile.Writeback, error) {
	words := r.Settings("oap.writeback")
	if v := a.getenv("OAP_WRITEBACK"); v != "" {
		words = append(words[:len(words):len(words)], v)
	}
	var limit profile.Writeback
	for _, word := range words {
		w := profile.Writeback(word)
		switch w {
		case profile.WritebackOff, profile.WritebackPropose, profile.WritebackAuto:
		default:
			return "", usagef("the setting writeback is %q; it is off, propose or auto", word)
		}
		if limit == "" {
			limit = w
		}
		limit = limit.Lesser(w)
	}
	return limit, nil
}

// protectPinned is on where any source switches it on.
func (a *app) protectPinned(r *repo.Repo) (bool, error) {
	words := append([]string{a.getenv("OAP_PROTECT_PINNED")}, r.Settings("oap.protectPinned")...)
	on := false
	for _, word := range words {
		yes, ok := truth(word)
		if !ok {
			return false, usagef("the setting protectPinned is %q, which is neither true nor false", word)
		}
		on = on || yes
	}
	return on, nil
}
