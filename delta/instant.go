package delta

import "time"

// Timestamp writes t as the format wants it of an applicator: UTC, whole seconds, "Z" (OAP facts f.1).
func Timestamp(t time.Time) string {
	return t.UTC().Format("2006-01-02T15:04:05Z")
}

// Instant reads an RFC 3339 date-time. It takes everything that RFC 3339 §5.6 and the schema allow:
// lower-case "t" and "z", fractions of any length (kept to the nanosecond) and a leap second, which
// counts as the first second of the next minute. Texts are never compared as texts, because
// "…T23:30:00-05:00" sorts before the instant that it is later than. time.Parse knows neither the
// lower-case letters nor the leap second.
func Instant(s string) (time.Time, bool) {
	p := scanner{s: s, ok: true}
	year := p.digits(4)
	p.byte('-', '-')
	month := p.digits(2)
	p.byte('-', '-')
	day := p.digits(2)
	p.byte('T', 't')
	hour := p.digits(2)
	p.byte(':', ':')
	minute := p.digits(2)
	p.byte(':', ':')
	second := p.digits(2)
	nanos := p.fraction()
	offset := p.offset()
	if !p.ok || p.s != "" || month < 1 || month > 12 || hour > 23 || minute > 59 || second > 60 {
		return time.Time{}, false
	}
	if day < 1 || day > daysIn(year, month) {
		return time.Time{}, false
	}
	t := time.Date(year, time.Month(month), day, hour, minute, second, nanos, time.UTC)
	return t.Add(-offset), true
}

// daysIn uses that day 0 of the next month is the last day of this one.
func daysIn(year, month int) int {
	return time.Date(year, time.Month(month)+1, 0, 0, 0, 0, 0, time.UTC).Day()
}

// scanner eats s from the front; ok turns false at the first surprise and stays so.
type scanner struct {
	s  string
	ok bool
}

// digits eats exactly n of them.
func (p *scanner) digits(n int) int {
	if len(p.s) < n {
		p.ok = false
		return 0
	}
	v := 0
	for i := range n {
		c := p.s[i]
		if c < '0' || c > '9' {
			p.ok = false
			return 0
		}
		v = v*10 + int(c-'0')
	}
	p.s = p.s[n:]
	return v
}

// byte eats one of two characters.
func (p *scanner) byte(a, b byte) {
	if p.s == "" || p.s[0] != a && p.s[0] != b {
		p.ok = false
		return
	}
	p.s = p.s[1:]
}

// fraction reads an optional "." and digits; what is finer than a nanosecond is dropped.
func (p *scanner) fraction() int {
	if p.s == "" || p.s[0] != '.' {
		return 0
	}
	p.s = p.s[1:]
	nanos, scale, n := 0, 100_000_000, 0
	for p.s != "" && p.s[0] >= '0' && p.s[0] <= '9' {
		nanos += int(p.s[0]-'0') * scale
		scale /= 10
		n++
		p.s = p.s[1:]
	}
	p.ok = p.ok && n > 0
	return nanos
}

// offset reads the zone and gives what UTC is behind by.
func (p *scanner) offset() time.Duration {
	if p.s == "" {
		p.ok = false
		return 0
	}
	sign := p.s[0]
	p.s = p.s[1:]
	if sign == 'Z' || sign == 'z' {
		return 0
	}
	h := p.digits(2)
	p.byte(':', ':')
	m := p.digits(2)
	p.ok = p.ok && h <= 23 && m <= 59 && (sign == '+' || sign == '-')
	d := time.Duration(h)*time.Hour + time.Duration(m)*time.Minute
	if sign == '-' {
		return -d
	}
	return d
}
