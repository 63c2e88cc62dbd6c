package schemas

import (
	"math"
	"regexp"
	"sync"
)

// kinds is a set of JSON types.
type kinds uint8

const (
	kNull kinds = 1 << iota
	kBool
	kNumber
	kInteger // a number without a fraction has both bits (JSON Schema Validation §6.1.1)
	kText
	kList
	kObject
)

// node is one compiled schema. Nil and absent members assert nothing.
type node struct {
	never  bool  // the schema false
	ref    *node // $ref; further keywords beside it hold as well
	types  kinds
	title  string // finishes the sentence "… is not <title>"
	hush   bool   // writeOnly: the value is no business of a message
	object objectRules
	list   listRules
	text   textRules
	number numberRules
	consts []any // enum or const: scalars
	single bool  // const, not enum

	allOf, anyOf, oneOf []*node
	not                 *node
	cond, then, orElse  *node // if, then, else
	because             string
}

type objectRules struct {
	order      []string // declared members, in order
	members    map[string]*node
	patterns   []patternRule
	additional *node // nil: anything
	names      *node
	required   []string
	min, max   int // -1: no bound
}

type patternRule struct {
	re   *pattern
	node *node
}

// pattern is a regular expression that is compiled when a text first meets it: most documents meet few,
// and one with a counted class such as {0,62} takes longer to compile than a small document to check.
type pattern struct {
	source string
	re     func() *regexp.Regexp
}

// newPattern takes Go's dialect as it is: in it "$" is the end of the text, so a name with a line feed
// behind it does not pass, as it does where "$" also matches before a last line feed.
func newPattern(source string) *pattern {
	return &pattern{source, sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(source) })}
}

type listRules struct {
	items    *node
	min, max int
	unique   bool
}

type textRules struct {
	min, max int
	pattern  *pattern
	dateTime bool
	uri      bool // absolute (RFC 3986 §4.3)
}

// numberRules uses infinities for absent bounds, so that each check is one comparison.
type numberRules struct {
	min, max           float64
	aboveMin, belowMax float64 // exclusive
}

func newNode() *node {
	return &node{
		object: objectRules{min: -1, max: -1},
		list:   listRules{min: -1, max: -1},
		text:   textRules{min: -1, max: -1},
		number: numberRules{math.Inf(-1), math.Inf(1), math.Inf(-1), math.Inf(1)},
	}
}

// resolve follows references to the schema that has rules of its own. Compiling has refused cycles.
func (n *node) resolve() *node {
	for n.ref != nil {
		n = n.ref
	}
	return n
}

// child is the schema of one member or list entry, nil where nothing is declared for it.
func (n *node) child(token string) *node {
	if c, ok := n.object.members[token]; ok {
		return c
	}
	if n.list.items != nil {
		return n.list.items
	}
	return n.object.additional
}
