package resolve

import (
	"fmt"
	"strings"
)

// Bounds of composition. The first is of the specification; the second keeps eight bases with eight bases
// each from becoming millions of documents.
const (
	MaxDepth     = 8  // documents on one chain, the resolved one included
	MaxDocuments = 64 // different documents in all
)

// CycleError says that a document extends itself over the documents of Chain, which ends with the one
// that it began with.
type CycleError struct{ Chain []string }

func (e *CycleError) Error() string {
	return "extends goes in a circle: " + strings.Join(e.Chain, " -> ")
}

// DepthError says that more documents extend each other than [MaxDepth], or that there are more in all
// than [MaxDocuments].
type DepthError struct {
	Chain []string
	Limit int
}

func (e *DepthError) Error() string {
	if e.Limit == MaxDocuments {
		return fmt.Sprintf("more than %d profiles are extended in all", e.Limit)
	}
	return fmt.Sprintf("more than %d profiles extend each other: %s", e.Limit, strings.Join(e.Chain, " -> "))
}

// PinError says that a base is not the one that the reference pins.
type PinError struct {
	Name, Path string // of the base
	By         string // path of the document that refers to it
	Field      string // "revision" or "digest"
	Want, Have string
}

func (e *PinError) Error() string {
	return fmt.Sprintf("%s extends %q with %s %s, and %s has %s", e.By, e.Name, e.Field, e.Want, e.Path, e.Have)
}

// NameError says that a loader gave another profile than the one asked for.
type NameError struct{ Want, Have, Path string }

func (e *NameError) Error() string {
	return fmt.Sprintf("%s is the profile %q, not %q", e.Path, e.Have, e.Want)
}
