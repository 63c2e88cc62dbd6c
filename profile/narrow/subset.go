package narrow

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Excess is one entry of a contract that reaches further than another contract lets it.
type Excess struct {
	Pointer string `json:"pointer"` // in the wider contract's document
	Entry   string `json:"entry"`   // the tool or pattern
	Reason  string `json:"reason"`
}

// Subset lists the tools that a contract grants and a base does not, entry by entry; none where it stays
// within the base. Both are values of "spec", the contract merged with its bases. Composition does not give
// this: lists replace, so a document may list more than its base (OAP L3-E2 is about the effective profile).
//
// An allowing entry has to be covered by one of the base's, a pattern provably. What the base denies does not
// come back: a name that it denies is an excess whatever the contract denies, a pattern that could match
// what it denies needs that denial in the contract. A binding of the base holds: it may be made stricter, not
// laxer, also not by leaving it out. odd are entries that have no effect or no bound, which is no excess.
func Subset(base, contract map[string]any) (excess, odd []Excess) {
	s := subset{
		base:  newSide("base", "/spec", GrantsNothing, base),
		child: newSide("persona", "/spec", GrantsNothing, contract),
	}
	allow, _ := s.child.names("tools", "allow")
	bounds, _, limited := s.base.granting()
	if !limited {
		s.odd = append(s.odd, Excess{"/spec/tools/allow", "", "the base does not limit its tools, so that it is no bound"})
	}
	for i, p := range allow {
		at := s.child.pointer("tools", "allow", strconv.Itoa(i))
		switch {
		case unsound(p):
			s.over(at, p, "is no pattern of the format")
		case limited && !slices.ContainsFunc(sound(bounds), func(b string) bool { return backs(b, p) }):
			s.over(at, p, "is not covered by the base's tools.allow")
		default:
			s.denied(at, p)
		}
	}
	s.bindings(allow)
	return s.excess, s.odd
}

type subset struct {
	base, child Side
	excess, odd []Excess
}

func (s *subset) over(at, entry, reason string) {
	s.excess = append(s.excess, Excess{at, entry, reason})
}

// backs reports whether an entry of a base surely allows all that an entry allows. A pattern is no name: "a/*"
// allows the text "a/**", and not what that stands for.
func backs(b, p string) bool {
	if strings.Contains(p, "*") {
		return covers(b, p)
	}
	return allows(b, p)
}

// denied holds one allowed entry against what the base denies.
func (s *subset) denied(at, p string) {
	own := s.child.withholding()
	for _, d := range s.base.withholding() {
		switch {
		case !strings.Contains(p, "*"):
			if denies(d, p) {
				s.over(at, p, fmt.Sprintf("is denied by the base: %q", d))
				return
			}
		case overlaps(p, d) && !slices.ContainsFunc(own, func(o string) bool { return o == d || covers(loosened(o), loosened(d)) }):
			s.over(at, p, fmt.Sprintf("could bring back %q, which the base denies", d))
			return
		}
	}
}

// bindings compares the permissions that the two bind to tools.
func (s *subset) bindings(allow []string) {
	for i, b := range s.child.objects("tools", "bindings") {
		name, _ := b["name"].(string)
		if !slices.ContainsFunc(allow, func(p string) bool { return overlaps(p, name) }) {
			s.odd = append(s.odd, Excess{s.child.pointer("tools", "bindings", strconv.Itoa(i)), name, "its tool is not granted, so that it has no effect"})
		}
	}
	for _, b := range s.base.objects("tools", "bindings") {
		name, _ := b["name"].(string)
		word, stated := b["permission"].(string)
		if !stated || !slices.ContainsFunc(allow, func(p string) bool { return overlaps(p, name) }) {
			continue
		}
		bound := s.child.bound(name)
		if bound != nil && bound.Decision.rank() <= Decision(word).rank() || Decision(word) == Allow {
			continue
		}
		at := s.child.pointer("tools", "bindings")
		if bound != nil {
			at = bound.Pointer
		}
		s.over(at, name, fmt.Sprintf("the base binds it to %q", Decision(word).Lesser(Allow)))
	}
}

// Grant tells whether a contract grants a tool by itself and its bases, whatever a machine's policy then takes
// away, and which line says so. Everything that [Effective.Decide] would not deny outright is granted, asking
// too; it is that function which answers here as for a call.
func Grant(in Input, workspace string) (func(tool string) (granted bool, line string), error) {
	e, err := Narrow(in, nil, Options{Workspace: workspace})
	if err != nil {
		return nil, err
	}
	return func(tool string) (bool, string) {
		v := e.Decide(tool, "", "")
		return v.Decision != Deny, strings.TrimSpace(v.Source + " " + v.Pointer + ": " + v.Reason)
	}, nil
}
