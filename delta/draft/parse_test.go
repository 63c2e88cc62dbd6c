package draft

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/open-agent-profile/oap/canonical"
)

func TestParseEntry(t *testing.T) {
	tests := []struct {
		name, why, in string
		want          Entry
		bad           bool
	}{
		{name: "all parts", why: "the form", in: "Uses tabs|editorconfig|0.9", want: Entry{Text: "Uses tabs", Source: "editorconfig", Confidence: ptr(0.9)}},
		{name: "text alone", why: "the rest is optional", in: "Uses tabs", want: Entry{Text: "Uses tabs"}},
		{name: "no source", why: "an empty part is none", in: "Uses tabs||1", want: Entry{Text: "Uses tabs", Confidence: ptr(1.0)}},
		{name: "spaces", why: "people align", in: " a | b | 0 ", want: Entry{Text: "a", Source: "b", Confidence: ptr(0.0)}},
		{name: "bars", why: `\| is a bar`, in: `a \| b|c\|`, want: Entry{Text: "a | b", Source: "c|"}},
		{name: "backslash before a bar", why: `\\ is a backslash, so the bar parts`, in: `a\\|b`, want: Entry{Text: `a\`, Source: "b"}},
		{name: "other backslashes", why: "paths and patterns need no thought", in: `C:\new \d\`, want: Entry{Text: `C:\new \d\`}},
		{name: "lines", why: "a text may have several", in: "a\nb|c", want: Entry{Text: "a\nb", Source: "c"}},
		{name: "minus zero", why: "it is zero", in: "a||-0", want: Entry{Text: "a", Confidence: ptr(0.0)}},
		{name: "empty", why: "nothing was learned", in: "", bad: true},
		{name: "no text", why: "nothing was learned", in: "|source|1", bad: true},
		{name: "four parts", why: "a bar in a text must not cut it", in: "a|b|1|c", bad: true},
		{name: "percent", why: "no number", in: "a|b|90%", bad: true},
		{name: "too sure", why: "from 0 to 1", in: "a|b|1.01", bad: true},
		{name: "nan", why: "not a digit", in: "a|b|nan", bad: true},
		{name: "hexadecimal", why: "not meant", in: "a|b|0x1p-1", bad: true},
		{name: "swapped", why: "a source in the place of the number", in: "a|0.9|docs", bad: true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := ParseEntry(tt.in)
			if (err != nil) != tt.bad {
				t.Fatalf("%v; %s", err, tt.why)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tt.why, diff)
			}
		})
	}
}

func TestParseOthers(t *testing.T) {
	thread := func(s string) (any, error) { return ParseThread(s) }
	term := func(s string) (any, error) { return ParseTerm(s) }
	ref := func(s string) (any, error) { return ParseRef(s) }
	tests := []struct {
		name, why, in string
		parse         func(string) (any, error)
		want          any // nil: refused
	}{
		{name: "thread", why: "the form", in: `t|blocked|a \| b|Title`, parse: thread, want: Thread{"t", "blocked", "a | b", "Title"}},
		{name: "thread to close", why: "the rest is known", in: "t|done", parse: thread, want: Thread{ID: "t", Status: "done"}},
		{name: "new thread", why: "an id is made", in: "|||Title", parse: thread, want: Thread{Title: "Title"}},
		{name: "thread without a name", why: "which one?", in: "|done|detail", parse: thread},
		{name: "thread of unknown status", why: "four words are known", in: "t|closed", parse: thread},
		{name: "thread of five parts", why: "a bar in a text", in: "t|done|a|b|c", parse: thread},
		{name: "term", why: "the form", in: "t|d|s", parse: term, want: Term{"t", "d", "s"}},
		{name: "source of a term", why: "the definition may be known", in: "t||s", parse: term, want: Term{Term: "t", Source: "s"}},
		{name: "term alone", why: "nothing is said", in: "t", parse: term},
		{name: "definition alone", why: "of what?", in: "|d", parse: term},
		{name: "ref", why: "the form", in: "facts/fact-a", parse: ref, want: Ref{"facts", "fact-a"}},
		{name: "ref with slashes", why: "terms have them", in: "glossary/a/b", parse: ref, want: Ref{"glossary", "a/b"}},
		{name: "ref without an id", why: "not the whole list", in: "facts/", parse: ref},
		{name: "ref without a list", why: "which one?", in: "fact-a", parse: ref},
		{name: "ref into another place", why: "metrics has no entries", in: "metrics/sessions", parse: ref},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := tt.parse(tt.in)
			if (err != nil) != (tt.want == nil) {
				t.Fatalf("%v; %s", err, tt.why)
			}
			if tt.want != nil {
				equal(t, tt.want, got)
			}
		})
	}
}

func TestParseWish(t *testing.T) {
	tests := []struct {
		name, why, in string
		path          string
		value         any
		bad           bool
	}{
		{name: "word", why: "what is no JSON is a text", in: "/spec/model/tier=advanced", path: "/spec/model/tier", value: "advanced"},
		{name: "empty", why: "an empty text, not a removal", in: "/spec/model/id=", path: "/spec/model/id", value: ""},
		{name: "number", why: "JSON", in: "/spec/runtime/max_turns=30", path: "/spec/runtime/max_turns", value: 30.0},
		{name: "quoted number", why: "JSON again", in: `/spec/model/id="30"`, path: "/spec/model/id", value: "30"},
		{name: "null", why: "JSON", in: "/spec/model= null", path: "/spec/model", value: nil},
		{name: "list", why: "JSON", in: `/spec/role/constraints=["a=b"]`, path: "/spec/role/constraints", value: []any{"a=b"}},
		{name: "object", why: "JSON", in: `/spec/model={"a":{"b":[]}}`, path: "/spec/model", value: map[string]any{"a": map[string]any{"b": []any{}}}},
		{name: "metadata", why: "a contract too", in: "/metadata/description=x", path: "/metadata/description", value: "x"},
		{name: "pair", why: "two halves are one character", in: `/spec/model="\ud83d\ude00\\ud83d"`, path: "/spec/model", value: "😀\\ud83d"},
		{name: "no value", why: "the form", in: "/spec/model", bad: true},
		{name: "state", why: "that is no wish", in: "/state/summary=x", bad: true},
		{name: "whole document", why: "neither part of it", in: "=x", bad: true},
		{name: "no pointer", why: "RFC 6901", in: "spec/model=x", bad: true},
		{name: "member twice", why: "a reader sees one, a machine the other", in: `/spec/model={"a":1,"a":2}`, bad: true},
		{name: "large number", why: "it would be rounded", in: "/spec/model/parameters/seed=9007199254740993", bad: true},
		{name: "huge number", why: "it would be infinite", in: "/spec/model/parameters/seed=1e999", bad: true},
		{name: "half a pair", why: "it would become U+FFFD", in: `/spec/model="\ud83d"`, bad: true},
		{name: "reversed pair", why: "likewise", in: `/spec/model="\ude00\ud83d"`, bad: true},
		{name: "invalid UTF-8", why: "likewise", in: "/spec/model=\xff", bad: true},
		{name: "deep", why: "no document holds it", in: "/spec/model=" + strings.Repeat("[", 101) + strings.Repeat("]", 101), bad: true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			path, value, err := ParseWish(tt.in)
			if (err != nil) != tt.bad || path != tt.path {
				t.Fatalf("%q %v; %s", path, err, tt.why)
			}
			equal(t, tt.value, value)
		})
	}
}

// FuzzParseEntry: what a form is written with is what is read, and what is read can be written.
func FuzzParseEntry(f *testing.F) {
	for _, s := range []string{"a|b|0.9", `a\|b\\|c`, "|", `\`, "a||-0", "a|b|1e-400", "\xff|\x00"} {
		f.Add(s)
	}
	write := strings.NewReplacer(`\`, `\\`, `|`, `\|`)
	f.Fuzz(func(t *testing.T, s string) {
		e, err := ParseEntry(s)
		var input *InputError
		if err != nil {
			if !errors.As(err, &input) {
				t.Fatalf("%T", err)
			}
			return
		}
		if e.Confidence != nil && !(*e.Confidence >= 0 && *e.Confidence <= 1) {
			t.Fatalf("confidence %v", *e.Confidence)
		}
		again, err := ParseEntry(write.Replace(e.Text) + "|" + write.Replace(e.Source))
		if err != nil || again.Text != e.Text || again.Source != e.Source {
			t.Fatalf("%q became %+v, %v", s, again, err)
		}
		if n := len(split(write.Replace(s))); n != 1 {
			t.Fatalf("%q has %d parts when it is escaped", s, n)
		}
	})
}

func FuzzParseWish(f *testing.F) {
	for _, s := range []string{`/spec/a={"b":[1,"\ud83d\ude00"]}`, "/metadata/x=", `/spec="\ud83d`, "/spec/~2=1", `/spec="\\ud800"`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if _, v, err := ParseWish(s); err == nil {
			if err := canonical.Check(v); err != nil {
				t.Fatal(err)
			}
		}
	})
}
