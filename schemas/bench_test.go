package schemas

import (
	"fmt"
	"testing"
)

// profileOf grows the maximal profile to about the given number of facts.
func profileOf(b *testing.B, facts int) any {
	doc := maximal(b, "profile").(map[string]any)
	list := make([]any, facts)
	for i := range list {
		list[i] = map[string]any{
			"id": fmt.Sprintf("fact-%05d", i), "text": "The build needs the generated files, so run the generator before the tests start.",
			"confidence": 0.9, "source": "session", "learned_at": "2026-08-14T09:30:00Z", "tags": []any{"build"}, "pinned": i%7 == 0,
		}
	}
	doc["state"].(map[string]any)["facts"] = list
	return doc
}

var sizes = []struct {
	name  string
	facts int
}{{"5KB", 2}, {"270KB", 1300}}

func BenchmarkProfile(b *testing.B) {
	for _, size := range sizes {
		v := profileOf(b, size.facts)
		b.Run(size.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if vs := Profile(v); vs != nil {
					b.Fatal(vs)
				}
			}
		})
	}
}

// BenchmarkLibrary is the same work done by the general validator that the tests compare with.
func BenchmarkLibrary(b *testing.B) {
	text, _ := Source("profile")
	s := reference(b, text)
	for _, size := range sizes {
		v := profileOf(b, size.facts)
		b.Run(size.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := s.Validate(v); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkFirstUse is what a command pays once, patterns included.
func BenchmarkFirstUse(b *testing.B) {
	text, _ := Source("profile")
	v := profileOf(b, 2)
	b.ReportAllocs()
	for b.Loop() {
		n, err := compile(text)
		if err != nil || validate(n, v) != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkLibraryFirstUse(b *testing.B) {
	text, _ := Source("profile")
	b.ReportAllocs()
	for b.Loop() {
		reference(b, text)
	}
}
