package schemas

import (
	"fmt"
	"strings"
)

// compiler turns a decoded schema into nodes. References are linked after everything is read, because a
// definition may refer to a later one and to itself.
type compiler struct {
	defs     map[string]*node
	pending  map[string][]*node // by reference
	patterns map[string]*pattern
}

// compile reads a schema text. It refuses every keyword, format and form of a keyword that validate
// would not honour.
func compile(text []byte) (*node, error) {
	v, err := decode(text)
	if err != nil {
		return nil, err
	}
	root, ok := v.(*object)
	if !ok {
		return nil, fmt.Errorf("not an object")
	}
	c := &compiler{defs: map[string]*node{}, pending: map[string][]*node{}, patterns: map[string]*pattern{}}
	n, err := c.node(root, "#")
	if err != nil {
		return nil, err
	}
	c.defs["#"] = n
	for ref, nodes := range c.pending {
		target, ok := c.defs[ref]
		if !ok {
			return nil, fmt.Errorf("$ref %q leads nowhere", ref)
		}
		for _, n := range nodes {
			n.ref = target
		}
	}
	for ref := range c.defs {
		if err := acyclic(c.defs[ref], ref); err != nil {
			return nil, err
		}
	}
	return n, nil
}

// acyclic refuses references that come back to where they started without going into the value, such as
// a definition that is only a reference to itself: following them would not end.
func acyclic(n *node, ref string) error {
	seen := map[*node]bool{}
	for ; n != nil; n = n.ref {
		if seen[n] {
			return fmt.Errorf("$ref %q goes in a circle", ref)
		}
		seen[n] = true
	}
	return nil
}

func (c *compiler) node(v any, at string) (*node, error) {
	n := newNode()
	switch s := v.(type) {
	case bool:
		n.never = !s
		return n, nil
	case *object:
		for _, key := range s.keys {
			if err := c.keyword(n, key, s.values[key], at); err != nil {
				return nil, fmt.Errorf("%s/%s: %w", at, key, err)
			}
		}
		if n.cond != nil {
			n.because = phrase(n.cond)
		}
		return n, nil
	default:
		return nil, fmt.Errorf("%s: a schema is an object, true or false", at)
	}
}

// keyword reads one member of a schema object into n.
func (c *compiler) keyword(n *node, key string, v any, at string) (err error) {
	at += "/" + key
	switch key {
	case "$schema", "$id", "$comment", "description", "default", "examples": // say nothing about values
	case "title":
		n.title, err = as[string](v)
	case "writeOnly":
		n.hush, err = as[bool](v)
	case "$defs":
		err = c.each(v, at, func(name string, d *node) error {
			c.defs["#/$defs/"+name] = d
			return nil
		})
	case "$ref":
		var ref string
		ref, err = as[string](v)
		c.pending[ref] = append(c.pending[ref], n)
	case "type":
		n.types, err = typeSet(v)
	case "enum":
		n.consts, err = scalars(v)
	case "const":
		n.single = true
		n.consts, err = scalars([]any{v})
	case "allOf":
		n.allOf, err = c.list(v, at)
	case "anyOf":
		n.anyOf, err = c.list(v, at)
	case "oneOf":
		n.oneOf, err = c.list(v, at)
	case "not":
		n.not, err = c.node(v, at)
	case "if":
		n.cond, err = c.node(v, at)
	case "then":
		n.then, err = c.node(v, at)
	case "else":
		n.orElse, err = c.node(v, at)
	default:
		return c.typed(n, key, v, at)
	}
	return err
}

// typed reads the keywords that concern one type of value.
func (c *compiler) typed(n *node, key string, v any, at string) (err error) {
	switch key {
	case "properties":
		n.object.members = map[string]*node{}
		err = c.each(v, at, func(name string, m *node) error {
			n.object.order = append(n.object.order, name)
			n.object.members[name] = m
			return nil
		})
	case "patternProperties":
		err = c.each(v, at, func(name string, m *node) error {
			n.object.patterns = append(n.object.patterns, patternRule{c.pattern(name), m})
			return nil
		})
	case "additionalProperties":
		n.object.additional, err = c.node(v, at)
	case "propertyNames":
		n.object.names, err = c.node(v, at)
	case "required":
		n.object.required, err = texts(v)
	case "minProperties":
		n.object.min, err = count(v)
	case "maxProperties":
		n.object.max, err = count(v)
	case "items":
		n.list.items, err = c.node(v, at)
	case "minItems":
		n.list.min, err = count(v)
	case "maxItems":
		n.list.max, err = count(v)
	case "uniqueItems":
		n.list.unique, err = as[bool](v)
	case "minLength":
		n.text.min, err = count(v)
	case "maxLength":
		n.text.max, err = count(v)
	case "pattern":
		var source string
		source, err = as[string](v)
		n.text.pattern = c.pattern(source)
	case "format":
		n.text.dateTime, n.text.uri = v == "date-time", v == "uri"
		if !n.text.dateTime && !n.text.uri {
			err = fmt.Errorf("format %v is not interpreted", v)
		}
	case "minimum":
		n.number.min, err = as[float64](v)
	case "maximum":
		n.number.max, err = as[float64](v)
	case "exclusiveMinimum":
		n.number.aboveMin, err = as[float64](v)
	case "exclusiveMaximum":
		n.number.belowMax, err = as[float64](v)
	default:
		err = fmt.Errorf("keyword is not interpreted")
	}
	return err
}

// pattern shares one expression among all places that spell it.
func (c *compiler) pattern(source string) *pattern {
	if c.patterns[source] == nil {
		c.patterns[source] = newPattern(source)
	}
	return c.patterns[source]
}

func (c *compiler) each(v any, at string, put func(string, *node) error) error {
	o, err := as[*object](v)
	if err != nil {
		return err
	}
	for _, name := range o.keys {
		n, err := c.node(o.values[name], at+"/"+name)
		if err != nil {
			return err
		}
		if err := put(name, n); err != nil {
			return err
		}
	}
	return nil
}

func (c *compiler) list(v any, at string) ([]*node, error) {
	list, err := as[[]any](v)
	if err != nil {
		return nil, err
	}
	nodes := make([]*node, len(list))
	for i := range list {
		if nodes[i], err = c.node(list[i], fmt.Sprintf("%s/%d", at, i)); err != nil {
			return nil, err
		}
	}
	return nodes, nil
}

// phrase puts an if that tests members for fixed values into words, for the end of a message.
func phrase(cond *node) string {
	var parts []string
	for _, name := range cond.object.order {
		if m := cond.object.members[name]; m.consts != nil {
			parts = append(parts, name+" is "+join(m.consts, " or "))
		}
	}
	if parts == nil {
		return ""
	}
	return " when " + strings.Join(parts, " and ")
}
