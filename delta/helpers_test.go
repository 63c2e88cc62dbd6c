package delta

import (
	"encoding/json"
	"testing"
	"time"
)

// inState wraps members of state into a document with a contract and a log.
func inState(t testing.TB, members string) map[string]any {
	t.Helper()
	return doc(t, `{"oap":"1.0","kind":"AgentProfile","metadata":{"name":"a","revision":7},"spec":{"role":{"instructions":"x"}},"state":{`+members+`}}`)
}

func operations(t testing.TB, text string) []Operation {
	t.Helper()
	d, err := Decode(doc(t, `{"oap":"1.0","kind":"AgentStateDelta","target":{"name":"a","revision":7},"session":{"id":"s"},"operations":`+text+`}`))
	if err != nil {
		t.Fatal(err)
	}
	return d.Operations
}

func at(t testing.TB, s string) time.Time {
	t.Helper()
	i, ok := Instant(s)
	if !ok {
		t.Fatalf("%q is no instant", s)
	}
	return i
}

// value reads JSON into the canonical model.
func value(t testing.TB, text string) any {
	t.Helper()
	var v any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	return v
}

func doc(t testing.TB, text string) map[string]any {
	t.Helper()
	m, ok := value(t, text).(map[string]any)
	if !ok {
		t.Fatalf("not an object: %s", text)
	}
	return m
}

func tryValue(text string) (any, bool) {
	var v any
	err := json.Unmarshal([]byte(text), &v)
	return v, err == nil
}
