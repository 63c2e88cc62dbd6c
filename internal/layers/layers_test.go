package layers

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestModuleKeepsItsLayers(t *testing.T) {
	all, err := units()
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	for _, u := range all {
		names[u.name] = true
	}
	if !names["canonical"] || !names["internal/layers"] {
		t.Fatalf("the go command lists %d packages, and not those that are there", len(all))
	}
	for _, u := range all {
		for _, f := range faults(u, func(name string) bool { return names[name] }) {
			t.Error(f)
		}
	}
}

func TestFaults(t *testing.T) {
	tests := []struct {
		name, why string
		unit      unit
		want      []string // beginnings of the sentences
	}{
		{name: "down", why: "what the staircase is for", unit: unit{name: "profile", imports: []string{"canonical", "delta", "internal/secrets", "fmt"}}},
		{name: "several steps down", why: "steps may be skipped", unit: unit{name: "cmd/oap", imports: []string{"canonical", "repo/apply"}}},
		{name: "up", why: "the lower one would know the higher", unit: unit{name: "delta", imports: []string{"profile"}},
			want: []string{"delta imports profile: imports point down"}},
		{name: "up to the commands", why: "the top", unit: unit{name: "proposals", imports: []string{"cmd/oap"}},
			want: []string{"proposals imports cmd/oap: imports point down"}},
		{name: "sideways", why: "two packages of a step", unit: unit{name: "schemas", imports: []string{"delta"}},
			want: []string{"schemas imports delta: both stand on the step"}},
		{name: "sideways between families", why: "formats know no git", unit: unit{name: "interop/agentcard", imports: []string{"repo"}},
			want: []string{"interop/agentcard imports repo: both stand on the step"}},
		{name: "internal is no family", why: "the folder groups what has nothing in common", unit: unit{name: "internal/textedit", imports: []string{"internal/term"}},
			want: []string{"internal/textedit imports internal/term: only schemas"}},
		{name: "within a family", why: "repo/apply is a part of repo", unit: unit{name: "repo/apply", imports: []string{"repo"}}},
		{name: "leaf", why: "the table lists its importers", unit: unit{name: "profile", imports: []string{"internal/gitindex"}},
			want: []string{"profile imports internal/gitindex: only repo, repo/* and tests may"}},
		{name: "from a leaf", why: "leaves know nothing", unit: unit{name: "internal/term", imports: []string{"canonical", "profile"}},
			want: []string{"internal/term imports profile: a leaf knows"}},
		{name: "package for tests", why: "its code does not belong in the program", unit: unit{name: "repo", imports: []string{"internal/oaptest"}},
			want: []string{"repo imports internal/oaptest: only tests may"}},
		{name: "from a package for tests", why: "it prepares anything", unit: unit{name: "internal/bench", imports: []string{"profile", "internal/oaptest", "math/rand"}}},
		{name: "library for tests", why: "at any version", unit: unit{name: "schemas", imports: []string{"github.com/santhosh-tekuri/jsonschema/v6"}},
			want: []string{"schemas imports github.com/santhosh-tekuri/jsonschema/v6: only tests may"}},
		{name: "unknown package", why: "each new one is decided", unit: unit{name: "extra"},
			want: []string{"extra has no place"}},
		{name: "import of an unknown package", why: "likewise", unit: unit{name: "profile", imports: []string{"internal/extra"}},
			want: []string{"profile imports internal/extra: one of them has no place"}},
		{name: "vague name", why: "everything ends up there", unit: unit{name: "repo/util"},
			want: []string{"repo/util has a name that says nothing"}},
		{name: "network through another", why: "pure is transitive", unit: unit{name: "interop/agentcard", reached: []string{"net", "net/http"}},
			want: []string{"interop/agentcard reaches net/http", "interop/agentcard reaches net:"}},
		{name: "network in a command", why: "serving is there", unit: unit{name: "cmd/oap", imports: []string{"net/http"}, reached: []string{"net", "net/http"}}},
		{name: "program", why: "only git's", unit: unit{name: "proposals", imports: []string{"os/exec"}},
			want: []string{"proposals uses os/exec: of all packages that are no test, one that runs programs"}},
		{name: "program in repo", why: "its task", unit: unit{name: "repo", imports: []string{"os/exec"}, calls: []string{"os.Rename", "time.Now", "os.Environ"}}},
		{name: "writing", why: "only repo writes", unit: unit{name: "profile", calls: []string{"os.ReadFile", "os.WriteFile"}},
			want: []string{"profile uses os.WriteFile: of all packages that are no test, one that writes files"}},
		{name: "clock", why: "the time is given", unit: unit{name: "delta", calls: []string{"time.Now", "time.Parse"}},
			want: []string{"delta uses time.Now: of all packages that are no test, one that reads the clock"}},
		{name: "environment", why: "settings are given", unit: unit{name: "proposals", calls: []string{"os.Getenv"}},
			want: []string{"proposals uses os.Getenv: of all packages that are no test, one that reads the environment"}},
		{name: "random", why: "results repeat", unit: unit{name: "canonical", imports: []string{"math/rand/v2"}},
			want: []string{"canonical uses math/rand/v2: of all packages that are no test, one that draws random"}},
		{name: "long file", why: "one file, one idea", unit: unit{name: "repo", files: map[string]int{"a.go": 450, "b.go": 451}},
			want: []string{"repo has b.go with 451 lines"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := faults(tt.unit, func(name string) bool { return !strings.Contains(name, ".") && !slices.Contains(standard, name) })
			if len(got) != len(tt.want) {
				t.Fatalf("got %q, want %q", got, tt.want)
			}
			for i, want := range tt.want {
				if !strings.HasPrefix(got[i], want) {
					t.Errorf("got %q, want %q", got[i], want)
				}
			}
		})
	}
}

// standard lists the packages of the standard library that the table imports.
var standard = []string{"fmt", "net/http", "os/exec", "math/rand", "math/rand/v2"}

func TestReadFile(t *testing.T) {
	const src = `package p

import (
	"fmt"
	clock "time"
	"os"
	"github.com/open-agent-profile/oap/delta"
)

var now = clock.Now

func f(os struct{ Getenv int }) int {
	fmt.Println(delta.Apply)
	return os.Getenv
}

func g() { time := 1; _ = time; os.Exit(1) }
`
	imports, calls, err := readFile("p.go", []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"fmt", "time", "os", "delta"}, imports); diff != "" {
		t.Errorf("imports (-want +got):\n%s", diff)
	}
	want := []string{"time.Now", "fmt.Println", module + "/delta.Apply", "os.Exit"}
	if diff := cmp.Diff(want, calls); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
	if _, _, err := readFile("p.go", []byte("package p\nimport . \"os\"\n")); err == nil {
		t.Error("an import without a name is accepted")
	}
}
