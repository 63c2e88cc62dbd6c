package textedit

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/open-agent-profile/oap/canonical"
)

const bodyPointer = "/spec/role/instructions"

var testOptions = Options{Body: bodyPointer}

func formatOf(name string) Format {
	switch filepath.Ext(name) {
	case ".json":
		return JSON
	case ".md":
		return Markdown
	}
	return YAML
}

func mustParse(t testing.TB, text string, f Format) *Document {
	t.Helper()
	d, err := Parse([]byte(text), f, testOptions)
	if err != nil {
		t.Fatalf("parse: %v\n%s", err, text)
	}
	return d
}

type object = map[string]any

var readable = []struct {
	name, why string
	format    Format
	text      string
	want      any
}{
	{"core words", "1.2 core schema, not 1.1", YAML, "a: yes\nb: True\nc: NULL\nd: ~\ne:\nf: off\ng: y\n",
		object{"a": "yes", "b": true, "c": nil, "d": nil, "e": nil, "f": "off", "g": "y"}},
	{"core numbers", "017 is seventeen, separators make text", YAML,
		"a: 017\nb: 0o17\nc: 0x1F\nd: 1_000\ne: 0b1\nf: 1e3\ng: .5\nh: 1.\ni: +1\nj: -0\nk: 10:30\nl: -0x1F\nm: 089\n",
		object{"a": 17.0, "b": 15.0, "c": 31.0, "d": "1_000", "e": "0b1", "f": 1000.0, "g": .5, "h": 1.0, "i": 1.0, "j": 0.0,
			"k": "10:30", "l": "-0x1F", "m": 89.0}},
	{"timestamps", "text, quoted or not", YAML, "a: 2024-01-01\nb: 2024-01-01T00:00:00Z\n",
		object{"a": "2024-01-01", "b": "2024-01-01T00:00:00Z"}},
	{"core tags", "a tag may say what is so anyway, or make text", YAML, "a: !!str 5\nb: !!int 5\nc: !!map {}\nd: !!seq\n  - x\n",
		object{"a": "5", "b": 5.0, "c": object{}, "d": []any{"x"}}},
	{"block texts", "every indicator", YAML, "a: |\n  x\nb: |-\n  x\nc: |+\n  x\n\nd: >\n  x\n  y\ne: |1-\n   x\n",
		object{"a": "x\n", "b": "x", "c": "x\n\n", "d": "x y\n", "e": "  x"}},
	{"aliases", "an alias is a copy", YAML, "a: &x [1]\nb: *x\n", object{"a": []any{1.0}, "b": []any{1.0}}},
	{"yaml 1.2 directive", "the library knows 1.1 only", YAML, "# c\n%YAML 1.2\n---\na: 1\n", object{"a": 1.0}},
	{"odd keys", "quoted, explicit, aliased, merge in quotes", YAML, "\"a b\": 1\n? c\n: 2\n'<<': 3\nd: &k e\n*k : 4\n",
		object{"a b": 1.0, "c": 2.0, "<<": 3.0, "d": "e", "e": 4.0}},
	{"exact large float", "its digits are exactly that value", YAML, "a: 1e21\nb: 1152921504606846976.0\n", object{"a": 1e21, "b": 1152921504606846976.0}},
	{"json", "every kind", JSON, `{"a":[1,-2.5e1,true,false,null],"b":{"c\/\n":"\ud83d\ude00"}}`,
		object{"a": []any{1.0, -25.0, true, false, nil}, "b": object{"c/\n": "😀"}}},
	{"json raw separator", "U+2028 is legal in JSON", JSON, "{\"a\":\"x \u2028 y\"}", object{"a": "x \u2028 y"}},
	{"markdown", "the body is a member", Markdown, "---\nspec:\n  role:\n    x: 1\n---\n\n\nHi.\n\nYou.  \n\n",
		object{"spec": object{"role": object{"x": 1.0, "instructions": "Hi.\n\nYou.\n"}}}},
	{"markdown without spec", "the way to the member is made", Markdown, "---\na: 1\n---\nHi", object{"a": 1.0, "spec": object{"role": object{"instructions": "Hi\n"}}}},
	{"markdown empty body", "the member is absent", Markdown, "---\na: 1\n---\n \n", object{"a": 1.0}},
	{"markdown crlf and bom", "as an editor on Windows saves it", Markdown, "\ufeff---\r\na: |\r\n  x\r\n---\r\n\r\nHi\r\nyou\r\n",
		object{"a": "x\n", "spec": object{"role": object{"instructions": "Hi\nyou\n"}}}},
	{"markdown fence at the end", "no line end behind the closing fence", Markdown, "---\na: 1\n---", object{"a": 1.0}},
	{"markdown rule in body", "only the first closing fence counts", Markdown, "---\na: 1\n---\nx\n---\ny\n", object{"a": 1.0, "spec": object{"role": object{"instructions": "x\n---\ny\n"}}}},
}

