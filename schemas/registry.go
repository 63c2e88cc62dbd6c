package schemas

import (
	"embed"
	"fmt"
	"sync"

	"github.com/open-agent-profile/oap/canonical"
)

//go:embed *.schema.json
var files embed.FS

// A registered schema is read at most once, and only when somebody asks for it.
type entry struct {
	file string
	root func() *node
}

// registry is the whole list of formats; a further one is a file and a line here.
var registry = map[string]entry{
	"profile": load("profile.schema.json"),
	"delta":   load("delta.schema.json"),
	"policy":  load("policy.schema.json"),

	"card":            load("card.schema.json"),
	"persona-skills":  load("persona-skills.schema.json"),
	"persona-publish": load("persona-publish.schema.json"),

	"openwop-agent-v1": load("openwop-agent-v1.schema.json"),
	"openwop-agent-v2": load("openwop-agent-v2.schema.json"),
	"openwop-pack-v1":  load("openwop-pack-v1.schema.json"),
	"openwop-pack-v2":  load("openwop-pack-v2.schema.json"),

	"json-schema": load("json-schema.schema.json"),
}

func load(file string) entry {
	return entry{file, sync.OnceValue(func() *node {
		text, err := files.ReadFile(file)
		if err == nil {
			var n *node
			if n, err = compile(text); err == nil {
				return n
			}
		}
		// Only a mistake in an embedded file gets here, and the tests compile every one of them.
		panic(fmt.Sprintf("schemas: %s: %v", file, err))
	})}
}

// Source gives the text of a schema by name: "profile" or "delta". The bytes are the caller's own.
func Source(name string) ([]byte, bool) {
	e, ok := registry[name]
	if !ok {
		return nil, false
	}
	text, err := files.ReadFile(e.file)
	return text, err == nil
}

// Profile is [Validate] with the schema of agent profiles. The value is judged as it is: a document that
// extends another and deletes with nulls goes through [StripNulls] first.
func Profile(v any) []Violation { return Validate("profile", v) }

// Delta is [Validate] with the schema of state deltas.
func Delta(v any) []Violation { return Validate("delta", v) }

// Validate lists the places where v breaks the named schema, sorted by pointer, list entries by number;
// nil means that it is valid. It stops after [MaxViolations]. An unknown name is itself a violation, so
// that a misspelt name cannot pass for a valid document.
func Validate(name string, v any) []Violation {
	e, ok := registry[name]
	if !ok {
		return []Violation{{Keyword: "$schema", Message: fmt.Sprintf("no schema has the name %q", name)}}
	}
	return validate(e.root(), v)
}

// Order lists the members that the profile schema declares at a place of a profile, in its order. Any
// token below a list stands for an entry, whether it is a number, "-" or "id:…". Nil means that the
// schema declares no members there.
func Order(p canonical.Pointer) []string { return OrderIn("profile", p) }

// OrderIn is [Order] for a place in a document of the named schema.
func OrderIn(name string, p canonical.Pointer) []string {
	e, ok := registry[name]
	if !ok {
		return nil
	}
	n := e.root()
	for _, token := range p {
		if n = n.resolve().child(token); n == nil {
			return nil
		}
	}
	return append([]string(nil), n.resolve().object.order...)
}

// StripNulls gives v without the object members that are null. In a document that extends another such
// a member deletes what the base says, and the schema has no place for it. Lists are left alone, entries
// and all: they replace a base's list whole, so a null inside one deletes nothing and is a value.
// The parts of v that hold no null are shared with the result; v itself is not changed.
func StripNulls(v any) any {
	m, ok := v.(map[string]any)
	if !ok {
		return v
	}
	out := make(map[string]any, len(m))
	for k, e := range m {
		if e != nil {
			out[k] = StripNulls(e)
		}
	}
	return out
}
