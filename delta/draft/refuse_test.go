package draft

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestRefusals(t *testing.T) {
	const state = `"facts":[{"id":"f","text":"F"},{"id":"g","text":"G"}],"open_threads":[{"id":"t","title":"T"}]`
	long := func(n int) string { return strings.Repeat("ä", n) }
	tags := func(n int) (out []string) {
		for i := range n {
			out = append(out, fmt.Sprint("t", i))
		}
		return out
	}
	many := func(n int) (out []Entry) {
		for i := range n {
			out = append(out, Entry{Text: fmt.Sprint("fact number ", i)})
		}
		return out
	}
	tests := []struct {
		name, why string
		evidence  Evidence
		source    string // of the error
		fits      *Evidence
	}{
		{name: "text too long", why: "4000 code points, not bytes", source: "fact 2",
			evidence: Evidence{Facts: []Entry{{Text: "A"}, {Text: long(4001)}}}, fits: &Evidence{Facts: []Entry{{Text: long(4000)}}}},
		{name: "id too long", why: "120", source: "preference 1", evidence: Evidence{Preferences: []Entry{{ID: long(121), Text: "A"}}},
			fits: &Evidence{Preferences: []Entry{{ID: long(120), Text: "A"}}}},
		{name: "source too long", why: "500", source: "fact 1", evidence: Evidence{Facts: []Entry{{Text: "A", Source: long(501)}}},
			fits: &Evidence{Facts: []Entry{{Text: "A", Source: long(500)}}}},
		{name: "tag too long", why: "60", source: "fact 1", evidence: Evidence{Facts: []Entry{{Text: "A", Tags: []string{long(61)}}}},
			fits: &Evidence{Facts: []Entry{{Text: "A", Tags: []string{long(60), " "}}}}},
		{name: "too many tags", why: "16", source: "fact 1", evidence: Evidence{Facts: []Entry{{Text: "A", Tags: tags(17)}}},
			fits: &Evidence{Facts: []Entry{{ID: "f", Tags: tags(16)}}}},
		{name: "too many tags of a known fact", why: "old and new count", source: "fact 1", evidence: Evidence{Facts: []Entry{{ID: "f", Tags: tags(17)}}}},
		{name: "title too long", why: "300", source: "thread 1", evidence: Evidence{Threads: []Thread{{Title: long(301)}}},
			fits: &Evidence{Threads: []Thread{{Title: long(300), Detail: long(4000)}}}},
		{name: "detail too long", why: "4000", source: "thread 1", evidence: Evidence{Threads: []Thread{{Title: "A", Detail: long(4001)}}}},
		{name: "definition too long", why: "2000", source: "term 1", evidence: Evidence{Terms: []Term{{Term: "A", Definition: long(2001)}}},
			fits: &Evidence{Terms: []Term{{Term: long(200), Definition: long(2000)}}}},
		{name: "state summary too long", why: "8000", source: "state summary", evidence: Evidence{StateSummary: long(8001)},
			fits: &Evidence{StateSummary: long(8000)}},
		{name: "summary too long", why: "4000", source: "summary", evidence: Evidence{Summary: long(4001)},
			fits: &Evidence{Summary: long(4000), StateSummary: "A"}},
		{name: "too many operations", why: "500", source: "", evidence: Evidence{Facts: many(501)}, fits: &Evidence{Facts: many(500)}},
		{name: "empty text", why: "blank is empty", source: "fact 1", evidence: Evidence{Facts: []Entry{{Text: " \n"}}}},
		{name: "empty term", why: "it would have no address", source: "term 1", evidence: Evidence{Terms: []Term{{Definition: "D"}}}},
		{name: "escape sequence", why: "it would move a reader's cursor", source: "fact 1", evidence: Evidence{Facts: []Entry{{Text: "a\x1b[2J"}}},
			fits: &Evidence{Facts: []Entry{{Text: "a\n\tb"}}}},
		{name: "carriage return", why: "it hides the line before it", source: "fact 1", evidence: Evidence{Facts: []Entry{{Text: "a\rb"}}}},
		{name: "C1 control", why: "U+009B begins a sequence too", source: "thread 1", evidence: Evidence{Threads: []Thread{{Title: "a\u009bb"}}}},
		{name: "line end in an id", why: "ids stand in messages", source: "fact 1", evidence: Evidence{Facts: []Entry{{ID: "a\nb", Text: "A"}}}},
		{name: "invalid UTF-8", why: "it has no digest", source: "fact 1", evidence: Evidence{Facts: []Entry{{Text: "a\xff"}}}},
		{name: "confidence above 1", why: "the schema", source: "fact 1", evidence: Evidence{Facts: []Entry{{Text: "A", Confidence: ptr(1.1)}}}},
		{name: "confidence not a number", why: "it compares with nothing", source: "fact 1", evidence: Evidence{Facts: []Entry{{Text: "A", Confidence: ptr(math.NaN())}}}},
		{name: "unknown status", why: "the schema", source: "thread 1", evidence: Evidence{Threads: []Thread{{Title: "A", Status: "closed"}}}},
		{name: "one id, two texts", why: "only one can be meant", source: "fact 2", evidence: Evidence{Facts: []Entry{{ID: "x", Text: "A"}, {ID: "x", Text: "B"}}}},
		{name: "one text, two ids", why: "likewise", source: "fact 2", evidence: Evidence{Facts: []Entry{{ID: "x", Text: "A"}, {ID: "y", Text: "A"}}}},
		{name: "id, then text, then both", why: "two subjects turn out to be one", source: "fact 3",
			evidence: Evidence{Facts: []Entry{{ID: "x", Source: "s"}, {Text: "A"}, {ID: "x", Text: "A"}}}},
		{name: "known id, old and new text", why: "the second is what the first overwrites", source: "fact 2",
			evidence: Evidence{Facts: []Entry{{ID: "f", Text: "A"}, {Text: "F"}}}},
		{name: "forget what was learned", why: "one of the two is a mistake", source: "forget 1",
			evidence: Evidence{Facts: []Entry{{Text: "F"}}, Forget: []Ref{{"facts", "f"}}}},
		{name: "forget what was used", why: "likewise", source: "forget 1", evidence: Evidence{Used: []string{"f"}, Forget: []Ref{{"facts", "f"}}},
			fits: &Evidence{Used: []string{"f"}, Forget: []Ref{{"facts", "g"}}}},
		{name: "forget in an unknown place", why: "there is no such list", source: "forget 1", evidence: Evidence{Forget: []Ref{{"metrics", "x"}}}},
		{name: "thread used", why: "threads have no time of use", source: "used 1", evidence: Evidence{Used: []string{"t"}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tt.evidence.Session = sess
			_, _, err := New(profileOf(t, state, ""), "", tt.evidence, clock)
			var input *InputError
			if !errors.As(err, &input) || input.Source != tt.source {
				t.Errorf("got %v, want an error about %q; %s", err, tt.source, tt.why)
			}
			if tt.fits == nil {
				return
			}
			tt.fits.Session = sess
			p := profileOf(t, state, "")
			made, _, err := New(p, "", *tt.fits, clock)
			if err != nil {
				t.Fatalf("what just fits: %v", err)
			}
			carry(t, p, made)
		})
	}
}

