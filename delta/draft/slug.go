package draft

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"unicode"
)

const (
	// slugLength bounds the readable part of an id, in bytes, which are characters here (OAP facts f.7).
	slugLength = 40
	hashStep   = 8 // hexadecimal digits
)

// EntryID makes an id of a prefix ("fact", "pref", "thread") and a text: letters a to z and digits of
// the text, everything between them as one "-", cut to 40 characters at the end of a word. Where that
// says less than the text did, a hash of the text follows: the slug was cut, has nothing in it, left
// out letters of another script, or taken reports that the id belongs to another text. The same text
// gives the same id on every machine; how its white space is laid out does not matter.
//
// The result is [a-z0-9-] and at most 120 characters, so it stands in a pointer as it is. A nil taken
// takes nothing. Should every id be taken, the longest one is returned.
func EntryID(prefix, text string, taken func(string) bool) string {
	text = oneLine(text)
	s, whole := slug(text)
	id := strings.TrimSuffix(prefix+"-"+s, "-")
	free := func(id string) bool { return taken == nil || !taken(id) }
	if whole && free(id) {
		return id
	}
	sum := sha256.Sum256([]byte(text))
	digits := hex.EncodeToString(sum[:])
	for n := hashStep; n < len(digits); n += hashStep {
		if hashed := id + "-" + digits[:n]; free(hashed) {
			return hashed
		}
	}
	return id + "-" + digits
}

// oneLine brings the white space of a text to one form. Two texts are the same where this is: a text
// that a file folds over several lines is still that text.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// slug gives the readable part, and whether it holds all that is readable in text.
func slug(text string) (s string, whole bool) {
	var b strings.Builder
	whole, gap := true, false
	for _, r := range text {
		plain, known := ascii(r)
		whole = whole && known
		if plain == "" {
			// A combining accent belongs to the letter before it, and parts no words.
			gap = gap || !isAccent(r)
			continue
		}
		if gap && b.Len() > 0 {
			b.WriteByte('-')
		}
		gap = false
		b.WriteString(plain)
	}
	s = b.String()
	if len(s) <= slugLength {
		return s, whole && s != ""
	}
	if end := strings.LastIndexByte(s[:slugLength+1], '-'); end > 0 {
		return s[:end], false
	}
	return s[:slugLength], false
}

// ascii spells a character in letters a to z and digits; "" where it has no such spelling. Known tells
// that nothing is lost by leaving it out, as with punctuation. Beyond Latin it asks no table of Unicode:
// those grow with the version of the compiler, and ids must not change with it.
func ascii(r rune) (plain string, known bool) {
	switch {
	case r < 0x80:
		r = unicode.ToLower(r)
		if 'a' <= r && r <= 'z' || '0' <= r && r <= '9' {
			return string(r), true
		}
		return "", true
	case r < 0xC0 || r >= 0x2000 && r < 0x2070 || isAccent(r):
		// Punctuation of Latin-1 (superscript digits among it), general punctuation.
		return "", r != 'ª' && r != 'º' && r != 'µ'
	case r < 0x180:
		plain, ok := latin[unicode.ToLower(r)]
		return plain, ok || r == '×' || r == '÷'
	}
	return "", false
}

func isAccent(r rune) bool { return r >= 0x300 && r < 0x370 }

// latin spells the small letters of Latin-1 and Latin Extended-A without their marks. The one with a dot
// above is capital: its small letter is an "i" of ASCII.
var latin = spelling(map[string]string{
	"a": "àáâãäåāăą", "ae": "æ", "c": "çćĉċč", "d": "ðďđ", "e": "èéêëēĕėęě", "g": "ĝğġģ", "h": "ĥħ",
	"i": "iìíîïĩīĭįı", "ij": "ĳ", "j": "ĵ", "k": "ķĸ", "l": "ĺļľŀł", "n": "ñńņňŉŋ", "o": "òóôõöøōŏő",
	"oe": "œ", "r": "ŕŗř", "s": "śŝşšſ", "ss": "ß", "t": "ţťŧ", "th": "þ", "u": "ùúûüũūŭůűų",
	"w": "ŵ", "y": "ýÿŷ", "z": "źżž",
})

func spelling(groups map[string]string) map[rune]string {
	m := map[rune]string{}
	for plain, letters := range groups {
		for _, r := range letters {
			m[r] = plain
		}
	}
	return m
}
