package main

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/spf13/cobra"

	"github.com/open-agent-profile/oap/schemas"
)

// TestReferenceIsUpToDate holds the page against the commands.
func TestReferenceIsUpToDate(t *testing.T) {
	text, err := os.ReadFile("../../docs/reference.md")
	if err != nil {
		t.Fatal(err)
	}
	if string(text) != reference(newRootCommand(newApp(strings.NewReader(""), nil, nil, noEnv))) {
		t.Error("docs/reference.md lags behind the commands; run go generate ./cmd/oap")
	}
}

// TestManPages: each has its sections in order, and no line of text that roff would take for a request.
func TestManPages(t *testing.T) {
	everyCommand(t, func(t *testing.T, c *cobra.Command) {
		page := manPage(c)
		at := -1
		for _, section := range []string{".TH ", ".SH NAME", ".SH SYNOPSIS", ".SH DESCRIPTION", ".SH EXIT STATUS", ".SH SEE ALSO"} {
			i := strings.Index(page, section)
			if i <= at {
				t.Errorf("%s is missing, or out of order", section)
			}
			at = i
		}
		for line := range strings.Lines(page) {
			if request, _, _ := strings.Cut(strings.TrimSpace(line), " "); strings.HasPrefix(request, ".") {
				switch request {
				case ".TH", ".SH", ".TP", ".nf", ".fi":
				default:
					t.Errorf("%q would be a request", line)
				}
			}
			if strings.HasPrefix(line, "'") {
				t.Errorf("%q would be a request", line)
			}
		}
	})
}

// TestDraft7 asks another validator whether a schema in the older dialect judges as ours does: the document that has
// every member is valid, and each member replaced by what it is not, is judged alike.
func TestDraft7(t *testing.T) {
	for word, name := range printedSchemas {
		t.Run(word, func(t *testing.T) {
			source, _ := schemas.Source(name)
			text := asDraft7(source)
			v, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
			if err != nil {
				t.Fatal(err)
			}
			alone(t, "", v)
			c := jsonschema.NewCompiler()
			c.AssertFormat()
			if err := c.AddResource("https://example.org/s", v); err != nil {
				t.Fatal(err)
			}
			s, err := c.Compile("https://example.org/s")
			if err != nil {
				t.Fatal(err)
			}
			text, err = os.ReadFile("../../schemas/testdata/" + name + ".json")
			if err != nil {
				t.Fatal(err)
			}
			var doc map[string]any
			if err := json.Unmarshal(text, &doc); err != nil {
				t.Fatal(err)
			}
			judge := func(what string) {
				if theirs, ours := s.Validate(doc), schemas.Validate(name, doc); (theirs == nil) != (ours == nil) {
					t.Errorf("%s: draft-07 says %v, we say %v", what, theirs, ours)
				}
			}
			judge("everything")
			changed := 0
			var walk func(at string, m map[string]any)
			walk = func(at string, m map[string]any) {
				for k, was := range m {
					if below, ok := was.(map[string]any); ok {
						walk(at+"/"+k, below)
					}
					if list, ok := was.([]any); ok {
						for _, e := range list {
							if below, ok := e.(map[string]any); ok {
								walk(at+"/"+k, below)
							}
						}
					}
					for _, other := range []any{nil, 1.5, true, "x", []any{}, map[string]any{"x": "y"}} {
						m[k] = other
						judge(at + "/" + k)
						changed++
					}
					delete(m, k)
					judge("without " + at + "/" + k)
					m[k] = was
				}
			}
			walk("", doc)
			if changed < 30 {
				t.Errorf("only %d changes", changed)
			}
		})
	}
}

// alone refuses what draft-07 would not see: anything that asserts beside a reference, and keywords that it lacks.
func alone(t *testing.T, at string, v any) {
	switch v := v.(type) {
	case map[string]any:
		if _, ref := v["$ref"].(string); ref {
			for k := range v {
				switch k {
				case "$ref", "title", "description":
				default:
					t.Errorf("%s: %s stands beside a reference", at, k)
				}
			}
		}
		for k, below := range v {
			switch k {
			case "dependentRequired", "dependentSchemas", "prefixItems", "unevaluatedProperties", "minContains", "$defs":
				if !strings.HasSuffix(at, "/properties") {
					t.Errorf("%s: draft-07 has no %s", at, k)
				}
			}
			alone(t, at+"/"+k, below)
		}
	case []any:
		for _, below := range v {
			alone(t, at, below)
		}
	}
}
