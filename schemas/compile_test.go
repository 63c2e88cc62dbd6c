package schemas

import (
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Every embedded schema compiles, which includes that it has no keyword that would be ignored.
func TestEmbeddedSchemas(t *testing.T) {
	onDisk, err := files.ReadDir(".")
	if err != nil || len(onDisk) != len(registry) {
		t.Fatalf("%d files for %d names, %v", len(onDisk), len(registry), err)
	}
	for name := range registry {
		t.Run(name, func(t *testing.T) {
			text, ok := Source(name)
			if !ok {
				t.Fatal("no source")
			}
			if _, err := compile(text); err != nil {
				t.Fatal(err)
			}
			ours, err := decode(text)
			if err != nil {
				t.Fatal(err)
			}
			var theirs any
			if err := json.Unmarshal(text, &theirs); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(theirs, plain(ours)); diff != "" {
				t.Errorf("encoding/json reads it differently (-theirs +ours):\n%s", diff)
			}
			each(ours, func(o *object) {
				if p, ok := o.values["pattern"].(string); ok {
					if _, err := regexp.Compile(p); err != nil {
						t.Error(err)
					}
					if o.values["title"] == nil {
						t.Errorf("the pattern %s has no title to word a message with", p)
					}
				}
			})
		})
	}
}

// The documents under testdata have every member that a schema declares, so that tests that start from
// them reach every place.
func TestMaximalDocuments(t *testing.T) {
	for name := range registry {
		t.Run(name, func(t *testing.T) {
			all := []any{maximal(t, name)}
			if _, err := os.Stat("testdata/" + name + ".more.json"); err == nil { // members that exclude each other
				all = append(all, maximal(t, name+".more"))
			}
			for _, v := range all {
				if vs := Validate(name, v); vs != nil {
					t.Fatal(vs)
				}
			}
			for _, missing := range unused(registry[name].root(), all, "", map[*node]bool{}) {
				t.Errorf("no document has %s", missing)
			}
		})
	}
}

func maximal(t testing.TB, name string) any {
	text, err := os.ReadFile("testdata/" + name + ".json")
	if err != nil {
		t.Fatal(err)
	}
	var v any
	if err := json.Unmarshal(text, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

// unused lists the declared members that none of the values has.
func unused(n *node, values []any, at string, seen map[*node]bool) (missing []string) {
	n = n.resolve()
	first := !seen[n] // a definition that is used twice may be spelt out once, also one that uses itself
	seen[n] = true
	var entries []any
	members := map[string][]any{}
	for _, v := range values {
		switch x := v.(type) {
		case []any:
			entries = append(entries, x...)
		case map[string]any:
			for k, e := range x {
				members[k] = append(members[k], e)
			}
		}
	}
	if n.list.items != nil {
		missing = unused(n.list.items, entries, at+"/*", seen)
	}
	for _, name := range n.object.order {
		switch {
		case members[name] != nil:
			missing = append(missing, unused(n.object.members[name], members[name], at+"/"+name, seen)...)
		case first:
			missing = append(missing, at+"/"+name)
		}
	}
	return missing
}

func TestCompileRefuses(t *testing.T) {
	for _, tc := range []struct{ name, why, schema, want string }{
		{"unknown keyword", "it would be ignored", `{"properties":{"a":{"contains":{}}}}`, "not interpreted"},
		{"unknown format", "it would be ignored", `{"format":"email"}`, "not interpreted"},
		{"unknown type", "it would match nothing", `{"type":"text"}`, "no type"},
		{"wrong argument", "it would be read as zero", `{"minLength":"1"}`, "wrong type"},
		{"negative count", "it would match everything", `{"minItems":-1}`, "no count"},
		{"fraction of a count", "counts are whole", `{"minItems":1.5}`, "no count"},
		{"composite constant", "messages have no words for it", `{"const":[1]}`, "scalars"},
		{"dangling reference", "it would assert nothing", `{"$ref":"#/$defs/x"}`, "leads nowhere"},
		{"foreign reference", "nothing is fetched", `{"$ref":"https://example.org/x"}`, "leads nowhere"},
		{"circular reference", "following it would not end", `{"$defs":{"a":{"$ref":"#/$defs/b"},"b":{"$ref":"#/$defs/a"}}}`, "circle"},
		{"member twice", "one of them would be lost", `{"type":"object","type":"array"}`, "twice"},
		{"list", "no schema", `[]`, "not an object"},
		{"number in place of a schema", "no schema", `{"items":1}`, "an object, true or false"},
		{"text behind", "part of the schema would be lost", `{} {}`, "behind"},
		{"cut short", "part of the schema is lost", `{"type":"obj`, "without an end"},
		{"no comma", "part of the schema would be lost", `{"type":"object" "title":"x"}`, "missing"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, err := compile([]byte(tc.schema))
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("error %v, want one with %q, because %s", err, tc.want, tc.why)
			}
		})
	}
}

func each(v any, f func(*object)) {
	switch x := v.(type) {
	case *object:
		f(x)
		for _, e := range x.values {
			each(e, f)
		}
	case []any:
		for _, e := range x {
			each(e, f)
		}
	}
}

func plain(v any) any {
	switch x := v.(type) {
	case *object:
		m := map[string]any{}
		for k, e := range x.values {
			m[k] = plain(e)
		}
		return m
	case []any:
		l := make([]any, len(x))
		for i, e := range x {
			l[i] = plain(e)
		}
		return l
	default:
		return v
	}
}