func TestParse(t *testing.T) {
	for _, tt := range readable {
		t.Run(tt.name, func(t *testing.T) {
			d := mustParse(t, tt.text, tt.format)
			if diff := cmp.Diff(tt.want, d.Value()); diff != "" {
				t.Errorf("%s: value (-want +got):\n%s", tt.why, diff)
			}
			if string(d.Bytes()) != tt.text {
				t.Error("Bytes is not the source")
			}
		})
	}
}

var unreadable = []struct {
	name      string
	format    Format
	text      string
	line, col int
	say       string
}{
	{"duplicate key", YAML, "a: 1\nb:\n  c: 1\n  c: 2\n", 4, 3, `"c"`},
	{"duplicate key by escape", YAML, "a: 1\n\"\\x61\": 2\n", 2, 1, `"a"`},
	{"number as key", YAML, "a: 1\n5: 2\n", 2, 1, "key"},
	{"null as key", YAML, "a: 1\n: 2\n", 2, 1, "key"},
	{"mapping as key", YAML, "? {a: 1}\n: 2\n", 1, 3, "key"},
	{"merge key", YAML, "a: &x {b: 1}\nc:\n  <<: *x\n", 3, 3, "merge"},
	{"foreign tag", YAML, "a: 1\nb: !foo 2\n", 2, 4, "tag"},
	{"binary tag", YAML, "b: !!binary aGk=\n", 1, 4, "tag"},
	{"non-specific tag", YAML, "a: ! 12\n", 1, 4, "tag"},
	{"tag that does not fit", YAML, "a: !!int x\n", 1, 4, "tag"},
	{"alias cycle", YAML, "a: &x\n  - *x\n", 2, 5, "itself"},
	{"unknown alias", YAML, "a: 1\nb: *x\n", 2, 4, "*x"},
	{"big integer", YAML, "a: 9007199254740993\n", 1, 4, "9007199254740991"},
	{"big negative integer", YAML, "a: -9007199254740992\n", 1, 4, "9007199254740991"},
	{"lossy float", YAML, "a: 9007199254740993.0\n", 1, 4, "digits"},
	{"float overflow", YAML, "a: 1e400\n", 1, 4, "large"},
	{"infinity", YAML, "a: -.inf\n", 1, 4, "infinity"},
	{"not a number", YAML, "a: [.nan]\n", 1, 5, "not-a-number"},
	{"invalid UTF-8", YAML, "é: \xff\n", 1, 4, "UTF-8"},
	{"UTF-16", YAML, "\xff\xfea\x00:\x00", 1, 1, "UTF-16"},
	{"control character", YAML, "a: 1\nb: \x01\n", 2, 4, "U+0001"},
	{"surrogate escape", YAML, "a: 1\nb: \"\\u00e9\\ud800\"\n", 2, 11, "surrogate"},
	{"second document", YAML, "a: 1\n---\nb: 2\n", 2, 1, "second"},
	{"second document, empty", YAML, "---\na: 1\n---\n", 3, 1, "second"},
	{"empty", YAML, "", 1, 1, "empty"},
	{"only a comment", YAML, "# hi\n", 1, 1, "empty"},
	{"root list", YAML, "- a\n", 1, 1, "mapping"},
	{"root null", YAML, "---\n", 1, 4, "mapping"},
	{"tab indentation", YAML, "a:\n\tb: 1\n", 2, 2, "tab"},
	{"unclosed list", YAML, "a: 1\nb: [1\nc: 2", 2, 4, `"]"`},
	{"unclosed list in a list", YAML, "a: 1\nb: [1, ['x]', \"[\", 2}\n", 2, 8, `"]"`},
	{"unclosed mapping", YAML, "a: 1\nb:\n  - {x: [1], y: 2 # {\nc: 2", 3, 5, `"}"`},
	{"list that another line opens", YAML, "a: [1,\n  [2] }\n", 2, 3, `"]"`},
	{"unclosed quote", YAML, "a: 1\n'it''s': [\"]\", \"x]\n", 2, 16, "closed"},
	{"unclosed single quote", YAML, "a: 1\nb: 'it''s\n", 2, 4, "closed"},
	{"unknown escape", YAML, "a: 1\nb: \"\\\\ \\q\"\n", 2, 8, "escape"},
	{"second colon", YAML, "a: 1\nü: 'x: y': z\n", 2, 10, `":"`},
	{"colon of a line indented wrongly", YAML, "a: 1\n  b: 2\n", 2, 3, `":"`},
	{"directive alone", YAML, "%YAML 1.2\na: 1\n", 1, 1, "---"},
	{"json duplicate key", JSON, "{\"a\":1,\n \"a\":2}", 2, 2, `"a"`},
	{"json lone surrogate", JSON, `{"a":"\ud83d"}`, 1, 7, "surrogate"},
	{"json reversed surrogates", JSON, `{"a":"\ude00\ud83d"}`, 1, 7, "surrogate"},
	{"json trailing comma", JSON, `{"a":1,}`, 1, 8, "key"},
	{"json trailing text", JSON, `{"a":1} x`, 1, 9, "end"},
	{"json comment", JSON, "{\"a\":1 // x\n}", 1, 8, `","`},
	{"json NaN", JSON, `{"a":NaN}`, 1, 6, "not-a-number"},
	{"json big integer", JSON, `{"a":9007199254740992}`, 1, 6, "9007199254740991"},
	{"json leading zero", JSON, `{"a":01}`, 1, 6, "number"},
	{"json raw control", JSON, "{\"a\":\"x\ny\"}", 1, 8, "U+000A"},
	{"json raw 0xFF", JSON, "{\"a\":\"\xff\"}", 1, 7, "UTF-8"},
	{"json root list", JSON, "[1]", 1, 1, "object"},
	{"json empty", JSON, " \n", 1, 1, "empty"},
	{"json unclosed", JSON, `{"a":"x`, 1, 6, "closed"},
	{"markdown without fence", Markdown, "a: 1\n", 1, 1, "---"},
	{"markdown without closing fence", Markdown, "---\na: 1\n", 1, 1, "closing"},
	{"markdown doubled instructions", Markdown, "---\nspec:\n  role:\n    instructions: x\n---\ny\n", 4, 5, "both places"},
	{"markdown instructions, no body", Markdown, "---\nspec: {role: {instructions: x}}\n---\n", 2, 15, "frontmatter"},
	{"markdown body in the way", Markdown, "---\nspec: 5\n---\nx\n", 2, 7, "not a mapping"},
	{"markdown error in frontmatter", Markdown, "---\na: 1\na: 2\n---\n", 3, 1, `"a"`},
}

