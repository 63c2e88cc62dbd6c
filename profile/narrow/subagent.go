package narrow

import (
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/open-agent-profile/oap/canonical"
)

// What the format has at most (OAP schema), and so what holds where nobody says less.
const (
	maxDepth      = 8
	maxConcurrent = 64
)

// RefusedError says why an agent may not be called.
type RefusedError struct {
	Profile string // the one that was to be called
	By      string
	Reason  string
}

func (e *RefusedError) Error() string {
	return fmt.Sprintf("%q may not call %q: %s", e.By, e.Profile, e.Reason)
}

// narrowRuntime intersects the agents that may be called. None may be, unless the profile names them.
func (e *Effective) narrowRuntime() {
	if !e.has("runtime", "subagents") {
		return
	}
	subagents := e.object("runtime", "subagents")
	asked := texts(subagents["allow"])
	left := []string{}
	for i, p := range asked {
		one, source := sound([]string{p}), e.Sides[0].Source
		for j := range e.Sides {
			theirs, limited := e.Sides[j].callees()
			if !limited || j == 0 || len(one) == 0 {
				continue
			}
			if next := meets(one, sound(theirs)); !slices.Equal(one, next) {
				one, source = next, e.Sides[j].Source
			}
		}
		if !slices.Equal(one, []string{p}) {
			effective := any(nil)
			if len(one) > 0 {
				effective = list(one)
			}
			e.adjust("/spec/runtime/subagents/allow/"+strconv.Itoa(i), p, effective, source+" lets it call less", source)
		}
		left = append(left, one...)
	}
	if depth, from, stated := e.least("runtime", "subagents", "max_depth"); stated && depth < 1 {
		// The format has no depth of zero; an agent at the end of a chain calls nobody.
		delete(subagents, "max_depth")
		if len(left) > 0 {
			e.adjust("/spec/runtime/subagents/allow", list(left), []any{}, "the chain of agents is as long as it may be", from)
			left = nil
		}
	}
	subagents["allow"] = list(left)
}

// callees gives the agents that a side lets be called.
func (s *Side) callees() (patterns []string, limited bool) {
	patterns, stated := s.names("runtime", "subagents", "allow")
	return patterns, stated || s.Silence == GrantsNothing
}

// Delegate reports whether the agent may call another now, of which running already run. It gives nil or a
// [*RefusedError].
func (e *Effective) Delegate(name string, running int) error {
	refuse := func(format string, args ...any) error {
		return &RefusedError{Profile: name, By: e.Profile, Reason: fmt.Sprintf(format, args...)}
	}
	for i := range e.Sides {
		s := &e.Sides[i]
		patterns, limited := s.callees()
		if limited && !slices.ContainsFunc(patterns, func(p string) bool { return allows(p, name) }) {
			return refuse("runtime.subagents.allow of %s does not name it", s.Source)
		}
	}
	depth, from, stated := e.least("runtime", "subagents", "max_depth")
	if stated && depth < 1 {
		return refuse("max_depth of %s is reached", from)
	}
	if e.Depth >= maxDepth {
		return refuse("a chain has at most %d agents below the first", maxDepth)
	}
	most, from, stated := e.least("runtime", "subagents", "max_concurrent")
	if !stated {
		most, from = maxConcurrent, "the format"
	}
	if running < 0 || float64(running) >= most {
		return refuse("%d agents run already, and max_concurrent of %s is %v", running, from, most)
	}
	return nil
}

// AsSubagentOf gives what is left of the profile when parent calls it: it is within everything that the
// parent is within (OAP L3-B1). The depth that is left is one less. The error is a [*RefusedError] where
// the parent may not call it; how many run at once is for [Effective.Delegate] of the parent.
func (e *Effective) AsSubagentOf(parent *Effective) (*Effective, error) {
	in, o := e.input, e.options
	if in.Value == nil { // read from a record: what it is there was all that it asks for
		in = Input{Trust: e.Trust, SpecDigest: e.SpecDigest, ResolvedDigest: e.ResolvedDigest, Value: map[string]any{
			"metadata": map[string]any{"name": e.Profile, "revision": float64(e.Revision)}, "spec": e.Spec,
		}}
		o.Workspace = e.Workspace
	}
	o.Parent = parent
	return within(in, e.Sides, o)
}

// within adds the sides of the parent.
func within(in Input, sides []Side, o Options) (*Effective, error) {
	parent, name := o.Parent, nameOf(in.Value)
	if err := parent.Delegate(name, 0); err != nil {
		return nil, err
	}
	if mode, _ := canonical.Get(in.Value, canonical.Pointer{"spec", "runtime", "mode"}); mode == "primary" {
		return nil, &RefusedError{Profile: name, By: parent.Profile, Reason: "its runtime.mode is primary, so it is called by people only"}
	}
	sides = slices.Clone(sides)
	for _, s := range parent.Sides {
		if slices.ContainsFunc(sides, func(o Side) bool { return s.same(o) }) {
			continue // the policy, most often
		}
		s.Source = "parent " + parent.Profile + ": " + s.Source
		sides = append(sides, s.below())
	}
	return build(in, sides, o), nil
}

// same reports whether two sides limit alike for a child as for its parent, which is so for all but depth.
func (s *Side) same(o Side) bool {
	_, counts := s.get("runtime", "subagents", "max_depth")
	return !counts && s.Silence == o.Silence && canonical.Equal(s.Limits, o.Limits)
}

// below is the side as it limits an agent one step further down.
func (s Side) below() Side {
	depth, stated := s.number("runtime", "subagents", "max_depth")
	if !stated {
		return s
	}
	subagents, _ := s.get("runtime", "subagents")
	lower := maps.Clone(subagents.(map[string]any))
	lower["max_depth"] = max(0, depth-1)
	runtime := maps.Clone(s.Limits["runtime"].(map[string]any))
	runtime["subagents"] = lower
	limits := maps.Clone(s.Limits)
	limits["runtime"] = runtime
	s.Limits = limits
	return s
}
