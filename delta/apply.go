package delta

import (
	"fmt"

	"github.com/open-agent-profile/oap/canonical"
)

// Options are what Apply needs to know beside the operations.
type Options struct {
	// LearnedAt is given to new facts and preferences that have no "learned_at", see [Delta.LearnedAt].
	// Empty leaves them without.
	LearnedAt string
}

// Applied is what operations made of a document.
type Applied struct {
	Doc      map[string]any // a copy; it shares nothing with the document that came in
	Changed  bool           // whether Doc differs from it
	Warnings []Warning
	Touched  []canonical.Pointer // by operation; entries by identity; nil where it found nothing to do
	Pinned   []PinnedChange
}

// Apply runs operations on a copy of doc, in order and all or none: the first that cannot be carried
// out gives an [*OperationError] and no result. Nothing outside "/state" can change, nor can
// "/state/revision" and "/state/updated_at": an operation on all of state leaves the two as they are.
//
// Where the format leaves room:
//   - a missing collection is made as a list, a missing "metrics" as an object; a removal makes nothing
//     and warns when there is nothing to remove;
//   - "replace" of a member that is missing though the format knows it sets it, with a warning; of an
//     unknown member it is an error, as is any way through one, since it is a typing error;
//   - "add" of an entry whose id or term is there already updates that entry in its place, with a
//     warning. Its pinned, tags and scope stay unless given; a thread's opened_at and refs likewise; and
//     where the new entry says the same words as the old one, so does everything else;
//   - "add" at "…/id:x" puts the new entry before x; adding a tag or ref twice does nothing and warns;
//   - "remove /state" leaves an empty state with the two fields above.
//
// The result can still break the schema (lengths, unknown members inside values): validate it.
func Apply(doc map[string]any, ops []Operation, o Options) (*Applied, error) {
	// The copy is what makes a refusal free: a half-changed copy is simply forgotten.
	after, _ := canonical.Clone(doc).(map[string]any)
	if after == nil {
		after = map[string]any{}
	}
	r := &Applied{Doc: after}
	for i, op := range ops {
		if _, _, msg := checkOperation(op); msg != "" {
			return nil, &OperationError{i, op.Op, op.Path, msg}
		}
		e := &editor{op: op, index: i, strict: true, learnedAt: o.LearnedAt}
		if err := e.run(after); err != nil {
			return nil, err
		}
		r.Warnings = append(r.Warnings, e.warnings...)
		r.Touched = append(r.Touched, e.touched)
	}
	// Both look at the outcome, not at single operations: an entry can arrive or lose its pin in many ways.
	stampNew(doc, after, o.LearnedAt)
	r.Changed = !canonical.Equal(doc, after)
	r.Pinned = pinnedChanges(doc, after)
	for _, c := range r.Pinned {
		r.Warnings = append(r.Warnings, Warning{
			Index: touchedBy(r.Touched, c.Pointer), Pointer: c.Pointer.String(), Rule: RulePinned, Message: c.sentence(),
		})
	}
	return r, nil
}

// Patch runs operations anywhere in a copy of doc, without the boundary and the leniency for state of
// [Apply]: missing parents are made, a missing member is set. It carries out what a person decided
// about a contract and undoes [Changes]; it must never be given a session's operations unseen.
// Entries of named lists can be addressed as "name:x".
func Patch(doc map[string]any, ops []Operation) (map[string]any, error) {
	after, _ := canonical.Clone(doc).(map[string]any)
	if after == nil {
		after = map[string]any{}
	}
	for i, op := range ops {
		msg := checkOp(op.Op)
		if msg == "" {
			msg = checkValue(op.Op, op.HasValue)
		}
		if msg != "" {
			return nil, &OperationError{i, op.Op, op.Path, msg}
		}
		if err := (&editor{op: op, index: i}).run(after); err != nil {
			return nil, err
		}
	}
	return after, nil
}

// stampNew gives learned_at to the facts and preferences that were not there before. Without it the
// newest entry would count as the oldest and be the first to be evicted.
func stampNew(before, after map[string]any, at string) {
	if at == "" {
		return
	}
	for _, name := range []string{"facts", "preferences"} {
		old := known(entriesOf(before, name), stateShape.member(name))
		for _, v := range entriesOf(after, name) {
			m, ok := v.(map[string]any)
			if !ok || old[stateShape.member(name).idOf(v)] {
				continue
			}
			if _, has := m["learned_at"]; !has {
				m["learned_at"] = at
			}
		}
	}
}

// entriesOf gives a collection of state, nil where it is missing or no list.
func entriesOf(doc map[string]any, name string) []any {
	state, _ := doc["state"].(map[string]any)
	list, _ := state[name].([]any)
	return list
}

// known collects the identities of a list; entries without one cannot be known.
func known(list []any, sh *shape) map[string]bool {
	ids := make(map[string]bool, len(list))
	for _, v := range list {
		if id := sh.idOf(v); id != "" {
			ids[id] = true
		}
	}
	return ids
}

// fail refuses the operation at hand; the walk ends with the first refusal.
func (e *editor) fail(format string, args ...any) error {
	return &OperationError{e.index, e.op.Op, e.op.Path, fmt.Sprintf(format, args...)}
}

// warn notes something about the operation at hand. Its place is the path as written, which is what the
// writer of the delta will look for.
func (e *editor) warn(rule, format string, args ...any) {
	e.warnings = append(e.warnings, Warning{e.index, e.op.Path, fmt.Sprintf(format, args...), rule})
}
