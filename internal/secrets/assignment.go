package secrets

import (
	"bytes"
	"math"
	"strings"
)

// Names that announce a credential, as the end of a name without its separators, lower case:
// DB_PASSWORD, client-secret, x.apiKey.
var (
	passwordNames = words("password", "passwd", "passphrase", "pwd")
	tokenNames    = words("token", "secret", "apikey", "accesskey", "accountkey", "secretkey", "privatekey", "signingkey", "credential")
)

func words(list ...string) [][]byte {
	out := make([][]byte, len(list))
	for i, w := range list {
		out[i] = []byte(w)
	}
	return out
}

// How much a place says about a value. In running text a "token: x" is often talk about tokens; a flag
// or a member with that name is not.
const (
	prose = iota
	structured
)

// assignment finds name=value, name: value, "name": "value", --name value and --user name:value inside a text.
// Only the surroundings of a "=", ":", blank or "--" are read, and a bounded number of bytes of each.
func assignment(s string) (string, bool) {
	for i := 0; i < len(s); i++ {
		var name string
		switch c := s[i]; {
		case c == '=' || c == ':':
			name = nameBefore(s[:i])
		case c == ' ' && i >= 5:
			if name = nameBefore(s[:i]); !strings.HasPrefix(name, "--") && name != loginShort {
				continue
			}
		default:
			continue
		}
		if strings.HasPrefix(name, "-") && login(name, s[:i], s[i+1:]) {
			return "password written out", true
		}
		if secretName(name) == "" {
			continue
		}
		certainty := prose
		if strings.HasPrefix(name, "-") {
			certainty = structured
		}
		if kind, found := assigned(name, valueAfter(s[i+1:]), certainty); found {
			return kind, true
		}
	}
	return "", false
}

const maxName = 64

// nameBefore reads a name backwards from the end of s, over blanks and a closing quote.
func nameBefore(s string) string {
	s = s[max(0, len(s)-maxName):]
	s = strings.TrimRight(s, " ")
	s = strings.TrimRight(s, `"'`+"`")
	start := len(s)
	for start > 0 && nameChars[s[start-1]] {
		start--
	}
	return s[start:]
}

// valueAfter reads a value up to its closing quote, or to the next blank or delimiter.
func valueAfter(s string) string {
	s = strings.TrimLeft(s[:min(len(s), 512)], "=> ")
	if s != "" && strings.IndexByte("\"'`", s[0]) >= 0 {
		value, _, closed := strings.Cut(s[1:], s[:1])
		if !closed {
			return ""
		}
		return value
	}
	if end := strings.IndexAny(s, " \t\r\n\"'`,;&|"); end >= 0 {
		s = s[:end]
	}
	return strings.TrimRight(s, ".)]}")
}

// secretName gives "password" or "token" for a name that announces one, by its last letters: this runs
// for every colon of a text, so it allocates nothing.
func secretName(name string) string {
	const longest = 10 // of the lists above
	var buffer [longest]byte
	start := longest
	for i := len(name) - 1; i >= 0 && start > 0; i-- {
		switch c := name[i]; {
		case lower[c]:
			start--
			buffer[start] = c
		case upper[c]:
			start--
			buffer[start] = c + 'a' - 'A'
		case c != '-' && c != '_' && c != '.':
			return ""
		}
	}
	tail := buffer[start:]
	for _, n := range passwordNames {
		if bytes.HasSuffix(tail, n) {
			return "password"
		}
	}
	for _, n := range tokenNames {
		if bytes.HasSuffix(tail, n) {
			return "token"
		}
	}
	return ""
}

// assigned judges a value by the name it is given to. A literal has letters and digits and is not too
// regular; words, versions, dates and references are no credentials. A token in running text must be as
// long as real ones are.
func assigned(name, value string, certainty int) (string, bool) {
	if loginFlag(name) {
		return "password written out", userPassword(value, false)
	}
	what := secretName(name)
	least, floor := 8, 2.5
	if what == "token" && certainty == prose {
		least, floor = 16, 3.0
	}
	switch {
	case what == "" || value == "" || len(value) < least || len(value) > 512:
		return "", false
	case !mixed(value, "") || strings.ContainsAny(value, " \t\r\n") || placeholder(value):
		return "", false
	case certainty == prose && what == "token" && !mixedStretch(value) && !random64(value):
		return "", false
	case entropy(value) < floor:
		return "", false
	}
	return what + " written out", true
}

// mixedStretch asks for eight letters and digits in a row that are not only the one or the other, so
// that names like aws-secret-store-2 are none.
func mixedStretch(s string) bool {
	for _, part := range strings.FieldsFunc(s, func(r rune) bool { return r >= 0x80 || !wordChars[byte(r)] }) {
		if len(part) >= 8 && mixed(part, "") {
			return true
		}
	}
	return false
}

// random64 recognises random bytes in base64 (RFC 4648 §4), which may begin like a path and have no long stretch
// of letters and digits: 30 bytes or more, where a letter or digit is rarely followed by one of its kind. Of
// random neighbours 62 % differ, of those in words and names of paths about a quarter.
func random64(s string) bool {
	if len(s) < 40 || !base64Std.covers(s) || !has(s, upper) || !has(s, lower) || !has(s, digits) {
		return false
	}
	pairs, changes := 0, 0
	for i := 1; i < len(s); i++ {
		a, b := s[i-1], s[i]
		if !wordChars[a] || !wordChars[b] {
			continue
		}
		if pairs++; upper[a] != upper[b] || lower[a] != lower[b] {
			changes++
		}
	}
	return changes*100 >= pairs*45
}

// reference tells what a program fills in, or a reader has to, from a value.
func reference(s string) bool {
	switch s[0] {
	case '$', '{', '[', '(', '%':
		return true
	}
	return strings.Contains(s, "${") || strings.Contains(s, "{{") || strings.Contains(s, "***") ||
		strings.ContainsAny(s, "<>…") || strings.Trim(s, "xX") == ""
}

// placeholder is reference for the wider world of assignments, where calls in code, paths, addresses in
// a vault, digests and the stuffing of examples stand for values too.
func placeholder(s string) bool {
	if reference(s) || strings.ContainsAny(s, "()[]{}") || strings.Contains(s, "...") {
		return true
	}
	low := strings.ToLower(s)
	if address(low) && !random64(s) {
		return true
	}
	for _, p := range []string{"xxx", "example", "placeholder", "changeme", "redacted"} {
		if strings.Contains(low, p) {
			return true
		}
	}
	return false
}

// address tells what says where a value is, or vouches for one, by how it begins.
func address(low string) bool {
	for _, p := range []string{"/", "./", "../", "~/", "env:", "env.", "vault:", "op:", "file:", "sha256:", "sha1:", "sha512:", "your", "process.env"} {
		if strings.HasPrefix(low, p) {
			return true
		}
	}
	return false
}

// entropy is Shannon's, in bits a byte.
func entropy(s string) float64 {
	var counts [256]int
	for i := range len(s) {
		counts[s[i]]++
	}
	bits := 0.0
	for _, n := range counts {
		if n > 0 {
			p := float64(n) / float64(len(s))
			bits -= p * math.Log2(p)
		}
	}
	return bits
}
