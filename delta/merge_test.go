package delta

import (
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/open-agent-profile/oap/canonical"
)

// none is a place where nothing stands.
const none = ""

// mergeCase is three versions of one place, what becomes of it, and where people are asked. Texts are
// JSON with ' for "; where there is a conflict, want is what ours has.
type mergeCase struct {
	name, why, place         string
	base, ours, theirs, want string
	conflicts, rules         string // blank-separated; conflicts start below place
}

const (
	facts    = "/state/facts"
	threads  = "/state/open_threads"
	glossary = "/state/glossary"
	metrics  = "/state/metrics"
	tools    = "/spec/tools"
)

var entryCases = []mergeCase{
	{"two new facts", "different ids never meet", facts, `[{'id':'a'}]`, `[{'id':'a'},{'id':'o'}]`, `[{'id':'a'},{'id':'t'}]`, `[{'id':'a'},{'id':'o'},{'id':'t'}]`, "", ""},
	{"first facts on both sides", "a missing list is an empty one", facts, none, `[{'id':'o'}]`, `[{'id':'t'}]`, `[{'id':'o'},{'id':'t'}]`, "", ""},
	{"inserted in front", "order is base, ours, theirs", facts, `[{'id':'a'}]`, `[{'id':'o'},{'id':'a'}]`, `[{'id':'t'},{'id':'a'}]`, `[{'id':'a'},{'id':'o'},{'id':'t'}]`, "", ""},
	{"removed and added", "each side has its way", facts, `[{'id':'a'},{'id':'b'}]`, `[{'id':'b'}]`, `[{'id':'a'},{'id':'b'},{'id':'t'}]`, `[{'id':'b'},{'id':'t'}]`, "", ""},
	{"removed on both", "an agreed removal is no conflict", facts, `[{'id':'a'},{'id':'b'}]`, `[{'id':'b'}]`, `[{'id':'b'}]`, `[{'id':'b'}]`, "", ""},
	{"removed one each", "nothing is left, but the list is", facts, `[{'id':'a'},{'id':'b'}]`, `[{'id':'a'}]`, `[{'id':'b'}]`, `[]`, "", ""},
	{"removed, other changed words", "a person has to choose", facts, `[{'id':'a','text':'A'}]`, `[]`, `[{'id':'a','text':'B'}]`, `[]`, "/id:a", ""},
	{"changed words, other removed", "the same the other way", facts, `[{'id':'a','text':'A'}]`, `[{'id':'a','text':'B'}]`, `[]`, `[{'id':'a','text':'B'}]`, "/id:a", ""},
	{"list removed, other changed one", "each entry is judged for itself", facts, `[{'id':'a','text':'A'},{'id':'b'}]`, none, `[{'id':'a','text':'B'},{'id':'b'}]`, none, "/id:a", ""},
	{"list removed, other added one", "the addition was not known to who removed", facts, `[{'id':'a'}]`, none, `[{'id':'a'},{'id':'t'}]`, `[{'id':'t'}]`, "", ""},
	{"removed, other used it", "a use is no change of what it says", facts, `[{'id':'a','text':'A'}]`, `[]`, `[{'id':'a','text':'A','last_used_at':'2026-01-01T00:00:00Z'}]`, `[]`, "", RuleUsedGone},
	{"same words on both", "said twice is said once", facts, `[{'id':'a','text':'A'}]`, `[{'id':'a','text':'B'}]`, `[{'id':'a','text':'B'}]`, `[{'id':'a','text':'B'}]`, "", ""},
	{"same words, other confidence", "the surer side, with its source", facts, `[{'id':'a','text':'A','confidence':0.1}]`, `[{'id':'a','text':'B','confidence':0.5,'source':'o'}]`, `[{'id':'a','text':'B','confidence':0.9,'source':'t'}]`, `[{'id':'a','text':'B','confidence':0.9,'source':'t'}]`, "", RuleSource},
	{"different words", "a person has to choose", facts, `[{'id':'a','text':'A'}]`, `[{'id':'a','text':'B'}]`, `[{'id':'a','text':'C'}]`, `[{'id':'a','text':'B'}]`, "/id:a/text", ""},
	{"words and confidence", "one session's confidence must not vouch for another's words", facts, `[{'id':'a','text':'A','confidence':0.5}]`, `[{'id':'a','text':'B','confidence':0.5}]`, `[{'id':'a','text':'A','confidence':0.9}]`, `[{'id':'a','text':'B','confidence':0.5}]`, "/id:a", ""},
	{"source and words", "nor must its source", facts, `[{'id':'a','text':'A'}]`, `[{'id':'a','text':'A','source':'s'}]`, `[{'id':'a','text':'B'}]`, `[{'id':'a','text':'A','source':'s'}]`, "/id:a", ""},
	{"words and use", "other fields merge", facts, `[{'id':'a','text':'A'}]`, `[{'id':'a','text':'B'}]`, `[{'id':'a','text':'A','last_used_at':'2026-01-01T00:00:00Z'}]`, `[{'id':'a','text':'B','last_used_at':'2026-01-01T00:00:00Z'}]`, "", ""},
	{"words and tag", "other fields merge", facts, `[{'id':'a','text':'A'}]`, `[{'id':'a','text':'B'}]`, `[{'id':'a','text':'A','tags':['t']}]`, `[{'id':'a','text':'B','tags':['t']}]`, "", ""},
	{"words and pin", "other fields merge", facts, `[{'id':'a','text':'A'}]`, `[{'id':'a','text':'B'}]`, `[{'id':'a','text':'A','pinned':true}]`, `[{'id':'a','text':'B','pinned':true}]`, "", ""},
	{"confidence and source", "both about the same words", facts, `[{'id':'a','text':'A'}]`, `[{'id':'a','text':'A','confidence':0.9}]`, `[{'id':'a','text':'A','source':'s'}]`, `[{'id':'a','text':'A','confidence':0.9,'source':'s'}]`, "", ""},
	{"two confidences", "no rule says which", facts, `[{'id':'a','text':'A','confidence':0.5}]`, `[{'id':'a','text':'A','confidence':0.9}]`, `[{'id':'a','text':'A','confidence':0.1}]`, `[{'id':'a','text':'A','confidence':0.9}]`, "/id:a/confidence", ""},
	{"one side alone in an entry", "who changes alone may change words and confidence", facts, `[{'id':'a','text':'A','confidence':1}]`, `[{'id':'a','text':'B','confidence':0.5}]`, `[{'id':'a','text':'A','confidence':1}]`, `[{'id':'a','text':'B','confidence':0.5}]`, "", ""},
	{"both used it", "the later use", facts, `[{'id':'a','last_used_at':'2026-01-01T00:00:00Z'}]`, `[{'id':'a','last_used_at':'2026-08-14T23:30:00-05:00'}]`, `[{'id':'a','last_used_at':'2026-08-15T00:10:00Z'}]`, `[{'id':'a','last_used_at':'2026-08-14T23:30:00-05:00'}]`, "", ""},
	{"expiry lifted and moved", "no end is the latest end", facts, `[{'id':'a','expires_at':'2026-01-01T00:00:00Z'}]`, `[{'id':'a'}]`, `[{'id':'a','expires_at':'2026-02-01T00:00:00Z'}]`, `[{'id':'a'}]`, "", ""},
	{"tags of both", "a set: additions and removals of both", facts, `[{'id':'a','tags':['x','y']}]`, `[{'id':'a','tags':['y','o']}]`, `[{'id':'a','tags':['x','y','t']}]`, `[{'id':'a','tags':['y','o','t']}]`, "", ""},
	{"the same tag", "a set has it once", facts, `[{'id':'a'}]`, `[{'id':'a','tags':['n']}]`, `[{'id':'a','tags':['n','t']}]`, `[{'id':'a','tags':['n','t']}]`, "", ""},
	{"scope of both", "one value", facts, `[{'id':'a'}]`, `[{'id':'a','scope':'x'}]`, `[{'id':'a','scope':'y'}]`, `[{'id':'a','scope':'x'}]`, "/id:a/scope", ""},
	{"unpinned in two ways", "false and absent mean the same", facts, `[{'id':'a','pinned':true}]`, `[{'id':'a','pinned':false}]`, `[{'id':'a'}]`, `[{'id':'a','pinned':false}]`, "", ""},
	{"pin beside a spelling", "absent to false is no change", facts, `[{'id':'a'}]`, `[{'id':'a','pinned':false}]`, `[{'id':'a','pinned':true}]`, `[{'id':'a','pinned':true}]`, "", ""},
	{"same id, same words", "one entry: surer, learned first, used last, all tags, pinned if either", facts, none,
		`[{'id':'a','text':'A','confidence':0.9,'learned_at':'2026-01-02T00:00:00Z','last_used_at':'2026-01-03T00:00:00Z','tags':['o'],'pinned':true}]`,
		`[{'id':'a','text':'A','confidence':0.5,'learned_at':'2026-01-01T00:00:00Z','last_used_at':'2026-01-04T00:00:00Z','tags':['t']}]`,
		`[{'id':'a','text':'A','confidence':0.9,'learned_at':'2026-01-01T00:00:00Z','last_used_at':'2026-01-04T00:00:00Z','tags':['o','t'],'pinned':true}]`, "", ""},
	{"same id, same words, half of it", "what only one side knows is known", facts, none, `[{'id':'a','text':'A','source':'s'}]`, `[{'id':'a','text':'A','confidence':0.5,'scope':'x'}]`, `[{'id':'a','text':'A','source':'s','confidence':0.5,'scope':'x'}]`, "", ""},
	{"same id, expiry on one side", "the other side holds it for ever", facts, none, `[{'id':'a','text':'A','expires_at':'2026-01-01T00:00:00Z'}]`, `[{'id':'a','text':'A','scope':'x'}]`, `[{'id':'a','text':'A','scope':'x'}]`, "", ""},
	{"same id, other words", "two facts under one name", facts, none, `[{'id':'a','text':'A'}]`, `[{'id':'a','text':'B'}]`, `[{'id':'a','text':'A'}]`, "/id:a", ""},
	{"same id, other scope", "the words agree, the scope does not", facts, none, `[{'id':'a','text':'A','scope':'x'}]`, `[{'id':'a','text':'A','scope':'y'}]`, `[{'id':'a','text':'A','scope':'x'}]`, "/id:a/scope", ""},
	{"preferences", "as facts", "/state/preferences", `[{'id':'a','text':'A'}]`, `[{'id':'a','text':'B'}]`, `[{'id':'a','text':'A'},{'id':'t','text':'T'}]`, `[{'id':'a','text':'B'},{'id':'t','text':'T'}]`, "", ""},
	{"twins in a list", "identity is lost, so the list is one value", facts, `[{'id':'a'}]`, `[{'id':'a'},{'id':'a'}]`, `[{'id':'a'},{'id':'t'}]`, `[{'id':'a'},{'id':'a'}]`, " ", ""},
	{"both reordered", "order is not kept apart from entries", facts, `[{'id':'a'},{'id':'b'},{'id':'c'}]`, `[{'id':'c'},{'id':'a'},{'id':'b'}]`, `[{'id':'b'},{'id':'c'},{'id':'a'}]`, `[{'id':'a'},{'id':'b'},{'id':'c'}]`, "", ""},

	{"status and detail", "different fields of a thread", threads, `[{'id':'h','title':'T','status':'open'}]`, `[{'id':'h','title':'T','status':'blocked'}]`, `[{'id':'h','title':'T','status':'open','detail':'d'}]`, `[{'id':'h','title':'T','status':'blocked','detail':'d'}]`, "", ""},
	{"two statuses", "a person has to choose", threads, `[{'id':'h','status':'open'}]`, `[{'id':'h','status':'done'}]`, `[{'id':'h','status':'blocked'}]`, `[{'id':'h','status':'done'}]`, "/id:h/status", ""},
	{"thread times and refs", "later time, all refs", threads, `[{'id':'h','updated_at':'2026-01-01T00:00:00Z'}]`, `[{'id':'h','updated_at':'2026-01-03T00:00:00Z','refs':['o']}]`, `[{'id':'h','updated_at':'2026-01-02T00:00:00Z','refs':['t']}]`, `[{'id':'h','updated_at':'2026-01-03T00:00:00Z','refs':['o','t']}]`, "", ""},
	{"same thread opened twice", "opened first, member by member", threads, none, `[{'id':'h','title':'T','opened_at':'2026-01-02T00:00:00Z'}]`, `[{'id':'h','title':'T','opened_at':'2026-01-01T00:00:00Z','detail':'d'}]`, `[{'id':'h','title':'T','opened_at':'2026-01-01T00:00:00Z','detail':'d'}]`, "", ""},
	{"thread removed, other closed it", "a person has to choose", threads, `[{'id':'h','status':'open'}]`, `[]`, `[{'id':'h','status':'done'}]`, `[]`, "/id:h", ""},

	{"two terms", "different terms never meet", glossary, `[{'term':'x','definition':'X'}]`, `[{'term':'x','definition':'X'},{'term':'o/o','definition':'O'}]`, `[{'term':'x','definition':'X'},{'term':'t','definition':'T'}]`, `[{'term':'x','definition':'X'},{'term':'o/o','definition':'O'},{'term':'t','definition':'T'}]`, "", ""},
	{"two definitions", "a person has to choose", glossary, `[{'term':'a/b','definition':'X'}]`, `[{'term':'a/b','definition':'Y'}]`, `[{'term':'a/b','definition':'Z'}]`, `[{'term':'a/b','definition':'Y'}]`, "/term:a~1b/definition", ""},
	{"definition and source", "a source vouches as well", glossary, `[{'term':'x','definition':'X'}]`, `[{'term':'x','definition':'Y'}]`, `[{'term':'x','definition':'X','source':'s'}]`, `[{'term':'x','definition':'Y'}]`, "/term:x", ""},
}

