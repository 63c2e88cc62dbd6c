package profile

import (
	"cmp"
	"fmt"
	"slices"
)

// Severity grades a finding.
type Severity string

// An error makes a document unusable; a warning does not.
const (
	Error   Severity = "error"
	Warning Severity = "warning"
)

// Finding is one thing that is wrong with a document. Rule is a stable id for machines, Message a
// sentence of ours for people that never quotes a credential.
type Finding struct {
	Path     string   `json:"path"`
	Line     int      `json:"line"`
	Column   int      `json:"column"`
	Severity Severity `json:"severity"`
	Rule     string   `json:"rule"`
	Pointer  string   `json:"pointer"`
	Message  string   `json:"message"`
}

// String gives "path:line:col: severity: /pointer: message [rule]".
func (f Finding) String() string { return f.text(string(f.Severity) + ": ") }

// Text is String without the severity, for where that is said already.
func (f Finding) Text() string { return f.text("") }

func (f Finding) text(severity string) string {
	at := f.Pointer
	if at != "" {
		at += ": "
	}
	return fmt.Sprintf("%s:%d:%d: %s%s%s [%s]", f.Path, f.Line, f.Column, severity, at, f.Message, f.Rule)
}

// HasErrors reports whether any finding is an error.
func HasErrors(fs []Finding) bool {
	return slices.ContainsFunc(fs, func(f Finding) bool { return f.Severity == Error })
}

// InvalidError says that a document has errors; Findings holds everything found, warnings included.
type InvalidError struct {
	Findings []Finding
}

func (e *InvalidError) Error() string {
	n := 0
	first := Finding{}
	for _, f := range e.Findings {
		if f.Severity == Error {
			if n == 0 {
				first = f
			}
			n++
		}
	}
	if n > 1 {
		return fmt.Sprintf("%s (and %d more)", first.Text(), n-1)
	}
	return first.Text()
}

// Finding is something about the place that a pointer addresses, at its line and column.
func (d *Document) Finding(sev Severity, rule, pointer, message string) Finding {
	line, col := d.Position(pointer)
	return Finding{Path: d.Path, Line: line, Column: col, Severity: sev, Rule: rule, Pointer: pointer, Message: message}
}

// report collects findings of one document.
type report struct {
	doc *Document
	fs  []Finding
}

func (r *report) add(sev Severity, rule, pointer, format string, args ...any) {
	r.fs = append(r.fs, r.doc.Finding(sev, rule, pointer, fmt.Sprintf(format, args...)))
}

// sorted orders by position, then pointer and rule, so that equal documents give equal lists.
func (r *report) sorted() []Finding {
	slices.SortStableFunc(r.fs, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column),
			cmp.Compare(a.Pointer, b.Pointer), cmp.Compare(a.Rule, b.Rule))
	})
	return r.fs
}