func TestUnknown(t *testing.T) {
	const state = `"facts":[{"id":"fact-ruff","text":"F"},{"id":"fact-tests","text":"G"},{"id":"x","text":"H"}],
		"open_threads":[{"id":"thread-flaky-auth-tests","title":"T"}],"glossary":[{"term":"governed table","definition":"d"}]`
	tests := []struct {
		name, why string
		evidence  Evidence
		want      UnknownError
	}{
		{name: "used", why: "a letter too many", evidence: Evidence{Used: []string{"fact-rufff"}},
			want: UnknownError{"used 1", Ref{"facts and preferences", "fact-rufff"}, []string{"fact-ruff"}}},
		{name: "forget", why: "a word instead of the term", evidence: Evidence{Forget: []Ref{{"glossary", "Table"}}},
			want: UnknownError{"forget 1", Ref{"glossary", "Table"}, []string{"governed table"}}},
		{name: "thread", why: "without the prefix, and no title to make a new one", evidence: Evidence{Threads: []Thread{{ID: "flaky-auth-tests", Status: "done"}}},
			want: UnknownError{"thread 1", Ref{"open_threads", "flaky-auth-tests"}, []string{"thread-flaky-auth-tests"}}},
		{name: "fact", why: "nothing looks like it", evidence: Evidence{Facts: []Entry{{ID: "something-else", Source: "s"}}},
			want: UnknownError{"fact 1", Ref{"facts", "something-else"}, nil}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tt.evidence.Session = sess
			_, _, err := New(profileOf(t, state, ""), "", tt.evidence, clock)
			var got *UnknownError
			if !errors.As(err, &got) {
				t.Fatalf("got %v; %s", err, tt.why)
			}
			if diff := cmp.Diff(tt.want, *got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestHeadRefusals(t *testing.T) {
	tests := []struct {
		name, why string
		profile   string
		digest    string
		session   Session
		broken    bool // the profile is at fault
	}{
		{name: "no session", why: "nobody could tell where the delta came from"},
		{name: "session id of two lines", why: "it goes into a trailer", session: Session{ID: "a\nb"}},
		{name: "outcome", why: "the schema", session: Session{ID: "s", Outcome: "ok"}},
		{name: "turns", why: "the schema", session: Session{ID: "s", Turns: ptr(-1)}},
		{name: "cost", why: "no JSON number", session: Session{ID: "s", CostUSD: ptr(math.Inf(1))}},
		{name: "year", why: "RFC 3339 has four digits", session: Session{ID: "s", EndedAt: time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC)}},
		{name: "digest", why: "it would match nothing", digest: "sha256:12", session: sess},
		{name: "no name", why: "the delta would have no target", profile: `{}`, session: sess, broken: true},
		{name: "revision", why: "it cannot be counted up", profile: `{"metadata":{"name":"a","revision":1.5}}`, session: sess, broken: true},
		{name: "state", why: "a list", profile: `{"metadata":{"name":"a"},"state":[]}`, session: sess, broken: true},
		{name: "facts", why: "an object", profile: `{"metadata":{"name":"a"},"state":{"facts":{}}}`, session: sess, broken: true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := profileOf(t, "", "")
			if tt.profile != "" {
				p = doc(t, tt.profile)
			}
			_, _, err := New(p, tt.digest, Evidence{StateSummary: "A", Session: tt.session}, clock)
			var input *InputError
			if errors.Is(err, ErrNotProfile) != tt.broken || errors.As(err, &input) == tt.broken {
				t.Errorf("got %v; %s", err, tt.why)
			}
		})
	}
}

func TestErrorsSpeakOfTheirPiece(t *testing.T) {
	tests := []struct {
		name, why string
		err       error
		want      string
	}{
		{name: "of a piece", why: "several of a kind are common", err: refuse("fact 2", "the text is %s", "long"), want: "fact 2: the text is long"},
		{name: "of a form", why: "the caller knows where it came from", err: refuse("", "the form is a|b"), want: "the form is a|b"},
		{name: "unknown", why: "nothing looks like it", err: &UnknownError{"used 1", Ref{"facts", "x"}, nil}, want: `used 1: there is no "x" in facts`},
		{name: "unknown with others", why: "most are mistyped", err: &UnknownError{"used 1", Ref{"facts", "x"}, near("fact-a", []string{"fact-b", "fact-a1", "fact-c", "fact-d"})},
			want: `used 1: there is no "x" in facts, but there is "fact-a1", "fact-b", "fact-c"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := tt.err.Error(); got != tt.want {
				t.Errorf("got %q, want %q; %s", got, tt.want, tt.why)
			}
		})
	}
}