var otherCases = []mergeCase{
	{"counters", "growths add up", metrics, `{'sessions':41,'total_tool_calls':100}`, `{'sessions':42,'total_tool_calls':110}`, `{'sessions':42,'total_tool_calls':105}`, `{'sessions':43,'total_tool_calls':115}`, "", ""},
	{"same growth", "two sessions, although both wrote the same number", metrics, `{'sessions':41}`, `{'sessions':42}`, `{'sessions':42}`, `{'sessions':43}`, "", ""},
	{"first counters", "absent is zero", metrics, none, `{'sessions':1}`, `{'sessions':2}`, `{'sessions':3}`, "", ""},
	{"money", "no digits of binary fractions", metrics, `{'total_cost_usd':18.42}`, `{'total_cost_usd':19.36}`, `{'total_cost_usd':18.52}`, `{'total_cost_usd':19.46}`, "", ""},
	{"counter reset", "never below zero", metrics, `{'sessions':5}`, `{'sessions':0}`, `{'sessions':1}`, `{'sessions':0}`, "", ""},
	{"last session", "the later instant, not the later text", metrics, `{'last_session_at':'2026-01-01T00:00:00Z'}`, `{'last_session_at':'2026-08-15T00:10:00Z'}`, `{'last_session_at':'2026-08-14T23:30:00-05:00'}`, `{'last_session_at':'2026-08-14T23:30:00-05:00'}`, "", ""},
	{"state counter", "adds up", "/state/revision", `12`, `13`, `14`, `15`, "", ""},
	{"counter of a wrong type", "a person has to look", metrics, `{'sessions':1}`, `{'sessions':'2'}`, `{'sessions':3}`, `{'sessions':'2'}`, "/sessions", ""},
	{"summary", "theirs arrives later; never a conflict", "/state/summary", `'b'`, `'o'`, `'t'`, `'t'`, "", RuleSummary},
	{"summary removed", "a rewrite as well", "/state/summary", `'b'`, `'o'`, none, none, "", RuleSummary},
	{"summary once", "the only rewrite stays", "/state/summary", `'b'`, `'o'`, `'b'`, `'o'`, "", ""},
	{"log of both", "union, by revision and then time, never renumbered", "/history", `[{'revision':7,'at':'2026-01-01T00:00:00Z'}]`,
		`[{'revision':7,'at':'2026-01-01T00:00:00Z'},{'revision':8,'at':'2026-01-02T12:00:00Z'},{'revision':9,'at':'2026-01-03T00:00:00Z'}]`,
		`[{'revision':7,'at':'2026-01-01T00:00:00Z'},{'revision':8,'at':'2026-01-02T13:00:00+02:00'}]`,
		`[{'revision':7,'at':'2026-01-01T00:00:00Z'},{'revision':8,'at':'2026-01-02T13:00:00+02:00'},{'revision':8,'at':'2026-01-02T12:00:00Z'},{'revision':9,'at':'2026-01-03T00:00:00Z'}]`, "", ""},
	{"same entry in both logs", "a cherry-pick is one write", "/history", none, `[{'revision':8,'by':'s'}]`, `[{'revision':8,'by':'s'},{'revision':9}]`, `[{'revision':8,'by':'s'},{'revision':9}]`, "", ""},
	{"log trimmed", "what one side trimmed stays trimmed", "/history", `[{'revision':1},{'revision':2}]`, `[{'revision':2},{'revision':3}]`, `[{'revision':1},{'revision':2},{'revision':4}]`, `[{'revision':2},{'revision':3},{'revision':4}]`, "", ""},
	{"revision of both", "the higher; a stamp counts it up", "/metadata/revision", `7`, `8`, `9`, `9`, "", ""},
	{"revision of one", "that of the side that moved", "/metadata/revision", `7`, `7`, `8`, `8`, "", ""},
	{"updated_at", "the later", "/metadata/updated_at", `'2026-01-01T00:00:00Z'`, `'2026-01-03T00:00:00Z'`, `'2026-01-02T00:00:00Z'`, `'2026-01-03T00:00:00Z'`, "", ""},

	{"description of both", "one value", "/metadata/description", `'a'`, `'b'`, `'c'`, `'b'`, " ", ""},
	{"same description", "the same change is one change", "/metadata/description", `'a'`, `'b'`, `'b'`, `'b'`, "", ""},
	{"annotations", "member by member", "/metadata/annotations", `{'x/a':'1'}`, `{'x/a':'1','x/b':'2'}`, `{'x/a':'3'}`, `{'x/a':'3','x/b':'2'}`, "", ""},
	{"authors", "a set", "/metadata/authors", `['a']`, `['a','o']`, `['a','t']`, `['a','o','t']`, "", ""},
	{"allow list", "a set; what it grants is asked elsewhere", tools, `{'allow':['read']}`, `{'allow':['read','search']}`, `{'allow':['read','edit']}`, `{'allow':['read','search','edit']}`, "", ""},
	{"allow and policy", "different members", tools, `{'allow':['read']}`, `{'allow':['read','shell']}`, `{'allow':['read'],'policy':'allowlist'}`, `{'allow':['read','shell'],'policy':'allowlist'}`, "", ""},
	{"hosts emptied between them", "an empty list can mean no limit", "/spec/permissions/allow_hosts", `['a','b']`, `['a']`, `['b']`, `['a']`, " ", ""},
	{"constraints of both", "their order means something, so they are one value", "/spec/role/constraints", `['a']`, `['a','o']`, `['a','t']`, `['a','o']`, " ", ""},
	{"deny paths of both", "not a set of names", "/spec/permissions/filesystem/deny_paths", `['a']`, `['a','o']`, `['t','a']`, `['a','o']`, " ", ""},
	{"rules of both", "first match decides, so they are one value", "/spec/permissions/rules", `[]`, `[{'decision':'ask'}]`, `[{'decision':'deny'}]`, `[{'decision':'ask'}]`, " ", ""},
	{"servers", "met by name", tools + "/mcp_servers", `[{'name':'gh','url':'u'}]`, `[{'name':'gh','url':'v'}]`, `[{'name':'gh','url':'u','tools':{'deny':['x']}},{'name':'t'}]`, `[{'name':'gh','url':'v','tools':{'deny':['x']}},{'name':'t'}]`, "", ""},
	{"server added twice, differently", "half a server of each is nobody's wish", tools + "/mcp_servers", none, `[{'name':'gh','url':'u'}]`, `[{'name':'gh','url':'v'}]`, `[{'name':'gh','url':'u'}]`, "/name:gh", ""},
	{"server added twice, the same", "one server", tools + "/mcp_servers", none, `[{'name':'gh','url':'u'}]`, `[{'name':'gh','url':'u'},{'name':'t'}]`, `[{'name':'gh','url':'u'},{'name':'t'}]`, "", ""},
	{"permissions removed, other changed", "in a contract a removal is a decision", "/spec/permissions", `{'shell':'ask','edit':'ask'}`, none, `{'shell':'deny','edit':'ask'}`, none, " ", ""},
	{"extends of both", "order decides, so it is one value", "/extends", `[{'name':'a'}]`, `[{'name':'a'},{'name':'o'}]`, `[{'name':'t'},{'name':'a'}]`, `[{'name':'a'},{'name':'o'}]`, " ", ""},
	{"kinds of value", "an object and a list do not merge", "/metadata/annotations", `{'a':'1'}`, `{'a':'2'}`, `['x']`, `{'a':'2'}`, " ", ""},
}

