package profile

import (
	"strconv"
	"strings"

	"github.com/open-agent-profile/oap/canonical"
	"github.com/open-agent-profile/oap/internal/secrets"
	"github.com/open-agent-profile/oap/internal/term"
	"github.com/open-agent-profile/oap/schemas"
)

// Check lists everything that is wrong with the document, sorted by position: the version and kind, the
// schema, and what no schema can say (OAP SPEC, checks beyond the schema). A document with an error
// among its findings is invalid. The checks are robust against values of a wrong type, so one fault does
// not hide another.
func (d *Document) Check() []Finding {
	r := &report{doc: d}
	if !r.version() || !r.kind() {
		return r.sorted()
	}
	value := d.Value
	if _, extends := value["extends"]; extends {
		// A null in a document that extends deletes what a base says. The schema has no nullable
		// member, so the nulls are taken out before it looks (design, composition).
		value = schemas.StripNulls(value).(map[string]any)
	}
	if d.Kind() == KindDelta {
		r.schema(schemas.Delta(value))
		r.delta()
	} else {
		r.schema(schemas.Profile(value))
		r.profile()
	}
	r.secrets()
	return r.sorted()
}

// Validate is [Document.Check] as an error: nil, or an [*InvalidError] when there is at least one
// finding of severity error. Warnings alone are returned beside a nil error.
func (d *Document) Validate() ([]Finding, error) {
	fs := d.Check()
	if HasErrors(fs) {
		return fs, &InvalidError{Findings: fs}
	}
	return fs, nil
}

// version refuses what is not 1.0: another major (OAP L1-P3), and a later minor, which fails closed
// since 1.0.1 (OAP L1-P4).
func (r *report) version() bool {
	switch v, ok := r.doc.Value["oap"]; {
	case !ok:
		r.add(Error, "oap-version", "", `"oap" is missing; this tool reads "1.0"`)
	case v != "1.0":
		s, isText := v.(string)
		major, minor, dotted := strings.Cut(s, ".")
		switch {
		case !isText:
			r.add(Error, "oap-version", "/oap", `the version must be text, written "1.0" in quotes`)
		case !dotted || !digits(major) || !digits(minor):
			r.add(Error, "oap-version", "/oap", "%s is not a version of the form MAJOR.MINOR", quote(s))
		default:
			r.add(Error, "oap-version", "/oap", `version %s is not supported; this tool reads "1.0"`, quote(s))
		}
	default:
		return true
	}
	return false
}

func digits(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == ""
}

func (r *report) kind() bool {
	switch k := r.doc.Value["kind"]; k {
	case KindProfile, KindDelta:
		return true
	case nil:
		r.add(Error, "kind", "", `"kind" is missing; it is %s or %s`, KindProfile, KindDelta)
	default:
		s, _ := k.(string)
		r.add(Error, "kind", "/kind", "%s is not a kind that OAP 1.0 defines; it is %s or %s", quote(s), KindProfile, KindDelta)
	}
	return false
}

func (r *report) schema(vs []schemas.Violation) {
	for _, v := range vs {
		r.add(Error, "schema", v.Pointer, "%s", v.Message)
	}
}

// secrets looks at every text and key; one finding per place, and the value is never repeated.
func (r *report) secrets() {
	for _, f := range secrets.Scan(r.doc.Value) {
		what := "this text looks like a credential"
		if f.Key {
			what = "this key looks like a credential"
		}
		r.add(Error, "secret", f.Pointer, "%s (%s); credentials do not belong in a document", what, f.Kind)
	}
}

// quote shows text of the document inside a message: short, in quotes, nothing invisible.
func quote(s string) string {
	const most = 60
	if rs := []rune(s); len(rs) > most {
		s = string(rs[:most]) + "…"
	}
	return `"` + term.Escape(s) + `"`
}

// each walks a list of objects and gives the pointer of every entry that is one.
func each(v any, path []string, f func(at canonical.Pointer, entry map[string]any)) {
	list, _ := lookup(v, path...).([]any)
	for i, e := range list {
		if m, ok := e.(map[string]any); ok {
			f(canonical.Pointer(path).Append(strconv.Itoa(i)), m)
		}
	}
}

// eachText walks a list of texts.
func eachText(v any, path []string, f func(at canonical.Pointer, s string)) {
	list, _ := lookup(v, path...).([]any)
	for i, e := range list {
		if s, ok := e.(string); ok {
			f(canonical.Pointer(path).Append(strconv.Itoa(i)), s)
		}
	}
}

// walkText visits every text below a value, list entries in order, members in the schema's order being
// of no concern: findings are sorted afterwards.
func walkText(v any, at canonical.Pointer, f func(at canonical.Pointer, s string)) {
	switch x := v.(type) {
	case string:
		f(at, x)
	case []any:
		for i, e := range x {
			walkText(e, at.Append(strconv.Itoa(i)), f)
		}
	case map[string]any:
		for k, e := range x {
			walkText(e, at.Append(k), f)
		}
	}
}
