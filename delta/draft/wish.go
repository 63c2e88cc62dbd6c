package draft

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"math"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/open-agent-profile/oap/canonical"
)

// ParseWish reads "POINTER=VALUE", parted at the first "=". The value is JSON where it reads as JSON,
// else the text itself; "POINTER=" is the empty text. The pointer leads into "/metadata" or "/spec".
//
// JSON that would lose something on the way into a value is an error and not a text: a member given
// twice, a number too large to be held exactly, half of a surrogate pair.
func ParseWish(s string) (path string, value any, err error) {
	path, given, found := strings.Cut(s, "=")
	if !found {
		return "", nil, refuse("", "the form is POINTER=VALUE")
	}
	path = strings.TrimSpace(path)
	if _, err := contract("", path); err != nil {
		return "", nil, err
	}
	if !utf8.ValidString(given) {
		return "", nil, refuse("", "the value is not valid UTF-8")
	}
	if !json.Valid([]byte(given)) {
		return path, given, nil
	}
	if value, err = exactJSON(given); err != nil {
		return "", nil, refuse("", "the value %v", err)
	}
	return path, value, nil
}

// contract reads a pointer that leads into the parts of a profile which people own.
func contract(source, path string) (canonical.Pointer, error) {
	p, err := canonical.ParsePointer(path)
	var syntax *canonical.PointerError
	switch {
	case errors.As(err, &syntax):
		return nil, refuse(source, "the path is not a JSON pointer: %s", syntax.Reason)
	case err != nil:
		return nil, err
	case len(p) == 0 || p[0] != "metadata" && p[0] != "spec":
		return nil, refuse(source, "the path is not in /metadata or /spec, and nothing else can be proposed")
	case utf8.RuneCountInString(path) > maxPath:
		return nil, refuse(source, "the path has more than %d characters", maxPath)
	}
	return p, nil
}

var (
	errTwice     = errors.New("has a member twice in one object")
	errNumber    = errors.New("has a number that cannot be held exactly")
	errSurrogate = errors.New("has half of a surrogate pair")
	errDepth     = errors.New("is nested too deeply")
)

// maxDepth is the limit for documents (docs/format.md); the value goes into one.
const maxDepth = 100

// exactJSON reads one valid JSON text without losing anything. The decoder of the standard library alone
// keeps the last of two members, rounds numbers, and puts U+FFFD for half a surrogate pair.
func exactJSON(s string) (any, error) {
	if loneSurrogate(s) {
		return nil, errSurrogate
	}
	d := json.NewDecoder(bytes.NewReader([]byte(s)))
	d.UseNumber()
	return element(d, 0)
}

func element(d *json.Decoder, depth int) (any, error) {
	t, err := d.Token()
	if err != nil {
		return nil, err
	}
	switch t := t.(type) {
	case json.Number:
		return number(t.String())
	case json.Delim:
		if depth >= maxDepth {
			return nil, errDepth
		}
		if t == '[' {
			return array(d, depth)
		}
		return object(d, depth)
	}
	return t, nil
}

func array(d *json.Decoder, depth int) (any, error) {
	list := []any{}
	for d.More() {
		v, err := element(d, depth+1)
		if err != nil {
			return nil, err
		}
		list = append(list, v)
	}
	_, err := d.Token()
	return list, err
}

func object(d *json.Decoder, depth int) (any, error) {
	m := map[string]any{}
	for d.More() {
		t, err := d.Token()
		if err != nil {
			return nil, err
		}
		key, ok := t.(string)
		if !ok {
			return nil, io.ErrUnexpectedEOF
		}
		if _, twice := m[key]; twice {
			return nil, errTwice
		}
		if m[key], err = element(d, depth+1); err != nil {
			return nil, err
		}
	}
	_, err := d.Token()
	return m, err
}

// number refuses whole numbers beyond ±(2^53−1), which is where doubles leave numbers out.
func number(s string) (any, error) {
	f, err := strconv.ParseFloat(s, 64)
	if err != nil || math.Trunc(f) == f && math.Abs(f) > canonical.MaxSafeInteger && !strings.ContainsAny(s, ".eE") {
		return nil, errNumber
	}
	return f, nil
}

// loneSurrogate looks at escapes only: in JSON backslashes stand nowhere but in strings.
func loneSurrogate(s string) bool {
	for i := 0; i+1 < len(s); i++ {
		if s[i] != '\\' {
			continue
		}
		i++
		r, ok := escaped(s[i:])
		if !ok || !utf16.IsSurrogate(r) {
			continue
		}
		low := rune(0)
		if i+5 < len(s) && s[i+5] == '\\' {
			low, _ = escaped(s[i+6:])
		}
		if utf16.DecodeRune(r, low) == utf8.RuneError {
			return true
		}
		i += 10
	}
	return false
}

// escaped reads "uXXXX".
func escaped(s string) (rune, bool) {
	if len(s) < 5 || s[0] != 'u' {
		return 0, false
	}
	n, err := strconv.ParseUint(s[1:5], 16, 16)
	return rune(n), err == nil
}