// placed builds a document with one value at one place.
func placed(t *testing.T, place, text string) map[string]any {
	t.Helper()
	ops := []Operation{{Op: OpAdd, Path: place, HasValue: true}}
	if text == none {
		ops = append(ops, Operation{Op: OpRemove, Path: place}) // the place's parent stays
	} else {
		ops[0].Value = value(t, strings.ReplaceAll(text, "'", `"`))
	}
	got, err := Patch(map[string]any{}, ops)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func TestMerge(t *testing.T) {
	for _, tt := range append(entryCases, otherCases...) {
		t.Run(tt.name, func(t *testing.T) {
			base, ours, theirs := placed(t, tt.place, tt.base), placed(t, tt.place, tt.ours), placed(t, tt.place, tt.theirs)
			m := Merge(base, ours, theirs, MergeOptions{})
			p, _ := canonical.ParsePointer(tt.place)
			got, ok := canonical.Get(m.Value, p)
			want, wanted := canonical.Get(placed(t, tt.place, tt.want), p)
			if diff := cmp.Diff(want, got); diff != "" || ok != wanted {
				t.Errorf("%s (-want +got)\n%s", tt.why, diff)
			}
			var conflicts, rules []string
			for _, c := range m.Conflicts {
				conflicts = append(conflicts, c.Pointer)
				if c.Reason == "" {
					t.Error("a conflict without a reason")
				}
			}
			for _, w := range m.Warnings {
				rules = append(rules, w.Rule)
			}
			var asked []string
			if tt.conflicts != "" {
				asked = []string{tt.place + strings.TrimSpace(tt.conflicts)}
			}
			if diff := cmp.Diff(asked, conflicts); diff != "" {
				t.Errorf("%s: conflicts (-want +got)\n%s", tt.why, diff)
			}
			if diff := cmp.Diff(strings.Fields(tt.rules), rules, cmp.Transformer("nil", func(s []string) string { return strings.Join(s, " ") })); diff != "" {
				t.Errorf("warnings (-want +got)\n%s", diff)
			}
			favoured := Merge(base, ours, theirs, MergeOptions{Favour: Theirs})
			if len(favoured.Conflicts) != len(m.Conflicts) {
				t.Error("a favoured side changes what is in conflict")
			}
		})
	}
}

func TestMergeConflictValues(t *testing.T) {
	base := inState(t, `"facts":[{"id":"a","text":"A"},{"id":"b","text":"B"}]`)
	ours := inState(t, `"facts":[{"id":"a","text":"O"}]`)
	theirs := inState(t, `"facts":[{"id":"a","text":"T"},{"id":"b","text":"B2"}]`)
	want := []Conflict{
		{"/state/facts/id:a/text", "A", "O", "T", "both sides changed it, differently"},
		{"/state/facts/id:b", value(t, `{"id":"b","text":"B"}`), nil, value(t, `{"id":"b","text":"B2"}`), "ours removed it, theirs changed it"},
	}
	m := Merge(base, ours, theirs, MergeOptions{})
	if diff := cmp.Diff(want, m.Conflicts); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if diff := cmp.Diff(ours, m.Value); diff != "" {
		t.Errorf("ours is favoured (-want +got)\n%s", diff)
	}
	if diff := cmp.Diff(theirs, Merge(base, ours, theirs, MergeOptions{Favour: Theirs}).Value); diff != "" {
		t.Errorf("theirs is favoured (-want +got)\n%s", diff)
	}
}

func TestMergeSummary(t *testing.T) {
	const early, late = "2026-01-01T10:00:00+02:00", "2026-01-01T09:00:00Z"
	stamped := func(text, at string) map[string]any {
		return inState(t, `"summary":"`+text+`","updated_at":"`+at+`"`)
	}
	tests := []struct {
		name, why    string
		ours, theirs map[string]any
		o            MergeOptions
		want, lost   string
	}{
		{"ours ended later", "by instant, not by text", stamped("o", "x"), stamped("t", "x"), MergeOptions{OursEnded: late, TheirsEnded: early}, "o", "t"},
		{"theirs ended later", "by instant", stamped("o", "x"), stamped("t", "x"), MergeOptions{OursEnded: early, TheirsEnded: late}, "t", "o"},
		{"one end unknown", "theirs arrives later", stamped("o", "x"), stamped("t", "x"), MergeOptions{OursEnded: late}, "t", "o"},
		{"both written, ours later", "two branches: when the state was written", stamped("o", late), stamped("t", early), MergeOptions{}, "o", "t"},
		{"theirs not yet written", "a delta on an old base has base's stamp", stamped("o", late), stamped("t", "2026-01-01T00:00:00Z"), MergeOptions{}, "t", "o"},
		{"same words", "nothing is lost", stamped("n", late), stamped("n", early), MergeOptions{}, "n", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m := Merge(stamped("b", "2026-01-01T00:00:00Z"), tt.ours, tt.theirs, tt.o)
			got := m.Value["state"].(map[string]any)["summary"]
			if got != tt.want || m.SummaryLost != tt.lost {
				t.Errorf("got %v, lost %q; want %s, %q (%s)", got, m.SummaryLost, tt.want, tt.lost, tt.why)
			}
		})
	}
}

