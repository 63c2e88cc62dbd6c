package delta

import (
	"slices"

	"github.com/open-agent-profile/oap/canonical"
)

// insert adds the operation's value before entry i. What is there already is updated in its place:
// a second entry of one id would make the file invalid for ever after.
func (e *editor) insert(c []any, sh *shape, at canonical.Pointer, i int) (any, error) {
	v, err := e.value(itemOf(sh), at)
	if err != nil {
		return nil, err
	}
	switch {
	case sh.is(formEntries):
		id := sh.idOf(v)
		if id == "" && e.strict {
			return nil, e.fail("an entry of %s needs %s", at, article(sh.identity))
		}
		j := slices.IndexFunc(c, func(old any) bool { return id != "" && sh.idOf(old) == id })
		if j >= 0 {
			return e.update(c, sh, at, j, v)
		}
		e.touched = at.Append(sh.keyed(v))
	case sh.is(formSet):
		if slices.ContainsFunc(c, func(old any) bool { return canonical.Equal(old, v) }) {
			e.warn(RulePresent, "%s has this value already", at)
			return c, nil
		}
	}
	if e.touched == nil {
		e.touched = at.Append(tokenOf(nil, nil, i))
	}
	return slices.Insert(c, i, v), nil
}

// update lets v take the place of the entry of the same identity.
func (e *editor) update(c []any, sh *shape, at canonical.Pointer, j int, v any) (any, error) {
	here := at.Append(sh.keyed(v))
	if len(at) == 0 || at[0] != "state" {
		return nil, e.fail("%s is there already", here)
	}
	old, made := c[j].(map[string]any), v.(map[string]any)
	same := sh.words != "" && canonical.Equal(old[sh.words], made[sh.words])
	for name, was := range old {
		if _, given := made[name]; !given && (same || slices.Contains(sh.keep, name)) {
			made[name] = was
		}
	}
	// Other words are learned anew: the old date would make them look as old as what they replace.
	if _, has := made["learned_at"]; !has && e.learnedAt != "" && sh.words == "text" {
		made["learned_at"] = e.learnedAt
	}
	e.warn(RuleUpsert, "%s is there already and was updated in its place", here)
	e.touched = here
	c[j] = made
	return c, nil
}