func TestParseRefuses(t *testing.T) {
	for _, tt := range unreadable {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Parse([]byte(tt.text), tt.format, testOptions)
			var syntax *SyntaxError
			if !errors.As(err, &syntax) {
				t.Fatalf("error is %v, want a SyntaxError", err)
			}
			if syntax.Line != tt.line || syntax.Column != tt.col || !strings.Contains(syntax.Msg, tt.say) {
				t.Errorf("got %v, want %d:%d: …%s…", syntax, tt.line, tt.col, tt.say)
			}
			if strings.Contains(syntax.Msg, "yaml:") {
				t.Errorf("message %q shows the library", syntax.Msg)
			}
		})
	}
}

func TestLimits(t *testing.T) {
	deep := strings.Repeat("{a: ", 101) + "1" + strings.Repeat("}", 101)
	bomb := "a: &a [x,x,x,x,x,x,x,x]\n"
	for c := 'b'; c < 'j'; c++ {
		bomb += string(c) + ": &" + string(c) + " [" + strings.Repeat("*"+string(c-1)+",", 8) + "]\n"
	}
	for _, tt := range []struct {
		name, text string
		format     Format
		o          Options
	}{
		{"depth in YAML", deep, YAML, Options{}},
		{"depth in JSON", strings.Repeat(`{"a":`, 101) + "1" + strings.Repeat("}", 101), JSON, Options{}},
		{"depth through aliases", "a: &x {b: {c: 1}}\nd: {e: *x}\n", YAML, Options{MaxDepth: 4}},
		{"bytes", "a: 1\n", YAML, Options{MaxBytes: 4}},
		{"nodes", "a: [1,2,3]\n", YAML, Options{MaxNodes: 4}},
		{"nodes in JSON", `{"a":[1,2,3]}`, JSON, Options{MaxNodes: 4}},
		{"alias expansion", bomb, YAML, Options{}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Parse([]byte(tt.text), tt.format, tt.o)
			var syntax *SyntaxError
			if !errors.As(err, &syntax) {
				t.Fatalf("error is %v, want a SyntaxError", err)
			}
		})
	}
}