func TestMergeEvicted(t *testing.T) {
	const used = `{"id":"a","text":"A","learned_at":"2026-01-01T00:00:00Z","last_used_at":"2026-03-01T00:00:00Z"}`
	version := func(updated, facts string) map[string]any {
		return doc(t, `{"metadata":{"updated_at":"`+updated+`"},"spec":{"lifecycle":{"retention":{"max_facts":2}}},"state":{"facts":[`+facts+`]}}`)
	}
	const a, b, c = `{"id":"a","text":"A","learned_at":"2026-01-01T00:00:00Z"}`, `{"id":"b","text":"B","learned_at":"2026-01-02T00:00:00Z"}`, `{"id":"c","text":"C","learned_at":"2026-02-01T00:00:00Z"}`
	base := version("2026-01-02T00:00:00Z", a+","+b)
	never := func(string) bool { return false }
	tests := []struct {
		name, why    string
		ours, theirs map[string]any
		o            MergeOptions
		want         []string
		conflicts    int
	}{
		{"evicted, other used it", "it comes back", version("2026-02-01T00:00:00Z", b+","+c), version("2026-03-01T00:00:00Z", used+","+b), MergeOptions{}, []string{"a", "b", "c"}, 0},
		{"the other way", "it comes back", version("2026-03-01T00:00:00Z", used+","+b), version("2026-02-01T00:00:00Z", b+","+c), MergeOptions{}, []string{"a", "b", "c"}, 0},
		{"told that a session did it", "a use does not bring it back", version("2026-02-01T00:00:00Z", b+","+c), version("2026-03-01T00:00:00Z", used+","+b), MergeOptions{OursEvicted: never}, []string{"b", "c"}, 0},
		{"told that retention did it", "whatever the policy says", version("2026-02-01T00:00:00Z", b), version("2026-03-01T00:00:00Z", used+","+b), MergeOptions{OursEvicted: func(p string) bool { return p == "/state/facts/id:a" }}, []string{"a", "b"}, 0},
		{"not over the cap", "then it was a session", version("2026-02-01T00:00:00Z", b), version("2026-03-01T00:00:00Z", strings.Replace(a, `"A"`, `"X"`, 1)+","+b), MergeOptions{}, []string{"b"}, 1},
		{"not the one that retention takes", "then it was a session", version("2026-02-01T00:00:00Z", a+","+c), version("2026-03-01T00:00:00Z", a+","+strings.Replace(b, `"B"`, `"X"`, 1)), MergeOptions{}, []string{"a", "c"}, 1},
		{"not written since", "a delta on its base has not been through retention", version("2026-01-02T00:00:00Z", b+","+c), version("2026-03-01T00:00:00Z", used+","+b), MergeOptions{}, []string{"b", "c"}, 0},
		{"evicted on both", "gone", version("2026-02-01T00:00:00Z", b+","+c), version("2026-02-01T00:00:00Z", b+","+c), MergeOptions{}, []string{"b", "c"}, 0},
		{"evicted, other left it", "gone", version("2026-02-01T00:00:00Z", b+","+c), version("2026-01-03T00:00:00Z", a+","+b), MergeOptions{}, []string{"b", "c"}, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m := Merge(base, tt.ours, tt.theirs, tt.o)
			var ids []string
			for _, v := range entriesOf(m.Value, "facts") {
				ids = append(ids, v.(map[string]any)["id"].(string))
			}
			if diff := cmp.Diff(tt.want, ids); diff != "" || len(m.Conflicts) != tt.conflicts {
				t.Errorf("%s: %v (-want +got)\n%s", tt.why, m.Conflicts, diff)
			}
		})
	}
}

