package draft

import (
	"slices"
	"strconv"
	"strings"
)

// ParseEntry reads "text|source|confidence" (see [split] for "\|"). Source and confidence may be left
// out or empty; the confidence is a number from 0 to 1.
func ParseEntry(s string) (Entry, error) {
	parts, err := fields(s, "text|source|confidence")
	if err != nil {
		return Entry{}, err
	}
	e := Entry{Text: parts[0], Source: parts[1]}
	if e.Text == "" {
		return Entry{}, refuse("", "the text is empty; the form is text|source|confidence")
	}
	if parts[2] != "" {
		c, ok := decimal(parts[2])
		if !ok || c < 0 || c > 1 {
			return Entry{}, refuse("", "the confidence is not a number from 0 to 1; the form is text|source|confidence")
		}
		e.Confidence = &c
	}
	return e, nil
}

// ParseThread reads "id|status|detail|title". Each part may be empty, but not both id and title.
func ParseThread(s string) (Thread, error) {
	parts, err := fields(s, "id|status|detail|title")
	if err != nil {
		return Thread{}, err
	}
	t := Thread{ID: parts[0], Status: parts[1], Detail: parts[2], Title: parts[3]}
	if t.ID == "" && t.Title == "" {
		return Thread{}, refuse("", "an id or a title is needed; the form is id|status|detail|title")
	}
	if t.Status != "" && !slices.Contains(statuses, t.Status) {
		return Thread{}, refuse("", "the status is not one of %s; the form is id|status|detail|title", strings.Join(statuses, ", "))
	}
	return t, nil
}

// ParseTerm reads "term|definition|source". What is known of a term may be left out.
func ParseTerm(s string) (Term, error) {
	parts, err := fields(s, "term|definition|source")
	if err != nil {
		return Term{}, err
	}
	t := Term{Term: parts[0], Definition: parts[1], Source: parts[2]}
	switch {
	case t.Term == "":
		return Term{}, refuse("", "the term is empty; the form is term|definition|source")
	case t.Definition == "" && t.Source == "":
		return Term{}, refuse("", "nothing is said of the term; the form is term|definition|source")
	}
	return t, nil
}

// ParseRef reads "collection/id". The first slash parts the two, so an id may contain others.
func ParseRef(s string) (Ref, error) {
	collection, id, found := strings.Cut(s, "/")
	r := Ref{Collection: strings.TrimSpace(collection), ID: strings.TrimSpace(id)}
	switch {
	case !found || r.ID == "":
		return Ref{}, refuse("", "the form is collection/id, such as facts/fact-ruff")
	case !slices.Contains(collections, r.Collection):
		return Ref{}, refuse("", "the collection is not one of %s", strings.Join(collections, ", "))
	}
	return r, nil
}

// fields splits s into the parts of a form, empty where they are left out. More parts than the form has
// are an error, since a bar in a text would otherwise silently cut it.
func fields(s, form string) ([]string, error) {
	n := strings.Count(form, "|") + 1
	parts := split(s)
	if len(parts) > n {
		return nil, refuse("", `there are %d parts, and the form is %s; write \| for a bar that belongs to a text`, len(parts), form)
	}
	for i, p := range parts {
		parts[i] = strings.TrimSpace(p)
	}
	return append(parts, make([]string, n-len(parts))...), nil
}

// split cuts at bars. "\|" is a bar and "\\" a backslash; any other backslash stands for itself, so
// that paths of Windows and patterns like \d need no thought.
func split(s string) []string {
	var parts []string
	var part strings.Builder
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '\\' && i+1 < len(s) && (s[i+1] == '|' || s[i+1] == '\\'):
			i++
			part.WriteByte(s[i])
		case s[i] == '|':
			parts = append(parts, part.String())
			part.Reset()
		default:
			part.WriteByte(s[i])
		}
	}
	return append(parts, part.String())
}

// decimal reads a number in digits. strconv also takes "inf", "nan" and hexadecimal, which nobody means.
func decimal(s string) (float64, bool) {
	if strings.Trim(s, "0123456789.eE+-") != "" {
		return 0, false
	}
	f, err := strconv.ParseFloat(s, 64)
	return f + 0, err == nil
}
