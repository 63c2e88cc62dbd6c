package secrets

import (
	"encoding/base64"
	"strings"
)

// ScanText reports whether s holds something that looks like a credential, and which kind comes first in
// the table. Three passes, each linear: tokens that begin with a known prefix, passwords in URLs, and
// values given to something called a password or a token. References such as ${API_KEY} are no
// credentials.
func ScanText(s string) (kind string, found bool) {
	if len(s) < shortest {
		return "", false
	}
	if kind, found = prefixed(s); found {
		return kind, true
	}
	if urlPassword(s) {
		return "password in a URL", true
	}
	return assignment(s)
}

// shortest is the length of the shortest text that any pass could report: "a://b:c@d", a password of
// eight with a name in front of it is longer.
const shortest = 9

// prefixed looks at every place where a word begins. All known tokens begin one there, and a table by
// first letter leaves few forms to try, so that ordinary text costs about a comparison per byte.
func prefixed(s string) (string, bool) {
	table := byFirst()
	var dead map[*form]int // up to where a form is known not to fit
	for i := range len(s) {
		if !wordChars[s[i]] || i > 0 && wordChars[s[i-1]] {
			continue
		}
		for _, f := range table[s[i]] {
			if !strings.HasPrefix(s[i:], f.prefix) || i < dead[f] {
				continue
			}
			fits, end := f.fits(s, i+len(f.prefix))
			if fits {
				return f.kind, true
			}
			// Without this mark, a text that repeats a prefix would be read once for each repetition.
			if dead == nil {
				dead = map[*form]int{}
			}
			dead[f] = end
		}
	}
	return "", false
}

// fits judges what follows the prefix. Where it does not fit, no later place before end does either: the
// characters up to there are one run, and a later part of a run fails each check that the whole fails.
func (f *form) fits(s string, start int) (ok bool, end int) {
	for end = start; end < len(s) && f.chars[s[end]]; end++ {
	}
	run := s[start:end]
	ok = len(run) >= f.min && !(f.exact && len(run) > f.min) && (f.check == nil || f.check(run, s[end:]))
	return ok, end
}

// urlPassword finds scheme://user:password@host with a literal password (RFC 3986 §3.2.1).
func urlPassword(s string) bool {
	for {
		_, rest, ok := strings.Cut(s, "://")
		if !ok {
			return false
		}
		s = rest
		end := strings.IndexAny(rest, "/?# \t\r\n\"'`<>|\\")
		if end >= 0 {
			rest = rest[:end]
		}
		at := strings.LastIndexByte(rest, '@')
		if at < 0 {
			continue
		}
		_, password, ok := strings.Cut(rest[:at], ":")
		if ok && password != "" && at+1 < len(rest) && !reference(password) {
			return true
		}
	}
}

// unbroken tells a key from hyphenated words, for prefixes that ordinary words may have too: a key has
// a long stretch of letters and digits, or mixes cases and digits throughout.
func unbroken(run, _ string) bool {
	longest, n := 0, 0
	for i := 0; i < len(run); i++ {
		if n++; !wordChars[run[i]] {
			n = 0
		}
		longest = max(longest, n)
	}
	return longest >= 16 || len(run) >= 20 && has(run, upper) && has(run, lower) && has(run, digits)
}

// mixed asks for letters and digits, which a credential in running text has and a word has not.
func mixed(run, _ string) bool { return has(run, digits) && (has(run, lower) || has(run, upper)) }

// random asks for what random bytes look like in base64.
func random(run, _ string) bool { return random64(run) }

// threeParts is the rest of a JSON Web Token behind its header: two more parts (RFC 7519 §3).
func threeParts(_, rest string) bool {
	for range 2 {
		if !strings.HasPrefix(rest, ".") {
			return false
		}
		n := 0
		for rest = rest[1:]; n < len(rest) && base64URL[rest[n]]; n++ {
		}
		if n < 10 {
			return false
		}
		rest = rest[n:]
	}
	return true
}

// armoured tells a PEM or OpenPGP header of a private key from that of a certificate or a public key.
func armoured(run, rest string) bool {
	return strings.HasPrefix(rest, "-----") && (strings.HasSuffix(run, "PRIVATE KEY") || strings.HasSuffix(run, "PRIVATE KEY BLOCK"))
}

// userAndPassword is the payload of HTTP Basic authentication (RFC 7617 §2): "user:password" in base64.
func userAndPassword(run, _ string) bool {
	text, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(run, "="))
	user, password, ok := strings.Cut(string(text), ":")
	return err == nil && ok && password != "" && !has(user, controls) && !has(password, controls)
}