func TestMergeWidening(t *testing.T) {
	base := doc(t, `{"metadata":{"revision":7},"spec":{"tools":{"policy":"allowlist","deny":["shell"]}}}`)
	ours := doc(t, `{"metadata":{"revision":8},"spec":{"tools":{"policy":"denylist","deny":["shell"]}}}`)
	theirs := doc(t, `{"metadata":{"revision":8},"spec":{"tools":{"policy":"allowlist"}}}`)
	o := MergeOptions{Widening: func(merged, _, _ map[string]any) []string {
		tools := merged["spec"].(map[string]any)["tools"].(map[string]any)
		if tools["policy"] == "denylist" && tools["deny"] == nil {
			return []string{"/spec/tools"}
		}
		return nil
	}}
	m := Merge(base, ours, theirs, o)
	if len(m.Conflicts) != 1 || m.Conflicts[0].Pointer != "/spec/tools" || !canonical.Equal(m.Value["spec"], ours["spec"]) {
		t.Errorf("together they grant the shell, which neither does: %+v", m)
	}
	if !m.BothMoved {
		t.Error("both sides have a new revision")
	}
	o.Favour = Theirs
	if m := Merge(base, ours, theirs, o); !canonical.Equal(m.Value["spec"], theirs["spec"]) {
		t.Error("theirs is favoured")
	}
	o.Widening = func(_, _, _ map[string]any) []string { t.Error("asked about a contract that one side has"); return nil }
	if m := Merge(base, ours, base, o); m.BothMoved || len(m.Conflicts) > 0 {
		t.Errorf("got %+v", m)
	}
}

