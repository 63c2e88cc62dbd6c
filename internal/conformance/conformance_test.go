package conformance

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

const top = "../.."

// TestResultIsThatOfTheTests holds the committed result against the tests that are there: every requirement is named
// by one, and nothing else is claimed.
func TestResultIsThatOfTheTests(t *testing.T) {
	found, err := Scan(top)
	if err != nil {
		t.Fatal(err)
	}
	if missing := Missing(found); missing != nil {
		t.Errorf("no test names %q", missing)
	}
	var want []string
	for _, id := range append(Required(), Optional()...) {
		if len(found[id]) > 0 {
			want = append(want, id)
		}
	}
	text, err := os.ReadFile(filepath.Join(top, "cmd/oap/conformance.json"))
	if err != nil {
		t.Fatal(err)
	}
	var r Result
	if err := json.Unmarshal(text, &r); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, r.Passed); diff != "" || len(r.Failed) > 0 {
		t.Errorf("the result is of other tests; run go generate ./cmd/oap (-want +got):\n%s\nfailed %q", diff, r.Failed)
	}
	if r.Level != 3 || r.Fixtures != Fixtures {
		t.Errorf("level %d, fixtures %s", r.Level, r.Fixtures)
	}
}

// TestResultSchema validates the committed result against the published schema.
func TestResultSchema(t *testing.T) {
	corpus := os.Getenv("OAP_CORPUS")
	if corpus == "" {
		t.Skip("OAP_CORPUS is not set")
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	s, err := c.Compile(filepath.Join(corpus, "oap/conformance/result.schema.json"))
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(top, "cmd/oap/conformance.json"))
	if err != nil {
		t.Fatal(err)
	}
	v, err := jsonschema.UnmarshalJSON(strings.NewReader(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Validate(v); err != nil {
		t.Error(err)
	}
}

// TestEveryIDNeedsATest: without the tests of any one requirement there is no result.
func TestEveryIDNeedsATest(t *testing.T) {
	found, err := Scan(top)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(Required()); n != 56 {
		t.Errorf("%d requirements, and the levels have 24 + 22 + 10", n)
	}
	for _, id := range Required() {
		tests := found[id]
		delete(found, id)
		if got := Missing(found); !slices.Equal(got, []string{id}) {
			t.Errorf("without %s: %q", id, got)
		}
		found[id] = tests
	}
}

// TestScan reads both kinds of tests, and refuses a name that is no requirement.
func TestScan(t *testing.T) {
	write := func(dir, name, text string) {
		t.Helper()
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	const mark = "conformance: "
	dir := t.TempDir()
	write(dir, "a/a_test.go", "package a\n\n// TestA is one.\n//\n// "+mark+"L1-P1, L2-A3\nfunc TestA(t *testing.T) {\n\t// "+mark+"L1-P2\n}\n\nfunc TestB(t *testing.T) {}\n")
	write(dir, "cmd/x/testdata/script/one.txtar", "# "+mark+"L1-P1\nexec true\n-- f --\n# "+mark+"L1-P6\n")
	found, err := Scan(dir)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string][]Test{
		"L1-P1": {{"./a", "TestA"}, {"./cmd/x", "TestScripts/one"}}, "L2-A3": {{"./a", "TestA"}}, "L1-P2": {{"./a", "TestA"}},
	}
	if diff := cmp.Diff(want, found); diff != "" {
		t.Error(diff)
	}
	write(dir, "b/b_test.go", "package b\n\n// "+mark+"L1-P9\nfunc TestA(t *testing.T) {}\n")
	if _, err := Scan(dir); err == nil || !strings.Contains(err.Error(), `"L1-P9"`) {
		t.Errorf("error %v", err)
	}
}

// TestBehaviours finds a test under each of the thirteen numbers that every claimant has to show.
func TestBehaviours(t *testing.T) {
	number := regexp.MustCompile(`(?i)behaviour tests? (\d+)(?: and (\d+))?`)
	named := map[string]bool{}
	for _, pattern := range []string{"*/*_test.go", "*/*/*_test.go", "cmd/oap/testdata/script/*.txtar"} {
		files, err := filepath.Glob(filepath.Join(top, filepath.FromSlash(pattern)))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range number.FindAllStringSubmatch(string(text), -1) {
				named[m[1]], named[m[2]] = true, true
			}
		}
	}
	for _, n := range []string{"1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12", "13"} {
		if !named[n] {
			t.Errorf("there is no behaviour test %s", n)
		}
	}
}
