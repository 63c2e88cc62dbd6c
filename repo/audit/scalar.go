package audit

import (
	"strconv"
	"strings"
)

// plainScalar reads the scalars that profiles are full of: words, sentences, times, small numbers, and a
// flow list of words. What it does not know for sure it leaves to the real reader.
func plainScalar(s string) (any, bool) {
	if s == "" {
		return nil, false
	}
	switch c := s[0]; {
	case c >= '0' && c <= '9':
		return number(s)
	case c == '"':
		return quotedText(s)
	case c == '[':
		return words(s)
	case letter(c):
		return sentence(s)
	}
	return nil, false
}

func letter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }

func digit(c byte) bool { return c >= '0' && c <= '9' }

// sentence is a plain scalar that starts with a letter. It is a text unless it is one of few words (YAML
// 1.2.2 §10.3.2); more words than those are left to the real reader.
func sentence(s string) (any, bool) {
	for i := range len(s) {
		c := s[i]
		switch {
		case letter(c), digit(c), strings.IndexByte(" _./,()<>@'+-;%*=", c) >= 0:
		case c == ':' && i+1 < len(s) && s[i+1] != ' ':
		default:
			return nil, false
		}
	}
	if len(s) <= 5 {
		switch strings.ToLower(s) {
		case "true", "false", "null", "yes", "no", "on", "off", "y", "n", "nan", "inf":
			return nil, false
		}
	}
	return s, true
}

// number is an integer without leading zeros, a decimal fraction, or else a time, which is a text.
func number(s string) (any, bool) {
	digits, point := 0, -1
	for i := range len(s) {
		switch {
		case digit(s[i]):
			digits++
		case s[i] == '.' && point < 0:
			point = i
		default:
			return instant(s)
		}
	}
	if digits > 15 || point == len(s)-1 || len(s) > 1 && s[0] == '0' && point != 1 {
		return nil, false
	}
	f, err := strconv.ParseFloat(s, 64)
	return f, err == nil
}

// instant is a time as oap writes it.
func instant(s string) (any, bool) {
	const form = "0000-00-00T00:00:00Z"
	if len(s) != len(form) {
		return nil, false
	}
	for i := range len(form) {
		if form[i] == '0' && !digit(s[i]) || form[i] != '0' && s[i] != form[i] {
			return nil, false
		}
	}
	return s, true
}

// quotedText is a text in double quotes without escapes.
func quotedText(s string) (any, bool) {
	if len(s) < 2 || s[len(s)-1] != '"' {
		return nil, false
	}
	in := s[1 : len(s)-1]
	for i := range len(in) {
		if c := in[i]; c < ' ' || c > '~' || c == '"' || c == '\\' {
			return nil, false
		}
	}
	return in, true
}

// words is a flow list of words.
func words(s string) (any, bool) {
	if len(s) < 3 || s[len(s)-1] != ']' {
		return nil, false
	}
	var list []any
	for w := range strings.SplitSeq(s[1:len(s)-1], ",") {
		w = strings.Trim(w, " ")
		if w == "" {
			return nil, false
		}
		for i := range len(w) {
			if !letter(w[i]) {
				return nil, false
			}
		}
		v, ok := sentence(w)
		if !ok {
			return nil, false
		}
		list = append(list, v)
	}
	return list, true
}

// appendPlain writes a value of [plainScalar] in its canonical form (RFC 8785 §3.2.2). None of its characters
// needs an escape; whatever could be written in several ways is left to the canonical writer.
func appendPlain(b []byte, v any) ([]byte, bool) {
	switch x := v.(type) {
	case string:
		return append(append(append(b, '"'), x...), '"'), true
	case float64:
		if x == float64(int64(x)) {
			return strconv.AppendInt(b, int64(x), 10), true
		}
		if x < 0.001 {
			return b, false
		}
		return strconv.AppendFloat(b, x, 'f', -1, 64), true
	case []any:
		b = append(b, '[')
		for i, e := range x {
			if i > 0 {
				b = append(b, ',')
			}
			s, _ := e.(string)
			b = append(append(append(b, '"'), s...), '"')
		}
		return append(b, ']'), true
	}
	return b, false
}
