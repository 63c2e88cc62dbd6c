package schemas

import (
	"bytes"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Keywords that later formats need and the profile and delta schemas do not use, or use in one way only.
// Each value gets the verdict of the other validator; want is what we say of the values that fail.
var keywordCases = []struct {
	name, schema string
	values       []string
	want         []Violation // for the first value
}{
	{"false", `{"properties":{"a":false}}`, []string{`{"a":1}`, `{}`, `1`}, []Violation{{"/a", "", "false", "nothing is allowed here"}}},
	{"true", `{"properties":{"a":true},"additionalProperties":false}`, []string{`{"b":1}`, `{"a":1}`},
		[]Violation{{"/b", "", "additionalProperties", `unknown member "b"`}}},
	{"patterns", `{"patternProperties":{"^x-":{"type":"string"},"n$":{"type":"number"}},"properties":{"len":{"minimum":3}},"additionalProperties":{"type":"null"}}`,
		[]string{`{"x-a":1,"len":"s","rest":2}`, `{"len":2}`, `{"x-n":1}`, `{"x-n":"1"}`, `{"x-a":"1","len":4,"other":null}`},
		[]Violation{{"/len", "", "type", "must be a number, not text"}, {"/rest", "", "type", "must be null, not the number 2"}, {"/x-a", "", "type", "must be text, not the number 1"}}},
	{"names", `{"propertyNames":{"pattern":"^[a-z]+$","maxLength":3}}`, []string{`{"A":1,"abcd":2}`, `{"abc":1}`, `[]`},
		[]Violation{{"/A", "", "propertyNames", `"A" is no name for a member here`}, {"/abcd", "", "propertyNames", `"abcd" is no name for a member here`}}},
	{"number of members", `{"minProperties":1,"maxProperties":2}`, []string{`{}`, `{"a":1}`, `{"a":1,"b":1,"c":1}`},
		[]Violation{{"", "", "minProperties", "has 0 members, at least 1 needed"}}},
	{"number of entries", `{"minItems":2,"maxItems":3}`, []string{`[1]`, `[1,2]`, `[1,2,3,4]`, `"x"`}, []Violation{{"", "", "minItems", "has 1 entry, at least 2 needed"}}},
	{"distinct", `{"uniqueItems":true}`, []string{`[1,{"a":1,"b":[]},1.0]`, `[1,"1",true,null]`, `[{"a":1,"b":2},{"b":2,"a":1}]`, `[[],{}]`},
		[]Violation{{"", "", "uniqueItems", "entry 2 repeats entry 0, counted from 0"}}},
	{"bounds", `{"exclusiveMaximum":2,"minimum":1}`, []string{`2`, `1`, `1.999`, `0.5`, `"x"`}, []Violation{{"", "", "exclusiveMaximum", "must be less than 2, not 2"}}},
	{"least length", `{"minLength":3}`, []string{`"éé"`, `"éée"`, `""`}, []Violation{{"", "", "minLength", "has 2 characters, at least 3 needed"}}},
	{"several types", `{"type":["string","integer","null"]}`, []string{`1.5`, `1.0`, `null`, `"x"`, `[]`, `1e30`},
		[]Violation{{"", "", "type", "must be null or a whole number or text, not the number 1.5"}}},
	{"constants", `{"enum":[1,true,null,"x"]}`, []string{`"1"`, `1.0`, `true`, `null`, `"x"`, `0`, `false`}, []Violation{{"", "", "enum", `"1" is not one of 1, true, null, x`}}},
	{"any of", `{"anyOf":[{"type":"string"},{"properties":{"a":{"type":"object","properties":{"b":{"const":1}}}}}]}`,
		[]string{`{"a":{"b":2}}`, `"x"`, `{"a":{"b":1}}`, `{"a":1}`}, []Violation{{"/a/b", "", "const", "the number 2 is not 1"}}},
	{"one of", `{"oneOf":[{"required":["a"]},{"required":["b"]}]}`, []string{`{"a":1,"b":1}`, `{"a":1}`, `{"b":1}`, `{}`},
		[]Violation{{"", "", "oneOf", "fits 2 of the allowed forms, and only one may fit"}}},
	{"not", `{"not":{"type":"string"}}`, []string{`"x"`, `1`}, []Violation{{"", "", "not", "is a value that is excluded here"}}},
	{"not together", `{"not":{"required":["a","b"]}}`, []string{`{"a":1,"b":1}`, `{"a":1}`}, []Violation{{"", "", "not", "members a, b must not stand together"}}},
	{"else", `{"if":{"required":["a"],"properties":{"a":{"const":1}}},"then":{"required":["b"]},"else":{"required":["c"]}}`,
		[]string{`{"a":2}`, `{"a":1}`, `{"a":1,"b":1}`, `{"c":1}`, `{}`}, []Violation{{"", "", "required", `missing member "c"`}}},
	{"if alone", `{"if":{"type":"string"}}`, []string{`1`, `"x"`}, nil},
	{"recursion", `{"$ref":"#/$defs/tree","$defs":{"tree":{"type":"object","additionalProperties":{"$ref":"#/$defs/tree"}}}}`,
		[]string{`{"a":{"b":{"c":1}}}`, `{"a":{"b":{}}}`}, []Violation{{"/a/b/c", "", "type", "must be a mapping, not the number 1"}}},
	{"rules beside a reference", `{"$ref":"#/$defs/s","maxLength":2,"$defs":{"s":{"type":"string"}}}`, []string{`"xxx"`, `1`, `"xx"`},
		[]Violation{{"", "", "maxLength", "has 3 characters, at most 2 allowed"}}},
	{"root reference", `{"properties":{"next":{"$ref":"#"}},"required":["id"]}`, []string{`{"id":1,"next":{}}`, `{"id":1,"next":{"id":2}}`},
		[]Violation{{"/next", "", "required", `missing member "id"`}}},
	{"pattern without a title", `{"pattern":"^a$"}`, []string{`"b"`, `"a"`, `"a\n"`, `7`}, []Violation{{"", "", "pattern", `"b" is not of the form ^a$`}}},
}

func TestKeywords(t *testing.T) {
	for _, tc := range keywordCases {
		t.Run(tc.name, func(t *testing.T) {
			ours, err := compile([]byte(tc.schema))
			if err != nil {
				t.Fatal(err)
			}
			theirs := reference(t, []byte(tc.schema))
			for i, text := range tc.values {
				var v any
				if err := json.NewDecoder(bytes.NewReader([]byte(text))).Decode(&v); err != nil {
					t.Fatal(err)
				}
				got, err := validate(ours, v), theirs.Validate(v)
				if (got == nil) != (err == nil) {
					t.Errorf("%s: the other validator says %v, we say %v", text, err, got)
				}
				if i > 0 {
					continue
				}
				if diff := cmp.Diff(tc.want, withoutParents(got)); diff != "" {
					t.Errorf("%s (-want +got):\n%s", text, diff)
				}
			}
		})
	}
}

// withoutParents leaves Parent to the tests of messages; here it would be empty in nearly every case.
func withoutParents(vs []Violation) []Violation {
	for i := range vs {
		vs[i].Parent = ""
	}
	return vs
}

// Schemas that recurse without going into the value end in a violation, not in a crash.
func TestEndlessSchema(t *testing.T) {
	n, err := compile([]byte(`{"allOf":[{"$ref":"#"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	if got := validate(n, map[string]any{}); len(got) == 0 {
		t.Error("passes")
	}
}

func ExampleProfile() {
	document := map[string]any{
		"oap": "1.0", "kind": "AgentProfile",
		"metadata": map[string]any{"name": "reviewer", "description": "Reviews changes."},
		"spec":     map[string]any{"role": map[string]any{}, "tools": map[string]any{"policy": "allow-list"}},
	}
	for _, v := range Profile(document) {
		fmt.Printf("%s: %s\n", v.Pointer, v.Message)
	}
	// Output:
	// /spec/role: missing member "instructions"
	// /spec/tools/policy: "allow-list" is not one of allowlist, denylist, inherit
}
