package textedit

import (
	"errors"
	"math"
	"math/big"
	"strconv"
	"strings"

	"github.com/open-agent-profile/oap/canonical"
)

// maxNumberLen keeps a number of a million digits from costing more than the rest of the file.
const maxNumberLen = 1000

var (
	errBigInteger = errors.New("the integer is beyond ±9007199254740991, so readers would round it differently")
	errPrecision  = errors.New("the number has more digits than a reader keeps")
	errOverflow   = errors.New("the number is too large")
	errNotFinite  = errors.New("infinity and not-a-number have no JSON form")
	errNumberLen  = errors.New("the number has too many characters")
)

// readInteger reads digits in a base, without sign or prefix. Leading zeros mean nothing.
func readInteger(digits string, base int, negative bool) (float64, error) {
	digits = strings.TrimLeft(digits, "0")
	if digits == "" {
		return 0, nil // also for -0: the value model has one zero
	}
	n, err := strconv.ParseUint(digits, base, 64)
	if err != nil || n > canonical.MaxSafeInteger {
		return 0, errBigInteger
	}
	if negative {
		return -float64(n), nil
	}
	return float64(n), nil
}

// readFloat reads a decimal with fraction or exponent. Beyond 2^53 neighbouring numbers share a float64,
// so there only two spellings may stand for it: the shortest, 1e30, and the exact one. 9007199254740993.0 is
// neither.
func readFloat(text string) (float64, error) {
	if len(text) > maxNumberLen {
		return 0, errNumberLen
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsInf(f, 0) {
		return 0, errOverflow
	}
	if f == 0 {
		return 0, nil
	}
	if math.Abs(f) > canonical.MaxSafeInteger {
		said, ok := new(big.Rat).SetString(text)
		short, _ := new(big.Rat).SetString(strconv.FormatFloat(f, 'e', -1, 64))
		if !ok || said.Cmp(short) != 0 && said.Cmp(new(big.Rat).SetFloat64(f)) != 0 {
			return 0, errPrecision
		}
	}
	return f, nil
}

// appendNumber writes a number so that JSON, YAML 1.2 and YAML 1.1 all read it as that number: integers
// without exponent, and an exponent only behind a fraction and with a sign (YAML 1.1 takes 1e-7 for text).
func appendNumber(dst []byte, f float64) []byte {
	switch {
	case f == 0:
		return append(dst, '0')
	case f == math.Trunc(f) && math.Abs(f) <= canonical.MaxSafeInteger:
		return strconv.AppendInt(dst, int64(f), 10)
	case math.Abs(f) >= 1e-6 && math.Abs(f) <= canonical.MaxSafeInteger:
		return strconv.AppendFloat(dst, f, 'f', -1, 64)
	}
	text := strconv.FormatFloat(f, 'e', -1, 64)
	if got, err := readFloat(text); err != nil || got != f {
		return append(strconv.AppendFloat(dst, f, 'f', 0, 64), ".0"...)
	}
	mantissa, exponent, _ := strings.Cut(text, "e")
	dst = append(dst, mantissa...)
	if !strings.Contains(mantissa, ".") {
		dst = append(dst, ".0"...)
	}
	dst = append(dst, 'e', exponent[0]) // strconv always writes the sign
	return append(dst, strings.TrimLeft(exponent[1:], "0")...)
}
