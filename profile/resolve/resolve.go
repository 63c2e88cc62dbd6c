package resolve

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/open-agent-profile/oap/canonical"
	"github.com/open-agent-profile/oap/internal/textedit"
	"github.com/open-agent-profile/oap/profile"
)

// Options are what resolving may ask about the machine. A nil function means that the question is not
// asked: what depends on it is neither verified nor refused.
type Options struct {
	// Env reports whether an environment variable is set. Its value is nobody's business here.
	Env func(name string) bool
	// Inside reports whether a path, relative to the workspace, stays in it once links are followed.
	Inside func(path string) (bool, error)
	// Skill gives the digest of a skill that is there; [fs.ErrNotExist] where it is not.
	Skill func(name, source string) (canonical.Digest, error)
	// Document gives the digest of a context document that is at hand; [fs.ErrNotExist] where it is not.
	Document func(uri string) (canonical.Digest, error)
	// Store reports why a memory store cannot be reached. It is not asked about the kind oap-state.
	Store func(name, kind, uri string) error
}

// Dropped is something that a resolved profile asked for and does not have.
type Dropped struct {
	Pointer string `json:"pointer"` // in the document before anything was dropped
	Value   any    `json:"value"`
	Reason  string `json:"reason"`
}

// Origin says which layer gave a field its value, or, with Deleted, took it away.
type Origin struct {
	Pointer string `json:"pointer"`
	Layer   int    `json:"layer"` // index into Layers
	Deleted bool   `json:"deleted,omitempty"`
}

// Resolved is a profile with everything that it extends. Treat all values in it as read-only.
type Resolved struct {
	Source *Source
	Trust  Trust
	// Merged is the composed document as written: templates in place, nothing dropped, no extends.
	Merged map[string]any
	// Value is Merged as a session uses it: variables filled in, what cannot be had taken out, trust set.
	Value      map[string]any
	Layers     []Layer // the document itself first
	Bases      []Base  // nearest first, each once
	Origins    []Origin
	Collisions []Collision
	Dropped    []Dropped
	Findings   []profile.Finding // warnings

	Digest     canonical.Digest // of the document itself
	SpecDigest canonical.Digest // of its contract
	// ResolvedDigest covers the composed contract and the contracts of all bases, so that a change in any
	// of them is seen. Without bases it is SpecDigest.
	ResolvedDigest canonical.Digest
}

// Resolve merges a profile with its bases, found by name in the roots, and prepares it for a session, in
// the order of the specification: schema, extends, trust, variables, environment, pinned digests, paths.
// The error is a [*profile.InvalidError] where a document or what comes out of merging is invalid, or one
// of this package's where the documents do not fit together, or what the Loader said.
func Resolve(ctx context.Context, l Loader, roots []Root, src *Source, o Options) (*Resolved, error) {
	c := &composer{loader: l, roots: roots, made: map[string]*composed{}}
	made, err := c.compose(ctx, src)
	if err != nil {
		return nil, err
	}
	r := &Resolved{Source: src, Trust: src.Root.Trust, Merged: made.value, Layers: c.layers, Collisions: c.collisions}
	if r.Trust == "" {
		r.Trust = Imported // nobody vouches for it
	}
	for _, layer := range made.bases {
		r.Bases = append(r.Bases, Base{Layer: c.layers[layer], Value: c.byLayer[layer].value})
	}
	r.Origins = origins(made.merged)
	if err := r.digests(); err != nil {
		return nil, fmt.Errorf("%s: %w", src.Path, err)
	}
	if r.Findings, err = r.check(); err != nil {
		return nil, err
	}
	r.Value = maps.Clone(made.value) // state and history stay as they are and are shared
	r.Value["spec"] = canonical.Clone(made.value["spec"])
	meta := maps.Clone(made.value["metadata"].(map[string]any))
	meta["trust"] = string(r.Trust)
	r.Value["metadata"] = meta
	p := &preparer{resolved: r, options: o}
	p.variables()
	p.servers()
	p.skills()
	p.documents()
	p.stores()
	p.paths()
	if profile.HasErrors(p.findings) {
		return nil, &profile.InvalidError{Findings: append(r.Findings, p.findings...)}
	}
	return r, nil
}

func (r *Resolved) digests() (err error) {
	if r.Digest, err = r.Source.Document.Digest(); err != nil {
		return err
	}
	r.SpecDigest = r.Layers[0].SpecDigest
	if len(r.Bases) == 0 {
		r.ResolvedDigest = r.SpecDigest
		return nil
	}
	composedDigest, err := profile.SpecDigest(r.Merged)
	if err != nil {
		return err
	}
	bases := make([]any, len(r.Bases))
	for i, b := range r.Bases {
		bases[i] = map[string]any{"name": b.Name, "spec": b.SpecDigest.String()}
	}
	r.ResolvedDigest, err = canonical.Sum(map[string]any{"composed": composedDigest.String(), "bases": bases})
	return err
}

// check judges the merged document anew: two valid documents can make an invalid one, by a variable that
// a null took away or a list of servers without the one that a line names.
func (r *Resolved) check() ([]profile.Finding, error) {
	if len(r.Bases) == 0 {
		return r.Source.Document.Validate()
	}
	// State and history are the document's own and were judged with it.
	contract := maps.Clone(r.Merged)
	delete(contract, "state")
	delete(contract, "history")
	text, err := profile.Encode(contract, textedit.JSON)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", r.Source.Path, err)
	}
	doc, err := profile.ParseAs(r.Source.Path, text, textedit.JSON)
	if err != nil {
		return nil, err
	}
	found := doc.Check()
	for i := range found {
		r.place(&found[i])
	}
	if profile.HasErrors(found) {
		return nil, &profile.InvalidError{Findings: found}
	}
	return found, nil
}

// place moves a finding about the merged document to the file and line that the field comes from.
func (r *Resolved) place(f *profile.Finding) {
	layer := r.Layers[r.LayerOf(f.Pointer)]
	f.Path = layer.Path
	f.Line, f.Column = layer.doc.Position(f.Pointer)
}

// LayerOf gives the index of the layer that a place comes from: that of the field, of the nearest one
// above it, or, for an object that several layers made, 0, the document itself.
func (r *Resolved) LayerOf(pointer string) int {
	for {
		i, ok := slices.BinarySearchFunc(r.Origins, pointer, func(o Origin, p string) int { return strings.Compare(o.Pointer, p) })
		if ok {
			return r.Origins[i].Layer
		}
		cut := strings.LastIndexByte(pointer, '/')
		if cut < 0 {
			return 0
		}
		pointer = pointer[:cut]
	}
}

// origins lists the record of a merge by pointer.
func origins(m *merged) []Origin {
	out := make([]Origin, 0, len(m.origin)+len(m.gone))
	for p, layer := range m.origin {
		out = append(out, Origin{Pointer: p, Layer: layer})
	}
	for p, layer := range m.gone {
		out = append(out, Origin{Pointer: p, Layer: layer, Deleted: true})
	}
	slices.SortFunc(out, func(a, b Origin) int { return strings.Compare(a.Pointer, b.Pointer) })
	return out
}
