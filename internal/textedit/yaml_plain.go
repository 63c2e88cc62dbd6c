package textedit

import (
	"regexp"
	"strings"
	"sync"
)

// lazy compiles a pattern when it is first needed: most runs of a program that edits need few of them,
// and every start would wait for all.
func lazy(pattern string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(pattern) })
}

// What YAML 1.1 readers (PyYAML, many command-line tools) or 1.2 readers take for something other than
// text. The patterns are wider than the specifications, because a needless quote is harmless.
var (
	// https://yaml.org/type/timestamp.html
	timestampText = lazy(`^[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:(?:[Tt]|[ \t]+)[0-9]{1,2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]*)?(?:[ \t]*(?:Z|[-+][0-9]{1,2}(?::?[0-9]{2})?))?)?$`)
	// Integers, floats and base-60 numbers of both versions.
	numberText = lazy(`^[-+]?(?:[0-9.][0-9_.,:]*(?:[eE][-+]?[0-9_]+)?|0[xXoObB][0-9a-fA-F_]*|\.(?i:inf|nan))$`)
)

var wordsReadOtherwise = map[string]bool{
	"": true, "~": true, "null": true, "=": true, "<<": true, "true": true, "false": true,
	"y": true, "n": true, "yes": true, "no": true, "on": true, "off": true,
}

func isTimestamp(s string) bool {
	return len(s) >= 8 && s[0] >= '0' && s[0] <= '9' && timestampText().MatchString(s)
}

// readsOtherwise reports a plain text that some reader would not take for text. Timestamps are judged apart.
func readsOtherwise(s string) bool {
	if len(s) <= 5 && wordsReadOtherwise[strings.ToLower(s)] {
		return true
	}
	return numberText().MatchString(s)
}

// plainSafe reports whether s can stand without quotes as far as the grammar goes (YAML 1.2 §7.3.3).
// In flow the library is stricter than the specification: "?" ends a plain scalar.
func plainSafe(s string, flow bool) bool {
	if s == "" || strings.IndexByte("-?:,[]{}#&*!|>'\"%@`", s[0]) >= 0 || strings.HasPrefix(s, "...") {
		return false
	}
	if s[len(s)-1] == ':' || strings.TrimSpace(s) != s || strings.Contains(s, ": ") || strings.Contains(s, " #") {
		return false
	}
	if flow && strings.ContainsAny(s, ",[]{}?") {
		return false
	}
	return !strings.ContainsFunc(s, needsEscape)
}

// needsEscape reports a character that only a double-quoted text can hold on one line.
func needsEscape(r rune) bool {
	switch {
	case r < ' ' || r == 0x7F, r >= 0x80 && r < 0xA0, !printable(r) && r >= 0x80:
		return true
	case r == 0x2028 || r == 0x2029 || r == 0xFEFF:
		return true
	}
	return false
}

// literalSafe reports whether s can be a "|" text without an indentation indicator and without "+",
// which would swallow blank lines behind it.
func literalSafe(s string) bool {
	body := strings.TrimSuffix(s, "\n")
	if body == "" || strings.ContainsAny(body[:1], " \t\n") || strings.HasSuffix(body, "\n") {
		return false
	}
	if last := body[strings.LastIndexByte(body, '\n')+1:]; strings.Trim(last, " \t") == "" {
		return false
	}
	if strings.Contains(body, "\n\t") {
		return false
	}
	return !strings.ContainsFunc(body, func(r rune) bool { return r != '\n' && r != '\t' && needsEscape(r) })
}

// foldedSafe reports whether s can be a ">" text: besides, no line begins or ends with a blank, since
// such lines are not folded.
func foldedSafe(s string) bool {
	if !literalSafe(s) || strings.Contains(s, "\t") {
		return false
	}
	for line := range strings.SplitSeq(s, "\n") {
		if strings.Trim(line, " ") != line {
			return false
		}
	}
	return true
}

func containsEscape(s string) bool { return strings.ContainsFunc(s, needsEscape) }
