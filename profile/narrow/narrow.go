package narrow

import (
	"github.com/open-agent-profile/oap/canonical"
	"github.com/open-agent-profile/oap/profile"
	"github.com/open-agent-profile/oap/profile/resolve"
)

// Contract is a document whose limits hold for another that extends it.
type Contract struct {
	Name  string
	Value map[string]any
}

// Input is what is narrowed: a valid, resolved profile.
type Input struct {
	Value   map[string]any // the composed document
	Trust   resolve.Trust
	Bases   []Contract // everything that it extends, each resolved
	Dropped []resolve.Dropped

	SpecDigest, ResolvedDigest canonical.Digest
}

// From takes what package resolve made.
func From(r *resolve.Resolved) Input {
	in := Input{Value: r.Value, Trust: r.Trust, Dropped: r.Dropped, SpecDigest: r.SpecDigest, ResolvedDigest: r.ResolvedDigest}
	for _, b := range r.Bases {
		in.Bases = append(in.Bases, Contract{Name: b.Name, Value: b.Value})
	}
	return in
}

// Options are what narrowing has to know of a harness and a machine. The zero Options ask nothing.
type Options struct {
	// Workspace is the absolute path of the workspace. Without it, relative and absolute paths cannot be
	// compared, and count as apart.
	Workspace string
	// Writeback is the machine's cap; empty is none.
	Writeback profile.Writeback
	// Servable reports whether the harness can use a model; nil means that it can use all.
	Servable func(provider, id string) bool
	// Parameter reports whether the harness knows a model parameter; nil means that it knows all.
	Parameter func(name string) bool
	// Parent is the effective profile of the agent that calls this one.
	Parent *Effective
}

// Effective is a profile as it holds on this machine. It is data: written as JSON and read again, it
// decides the same. Treat it as read-only.
type Effective struct {
	Profile        string           `json:"profile"`
	Revision       int              `json:"revision"`
	Trust          resolve.Trust    `json:"trust"`
	SpecDigest     canonical.Digest `json:"spec_digest"`
	ResolvedDigest canonical.Digest `json:"resolved_digest"`

	// Spec is the contract with every limit in force: tools as one allow list, permissions filled in,
	// roots, hosts, budgets and modes lowered. It is at most as wide as each of Sides.
	Spec  map[string]any `json:"spec"`
	Model Choice         `json:"model"`
	// Adjustments are all differences between the document and Spec, in the order of the fields.
	Adjustments []Adjustment `json:"adjustments"`
	// Blockers are reasons why no session may start with this profile, such as a required store that is
	// off; most often empty.
	Blockers []Adjustment `json:"blockers"`

	Workspace string `json:"workspace,omitempty"`
	Depth     int    `json:"depth"` // 0 for an agent that nobody called
	Sides     []Side `json:"sides"`

	input   Input // what it was made of, for [Effective.AsSubagentOf]
	options Options
}

// Narrow intersects a profile with the policy (nil: none), with its bases, with what its trust allows and
// with the parent of [Options]. The document is not changed. The error is a [*RefusedError] where the
// parent may not call this profile at all.
func Narrow(in Input, p *Policy, o Options) (*Effective, error) {
	if in.Trust == "" {
		in.Trust = resolve.Imported
	}
	sides := []Side{newSide("profile "+nameOf(in.Value), "/spec", GrantsNothing, canonical.Clone(in.Value["spec"]))}
	for _, b := range in.Bases {
		sides = append(sides, newSide("base "+b.Name, "/spec", SaysNothing, b.Value["spec"]))
	}
	sides = append(sides, p.sides(string(in.Trust))...)
	sides = append(sides, caps(in.Trust, p, o)...)
	if o.Parent != nil {
		return within(in, sides, o)
	}
	return build(in, sides, o), nil
}

// build computes the effective profile within sides, of which the first is the profile's own.
func build(in Input, sides []Side, o Options) *Effective {
	spec, _ := canonical.Clone(in.Value["spec"]).(map[string]any)
	if spec == nil {
		spec = map[string]any{}
	}
	e := &Effective{
		Profile: nameOf(in.Value), Revision: profile.RevisionOf(in.Value), Trust: in.Trust,
		SpecDigest: in.SpecDigest, ResolvedDigest: in.ResolvedDigest, Spec: spec,
		Adjustments: []Adjustment{}, Blockers: []Adjustment{},
		Workspace: o.Workspace, Sides: sides, input: in, options: o,
	}
	if o.Parent != nil {
		e.Depth = o.Parent.Depth + 1
	}
	for _, d := range in.Dropped {
		e.adjust(d.Pointer, d.Value, nil, d.Reason, "resolve")
	}
	e.narrowModel()
	e.narrowTools()
	e.narrowPermissions()
	e.narrowContext()
	e.narrowMemory()
	e.narrowRuntime()
	e.narrowWriteback()
	return e
}

func nameOf(v map[string]any) string {
	meta, _ := v["metadata"].(map[string]any)
	name, _ := meta["name"].(string)
	return name
}

// caps are the limits of writeback that no document states. A profile that came with a repository must
// not switch off the review of what it learns, unless the policy says so for its trust.
func caps(trust resolve.Trust, p *Policy, o Options) []Side {
	var all []Side
	limit := func(source string, w profile.Writeback) {
		all = append(all, newSide(source, "", SaysNothing, map[string]any{"lifecycle": map[string]any{"writeback": string(w)}}))
	}
	if (trust == resolve.Project || trust == resolve.Imported) && p.get("trust", string(trust), "lifecycle", "writeback") == nil {
		limit("trust "+string(trust), profile.WritebackPropose)
	}
	if o.Writeback != "" {
		limit("machine", o.Writeback)
	}
	return all
}

// adjust records a difference.
func (e *Effective) adjust(field string, requested, effective any, reason, source string) {
	e.Adjustments = append(e.Adjustments, Adjustment{
		Field: field, Requested: canonical.Clone(requested), Effective: canonical.Clone(effective), Reason: reason, Source: source,
	})
}

// object gives an object inside Spec, made where it is missing or is none.
func (e *Effective) object(path ...string) map[string]any {
	at := e.Spec
	for _, k := range path {
		next, ok := at[k].(map[string]any)
		if !ok {
			next = map[string]any{}
			at[k] = next
		}
		at = next
	}
	return at
}

// has reports whether Spec has something at a place.
func (e *Effective) has(path ...string) bool {
	_, ok := canonical.Get(e.Spec, path)
	return ok
}

// list makes a list of the model from texts.
func list(texts []string) []any {
	out := make([]any, len(texts))
	for i, t := range texts {
		out[i] = t
	}
	return out
}

// texts reads the texts of a list of the model, with "" for what is none.
func texts(v any) []string {
	entries, _ := v.([]any)
	out := make([]string, len(entries))
	for i, e := range entries {
		out[i], _ = e.(string)
	}
	return out
}
