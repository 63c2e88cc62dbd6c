package textedit

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/open-agent-profile/oap/canonical"
)

// seed adds every text of the tables, and of the examples where they are at hand.
func seed(f *testing.F, add func(format Format, text string)) {
	for _, n := range nastyFiles {
		add(n.format, n.text)
	}
	for _, r := range readable {
		add(r.format, r.text)
	}
	for _, u := range unreadable {
		add(u.format, u.text)
	}
	for _, e := range exactEdits {
		add(e.format, e.old)
	}
}

// smallOptions keep a fuzzed document from costing more than it teaches.
var smallOptions = Options{Body: bodyPointer, MaxBytes: 1 << 16, MaxNodes: 5000}

// FuzzRoundTrip: a text that can be read is given back as it was, also by an edit towards its own value,
// and every format can hold its value or says why not.
func FuzzRoundTrip(f *testing.F) {
	seed(f, func(format Format, text string) { f.Add(uint8(format), []byte(text)) })
	f.Fuzz(func(t *testing.T, format uint8, text []byte) {
		d, err := Parse(text, Format(format), smallOptions)
		if err != nil {
			return
		}
		if !bytes.Equal(d.Bytes(), text) {
			t.Fatal("Bytes is not the source")
		}
		if err := canonical.Check(d.Value()); err != nil {
			t.Fatalf("value outside the model: %v", err)
		}
		r, err := d.Edit(canonical.Clone(d.Value()), testSchema{})
		if err != nil || !bytes.Equal(r.Text, text) || len(r.Edits) > 0 {
			t.Fatalf("edit towards its own value: %v\n%s", err, r.Text)
		}
		for _, target := range []Format{YAML, JSON, Markdown} {
			_, err := Encode(d.Value(), target, testSchema{}, smallOptions)
			var refused *RefusedError
			if err != nil && !errors.As(err, &refused) {
				t.Fatalf("encode %v: %v", target, err)
			}
			if target == JSON && err != nil && len(text) < 1<<10 {
				t.Fatalf("JSON cannot hold the value: %v", err)
			}
		}
	})
}

// FuzzEditLocality: bytes outside the edits are the old ones, the edits give the text, the text holds
// exactly the wanted value, and editing again changes nothing (see checkEdit).
func FuzzEditLocality(f *testing.F) {
	n := uint64(0)
	seed(f, func(format Format, text string) { f.Add(uint8(format), []byte(text), n%23, n); n++ })
	f.Fuzz(func(t *testing.T, format uint8, text []byte, op, s uint64) {
		d, err := Parse(text, Format(format), smallOptions)
		if err != nil {
			return
		}
		r := rand.New(rand.NewPCG(s, 1))
		want := applyOperation(d, operations[op%uint64(len(operations))], r)
		if s%2 == 1 { // changes that touch meet only when they are wanted at once
			operations[r.IntN(len(operations)-1)].do(want.(object), r)
		}
		checkEdit(t, d, want)
	})
}

// fuzzParse: no text makes the reader panic, and every refusal has a place inside the text.
func fuzzParse(f *testing.F, format Format) {
	seed(f, func(_ Format, text string) { f.Add([]byte(text)) })
	f.Fuzz(func(t *testing.T, text []byte) {
		d, err := Parse(text, format, smallOptions)
		if err == nil {
			d.Position(canonical.Pointer{"state", "facts", "0"})
			return
		}
		var syntax *SyntaxError
		if !errors.As(err, &syntax) {
			t.Fatalf("error is %v, want a SyntaxError", err)
		}
		if lines := bytes.Count(text, []byte{'\n'}) + 1; syntax.Line < 1 || syntax.Line > lines || syntax.Column < 1 || syntax.Msg == "" {
			t.Fatalf("%+v in a text of %d lines", syntax, lines)
		}
	})
}

func FuzzParseNeverPanicsYAML(f *testing.F)     { fuzzParse(f, YAML) }
func FuzzParseNeverPanicsJSON(f *testing.F)     { fuzzParse(f, JSON) }
func FuzzParseNeverPanicsMarkdown(f *testing.F) { fuzzParse(f, Markdown) }
