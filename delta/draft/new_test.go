package draft

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func equal(t testing.TB, want, got any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

const (
	pinned = `{"id":"fact-ruff","text":"Ruff formats.\n","confidence":0.5,"source":"guess","tags":["ci"],"scope":"repo","pinned":true,
		"learned_at":"2026-03-14T09:00:00Z","last_used_at":"2026-08-01T00:00:00Z"}`
	thread = `{"id":"thread-flaky","title":"Flaky tests","opened_at":"2026-07-28T10:00:00Z","updated_at":"2026-08-01T00:00:00Z"}`
	stamp1 = `"2026-09-01T12:00:00Z"`
)

// conformance: L2-G5
func TestOperations(t *testing.T) {
	tests := []struct {
		name, why string
		state     string
		evidence  Evidence
		want      string // operations
		warnings  int
	}{
		{
			name: "first fact", why: "profiles begin without state",
			evidence: Evidence{Facts: []Entry{{Text: "Uses tabs", Source: "editorconfig", Confidence: ptr(1.0), Scope: "repo", Tags: []string{"ci", "ci"}}}},
			want: `[{"op":"add","path":"/state/facts/-","value":{"id":"fact-uses-tabs","text":"Uses tabs","source":"editorconfig",
				"confidence":1,"scope":"repo","tags":["ci"],"learned_at":` + stamp1 + `}}]`,
		},
		{
			name: "known by its text", why: "pitfalls A: learning again must not reset pin, tags, scope and learned_at",
			state:    `"facts":[` + pinned + `]`,
			evidence: Evidence{Facts: []Entry{{Text: "Ruff  formats.", Source: "CI", Confidence: ptr(0.9)}}},
			want: `[{"op":"replace","path":"/state/facts/id:fact-ruff/confidence","value":0.9},
				{"op":"replace","path":"/state/facts/id:fact-ruff/source","value":"CI"},
				{"op":"replace","path":"/state/facts/id:fact-ruff/last_used_at","value":` + stamp1 + `}]`,
		},
		{
			name: "known by its id, without a text", why: "a better source needs no repetition",
			state:    `"preferences":[{"id":"p","text":"Short"}]`,
			evidence: Evidence{Preferences: []Entry{{ID: "p", Source: "user", Tags: []string{"style"}}}},
			want: `[{"op":"add","path":"/state/preferences/id:p/source","value":"user"},
				{"op":"add","path":"/state/preferences/id:p/tags","value":["style"]},
				{"op":"add","path":"/state/preferences/id:p/last_used_at","value":` + stamp1 + `}]`,
		},
		{
			name: "same again", why: "unchanged members give no operation; being seen again is a use",
			state:    `"facts":[` + pinned + `]`,
			evidence: Evidence{Facts: []Entry{{Text: "Ruff formats.", Source: "guess", Confidence: ptr(0.5), Tags: []string{"ci", "style"}}}},
			want: `[{"op":"add","path":"/state/facts/id:fact-ruff/tags/-","value":"style"},
				{"op":"replace","path":"/state/facts/id:fact-ruff/last_used_at","value":` + stamp1 + `}]`,
		},
		{
			name: "known under another id", why: "one text twice would make two facts of one",
			state:    `"facts":[{"id":"f","text":"Ruff"}]`,
			evidence: Evidence{Facts: []Entry{{ID: "fact-mine", Text: "Ruff", Source: "CI"}}},
			want: `[{"op":"add","path":"/state/facts/id:f/source","value":"CI"},
				{"op":"add","path":"/state/facts/id:f/last_used_at","value":` + stamp1 + `}]`,
			warnings: 1,
		},
		{
			name: "other words", why: "what vouched for the old words says nothing of the new ones",
			state:    `"facts":[` + pinned + `]`,
			evidence: Evidence{Facts: []Entry{{ID: "fact-ruff", Text: "Black formats.", Source: "CI"}}},
			want: `[{"op":"replace","path":"/state/facts/id:fact-ruff/text","value":"Black formats."},
				{"op":"remove","path":"/state/facts/id:fact-ruff/confidence"},
				{"op":"replace","path":"/state/facts/id:fact-ruff/source","value":"CI"},
				{"op":"replace","path":"/state/facts/id:fact-ruff/last_used_at","value":` + stamp1 + `}]`,
			warnings: 1,
		},
		{
			name: "words of another entry", why: "the id says which one is meant; the writer hears of the other",
			state:    `"facts":[{"id":"f","text":"F"},{"id":"g","text":"G"}]`,
			evidence: Evidence{Facts: []Entry{{ID: "f", Text: "G"}}},
			want: `[{"op":"replace","path":"/state/facts/id:f/text","value":"G"},
				{"op":"add","path":"/state/facts/id:f/last_used_at","value":` + stamp1 + `}]`,
			warnings: 1,
		},
		{
			name: "id that stands twice", why: "its address means the first",
			state:    `"facts":[{"id":"f","text":"F"},{"id":"f","text":"F","source":"CI"}]`,
			evidence: Evidence{Facts: []Entry{{ID: "f", Source: "CI"}}},
			want: `[{"op":"add","path":"/state/facts/id:f/source","value":"CI"},
				{"op":"add","path":"/state/facts/id:f/last_used_at","value":` + stamp1 + `}]`,
		},
		{
			name: "colliding slugs", why: "two texts, two ids",
			state:    `"facts":[{"id":"fact-c-is-used","text":"C is used"}]`,
			evidence: Evidence{Facts: []Entry{{Text: "C++ is used"}}},
			want:     `[{"op":"add","path":"/state/facts/-","value":{"id":"fact-c-is-used-5a377a49","text":"C++ is used","learned_at":` + stamp1 + `}}]`,
		},
		{
			name: "wished id before a made one", why: "the made one gives way, whatever the order",
			evidence: Evidence{Facts: []Entry{{Text: "A b"}, {ID: "fact-a-b", Text: "Other"}}},
			want: `[{"op":"add","path":"/state/facts/-","value":{"id":"fact-a-b-a760b0e1","text":"A b","learned_at":` + stamp1 + `}},
				{"op":"add","path":"/state/facts/-","value":{"id":"fact-a-b","text":"Other","learned_at":` + stamp1 + `}}]`,
		},
		{
			name: "mentioned twice", why: "duplicates merge, the later mention wins",
			evidence: Evidence{Facts: []Entry{
				{Text: "A b", Source: "one", Confidence: ptr(0.1), Tags: []string{"x"}}, {Text: "A\nb", Confidence: ptr(0.2), Tags: []string{"y"}}, {ID: "q", Text: "A b"},
			}},
			want: `[{"op":"add","path":"/state/facts/-","value":{"id":"q","text":"A b","source":"one","confidence":0.2,"tags":["x","y"],"learned_at":` + stamp1 + `}}]`,
		},
		{
			name: "mentioned with new words, then by these", why: "one subject, although the first mention names no id",
			state:    `"facts":[{"id":"f","text":"Old"}]`,
			evidence: Evidence{Facts: []Entry{{Text: "New", Source: "CI"}, {ID: "f", Text: "New"}}},
			want: `[{"op":"replace","path":"/state/facts/id:f/text","value":"New"},
				{"op":"add","path":"/state/facts/id:f/source","value":"CI"},
				{"op":"add","path":"/state/facts/id:f/last_used_at","value":` + stamp1 + `}]`,
		},
		{
			name: "used", why: "nothing else ever sets last_used_at (pitfalls C); a later use than ours stays",
			state: `"facts":[{"id":"a","text":"A"},{"id":"b","text":"B","last_used_at":"2026-09-01T11:00:00-05:00"}],
				"preferences":[{"id":"a/~","text":"C","last_used_at":"2026-01-01T00:00:00Z"}]`,
			evidence: Evidence{Used: []string{"a", "b", "a/~", "a"}, Facts: []Entry{{ID: "a", Confidence: ptr(1.0)}}},
			want: `[{"op":"add","path":"/state/facts/id:a/confidence","value":1},
				{"op":"add","path":"/state/facts/id:a/last_used_at","value":` + stamp1 + `},
				{"op":"replace","path":"/state/preferences/id:a~1~0/last_used_at","value":` + stamp1 + `}]`,
		},
		{
			name: "new thread", why: "status and times are filled in",
			evidence: Evidence{Threads: []Thread{{Title: "Fix CI", Detail: "broken"}, {ID: "t", Status: "blocked", Title: "Other"}}},
			want: `[{"op":"add","path":"/state/open_threads/-","value":{"id":"thread-fix-ci","title":"Fix CI","detail":"broken","status":"open",
				"opened_at":` + stamp1 + `,"updated_at":` + stamp1 + `}},
				{"op":"add","path":"/state/open_threads/-","value":{"id":"t","title":"Other","status":"blocked","opened_at":` + stamp1 + `,"updated_at":` + stamp1 + `}}]`,
		},
		{
			name: "known thread", why: "by field; opened_at and refs stay",
			state:    `"open_threads":[` + thread + `]`,
			evidence: Evidence{Threads: []Thread{{ID: "thread-flaky", Status: "done", Detail: "fixed"}}},
			want: `[{"op":"add","path":"/state/open_threads/id:thread-flaky/status","value":"done"},
				{"op":"add","path":"/state/open_threads/id:thread-flaky/detail","value":"fixed"},
				{"op":"replace","path":"/state/open_threads/id:thread-flaky/updated_at","value":` + stamp1 + `}]`,
		},
		{
			name: "thread by title, with another by id", why: "open is the default, so saying it changes nothing",
			state:    `"open_threads":[` + thread + `,{"id":"u","title":"U","status":"done"}]`,
			evidence: Evidence{Threads: []Thread{{Title: "Flaky tests", Status: "open"}, {ID: "u", Title: "New title"}}},
			want: `[{"op":"replace","path":"/state/open_threads/id:u/title","value":"New title"},
				{"op":"add","path":"/state/open_threads/id:u/updated_at","value":` + stamp1 + `}]`,
			warnings: 1,
		},
		{
			name: "terms", why: "the glossary is addressed by term",
			state:    `"glossary":[{"term":"a/b","definition":"old","source":"book"}]`,
			evidence: Evidence{Terms: []Term{{Term: "a/b", Definition: "new"}, {Term: "c", Definition: "new", Source: "talk"}}},
			want: `[{"op":"replace","path":"/state/glossary/term:a~1b/definition","value":"new"},
				{"op":"remove","path":"/state/glossary/term:a~1b/source"},
				{"op":"add","path":"/state/glossary/-","value":{"term":"c","definition":"new","source":"talk"}}]`,
			warnings: 1,
		},
		{
			name: "forget", why: "each collection by its identity, once; a pinned one with a warning",
			state: `"facts":[` + pinned + `],"preferences":[{"id":"p","text":"P"}],"glossary":[{"term":"t","definition":"d"}],"open_threads":[` + thread + `]`,
			evidence: Evidence{Forget: []Ref{
				{"facts", "fact-ruff"}, {"preferences", "p"}, {"glossary", "t"}, {"open_threads", "thread-flaky"}, {"preferences", "p"},
			}},
			want: `[{"op":"remove","path":"/state/facts/id:fact-ruff"},{"op":"remove","path":"/state/preferences/id:p"},
				{"op":"remove","path":"/state/glossary/term:t"},{"op":"remove","path":"/state/open_threads/id:thread-flaky"}]`,
			warnings: 1,
		},
		{
			name: "summary", why: "replaced where there is one",
			state: `"summary":"old"`, evidence: Evidence{StateSummary: "new"},
			want: `[{"op":"replace","path":"/state/summary","value":"new"}]`,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := profileOf(t, tt.state, "")
			tt.evidence.Session = sess
			got, warnings, err := New(p, "", tt.evidence, clock)
			if err != nil {
				t.Fatalf("%v; %s", err, tt.why)
			}
			equal(t, list(t, tt.want), got["operations"])
			if len(warnings) != tt.warnings {
				t.Errorf("warnings: %+v", warnings)
			}
			equal(t, profileOf(t, tt.state, ""), p)
			carry(t, p, got)
		})
	}
}

