package term_test

import (
	"os"
	"testing"

	"github.com/open-agent-profile/oap/internal/term"
)

func TestColour(t *testing.T) {
	for _, tc := range []struct {
		name, flag string
		terminal   bool
		env        map[string]string
		want       bool
	}{
		{"terminal", "auto", true, nil, true},
		{"default", "", true, nil, true},
		{"pipe", "auto", false, nil, false},
		{"NO_COLOR", "auto", true, map[string]string{"NO_COLOR": "1"}, false},
		{"NO_COLOR empty", "auto", true, map[string]string{"NO_COLOR": ""}, true},
		{"dumb", "auto", true, map[string]string{"TERM": "dumb"}, false},
		{"always", "always", false, map[string]string{"NO_COLOR": "1", "TERM": "dumb"}, true},
		{"never", "never", true, nil, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			when, err := term.ParseWhen(tc.flag)
			if err != nil {
				t.Fatal(err)
			}
			if got := when.Colour(tc.terminal, func(k string) string { return tc.env[k] }); got != tc.want {
				t.Errorf("Colour = %v, want %v", got, tc.want)
			}
		})
	}
	if _, err := term.ParseWhen("sometimes\x1b"); err == nil || err.Error() != `"sometimes\x1b" is not one of auto, always, never` {
		t.Errorf("error %v", err)
	}
}

func TestPalette(t *testing.T) {
	on, off := term.Palette{On: true}, term.Palette{}
	if got := on.Red("x"); got != "\x1b[31mx\x1b[0m" {
		t.Errorf("Red = %q", got)
	}
	if off.Red("x") != "x" || on.Bold("") != "" {
		t.Error("nothing to colour, and yet a code")
	}
}

func TestIsTerminal(t *testing.T) {
	f, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if term.IsTerminal(f.Fd()) {
		t.Error("the null device is no terminal")
	}
}