func TestPosition(t *testing.T) {
	const yamlText = "\ufeff# c\na: 1\nstate:\n  facts:\n    - id: é\n      t: x\n  # 🎉\n  k: [1, {z: 2}]\n"
	const md = "---\r\na: 1\r\n---\r\n\r\nHi\r\n"
	for _, tt := range []struct {
		text, pointer string
		f             Format
		line, col     int
	}{
		{yamlText, "", YAML, 2, 1},
		{yamlText, "/a", YAML, 2, 1},
		{yamlText, "/state/facts", YAML, 4, 3},
		{yamlText, "/state/facts/0", YAML, 5, 7},
		{yamlText, "/state/facts/0/t", YAML, 6, 7},
		{yamlText, "/state/facts/7/t", YAML, 4, 3},
		{yamlText, "/state/k/1/z", YAML, 8, 11},
		{yamlText, "/nothing/here", YAML, 2, 1},
		{"{\n  \"a\": {\"b\": [1, 2]}\n}", "/a/b/1", JSON, 2, 18},
		{md, "/a", Markdown, 2, 1},
		{md, bodyPointer, Markdown, 5, 1},
	} {
		p, err := canonical.ParsePointer(tt.pointer)
		if err != nil {
			t.Fatal(err)
		}
		line, col := mustParse(t, tt.text, tt.f).Position(p)
		if line != tt.line || col != tt.col {
			t.Errorf("%q: %d:%d, want %d:%d", tt.pointer, line, col, tt.line, tt.col)
		}
	}
}

// corpus gives the published example profiles, by file name.
func corpus(t testing.TB) map[string]string {
	t.Helper()
	root := os.Getenv("OAP_CORPUS")
	if root == "" {
		t.Skip("OAP_CORPUS is not set")
	}
	out := map[string]string{}
	for _, pattern := range []string{"oap/examples/*.agent.*", "oap/examples/json/*.json"} {
		files, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil || len(files) == 0 {
			t.Fatalf("no examples below %s: %v", root, err)
		}
		for _, f := range files {
			text, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			out[filepath.Base(f)] = string(text)
		}
	}
	return out
}

func TestCorpusInAllFormats(t *testing.T) {
	for name, text := range corpus(t) {
		t.Run(name, func(t *testing.T) {
			d := mustParse(t, text, formatOf(name))
			for _, f := range []Format{YAML, JSON, Markdown} {
				out, err := Encode(d.Value(), f, nil, testOptions)
				if err != nil {
					t.Errorf("%v: %v", f, err)
				} else if !canonical.Equal(mustParse(t, string(out), f).Value(), d.Value()) {
					t.Errorf("%v holds another value", f)
				}
			}
		})
	}
}
