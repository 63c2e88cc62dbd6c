package delta

import (
	"fmt"
	"math"

	"github.com/open-agent-profile/oap/canonical"
)

// DecodeError names the place where a value does not have the form of a delta.
type DecodeError struct {
	Pointer string
	Reason  string
}

func (e *DecodeError) Error() string {
	if e.Pointer == "" {
		return e.Reason
	}
	return e.Pointer + ": " + e.Reason
}

// Decode reads a delta from a value that the schema accepted. Other values give a [*DecodeError], at
// the first place that cannot be read; bounds and patterns are the schema's business. The delta
// shares its values with v.
func Decode(v any) (*Delta, error) {
	r := &reader{}
	doc := r.object(v, "")
	if kind := r.text(doc, "", "kind", true); r.err == nil && kind != Kind {
		return nil, &DecodeError{"/kind", fmt.Sprintf("%q is not %s", kind, Kind)}
	}
	d := &Delta{
		Version: r.text(doc, "", "oap", true),
		Target:  r.target(doc),
		Session: r.session(doc),
		Summary: r.text(doc, "", "summary", false),
		raw:     doc,
	}
	for i, e := range r.list(doc, "", "operations") {
		d.Operations = append(d.Operations, r.operation(e, fmt.Sprintf("/operations/%d", i)))
	}
	for i, e := range r.list(doc, "", "proposals") {
		d.Proposals = append(d.Proposals, r.proposal(e, fmt.Sprintf("/proposals/%d", i)))
	}
	if r.err != nil {
		return nil, r.err
	}
	return d, nil
}

// reader takes members out of objects and keeps the first error, so that the code above reads like
// the format's tables.
type reader struct{ err error }

// fail keeps the first error; later ones are often only its echo.
func (r *reader) fail(at, reason string) {
	if r.err == nil {
		r.err = &DecodeError{at, reason}
	}
}

// target reads OAP facts a.8. Without a revision every write would be blind, so it is required here too.
func (r *reader) target(doc map[string]any) Target {
	m := r.object(doc["target"], "/target")
	t := Target{
		Name:     r.text(m, "/target", "name", true),
		Revision: r.integer(m, "/target", "revision"),
		ID:       r.text(m, "/target", "id", false),
	}
	if t.Revision < 1 {
		r.fail("/target/revision", "a revision of 1 or more is required")
	}
	if s := r.text(m, "/target", "digest", false); s != "" {
		d, err := canonical.ParseDigest(s)
		if err != nil {
			r.fail("/target/digest", err.Error())
		}
		t.Digest, t.HasDigest = d, true
	}
	return t
}

// session reads who asks; only the id is required, and the schema lets it be empty.
func (r *reader) session(doc map[string]any) Session {
	const at = "/session"
	m := r.object(doc["session"], at)
	s := Session{
		ID:             r.text(m, at, "id", true),
		Harness:        r.text(m, at, "harness", false),
		HarnessVersion: r.text(m, at, "harness_version", false),
		StartedAt:      r.text(m, at, "started_at", false),
		EndedAt:        r.text(m, at, "ended_at", false),
		ModelUsed:      r.text(m, at, "model_used", false),
		Turns:          r.integer(m, at, "turns"),
		ToolCalls:      r.integer(m, at, "tool_calls"),
		Outcome:        r.text(m, at, "outcome", false),
	}
	if f := r.number(m, at, "cost_usd"); f != nil {
		s.CostUSD = *f
	}
	return s
}

// operation keeps whether a value is there, since null is one.
func (r *reader) operation(v any, at string) Operation {
	m := r.object(v, at)
	op := Operation{
		Op:         r.text(m, at, "op", true),
		Path:       r.text(m, at, "path", true),
		Reason:     r.text(m, at, "reason", false),
		Confidence: r.number(m, at, "confidence"),
	}
	op.Value, op.HasValue = m["value"]
	op.Pointer, _ = canonical.ParsePointer(op.Path)
	return op
}

// proposal fills in the operation that the format takes for granted.
func (r *reader) proposal(v any, at string) Proposal {
	m := r.object(v, at)
	p := Proposal{
		Path:      r.text(m, at, "path", true),
		Op:        r.text(m, at, "op", false),
		Rationale: r.text(m, at, "rationale", true),
		Risk:      r.text(m, at, "risk", false),
	}
	if p.Op == "" {
		p.Op = OpReplace
	}
	p.Value, p.HasValue = m["value"]
	p.Pointer, _ = canonical.ParsePointer(p.Path)
	return p
}

// The readers below give the zero value where they fail, so that their callers can go on.
func (r *reader) object(v any, at string) map[string]any {
	m, ok := v.(map[string]any)
	if !ok {
		r.fail(at, "an object is required")
	}
	return m
}

func (r *reader) text(m map[string]any, at, name string, required bool) string {
	v, present := m[name]
	s, ok := v.(string)
	if !ok && (present || required) {
		r.fail(at+"/"+name, "a text is required")
	}
	return s
}

func (r *reader) list(m map[string]any, at, name string) []any {
	v, present := m[name]
	l, ok := v.([]any)
	if present && !ok {
		r.fail(at+"/"+name, "a list is required")
	}
	return l
}

func (r *reader) number(m map[string]any, at, name string) *float64 {
	v, present := m[name]
	f, ok := v.(float64)
	if present && !ok {
		r.fail(at+"/"+name, "a number is required")
	}
	if !ok {
		return nil
	}
	return &f
}

// integer reads a whole number; 7.0 is one, since numbers are compared by value everywhere.
func (r *reader) integer(m map[string]any, at, name string) int {
	f := r.number(m, at, name)
	if f == nil {
		return 0
	}
	n, ok := whole(*f)
	if !ok {
		r.fail(at+"/"+name, "a whole number is required")
	}
	return n
}

// whole turns a number into an int if that loses nothing.
func whole(v any) (int, bool) {
	f, ok := v.(float64)
	if !ok || f != math.Trunc(f) || math.Abs(f) > canonical.MaxSafeInteger {
		return 0, false
	}
	return int(f), true
}
