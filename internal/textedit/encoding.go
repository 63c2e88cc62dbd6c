package textedit

import (
	"bytes"
	"unicode/utf8"
)

// checkEncoding refuses what is not UTF-8. UTF-16 and UTF-32 are legal YAML streams, but a splice
// would have to be made in that encoding, and git shows such files as binary.
func checkEncoding(text []byte) error {
	if bytes.HasPrefix(text, []byte("\xff\xfe")) || bytes.HasPrefix(text, []byte("\xfe\xff")) {
		return faultAt(0, "the file is UTF-16; only UTF-8 is read")
	}
	if len(text) > 1 && (text[0] == 0 || text[1] == 0) {
		return faultAt(0, "the file looks like UTF-16 or UTF-32; only UTF-8 is read")
	}
	if utf8.Valid(text) {
		return nil
	}
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRune(text[i:])
		if r == utf8.RuneError && n <= 1 {
			return faultAt(i, "byte 0x%02X is not valid UTF-8", text[i])
		}
		i += n
	}
	return nil
}

// checkYAMLCharacters refuses control characters before the parser does, because the parser's own
// message has no position (YAML 1.2 §5.1, c-printable).
func checkYAMLCharacters(text []byte) error {
	for i := 0; i < len(text); {
		c := text[i]
		if c < utf8.RuneSelf {
			if c < ' ' && c != '\t' && c != '\n' && c != '\r' || c == 0x7F {
				return faultAt(i, "control character U+%04X must be escaped", c)
			}
			i++
			continue
		}
		r, n := utf8.DecodeRune(text[i:])
		if !printable(r) {
			return faultAt(i, "character U+%04X must be escaped", r)
		}
		i += n
	}
	return nil
}

// printable is c-printable beyond ASCII.
func printable(r rune) bool {
	return r == 0x85 || r >= 0xA0 && r != 0xFFFE && r != 0xFFFF
}
