package textedit

import (
	"errors"
	"strings"
)

// The core schema of YAML 1.2 (§10.3.2). The parser's own typing follows YAML 1.1 in many places (octal
// 017, 1_000, 0b1, timestamps), so it is not asked.

var errTag = errors.New("tags other than those of the core schema are not read")

// corePlain gives the value of an unquoted scalar.
func corePlain(s string) (any, error) {
	if s == "" {
		return nil, nil
	}
	switch c := s[0]; {
	case c >= '0' && c <= '9', c == '+', c == '-', c == '.':
		return corePlainNumber(s)
	case c == '~' || c == 'n' || c == 'N' || c == 't' || c == 'T' || c == 'f' || c == 'F':
		switch s {
		case "~", "null", "Null", "NULL":
			return nil, nil
		case "true", "True", "TRUE":
			return true, nil
		case "false", "False", "FALSE":
			return false, nil
		}
	}
	return s, nil
}

// corePlainNumber decides what begins like a number: an octal, hexadecimal, decimal, a float, or text.
func corePlainNumber(s string) (any, error) {
	unsigned := strings.TrimLeft(s[:1], "+-") + s[1:]
	negative := s[0] == '-'
	switch {
	case isDigits(unsigned, "0123456789"):
		return number(readInteger(unsigned, 10, negative))
	case strings.HasPrefix(s, "0o") && isDigits(s[2:], "01234567"):
		return number(readInteger(s[2:], 8, false))
	case strings.HasPrefix(s, "0x") && isDigits(s[2:], "0123456789abcdefABCDEF"):
		return number(readInteger(s[2:], 16, false))
	case isCoreFloat(unsigned):
		return number(readFloat(s))
	}
	switch unsigned {
	case ".inf", ".Inf", ".INF":
		return nil, errNotFinite
	}
	switch s {
	case ".nan", ".NaN", ".NAN":
		return nil, errNotFinite
	}
	return s, nil
}

// number keeps a zero from standing for a refused literal.
func number(f float64, err error) (any, error) {
	if err != nil {
		return nil, err
	}
	return f, nil
}

// isDigits reports a text of characters of set only.
func isDigits(s, set string) bool {
	return s != "" && strings.Trim(s, set) == ""
}

// isCoreFloat is ( \. [0-9]+ | [0-9]+ ( \. [0-9]* )? ) ( [eE] [-+]? [0-9]+ )?
func isCoreFloat(s string) bool {
	whole := countDigits(s)
	rest := s[whole:]
	if strings.HasPrefix(rest, ".") {
		fraction := countDigits(rest[1:])
		if whole == 0 && fraction == 0 {
			return false
		}
		rest = rest[1+fraction:]
	} else if whole == 0 {
		return false
	}
	if rest == "" {
		return true
	}
	if rest[0] != 'e' && rest[0] != 'E' {
		return false
	}
	rest = rest[1:]
	if rest != "" && (rest[0] == '+' || rest[0] == '-') {
		rest = rest[1:]
	}
	return rest != "" && countDigits(rest) == len(rest)
}

// countDigits counts the decimal digits that s begins with.
func countDigits(s string) int {
	n := 0
	for n < len(s) && s[n] >= '0' && s[n] <= '9' {
		n++
	}
	return n
}

// coreTagged gives the value of a scalar with an explicit tag. A tag may only say what the core schema
// would find as well, or turn a scalar into text.
func coreTagged(tag, s string) (any, error) {
	if tag == "!!str" {
		return s, nil
	}
	v, err := corePlain(s)
	if err != nil {
		return nil, err
	}
	ok := false
	switch v.(type) {
	case nil:
		ok = tag == "!!null"
	case bool:
		ok = tag == "!!bool"
	case float64:
		ok = tag == "!!float" || tag == "!!int" && !strings.ContainsAny(s, ".eE") || tag == "!!int" && strings.HasPrefix(s, "0x")
	}
	switch {
	case ok:
		return v, nil
	case tag == "!!null" || tag == "!!bool" || tag == "!!int" || tag == "!!float":
		return nil, errors.New("the text does not fit its tag " + tag)
	}
	return nil, errTag
}
