package audit

import (
	"encoding/json"
	"testing"

	"github.com/open-agent-profile/oap/schemas"
)

// Documents are judged in parts because the schema judges state and history member by member and entry by entry.
// Should it ever look across them, or bound lists more narrowly, this is where it shows.
func TestSchemaJudgesPartByPart(t *testing.T) {
	text, ok := schemas.Source("profile")
	if !ok {
		t.Fatal("no schema")
	}
	type node struct {
		Type       string
		Properties map[string]json.RawMessage
		MaxItems   int `json:"maxItems"`
	}
	var root struct {
		Required   []string
		Properties map[string]json.RawMessage
		Defs       map[string]json.RawMessage `json:"$defs"`
	}
	if err := json.Unmarshal(text, &root); err != nil {
		t.Fatal(err)
	}
	known := func(where string, raw json.RawMessage, allowed ...string) node {
		t.Helper()
		var all map[string]json.RawMessage
		var n node
		if err := json.Unmarshal(raw, &all); err != nil {
			t.Fatal(err)
		}
		for k := range all {
			found := false
			for _, a := range append(allowed, "description", "type", "items", "maxItems") {
				found = found || a == k
			}
			if !found {
				t.Errorf("%s is judged by %q, too", where, k)
			}
		}
		if err := json.Unmarshal(raw, &n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	state := known("state", root.Defs["state"], "additionalProperties", "properties")
	for _, c := range collections {
		if n := known(c.name, state.Properties[c.name]); n.Type != "array" || n.MaxItems < most {
			t.Errorf("%s: %s of %d", c.name, n.Type, n.MaxItems)
		}
	}
	if n := known("history", root.Properties["history"]); n.Type != "array" || n.MaxItems < most {
		t.Errorf("history: %s of %d", n.Type, n.MaxItems)
	}
	for _, r := range root.Required {
		if r == "state" || r == "history" {
			t.Errorf("%s is required", r)
		}
	}
}
