package textedit

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/open-agent-profile/oap/canonical"
)

// testSchema is a small stand-in for the profile's schema.
type testSchema struct{}

func (testSchema) Order(parent canonical.Pointer) []string {
	switch {
	case len(parent) == 0:
		return []string{"oap", "kind", "extends", "metadata", "spec", "state", "history"}
	case len(parent) == 1 && parent[0] == "state":
		return []string{"revision", "updated_at", "summary", "facts", "preferences", "glossary", "open_threads", "metrics"}
	case len(parent) == 1 && parent[0] == "metadata":
		return []string{"name", "id", "description", "revision", "created_at", "updated_at", "tags"}
	case len(parent) == 3 && parent[0] == "state":
		return []string{"id", "text", "confidence", "source", "learned_at", "last_used_at", "tags", "pinned"}
	case len(parent) == 2 && parent[0] == "history":
		return []string{"revision", "at", "by", "change", "sections"}
	}
	return nil
}

func (testSchema) Identity(list canonical.Pointer) string {
	switch {
	case len(list) == 2 && list[0] == "state" && list[1] == "glossary":
		return "term"
	case len(list) == 2 && list[0] == "state":
		return "id"
	case len(list) == 1 && list[0] == "history":
		return "revision"
	}
	return ""
}

func TestEncode(t *testing.T) {
	value := object{
		"kind": "AgentProfile", "oap": "1.0", "x-b": nil, "x-a": true,
		"spec":     object{"role": object{"instructions": "One.\n\n  Two.\n", "empty": object{}, "none": []any{}}},
		"metadata": object{"revision": 7.0, "name": "on", "description": "a: b", "created_at": "2026-01-01T00:00:00Z"},
		"state":    object{"facts": []any{object{"text": "it's 🎉", "id": "f1", "tags": []any{"a", "1.5"}, "confidence": .95}, []any{1.0, []any{}}}},
	}
	for _, tt := range []struct {
		f    Format
		want string
	}{
		{YAML, `oap: "1.0"
kind: AgentProfile
metadata:
  name: "on"
  description: "a: b"
  revision: 7
  created_at: "2026-01-01T00:00:00Z"
spec:
  role:
    empty: {}
    instructions: |
      One.

        Two.
    none: []
state:
  facts:
    - id: f1
      text: it's 🎉
      confidence: 0.95
      tags:
        - a
        - "1.5"
    - - 1
      - []
x-a: true
x-b: null
`},
		{JSON, `{
  "oap": "1.0",
  "kind": "AgentProfile",
  "metadata": {
    "name": "on",
    "description": "a: b",
    "revision": 7,
    "created_at": "2026-01-01T00:00:00Z"
  },
  "spec": {
    "role": {
      "empty": {},
      "instructions": "One.\n\n  Two.\n",
      "none": []
    }
  },
  "state": {
    "facts": [
      {
        "id": "f1",
        "text": "it's 🎉",
        "confidence": 0.95,
        "tags": [
          "a",
          "1.5"
        ]
      },
      [
        1,
        []
      ]
    ]
  },
  "x-a": true,
  "x-b": null
}
`},
	} {
		got, err := Encode(value, tt.f, testSchema{}, testOptions)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(tt.want, string(got)); diff != "" {
			t.Errorf("%v (-want +got):\n%s", tt.f, diff)
		}
	}
	got, err := Encode(value, Markdown, testSchema{}, testOptions)
	if err != nil {
		t.Fatal(err)
	}
	if s := string(got); !strings.HasPrefix(s, "---\noap: ") || !strings.HasSuffix(s, "x-b: null\n---\n\nOne.\n\n  Two.\n") {
		t.Errorf("Markdown:\n%s", s)
	}
}

func TestEncodeRefuses(t *testing.T) {
	for _, tt := range []struct {
		name, why string
		v         any
		f         Format
	}{
		{"list", "a document is a mapping", []any{}, YAML},
		{"body with two line ends", "the body rule cuts one", object{"spec": object{"role": object{"instructions": "a\n\n"}}}, Markdown},
		{"body without line end", "the body rule adds one", object{"spec": object{"role": object{"instructions": "a"}}}, Markdown},
		{"body that is no text", "only text can stand there", object{"spec": object{"role": object{"instructions": 5.0}}}, Markdown},
		{"too deep", "it could not be read back", object{"a": nested(120)}, JSON},
		{"long key", "YAML keys end at 1,024 characters", object{strings.Repeat("k", 2000): 1.0}, YAML},
	} {
		_, err := Encode(tt.v, tt.f, nil, testOptions)
		var refused *RefusedError
		if !errors.As(err, &refused) {
			t.Errorf("%s (%s): error is %v, want a RefusedError", tt.name, tt.why, err)
		}
	}
	var value *canonical.ValueError
	if _, err := Encode(object{"a": "\xff"}, JSON, nil, testOptions); !errors.As(err, &value) {
		t.Errorf("invalid UTF-8: error is %v, want a ValueError", err)
	}
}

func nested(n int) any {
	var v any = 1.0
	for range n {
		v = []any{v}
	}
	return v
}

// TestCorpusDigests ties reading to the published digests, so typing and body rules are not only our opinion.
func TestCorpusDigests(t *testing.T) {
	files := corpus(t)
	text, err := os.ReadFile(filepath.Join(os.Getenv("OAP_CORPUS"), "oap", "digests.json"))
	if err != nil {
		t.Fatal(err)
	}
	var digests map[string]struct{ Profile string }
	if err := json.Unmarshal(text, &digests); err != nil {
		t.Fatal(err)
	}
	checked := 0
	for name, want := range digests {
		source, ok := files[filepath.Base(name)]
		if !ok || want.Profile == "" {
			continue
		}
		got, err := canonical.Sum(mustParse(t, source, formatOf(name)).Value())
		if err != nil {
			t.Fatal(err)
		}
		if got.String() != want.Profile {
			t.Errorf("%s: %v, want %s", name, got, want.Profile)
		}
		checked++
	}
	if checked < 5 {
		t.Errorf("only %d digests checked", checked)
	}
}
