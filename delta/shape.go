package delta

import "maps"

// form says how a value of the document is compared, merged and addressed.
type form uint8

const (
	formValue    form = iota // one value; an object still member by member, since that is how people read it
	formObject               // an object whose members are known where it is closed
	formEntries              // a list of objects, each known by one member
	formSet                  // a list of strings whose order carries no meaning
	formCounter              // a number that only grows; two growths add up
	formStamp                // a time; the later one is true for both
	formHistory              // the log of revisions
	formRevision             // the document's revision; the higher one counts
	formSummary              // a text that sessions write anew; the later one counts
)

// shape is what this package knows about a place in a profile. A nil shape is formValue. It is not a
// schema: it holds what identity and merging need, after OAP facts a.3 to a.7 and design section 9.
type shape struct {
	form    form
	members map[string]*shape // formObject: by name
	closed  bool              // formObject: members holds all of them, so that another one is a typing error

	identity string // formEntries: the member that names an entry
	item     *shape // formEntries: the entries
	max      int    // formEntries, formSet: most items that the schema takes; 0 = not known here

	// What follows describes entries of state.
	words string   // the member that is the entry's statement
	vouch []string // members that say how far the statement can be trusted
	keep  []string // members that survive an "add" of a known entry
}

// member is the shape of a member, nil where nothing is known.
func (s *shape) member(name string) *shape {
	if s == nil {
		return nil
	}
	return s.members[name]
}

// knows reports whether the format has such a member.
func (s *shape) knows(name string) bool {
	if s == nil {
		return false
	}
	_, ok := s.members[name]
	return ok
}

// is tells the form, of nil shapes too.
func (s *shape) is(f form) bool {
	return s != nil && s.form == f || s == nil && f == formValue
}

// listing reports whether the place holds a list of known form.
func (s *shape) listing() bool {
	return s.is(formEntries) || s.is(formSet) || s.is(formHistory)
}

// keyed gives the address token of an entry, "id:x", or "" where v has no usable identity.
func (s *shape) keyed(v any) string {
	if id := s.idOf(v); id != "" {
		return s.identity + ":" + id
	}
	return ""
}

// idOf gives an entry's identity, "" where it has none. The schema takes an empty id, but an entry
// that cannot be addressed has no identity here.
func (s *shape) idOf(v any) string {
	if !s.is(formEntries) {
		return ""
	}
	m, _ := v.(map[string]any)
	id, _ := m[s.identity].(string)
	return id
}

var (
	aStamp    = &shape{form: formStamp}
	aCounter  = &shape{form: formCounter}
	aRevision = &shape{form: formRevision}
	aSummary  = &shape{form: formSummary}
)

// setOf is a set of at most so many texts.
func setOf(limit int) *shape { return &shape{form: formSet, max: limit} }

// object knows some members and lets others be.
func object(members map[string]*shape) *shape {
	return &shape{form: formObject, members: members}
}

// closed is an object of which every member is known; plain ones are added by name.
func closed(members map[string]*shape, plain ...string) *shape {
	all := maps.Clone(members)
	for _, name := range plain {
		all[name] = nil
	}
	return &shape{form: formObject, members: all, closed: true}
}

// named is a list of the contract whose entries have names; nothing else about it is special.
func named(limit int, item *shape) *shape {
	return &shape{form: formEntries, identity: "name", item: item, max: limit}
}

// stateEntries is the shape of facts and preferences.
func stateEntries(limit int) *shape {
	return &shape{
		form: formEntries, identity: "id", max: limit,
		words: "text", vouch: []string{"confidence", "source"}, keep: []string{"pinned", "tags", "scope"},
		item: closed(map[string]*shape{
			"learned_at": aStamp, "last_used_at": aStamp, "expires_at": aStamp, "tags": setOf(16),
		}, "id", "text", "confidence", "source", "scope", "pinned"),
	}
}

// stateShape is the part that sessions write.
var stateShape = closed(map[string]*shape{
	"revision":    aCounter,
	"updated_at":  aStamp,
	"summary":     aSummary,
	"facts":       stateEntries(10000),
	"preferences": stateEntries(1000),
	"glossary": {
		form: formEntries, identity: "term", max: 2000,
		words: "definition", vouch: []string{"source"},
		item: closed(map[string]*shape{}, "term", "definition", "source"),
	},
	"open_threads": {
		form: formEntries, identity: "id", max: 1000, keep: []string{"opened_at", "refs"},
		item: closed(map[string]*shape{"opened_at": aStamp, "updated_at": aStamp, "refs": setOf(32)},
			"id", "title", "detail", "status"),
	},
	"metrics": closed(map[string]*shape{
		"sessions": aCounter, "total_tool_calls": aCounter, "total_cost_usd": aCounter, "last_session_at": aStamp,
	}),
})

// documentShape is the whole profile. Lists of the contract that are not named here are one value each:
// the order of objectives, constraints and rules carries meaning.
var documentShape = object(map[string]*shape{
	"metadata": object(map[string]*shape{
		"revision": aRevision, "created_at": aStamp, "updated_at": aStamp, "authors": setOf(32), "tags": setOf(32),
	}),
	"spec": object(map[string]*shape{
		"tools": object(map[string]*shape{
			"allow": setOf(200), "deny": setOf(200),
			"bindings": named(100, nil), "skills": named(64, nil),
			"mcp_servers": named(32, object(map[string]*shape{
				"tools": object(map[string]*shape{"allow": setOf(200), "deny": setOf(200)}),
			})),
		}),
		"permissions": object(map[string]*shape{
			"allow_hosts": setOf(128),
			"filesystem":  object(map[string]*shape{"read_roots": setOf(64), "write_roots": setOf(64)}),
		}),
		"memory":  object(map[string]*shape{"scopes": setOf(32), "stores": named(16, nil)}),
		"runtime": object(map[string]*shape{"subagents": object(map[string]*shape{"allow": setOf(32)})}),
	}),
	"state":   stateShape,
	"history": {form: formHistory},
})
