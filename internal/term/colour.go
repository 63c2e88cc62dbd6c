package term

import (
	"fmt"

	"golang.org/x/term"
)

// When says in which case output is coloured. The zero value is [Auto].
type When uint8

const (
	Auto   When = iota // on a terminal that wants it
	Always             // in files and pipes as well
	Never
)

// ParseWhen reads the value of a --color flag: auto, always or never; empty is auto.
func ParseWhen(s string) (When, error) {
	switch s {
	case "", "auto":
		return Auto, nil
	case "always":
		return Always, nil
	case "never":
		return Never, nil
	default:
		return Never, fmt.Errorf(`"%s" is not one of auto, always, never`, Escape(s))
	}
}

// IsTerminal reports whether a file descriptor is a terminal.
func IsTerminal(fd uintptr) bool { return term.IsTerminal(int(fd)) }

// Colour decides whether to colour. With [Auto] it takes a terminal, no NO_COLOR (see no-color.org: set and
// not empty) and a TERM other than dumb. getenv is os.Getenv or a stand-in; it is asked only then.
func (w When) Colour(isTerminal bool, getenv func(string) string) bool {
	switch w {
	case Always:
		return true
	case Auto:
		return isTerminal && getenv("NO_COLOR") == "" && getenv("TERM") != "dumb"
	default:
		return false
	}
}

// Palette colours text when On. It only repeats what the words say, so nothing is lost without it. The text
// must be safe already: give it through [Escape] first.
type Palette struct{ On bool }

// The styles that output of ours has: for names, for what is well, for what is wrong, for what deserves a
// look, and for what matters little. The codes are those of ECMA-48 §8.3.117.
func (p Palette) Bold(s string) string   { return p.style("1", s) }
func (p Palette) Green(s string) string  { return p.style("32", s) }
func (p Palette) Red(s string) string    { return p.style("31", s) }
func (p Palette) Yellow(s string) string { return p.style("33", s) }
func (p Palette) Faint(s string) string  { return p.style("2", s) }

func (p Palette) style(code, s string) string {
	if !p.On || s == "" {
		return s
	}
	return "\x1b[" + code + "m" + s + "\x1b[0m"
}
