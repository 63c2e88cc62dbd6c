package agentmanifest_test

import (
	"strings"
	"testing"

	"github.com/open-agent-profile/oap/interop/agentmanifest"
)

func TestNotSchema(t *testing.T) {
	for text, want := range map[string]string{
		`{"type": "object", "properties": {"a": {"$ref": "#/$defs/a"}}, "$defs": {"a": true}}`: "",
		`true`: "",
		`{"$schema": "https://json-schema.org/draft/2020-12/schema#", "unknown": [1]}`: "",
		`{"$schema": "http://json-schema.org/draft-07/schema#"}`:                       "dialect",
		`{"type": "objekt"}`:                        "/type",
		`{"properties": {"a": {"minLength": "1"}}}`: "/properties/a/minLength",
		`{"allOf": []}`:                             "/allOf",
		`[]`:                                        "must be an object",
		`{"required": ["a", "a"]}`:                  "/required",
		`{"type": "object"`:                         "1:",
	} {
		if got := agentmanifest.NotSchema([]byte(text)); (got == "") != (want == "") || !strings.Contains(got, want) {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}