func TestMergeLimits(t *testing.T) {
	tags := func(letters string) string { return `"` + strings.Join(strings.Split(letters, ""), `","`) + `"` }
	m := Merge(inState(t, `"facts":[{"id":"a","text":"A"}]`),
		inState(t, `"facts":[{"id":"a","text":"A","tags":[`+tags("abcdefghij")+`]}]`),
		inState(t, `"facts":[{"id":"a","text":"A","tags":[`+tags("klmnopqrst")+`]}]`), MergeOptions{})
	if diff := cmp.Diff([]string{"/state/facts/id:a/tags"}, places(m)); diff != "" {
		t.Errorf("twenty tags are more than the format takes (-want +got)\n%s", diff)
	}
	log := func(from int) string {
		var b strings.Builder
		for i := range 500 {
			b.WriteString(`,{"revision":` + string(rune('0'+from+i/500)) + `,"at":"` + strings.Repeat("x", i) + `"}`)
		}
		return `{"history":[` + b.String()[1:] + `]}`
	}
	m = Merge(map[string]any{}, doc(t, log(1)), doc(t, log(2)), MergeOptions{})
	if list := m.Value["history"].([]any); len(list) != 500 || list[0].(map[string]any)["revision"] != 2.0 {
		t.Errorf("a log holds 500 entries, the newest: %d", len(list))
	}
}

