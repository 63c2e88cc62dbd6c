package delta

import (
	"testing"
	"time"
)

func TestInstant(t *testing.T) {
	tests := []struct{ name, why, in, want string }{
		{"plain", "the usual form", "2026-08-14T19:48:31Z", "2026-08-14T19:48:31Z"},
		{"offset", "later than it sorts", "2026-08-14T23:30:00-05:00", "2026-08-15T04:30:00Z"},
		{"east", "an offset to the east is earlier in UTC", "2026-01-01T00:00:00+05:30", "2025-12-31T18:30:00Z"},
		{"lower case", "RFC 3339 §5.6 allows t and z", "2026-08-14t19:48:31z", "2026-08-14T19:48:31Z"},
		{"fraction", "sorts before the whole second as text", "2026-08-14T19:48:11.5Z", "2026-08-14T19:48:11.5Z"},
		{"long fraction", "kept to the nanosecond", "2026-08-14T19:48:11.1234567899Z", "2026-08-14T19:48:11.123456789Z"},
		{"leap second", "the first second of the next minute", "2016-12-31T23:59:60Z", "2017-01-01T00:00:00Z"},
		{"leap day", "2024 has one", "2024-02-29T00:00:00Z", "2024-02-29T00:00:00Z"},
		{"no leap day", "2026 has none", "2026-02-29T00:00:00Z", ""},
		{"year 1900", "no leap year either", "1900-02-29T00:00:00Z", ""},
		{"word", "not a time", "yesterday", ""},
		{"date", "a date is no instant", "2026-08-14", ""},
		{"no zone", "an instant needs one", "2026-08-14T19:48:31", ""},
		{"month 13", "out of range", "2026-13-01T00:00:00Z", ""},
		{"day 0", "out of range", "2026-01-00T00:00:00Z", ""},
		{"hour 24", "out of range", "2026-01-01T24:00:00Z", ""},
		{"second 61", "out of range", "2026-01-01T00:00:61Z", ""},
		{"offset 24", "out of range", "2026-01-01T00:00:00+24:00", ""},
		{"empty fraction", "a dot needs digits", "2026-01-01T00:00:00.Z", ""},
		{"rest", "nothing may follow", "2026-01-01T00:00:00Z\n", ""},
		{"blank", "RFC 3339 ABNF has no blank", "2026-01-01 00:00:00Z", ""},
		{"empty", "no time", "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, ok := Instant(tt.in)
			if ok != (tt.want != "") {
				t.Fatalf("%s: ok = %v (%s)", tt.in, ok, tt.why)
			}
			if ok && got.Format(time.RFC3339Nano) != tt.want {
				t.Errorf("%s: got %s, want %s (%s)", tt.in, got.Format(time.RFC3339Nano), tt.want, tt.why)
			}
		})
	}
}

// FuzzInstant holds our reader against time.Parse: what both read is the same instant. Neither reads all
// that the other does: time.Parse knows no lower case and no leap second, and takes "0:00:00".
func FuzzInstant(f *testing.F) {
	for _, s := range []string{"2026-08-14T19:48:31Z", "2026-08-14T23:30:00.25-05:00", "2016-12-31T23:59:60Z", "x"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got, ok := Instant(s)
		want, err := time.Parse(time.RFC3339Nano, s)
		if err == nil && ok && !got.Equal(want) {
			t.Errorf("%q: got %v, want %v", s, got, want)
		}
	})
}

func TestTimestamp(t *testing.T) {
	if got := Timestamp(at(t, "2026-08-14T23:30:00.9-05:00")); got != "2026-08-15T04:30:00Z" {
		t.Errorf("got %s: UTC, whole seconds and Z are wanted", got)
	}
}
