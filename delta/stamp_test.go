package delta

import (
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/open-agent-profile/oap/canonical"
)

// conformance: L2-A10
func TestStamp(t *testing.T) {
	before := doc(t, `{"metadata":{"name":"a","revision":7},"spec":{},"state":{"summary":"s","revision":3},"history":[{"revision":7,"at":"x"}]}`)
	was := canonical.Clone(before)
	d := decode(t, learned)
	got, err := Stamp(before, d.Mark(at(t, "2026-08-14T21:00:00.7+01:00"), "Alex <a@example.org>", true))
	if err != nil {
		t.Fatal(err)
	}
	want := doc(t, `{"metadata":{"name":"a","revision":8,"updated_at":"2026-08-14T20:00:00Z"},"spec":{},
	  "state":{"summary":"s","revision":4,"updated_at":"2026-08-14T20:00:00Z"},
	  "history":[{"revision":7,"at":"x"},{"revision":8,"at":"2026-08-14T20:00:00Z","by":"sess_1","session_id":"sess_1","harness":"loro",
	    "change":"Learned a thing.","approved_by":"Alex <a@example.org>","sections":["state"]}]}`)
	if diff := cmp.Diff(want, got.Doc); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if got.Revision != 8 || got.Trimmed != 0 || len(got.Warnings) > 0 {
		t.Errorf("got %+v", got)
	}
	if diff := cmp.Diff(was, any(before)); diff != "" {
		t.Errorf("the argument was changed\n%s", diff)
	}
}

func TestStampFirst(t *testing.T) {
	got, err := Stamp(doc(t, `{"metadata":{"name":"a"}}`), Mark{Now: at(t, "2026-01-01T00:00:00Z"), Sections: []string{"state"}})
	if err != nil {
		t.Fatal(err)
	}
	want := doc(t, `{"metadata":{"name":"a","revision":2,"updated_at":"2026-01-01T00:00:00Z"},
	  "state":{"revision":1,"updated_at":"2026-01-01T00:00:00Z"},"history":[{"revision":2,"at":"2026-01-01T00:00:00Z","sections":["state"]}]}`)
	if diff := cmp.Diff(want, got.Doc); diff != "" {
		t.Errorf("an absent revision is 1, of state 0 (-want +got)\n%s", diff)
	}
	contract, err := Stamp(doc(t, `{"metadata":{"name":"a"},"state":{"revision":4}}`), Mark{Now: at(t, "2026-01-01T00:00:00Z"), Sections: []string{"spec"}})
	if err != nil || contract.Doc["state"].(map[string]any)["revision"] != 4.0 {
		t.Errorf("a change of the contract counted the state up: %v %v", contract, err)
	}
}

// conformance: L2-A11
func TestStampHistory(t *testing.T) {
	entries := func(n int) string {
		return strings.TrimSuffix(strings.Repeat(`{"revision":1,"at":"x"},`, n), ",")
	}
	tests := []struct {
		name, why, retention, history string
		left, trimmed                 int
		warned                        bool
	}{
		{"none yet", "the log begins", `{}`, ``, 1, 0, false},
		{"default", "steady at 50, nothing to say", `{}`, `,"history":[` + entries(50) + `]`, 50, 1, false},
		{"longer than the default", "the first write cuts it, so that is said", `{}`, `,"history":[` + entries(60) + `]`, 50, 11, true},
		{"limit", "the profile's own", `{"max_history":3}`, `,"history":[` + entries(5) + `]`, 3, 3, false},
		{"zero", "keeps none", `{"max_history":0}`, `,"history":[` + entries(2) + `]`, 0, 3, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			before := doc(t, `{"metadata":{"name":"a","revision":9},"spec":{"lifecycle":{"retention":`+tt.retention+`}}`+tt.history+`}`)
			got, err := Stamp(before, Mark{Now: at(t, "2026-01-01T00:00:00Z")})
			if err != nil {
				t.Fatal(err)
			}
			list := got.Doc["history"].([]any)
			if len(list) != tt.left || got.Trimmed != tt.trimmed || len(got.Warnings) > 0 != tt.warned {
				t.Errorf("left %d, trimmed %d, %v (%s)", len(list), got.Trimmed, got.Warnings, tt.why)
			}
			if tt.left > 0 && list[len(list)-1].(map[string]any)["revision"] != 10.0 {
				t.Error("the newest entry is not last")
			}
		})
	}
	got, _ := Stamp(doc(t, `{"metadata":{},"spec":{"lifecycle":{"retention":{"max_history":0}}}}`), Mark{})
	if _, has := got.Doc["history"]; has {
		t.Error("a log that keeps nothing was begun")
	}
}

func TestStampRefuses(t *testing.T) {
	for _, text := range []string{
		`{}`, `{"metadata":[]}`, `{"metadata":{"revision":"7"}}`, `{"metadata":{"revision":1.5}}`, `{"metadata":{"revision":0}}`,
		`{"metadata":{"revision":9007199254740991}}`, `{"metadata":{},"state":[]}`, `{"metadata":{},"state":{"revision":-1}}`, `{"metadata":{},"history":{}}`,
	} {
		if got, err := Stamp(doc(t, text), Mark{Sections: []string{"state"}}); !errors.Is(err, ErrNotProfile) {
			t.Errorf("%s: got %v, %v", text, got, err)
		}
	}
}

func TestMark(t *testing.T) {
	d := &Delta{Operations: make([]Operation, 2)}
	m := d.Mark(at(t, "2026-01-01T00:00:00Z"), "Alex", false)
	if m.By != "Alex" || m.ApprovedBy != "" || m.Change != "2 state operations" {
		t.Errorf("got %+v", m)
	}
	d.Operations, d.Summary = d.Operations[:1], ""
	if m := d.Mark(m.Now, "Alex", true); m.Change != "1 state operation" || m.ApprovedBy != "Alex" {
		t.Errorf("got %+v", m)
	}
	e := Mark{Change: strings.Repeat("é", 1001), By: strings.Repeat("b", 300)}.entry(1, "x")
	change := e["change"].(string)
	if utf8.RuneCountInString(change) != 1000 || !strings.HasSuffix(change, "é…") || len(e["by"].(string)) != 199+len("…") {
		t.Errorf("a text past the bound must be cut to it: %d code points", utf8.RuneCountInString(change))
	}
	if e := (Mark{Change: strings.Repeat("é", 1000)}).entry(1, "x"); utf8.RuneCountInString(e["change"].(string)) != 1000 || strings.HasSuffix(e["change"].(string), "…") {
		t.Error("a text at the bound must stay")
	}
}

// conformance: L2-A11
func TestTrimHistory(t *testing.T) {
	list := []any{1.0, 2.0, 3.0}
	for limit, want := range map[int]int{-1: 0, 0: 0, 2: 2, 3: 3, 9: 3} {
		got := TrimHistory(list, limit)
		if len(got) != want || want > 0 && got[want-1] != 3.0 {
			t.Errorf("limit %d: got %v", limit, got)
		}
	}
}
