package delta

import (
	"slices"
	"strconv"
	"strings"

	"github.com/open-agent-profile/oap/canonical"
)

// Rules of warnings that Apply gives.
const (
	RuleMissing = "nothing-to-remove" // removing what is not there
	RuleSet     = "replaced-missing"  // replacing what was not there yet
	RuleUpsert  = "updated-known"     // adding an entry whose id or term is there
	RulePresent = "already-present"   // adding a tag or ref that is there
	RuleKeptOwn = "owned-field-kept"  // a whole state that brings the applicator's fields
	RulePinned  = "pinned-entry"      // a pinned entry that does not come through as it was
)

const (
	msgNotIn     = "there is no %s"
	msgWrongForm = "%s is neither an object nor a list"
)

// editor carries out one operation on a tree that it may change.
type editor struct {
	op        Operation
	index     int
	strict    bool // Apply: known members only, state entries as the format wants them
	learnedAt string
	touched   canonical.Pointer
	warnings  []Warning
}

// run walks from the document down; containers are changed in place and put back, because a list
// that grows or shrinks is a new slice.
func (e *editor) run(doc map[string]any) error {
	p, err := canonical.ParsePointer(e.op.Path)
	if err != nil {
		return e.fail("%s", err)
	}
	if len(p) == 0 {
		return e.fail("the whole document cannot be changed at once")
	}
	_, err = e.walk(doc, documentShape, nil, p)
	return err
}

// walk carries the operation out below node and gives what has to stand in node's place.
func (e *editor) walk(node any, sh *shape, at, rest canonical.Pointer) (any, error) {
	switch c := node.(type) {
	case map[string]any:
		return c, e.inObject(c, sh, at, rest)
	case []any:
		return e.inList(c, sh, at, rest)
	}
	return node, e.fail(msgWrongForm, at)
}

// inObject steps through or ends at a member. Only "add" and "replace" make the parents they miss.
func (e *editor) inObject(c map[string]any, sh *shape, at, rest canonical.Pointer) error {
	name, child := rest[0], sh.member(rest[0])
	if len(rest) == 1 {
		return e.member(c, sh, at, name)
	}
	// Null stands for "nothing yet": an editor leaves "state:" behind when the last line below it goes.
	old := c[name]
	if old == nil {
		if e.op.Op == OpRemove {
			e.warn(RuleMissing, msgNotIn+", so nothing was removed", at.Append(name))
			return nil
		}
		switch {
		case e.strict && !sh.knows(name):
			return e.fail("%s has no member %q", at, name)
		case e.strict && !child.listing() && !child.is(formObject):
			return e.fail(msgNotIn, at.Append(name))
		}
		old = container(child, rest[1])
	}
	made, err := e.walk(old, child, at.Append(name), rest[1:])
	if err == nil {
		c[name] = made
	}
	return err
}

// container is what a missing parent becomes. The schema wants lists where the shape says so; elsewhere
// only "-" tells that a list is meant.
func container(sh *shape, next string) any {
	if sh.listing() || sh.is(formValue) && next == "-" {
		return []any{}
	}
	return map[string]any{}
}

// member carries the operation out on a member of c.
func (e *editor) member(c map[string]any, sh *shape, at canonical.Pointer, name string) error {
	here := at.Append(name)
	if e.strict && len(at) == 0 {
		return e.allState(c, here)
	}
	_, present := c[name]
	switch {
	case e.op.Op == OpRemove && !present:
		e.warn(RuleMissing, msgNotIn+", so nothing was removed", here)
		return nil
	case e.op.Op == OpRemove:
		delete(c, name)
	default:
		if e.strict && !present {
			if !sh.knows(name) && sh != nil && sh.closed {
				return e.fail("%s has no member %q", at, name)
			}
			if e.op.Op == OpReplace {
				e.warn(RuleSet, msgNotIn+" to replace, so it was set", here)
			}
		}
		v, err := e.value(sh.member(name), here)
		if err != nil {
			return err
		}
		c[name] = v
	}
	e.touched = here
	return nil
}

// allState handles an operation on "/state" itself. The applicator's two fields stay what they were.
func (e *editor) allState(doc map[string]any, here canonical.Pointer) error {
	old, present := doc["state"].(map[string]any)
	if !present && e.op.Op == OpRemove {
		e.warn(RuleMissing, msgNotIn+", so nothing was removed", here)
		return nil
	}
	made := map[string]any{}
	if e.op.Op != OpRemove {
		v, err := e.value(stateShape, here)
		if err != nil {
			return err
		}
		made = v.(map[string]any)
		for _, name := range []string{"facts", "preferences", "glossary", "open_threads"} {
			if member, has := made[name]; has {
				if err := e.sound(member, stateShape.member(name), here.Append(name)); err != nil {
					return err
				}
			}
		}
	}
	for _, name := range []string{"revision", "updated_at"} {
		was, had := old[name]
		if v, has := made[name]; has && !(had && canonical.Equal(v, was)) {
			e.warn(RuleKeptOwn, "%s belongs to the applicator and stays as it was", here.Append(name))
		}
		delete(made, name)
		if had {
			made[name] = was
		}
	}
	doc["state"] = made
	e.touched = here
	return nil
}

