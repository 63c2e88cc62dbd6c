package main

import (
	"testing"
)

func TestCleanActor(t *testing.T) {
	for _, tt := range []struct {
		name, why string
		in, want  string
		code      int
	}{
		{"name and mail", "as git writes it", "Alex <alex@example.org>", "Alex <alex@example.org>", exitOK},
		{"other letters", "names are not ASCII", "Zoë Žižek", "Zoë Žižek", exitOK},
		{"blanks around", "they say nothing", "  Alex ", "Alex", exitOK},
		{"nobody", "git's author is taken then", "", "", exitOK},
		{"blanks", "somebody was meant", " \t ", "", exitUsage},
		{"line end", "it would begin another trailer", "Alex\nOAP-Approved-By: Bea", "", exitUsage},
		{"line end at the end", "it is no accident", "Alex\n", "", exitUsage},
		{"escape", "it steers terminals", "Alex\x1b[2J", "", exitUsage},
		{"C1 control", "it steers some terminals", "Alex\u009b2J", "", exitUsage},
		{"line separator", "some programs end a line there", "Alex\u2028Bea", "", exitUsage},
		{"not UTF-8", "JSON cannot hold it", "Al\xffex", "", exitUsage},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := cleanActor(tt.in)
			code := exitOK
			if err != nil {
				code = classify(err).Code
			}
			if got != tt.want || code != tt.code {
				t.Errorf("%q, exit %d, want %q, exit %d: %s", got, code, tt.want, tt.code, tt.why)
			}
		})
	}
}
