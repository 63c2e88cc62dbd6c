package layers

import (
	"fmt"
	"path"
	"slices"
	"strings"
)

// steps is the staircase: a package imports from lower steps only. Packages of one step do not know each
// other, unless they are of one family (repo and repo/apply). A name with "/*" stands for all below it.
var steps = [][]string{
	{"canonical"},
	{"schemas", "internal/textedit", "delta", "delta/*"},
	{"profile"},
	{"profile/*", "interop/*", "repo", "repo/*"},
	{"proposals", "proposals/*"},
	{"cmd/oap"},
}

// leaves are small packages beside the staircase, each with those that may import it. They import nothing
// of the module but canonical. Tests import any of them.
var leaves = map[string][]string{
	"internal/secrets":  {"schemas", "profile", "profile/*", "interop/*", "repo/*", "proposals", "proposals/*", "cmd/oap"},
	"internal/term":     {"schemas", "profile", "profile/*", "interop/*", "repo", "repo/*", "proposals", "proposals/*", "cmd/oap"},
	"internal/gitindex": {"repo", "repo/*"},
	"internal/layers":   nil,
}

// forTests are imported by tests alone and import what they like.
var forTests = []string{"internal/oaptest", "internal/bench", "internal/conformance", "internal/conformance/*"}

// pure packages compute from what they are given. They reach no program and no network, not even through others.
var pure = []string{
	"canonical", "schemas", "delta", "delta/*", "internal/textedit", "profile", "profile/*", "interop/*",
	"internal/secrets", "internal/term", "internal/gitindex",
}

// unreachable is what pure packages do not reach.
var unreachable = []string{"os/exec", "net", "net/http"}

// outside says who may do what reaches out of the process; the packages for tests and tests may, too.
var outside = []struct {
	what    string
	allowed []string
	imports []string
	calls   []string // package path and name
}{
	{
		what: "runs programs", allowed: []string{"repo", "repo/*", "cmd/oap"},
		imports: []string{"os/exec"}, calls: []string{"os.StartProcess", "syscall.Exec", "syscall.ForkExec"},
	},
	{
		what: "writes files", allowed: []string{"repo", "repo/*", "cmd/oap"},
		calls: []string{
			"os.Chmod", "os.Chown", "os.Chtimes", "os.CopyFS", "os.Create", "os.CreateTemp", "os.Link", "os.Mkdir", "os.MkdirAll",
			"os.MkdirTemp", "os.OpenFile", "os.OpenRoot", "os.Remove", "os.RemoveAll", "os.Rename", "os.Symlink", "os.Truncate",
			"os.WriteFile", "io/ioutil.WriteFile",
		},
	},
	{
		what: "reads the clock", allowed: []string{"repo", "repo/*", "cmd/oap"},
		calls: []string{"time.After", "time.Now", "time.Since", "time.Sleep", "time.Until"},
	},
	{
		what: "reads the environment", allowed: []string{"repo", "repo/*", "cmd/oap"},
		calls: []string{"os.Environ", "os.ExpandEnv", "os.Getenv", "os.LookupEnv"},
	},
	{
		what: "draws random numbers", allowed: []string{"repo", "repo/*", "cmd/oap"},
		imports: []string{"crypto/rand", "math/rand", "math/rand/v2"},
	},
}

// onlyInTests are modules that no program of ours contains.
var onlyInTests = []string{"github.com/santhosh-tekuri/jsonschema", "github.com/google/go-cmp", "pgregory.net/rapid"}

// vague names say nothing of what is inside, and gather everything.
var vague = []string{"common", "helper", "helpers", "misc", "shared", "type", "types", "util", "utils"}

const maxLines = 450

// unit is a package of the module. Names of packages of the module are without the module's path.
type unit struct {
	name    string
	imports []string // of other files than tests, for all systems
	reached []string // what it imports, and what that imports, and so on
	calls   []string // functions of other packages named in other files than tests
	files   map[string]int
}

// faults checks one package.
func faults(u unit, ours func(string) bool) (found []string) {
	add := func(format string, args ...any) {
		found = append(found, u.name+" "+fmt.Sprintf(format, args...))
	}
	if _, ok := stepOf(u.name); !ok && !isLeaf(u.name) && !matches(forTests, u.name) {
		add("has no place on the staircase: give it one in internal/layers/rules_test.go")
	}
	if slices.Contains(vague, path.Base(u.name)) {
		add("has a name that says nothing: a package is named after what it holds")
	}
	for _, to := range u.imports {
		if ours(to) {
			if why := edgeFault(u.name, to); why != "" {
				add("imports %s: %s", to, why)
			}
		}
		for _, m := range onlyInTests {
			if to == m || strings.HasPrefix(to, m+"/") {
				add("imports %s: only tests may", to)
			}
		}
	}
	if matches(pure, u.name) {
		for _, to := range unreachable {
			if slices.Contains(u.reached, to) {
				add("reaches %s: it computes from what it is given and must not", to)
			}
		}
	}
	for _, o := range outside {
		if matches(o.allowed, u.name) || matches(forTests, u.name) {
			continue
		}
		for _, thing := range slices.Concat(only(u.imports, o.imports), only(u.calls, o.calls)) {
			add("uses %s: of all packages that are no test, one that %s is one of %s", thing, o.what, strings.Join(o.allowed, ", "))
		}
	}
	for file, lines := range u.files {
		if lines > maxLines {
			add("has %s with %d lines: no file is longer than %d", file, lines, maxLines)
		}
	}
	slices.Sort(found)
	return found
}

// edgeFault says why a package must not import another of the module; "" if it may.
func edgeFault(from, to string) string {
	if matches(forTests, from) {
		return ""
	}
	if matches(forTests, to) {
		return "only tests may"
	}
	if isLeaf(to) {
		if importers := leaves[to]; !matches(importers, from) {
			return fmt.Sprintf("only %s and tests may", strings.Join(importers, ", "))
		}
		return ""
	}
	if isLeaf(from) {
		if to == "canonical" {
			return ""
		}
		return "a leaf knows no package of the module but canonical"
	}
	low, okLow := stepOf(to)
	high, okHigh := stepOf(from)
	switch {
	case !okLow || !okHigh:
		return "one of them has no place on the staircase"
	case low < high || low == high && family(from) == family(to):
		return ""
	case low == high:
		return fmt.Sprintf("both stand on the step of %s, whose packages do not know each other", strings.Join(steps[low], ", "))
	}
	return fmt.Sprintf("imports point down, and the step of %s is above that of %s", strings.Join(steps[low], ", "), strings.Join(steps[high], ", "))
}

func stepOf(name string) (int, bool) {
	i := slices.IndexFunc(steps, func(step []string) bool { return matches(step, name) })
	return i, i >= 0
}

func isLeaf(name string) bool {
	_, ok := leaves[name]
	return ok
}

// family is the first element of a name; packages under internal have none of their own.
func family(name string) string {
	first, _, _ := strings.Cut(name, "/")
	if first == "internal" {
		return name
	}
	return first
}

func matches(patterns []string, name string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool {
		if dir, ok := strings.CutSuffix(p, "/*"); ok {
			return strings.HasPrefix(name, dir+"/")
		}
		return p == name
	})
}

func only(have, wanted []string) (both []string) {
	for _, w := range wanted {
		if slices.Contains(have, w) {
			both = append(both, w)
		}
	}
	return both
}
