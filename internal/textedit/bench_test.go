package textedit

import (
	"bytes"
	"fmt"
	"testing"

	"gopkg.in/yaml.v3"

	"github.com/open-agent-profile/oap/canonical"
)

var benchSizes = []int{10, 100, 1000, 10000}

// manyFacts gives a profile-like text with n commented facts, about 270 bytes each.
func manyFacts(n int) []byte {
	var b bytes.Buffer
	b.WriteString("oap: \"1.0\"\nkind: AgentProfile\nmetadata:\n  name: bench # the name\n  revision: 7\nspec:\n  role:\n    instructions: |\n      Review.\n\n      Be brief.\nstate:\n  revision: 12\n  facts:\n")
	for i := range n {
		fmt.Fprintf(&b, "    - id: fact-%05d\n      text: Tests of part %d live beside the module, not in a top-level tree. # seen twice\n      confidence: 0.95\n      source: user statement, session sess_%05d\n      learned_at: 2026-05-11T16:20:00Z\n      tags: [conventions, layout]\n      pinned: true\n", i, i, i)
	}
	b.WriteString("history:\n  - revision: 7\n    at: 2026-08-14T18:04:11Z\n    change: Recorded.\n")
	return b.Bytes()
}

// appendOne is what a session does most: one fact more, and the revision.
func appendOne(v any) any {
	want := canonical.Clone(v).(object)
	want["metadata"].(object)["revision"] = 8.0
	state := want["state"].(object)
	state["facts"] = append(state["facts"].([]any), object{"id": "fact-new", "text": "One more.", "confidence": .8})
	return want
}

func BenchmarkParse(b *testing.B) {
	for _, n := range benchSizes {
		text := manyFacts(n)
		b.Run(fmt.Sprintf("facts=%d", n), func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				if _, err := Parse(text, YAML, Options{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkEdit starts from a parsed document, as its caller has one, and includes the parse that verifies.
func BenchmarkEdit(b *testing.B) {
	for _, n := range benchSizes {
		d := mustParse(b, string(manyFacts(n)), YAML)
		want := appendOne(d.Value())
		b.Run(fmt.Sprintf("facts=%d", n), func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(d.Bytes())))
			for b.Loop() {
				if _, err := d.Edit(want, testSchema{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkDecodeEncode is what a program without this package does with the same file.
func BenchmarkDecodeEncode(b *testing.B) {
	for _, n := range benchSizes {
		text := manyFacts(n)
		b.Run(fmt.Sprintf("facts=%d", n), func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				var node yaml.Node
				if err := yaml.Unmarshal(text, &node); err != nil {
					b.Fatal(err)
				}
				if _, err := yaml.Marshal(&node); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkParseJSON(b *testing.B) {
	for _, n := range benchSizes {
		text, err := Encode(mustParse(b, string(manyFacts(n)), YAML).Value(), JSON, testSchema{}, Options{})
		if err != nil {
			b.Fatal(err)
		}
		b.Run(fmt.Sprintf("facts=%d", n), func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				if _, err := Parse(text, JSON, Options{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