func TestMergeMet(t *testing.T) {
	m := Merge(inState(t, `"facts":[{"id":"a","text":"A"},{"id":"b","text":"B"}]`),
		inState(t, `"facts":[{"id":"a","text":"A","scope":"s"},{"id":"b","text":"B"},{"id":"n","text":"N"}]`),
		inState(t, `"facts":[{"id":"a","text":"A2"},{"id":"b","text":"B2"},{"id":"n","text":"N","tags":[]}]`), MergeOptions{})
	if diff := cmp.Diff([]string{"/state/facts/id:a", "/state/facts/id:n"}, m.Met); diff != "" {
		t.Errorf("entries that both sides touched (-want +got)\n%s", diff)
	}
}

// BenchmarkMerge: two sides that each add a fact to a state of some size.
func BenchmarkMerge(b *testing.B) {
	for _, n := range []int{10, 1000, 9000} {
		b.Run("facts="+strconv.Itoa(n), func(b *testing.B) {
			list := make([]any, n)
			for i := range list {
				list[i] = map[string]any{"id": "fact-" + strconv.Itoa(i), "text": "a sentence that a session learned", "confidence": 0.9}
			}
			side := func(id string) map[string]any {
				return map[string]any{"state": map[string]any{"facts": append(append([]any{}, list...), map[string]any{"id": id, "text": "new"})}}
			}
			base := map[string]any{"state": map[string]any{"facts": list}}
			ours, theirs := side("o"), side("t")
			b.ReportAllocs()
			for b.Loop() {
				if m := Merge(base, ours, theirs, MergeOptions{}); len(m.Conflicts) > 0 {
					b.Fatal(m.Conflicts)
				}
			}
		})
	}
}