// inList steps through or ends at an entry, addressed by index, by identity or, for "add", as "-". It gives
// the list as it is then, because insertion and removal make another slice.
func (e *editor) inList(c []any, sh *shape, at, rest canonical.Pointer) (any, error) {
	token, last := rest[0], len(rest) == 1
	if token == "-" {
		if last && e.op.Op == OpAdd {
			return e.insert(c, sh, at, len(c))
		}
		return nil, e.fail(`"-" is the place after the last entry, where only "add" can work`)
	}
	i, err := e.locate(c, sh, at, token)
	if err != nil {
		return nil, err
	}
	// RFC 6902 §4.1: "add" may name the index after the last entry, and shifts what stands there.
	if last && e.op.Op == OpAdd && (i >= 0 && i < len(c) || token == strconv.Itoa(len(c))) {
		return e.insert(c, sh, at, i)
	}
	switch {
	case i < 0 || i >= len(c):
		if e.op.Op == OpRemove {
			e.warn(RuleMissing, msgNotIn+", so nothing was removed", at.Append(token))
			return c, nil
		}
		return nil, e.fail(msgNotIn, at.Append(token))
	case last:
		return e.element(c, sh, at, i)
	}
	made, err := e.walk(c[i], itemOf(sh), at.Append(tokenOf(c, sh, i)), rest[1:])
	if err != nil {
		return nil, err
	}
	c[i] = made
	// A new id for an entry must not be that of another one.
	if len(rest) == 2 && sh.is(formEntries) && rest[1] == sh.identity {
		return c, e.unique(c, sh, at, i)
	}
	return c, nil
}

// locate finds the place of a token, -1 for an identity that is not there. Identities are looked up when
// the operation runs, so that earlier operations count (OAP facts f.2); the first entry is meant.
func (e *editor) locate(c []any, sh *shape, at canonical.Pointer, token string) (int, error) {
	if i, ok := canonical.Index(token); ok {
		return i, nil
	}
	if sh.is(formEntries) {
		if id, ok := strings.CutPrefix(token, sh.identity+":"); ok && id != "" {
			return slices.IndexFunc(c, func(v any) bool { return sh.idOf(v) == id }), nil
		}
		return 0, e.fail("%q is no entry of %s: use an index or %s:…", token, at, sh.identity)
	}
	return 0, e.fail("%q is no index of the list %s", token, at)
}

// itemOf gives the shape of a list's entries.
func itemOf(sh *shape) *shape {
	if sh == nil {
		return nil
	}
	return sh.item
}

// tokenOf addresses entry i by identity where that is unambiguous for a reader.
func tokenOf(c []any, sh *shape, i int) string {
	if i < len(c) {
		if key := sh.keyed(c[i]); key != "" {
			return key
		}
	}
	return strconv.Itoa(i)
}

// element replaces or removes entry i.
func (e *editor) element(c []any, sh *shape, at canonical.Pointer, i int) (any, error) {
	if e.op.Op == OpRemove {
		e.touched = at.Append(tokenOf(c, sh, i))
		return slices.Delete(c, i, i+1), nil
	}
	v, err := e.value(itemOf(sh), at.Append(tokenOf(c, sh, i)))
	if err != nil {
		return nil, err
	}
	if e.strict && sh.is(formEntries) && sh.idOf(v) == "" {
		return nil, e.fail("an entry of %s needs %s", at, article(sh.identity))
	}
	e.touched = at.Append(tokenOf(c, sh, i))
	c[i] = v
	return c, e.unique(c, sh, at, i)
}

// unique refuses that entry i has the identity of another one.
func (e *editor) unique(c []any, sh *shape, at canonical.Pointer, i int) error {
	id := sh.idOf(c[i])
	if id == "" {
		return nil
	}
	for j, v := range c {
		if j != i && sh.idOf(v) == id {
			return e.fail("%s has another entry %q", at, id)
		}
	}
	return nil
}

// article reads "an id", "a term".
func article(identity string) string {
	if strings.ContainsAny(identity[:1], "aeiou") {
		return "an " + identity
	}
	return "a " + identity
}

// value copies the operation's value for a place of form sh and refuses what can never fit there.
func (e *editor) value(sh *shape, at canonical.Pointer) (any, error) {
	v := canonical.Clone(e.op.Value)
	if !e.strict {
		return v, nil
	}
	_, isObject := v.(map[string]any)
	_, isList := v.([]any)
	switch {
	case sh.is(formObject) && !isObject:
		return nil, e.fail("%s must be an object", at)
	case sh.listing() && !isList:
		return nil, e.fail("%s must be a list", at)
	}
	return v, e.sound(v, sh, at)
}

// sound refuses a whole collection in which an entry has no identity or that of another one.
func (e *editor) sound(v any, sh *shape, at canonical.Pointer) error {
	if !sh.is(formEntries) {
		return nil
	}
	list, ok := v.([]any)
	if !ok {
		return e.fail("%s must be a list", at)
	}
	seen := make(map[string]bool, len(list))
	for i, entry := range list {
		id := sh.idOf(entry)
		if id == "" {
			return e.fail("%s needs %s", at.Append(strconv.Itoa(i)), article(sh.identity))
		}
		if seen[id] {
			return e.fail("%s has two entries %q", at, id)
		}
		seen[id] = true
	}
	return nil
}
