package canonical

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf16"

	"github.com/gowebpki/jcs"
)

// JCS gives the canonical bytes of v (RFC 8785 §3.2): members sorted by UTF-16 code units, numbers as
// ECMAScript writes them, the shortest string escapes, no white space and no final newline.
// The error is a [*ValueError]; see [Check].
//
// Numbers are spelt by the jcs library. Strings and order are written here, because going through the
// library's text-to-text transformation costs five times as much (see BenchmarkJCS); the tests hold the
// two equal.
func JCS(v any) ([]byte, error) {
	if err := Check(v); err != nil {
		return nil, err
	}
	return appendValue(make([]byte, 0, 1024), v), nil
}

func appendValue(dst []byte, v any) []byte {
	switch x := v.(type) {
	case nil:
		return append(dst, "null"...)
	case bool:
		if x {
			return append(dst, "true"...)
		}
		return append(dst, "false"...)
	case float64:
		return appendNumber(dst, x)
	case string:
		return appendString(dst, x)
	case []any:
		dst = append(dst, '[')
		for i, e := range x {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = appendValue(dst, e)
		}
		return append(dst, ']')
	case map[string]any:
		dst = append(dst, '{')
		for i, k := range utf16Keys(x) {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = append(appendString(dst, k), ':')
			dst = appendValue(dst, x[k])
		}
		return append(dst, '}')
	}
	panic("canonical: value passed Check but has no spelling")
}

func appendNumber(dst []byte, f float64) []byte {
	s, err := jcs.NumberToJSON(f)
	if err != nil {
		panic("canonical: number passed Check but has no spelling")
	}
	return append(dst, s...)
}

// appendString writes RFC 8785 §3.2.2.2: two-character escapes where JSON has them, \u00xx for the other
// control characters, everything else as it is; "<", ">", "&" and U+2028 are not special.
func appendString(dst []byte, s string) []byte {
	const hex = "0123456789abcdef"
	dst = append(dst, '"')
	plain := 0
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c >= ' ' && c != '"' && c != '\\' {
			continue
		}
		dst = append(dst, s[plain:i]...)
		plain = i + 1
		switch c {
		case '"', '\\':
			dst = append(dst, '\\', c)
		case '\b':
			dst = append(dst, '\\', 'b')
		case '\t':
			dst = append(dst, '\\', 't')
		case '\n':
			dst = append(dst, '\\', 'n')
		case '\f':
			dst = append(dst, '\\', 'f')
		case '\r':
			dst = append(dst, '\\', 'r')
		default:
			dst = append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		}
	}
	return append(append(dst, s[plain:]...), '"')
}

// utf16Keys sorts as RFC 8785 §3.2.3 says. Byte order differs from UTF-16 order only where a key holds a
// character beyond the basic plane: its surrogates sort below U+E000..U+FFFF.
func utf16Keys(m map[string]any) []string {
	keys := make([]string, 0, len(m))
	ascii := true
	for k := range m {
		keys = append(keys, k)
		ascii = ascii && isASCII(k)
	}
	if ascii {
		slices.Sort(keys)
		return keys
	}
	slices.SortFunc(keys, compareUTF16)
	return keys
}

func isASCII(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return r >= 0x80 }) < 0
}

func compareUTF16(a, b string) int {
	ra, rb := []rune(a), []rune(b)
	for i := 0; i < len(ra) && i < len(rb); i++ {
		if ra[i] != rb[i] {
			return slices.Compare(utf16.Encode(ra[i:i+1]), utf16.Encode(rb[i:i+1]))
		}
	}
	return cmp.Compare(len(ra), len(rb))
}
