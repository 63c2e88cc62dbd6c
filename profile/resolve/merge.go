package resolve

import (
	"maps"
	"slices"
	"strings"

	"github.com/open-agent-profile/oap/canonical"
)

// Metadata of one document, which no other inherits: what names it, and what its applicator or resolver
// writes (OAP SPEC, composition; design section 8).
var ownMetadata = []string{"name", "id", "revision", "created_at", "updated_at", "trust"}

// ownAnnotations is the prefix of annotations that describe one document and not those that extend it.
const ownAnnotations = "openwop.dev/"

// merged is a value with, for every leaf of it, the layer that it came from.
type merged struct {
	value  map[string]any
	origin map[string]int // pointer of a leaf: index of a layer
	gone   map[string]int // pointer that a null deleted: index of the layer with the null
}

func newMerged() *merged {
	return &merged{value: map[string]any{}, origin: map[string]int{}, gone: map[string]int{}}
}

// inherit takes over what a resolved base hands down: metadata but for its own, and the contract. State
// and history are what one agent learned and are never inherited.
func (m *merged) inherit(base *merged) {
	for _, block := range []string{"metadata", "spec"} {
		part, ok := base.value[block].(map[string]any)
		if !ok {
			continue
		}
		if block == "metadata" {
			part = handedDown(part)
		}
		m.put(m.value, block, part, nil, func(p string) int { return base.origin[p] })
	}
	for p, layer := range base.gone {
		if _, ok := get(m.value, p); !ok {
			m.gone[p] = layer
		}
	}
}

// handedDown gives the metadata that a child inherits.
func handedDown(meta map[string]any) map[string]any {
	out := maps.Clone(meta)
	for _, k := range ownMetadata {
		delete(out, k)
	}
	if notes, ok := out["annotations"].(map[string]any); ok {
		kept := maps.Clone(notes)
		maps.DeleteFunc(kept, func(k string, _ any) bool { return strings.HasPrefix(k, ownAnnotations) })
		if out["annotations"] = kept; len(kept) == 0 {
			delete(out, "annotations")
		}
	}
	return out
}

// overlay lays a document over what its bases gave. Objects merge, other values replace, lists replace
// whole, null deletes (OAP SPEC, composition).
func (m *merged) overlay(doc map[string]any, layer int) {
	for _, k := range slices.Sorted(maps.Keys(doc)) {
		if k != "extends" {
			m.put(m.value, k, doc[k], nil, func(string) int { return layer })
		}
	}
}

// put sets member k of an object that stands at a pointer, and keeps the record of layers in step. An
// object is copied member by member even where there is nothing to merge it with, so that a null in it
// never survives into the result.
func (m *merged) put(into map[string]any, k string, v any, at canonical.Pointer, layer func(string) int) {
	p := at.Append(k)
	switch x := v.(type) {
	case nil:
		m.forget(p.String(), into[k])
		delete(into, k)
		m.gone[p.String()] = layer(p.String())
	case map[string]any:
		delete(m.gone, p.String())
		old, ok := into[k].(map[string]any)
		if !ok {
			m.forget(p.String(), into[k])
			old = map[string]any{}
			into[k] = old
		}
		for _, name := range slices.Sorted(maps.Keys(x)) {
			m.put(old, name, x[name], p, layer)
		}
		if len(old) == 0 {
			m.origin[p.String()] = layer(p.String())
		} else {
			delete(m.origin, p.String()) // no leaf any more
		}
	default:
		m.forget(p.String(), into[k])
		into[k] = v // a list or a scalar, which merging never changes
		m.origin[p.String()] = layer(p.String())
	}
}

// forget drops the record of a place that held old, and of all below it.
func (m *merged) forget(p string, old any) {
	if _, deep := old.(map[string]any); !deep && len(m.gone) == 0 {
		delete(m.origin, p) // the usual case; looking through the whole record for it would be quadratic
		return
	}
	below := func(k string, _ int) bool { return k == p || strings.HasPrefix(k, p+"/") }
	maps.DeleteFunc(m.origin, below)
	maps.DeleteFunc(m.gone, below)
}

// get looks a pointer up that is known to be one.
func get(v any, pointer string) (any, bool) {
	p, err := canonical.ParsePointer(pointer)
	if err != nil {
		return nil, false
	}
	return canonical.Get(v, p)
}
