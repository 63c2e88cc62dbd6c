package schemas

import (
	"strings"
	"time"
)

// isDateTime reports whether s is a date-time of RFC 3339 §5.6: lower-case t and z and any number of
// digits in a fraction are legal, an offset is obligatory. Package time cannot judge it: it refuses
// lower case and leap seconds and takes a comma for a fraction.
func isDateTime(s string) bool {
	if len(s) < len("2006-01-02T15:04:05Z") || s[10] != 'T' && s[10] != 't' {
		return false
	}
	if _, err := time.Parse("2006-01-02", s[:10]); err != nil {
		return false
	}
	hour, minute, ok := clock(s[11:16])
	second, digits := twoDigits(s[17:19])
	if !ok || !digits || s[16] != ':' || second > 60 {
		return false
	}
	rest := s[19:]
	if fraction, ok := strings.CutPrefix(rest, "."); ok {
		rest = strings.TrimLeft(fraction, "0123456789")
		if len(rest) == len(fraction) {
			return false
		}
	}
	shift := 0
	if rest != "Z" && rest != "z" {
		if len(rest) != 6 || rest[0] != '+' && rest[0] != '-' {
			return false
		}
		h, m, ok := clock(rest[1:])
		if !ok {
			return false
		}
		if shift = h*60 + m; rest[0] == '-' {
			shift = -shift
		}
	}
	// A leap second is the last one of a day in UTC (RFC 3339 appendix D).
	const day = 24 * 60
	return second < 60 || (hour*60+minute-shift+2*day)%day == day-1
}

// clock reads hh:mm.
func clock(s string) (hour, minute int, ok bool) {
	hour, h := twoDigits(s[:2])
	minute, m := twoDigits(s[3:])
	return hour, minute, h && m && s[2] == ':' && hour < 24 && minute < 60
}

func twoDigits(s string) (int, bool) {
	a, b := s[0]-'0', s[1]-'0'
	return int(a)*10 + int(b), a <= 9 && b <= 9
}
