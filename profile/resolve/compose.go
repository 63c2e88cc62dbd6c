package resolve

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/open-agent-profile/oap/canonical"
	"github.com/open-agent-profile/oap/profile"
)

// Layer is one document that a resolved profile is made of.
type Layer struct {
	Name       string           `json:"name"`
	Path       string           `json:"path"`
	Revision   int              `json:"revision"`
	SpecDigest canonical.Digest `json:"spec_digest"` // as written, before its own extends

	doc *profile.Document
}

// Base is a profile that the resolved one extends, directly or not, itself resolved. Who composes must
// not end wider than any of them (OAP L3-E2), which is what narrowing needs them for.
type Base struct {
	Layer
	Value map[string]any
}

// composed is a document with its bases merged in. It does not depend on who asked for it, so each is
// made once.
type composed struct {
	*merged
	layer  int
	height int   // documents on the longest chain from here down
	bases  []int // layers of all bases, nearest first, each once
}

// composer merges documents.
type composer struct {
	loader     Loader
	roots      []Root
	layers     []Layer
	made       map[string]*composed // by identity
	byLayer    []*composed
	chain      []*Source
	collisions []Collision
}

// compose merges a document with everything it extends.
func (c *composer) compose(ctx context.Context, src *Source) (*composed, error) {
	id := src.identity()
	if slices.ContainsFunc(c.chain, func(s *Source) bool { return s.identity() == id }) {
		return nil, &CycleError{Chain: c.paths(src)}
	}
	done, known := c.made[id]
	if known && len(c.chain)+done.height > MaxDepth || len(c.chain) >= MaxDepth {
		return nil, &DepthError{Chain: c.paths(src), Limit: MaxDepth}
	}
	if known {
		return done, nil
	}
	if len(c.layers) == MaxDocuments {
		return nil, &DepthError{Limit: MaxDocuments}
	}
	if k := src.Document.Kind(); k == profile.KindDelta {
		return nil, fmt.Errorf("%s is a %s, not a profile", src.Path, k)
	}
	// Every document is judged as it was written: merging could hide what is wrong with it (OAP L1-P2).
	if _, err := src.Document.Validate(); err != nil {
		return nil, err
	}
	digest, err := src.Document.SpecDigest()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", src.Path, err)
	}
	out := &composed{merged: newMerged(), layer: len(c.layers), height: 1}
	c.layers = append(c.layers, Layer{
		Name: src.Document.Name(), Path: src.Path, Revision: src.Document.Revision(), SpecDigest: digest, doc: src.Document,
	})
	c.byLayer = append(c.byLayer, out)
	c.chain = append(c.chain, src)
	if err := c.extend(ctx, src, out); err != nil {
		return nil, err
	}
	c.chain = c.chain[:len(c.chain)-1]
	out.overlay(src.Document.Value, out.layer)
	c.made[id] = out
	return out, nil
}

// extend merges the bases of a document, left to right.
func (c *composer) extend(ctx context.Context, src *Source, out *composed) error {
	refs, _ := src.Document.Value["extends"].([]any)
	var further []int
	for _, r := range refs {
		ref, _ := r.(map[string]any)
		base, err := c.find(ctx, src, ref)
		if err != nil {
			return err
		}
		made, err := c.compose(ctx, base)
		if err != nil {
			return err
		}
		if err := c.pinned(src, ref, c.layers[made.layer]); err != nil {
			return err
		}
		out.inherit(made.merged)
		out.height = max(out.height, made.height+1)
		out.bases = append(out.bases, made.layer)
		further = append(further, made.bases...)
	}
	all := slices.Concat(out.bases, further)
	out.bases = nil
	for _, layer := range all {
		if !slices.Contains(out.bases, layer) {
			out.bases = append(out.bases, layer)
		}
	}
	return nil
}

// find looks a base up by name, with the precedence of [Find]. A base that has the name of the document
// itself is looked for in the roots before the document's own: a project's reviewer that extends the
// reviewer means the user's.
func (c *composer) find(ctx context.Context, src *Source, ref map[string]any) (*Source, error) {
	name, _ := ref["name"].(string)
	roots := c.roots
	if name == src.Document.Name() {
		if i := slices.IndexFunc(roots, func(r Root) bool { return r.Path == src.Root.Path }); i >= 0 {
			roots = roots[:i]
		}
	}
	found, err := candidates(ctx, c.loader, roots, name)
	if err != nil {
		return nil, err
	}
	if name == src.Document.Name() {
		found = slices.DeleteFunc(found, func(f *Source) bool { return f.identity() == src.identity() })
	}
	if len(found) == 0 {
		uri, _ := ref["uri"].(string)
		return nil, fmt.Errorf("%s extends %q: %w", src.Path, name, &NotFoundError{Name: name, Roots: roots, URI: uri})
	}
	used, collisions := prefer(name, found)
	if have := used.Document.Name(); have != name {
		return nil, &NameError{Want: name, Have: have, Path: used.Path}
	}
	for _, col := range collisions {
		if !slices.Contains(c.collisions, col) {
			c.collisions = append(c.collisions, col)
		}
	}
	return used, nil
}

// pinned holds a base against the reference: the revision that the file says and the digest of the base
// as written (OAP SPEC, composition; L3-G2). The bases of the base are for its own references to pin.
func (c *composer) pinned(src *Source, ref map[string]any, base Layer) error {
	e := &PinError{Name: base.Name, Path: base.Path, By: src.Path}
	if want, ok := ref["revision"].(float64); ok && want != float64(base.Revision) {
		e.Field, e.Want, e.Have = "revision", strconv.FormatFloat(want, 'f', -1, 64), strconv.Itoa(base.Revision)
		return e
	}
	if want, ok := ref["digest"].(string); ok && want != base.SpecDigest.String() {
		e.Field, e.Want, e.Have = "digest", want, base.SpecDigest.String()
		return e
	}
	return nil
}

func (c *composer) paths(last *Source) []string {
	var all []string
	for _, s := range c.chain {
		all = append(all, s.Path)
	}
	return append(all, last.Path)
}