func TestNothing(t *testing.T) {
	tests := []struct {
		name, why, state string
		evidence         Evidence
		warnings         int
	}{
		{name: "no evidence", why: "a summary for the log changes no profile", evidence: Evidence{Summary: "looked around"}},
		{name: "same summary", why: "the line end is layout", state: `"summary":"same\n"`, evidence: Evidence{StateSummary: "same"}},
		{name: "term as it is", why: "the writer hears it", state: `"glossary":[{"term":"t","definition":"d"}]`,
			evidence: Evidence{Terms: []Term{{Term: "t", Definition: "d"}}}, warnings: 1},
		{name: "fact of a later session", why: "an older session does not turn time back",
			state:    `"facts":[{"id":"f","text":"F","last_used_at":"2026-10-01T00:00:00Z"}]`,
			evidence: Evidence{Facts: []Entry{{Text: "F"}}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tt.evidence.Session = sess
			_, warnings, err := New(profileOf(t, tt.state, ""), "", tt.evidence, clock)
			if !errors.Is(err, ErrNothing) || len(warnings) != tt.warnings {
				t.Errorf("%v %+v; %s", err, warnings, tt.why)
			}
		})
	}
}

func TestSessionEndDatesWhatWasLearned(t *testing.T) {
	s := sess
	s.EndedAt = time.Date(2026, 8, 1, 1, 0, 0, 0, time.FixedZone("", -3600))
	got, _, err := New(profileOf(t, "", ""), "", Evidence{Facts: []Entry{{Text: "F"}}, Session: s}, clock)
	if err != nil {
		t.Fatal(err)
	}
	op := got["operations"].([]any)[0].(map[string]any)
	equal(t, any("2026-08-01T02:00:00Z"), op["value"].(map[string]any)["learned_at"])
}
