package draft

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Bounds of the format in code points and items (OAP facts a.6 and a.8).
const (
	maxID           = 120
	maxText         = 4000
	maxSource       = 500
	maxScope        = 120
	maxTag          = 60
	maxTags         = 16
	maxTitle        = 300
	maxDetail       = 4000
	maxTerm         = 200
	maxDefinition   = 2000
	maxStateSummary = 8000
	maxSummary      = 4000
	maxRationale    = 2000
	maxPath         = 500
	maxTool         = 120
	maxOperations   = 500
	maxProposals    = 100
)

var (
	statuses = []string{"open", "blocked", "done", "abandoned"}
	outcomes = []string{"completed", "aborted", "error", "timeout"}
	risks    = []string{"low", "medium", "high"}
	// collections are the lists of state whose entries have an identity.
	collections = []string{"facts", "preferences", "glossary", "open_threads"}
)

// text trims a text of several lines and holds it to its bound.
func text(source, field, s string, limit int) (string, error) {
	return bounded(source, field, s, limit, "\n\t")
}

// name trims a text of one line, such as an id or the name of a tool.
func name(source, field, s string, limit int) (string, error) {
	return bounded(source, field, s, limit, "")
}

// bounded refuses what no reader of the profile should meet: control characters move the cursor of a
// terminal and end lines where nobody expects it. None of the errors quotes the text.
func bounded(source, field, s string, limit int, allowed string) (string, error) {
	if !utf8.ValidString(s) {
		return "", refuse(source, "the %s is not valid UTF-8", field)
	}
	s = strings.TrimSpace(s)
	if r, bad := control(s, allowed); bad {
		return "", refuse(source, "the %s contains the control character U+%04X", field, r)
	}
	if n := utf8.RuneCountInString(s); n > limit {
		return "", refuse(source, "the %s has %d characters, and %d fit", field, n, limit)
	}
	return s, nil
}

// control finds the first control character that is not allowed.
func control(s, allowed string) (rune, bool) {
	for _, r := range s {
		if unicode.IsControl(r) && !strings.ContainsRune(allowed, r) {
			return r, true
		}
	}
	return 0, false
}

// choice trims a word and holds it to a list; no word is fine.
func choice(source, field, s string, of []string) (string, error) {
	s = strings.TrimSpace(s)
	if s != "" && !slices.Contains(of, s) {
		return "", refuse(source, "the %s is not one of %s", field, strings.Join(of, ", "))
	}
	return s, nil
}

// checkConfidence also refuses NaN, which compares as neither above nor below.
func checkConfidence(source string, c *float64) error {
	if c != nil && !(*c >= 0 && *c <= 1) {
		return refuse(source, "the confidence is not a number from 0 to 1")
	}
	return nil
}

// first gives the first error, so that a row of checks reads like a table.
func first(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
