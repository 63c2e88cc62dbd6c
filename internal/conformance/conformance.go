// Package conformance knows which tests name which requirements of the Open Agent Profile format, and runs them. A
// test names requirements in a line "conformance: L1-P1, L2-A3" of the comment above it, and a script in any comment.
// Only tests use the package, and the command that writes the result (go generate ./cmd/oap).
package conformance

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// Test is one test function, or one script.
type Test struct {
	Package string // "./delta"
	Name    string // "TestApply", "TestScripts/apply_commit"
}

// Required lists the ids that a claim of level 3 needs, in the order of the specification (CONFORMANCE, levels).
func Required() (ids []string) {
	for _, group := range []struct {
		prefix string
		n      int
	}{{"L1-P", 6}, {"L1-D", 4}, {"L1-I", 12}, {"L1-R", 2}, {"L2-S", 5}, {"L2-G", 4}, {"L2-A", 13}, {"L3-E", 2}, {"L3-M", 1}, {"L3-K", 1}, {"L3-Y", 1}, {"L3-B", 2}, {"L3-G", 3}} {
		for i := range group.n {
			ids = append(ids, fmt.Sprintf("%s%d", group.prefix, i+1))
		}
	}
	return ids
}

// Optional lists the ids of what is advised.
func Optional() []string { return []string{"L2-G5", "L2-A14", "L3-M2"} }

var (
	line = regexp.MustCompile(`(?m)^\s*(?://|#)?\s*conformance: (.+)$`)
	id   = regexp.MustCompile(`^L[1-3]-[A-Z][0-9]+$`)
)

// Scan finds the tests below the top of the module that name requirements. A name that is no requirement is an error.
func Scan(top string) (map[string][]Test, error) {
	found := map[string][]Test{}
	add := func(text, pkg, name string) error {
		for _, m := range line.FindAllStringSubmatch(text, -1) {
			for word := range strings.SplitSeq(m[1], ",") {
				word = strings.TrimSpace(word)
				if !slices.Contains(Required(), word) && !slices.Contains(Optional(), word) {
					return fmt.Errorf("%s %s names %q, which is no requirement", pkg, name, word)
				}
				t := Test{pkg, name}
				if !slices.Contains(found[word], t) {
					found[word] = append(found[word], t)
				}
			}
		}
		return nil
	}
	err := filepath.WalkDir(top, func(file string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case e.IsDir() && file != top && (strings.HasPrefix(e.Name(), ".") || exists(filepath.Join(file, "go.mod"))):
			return fs.SkipDir
		case e.IsDir():
			return nil
		}
		rel, err := filepath.Rel(top, file)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		switch {
		case strings.HasSuffix(rel, "_test.go"):
			return functions(file, "./"+path.Dir(rel), add)
		case strings.HasSuffix(rel, ".txtar") && strings.Contains(rel, "/testdata/script/"):
			text, err := os.ReadFile(file)
			if err != nil {
				return err
			}
			head, _, _ := strings.Cut(string(text), "\n-- ") // what stands in a file is no comment
			return add(head, "./"+path.Dir(path.Dir(path.Dir(rel))), "TestScripts/"+strings.TrimSuffix(path.Base(rel), ".txtar"))
		}
		return nil
	})
	return found, err
}

func exists(file string) bool { _, err := os.Stat(file); return err == nil }

// functions reads the comments above, and in, the test functions of a file.
func functions(file, pkg string, add func(text, pkg, name string) error) error {
	set := token.NewFileSet()
	f, err := parser.ParseFile(set, file, nil, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	for _, d := range f.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok || fn.Recv != nil || !strings.HasPrefix(fn.Name.Name, "Test") {
			continue
		}
		from := fn.Pos()
		if fn.Doc != nil {
			from = fn.Doc.Pos()
		}
		for _, c := range f.Comments {
			if c.Pos() < from || c.End() > fn.End() {
				continue
			}
			if err := add(c.Text(), pkg, fn.Name.Name); err != nil {
				return err
			}
		}
	}
	return nil
}

// Missing lists the required ids that no test names.
func Missing(found map[string][]Test) (ids []string) {
	for _, r := range Required() {
		if len(found[r]) == 0 {
			ids = append(ids, r)
		}
	}
	return ids
}

// Result is the machine-readable result (OAP, conformance/result.schema.json).
type Result struct {
	Schema    string   `json:"schema"`
	OAP       string   `json:"oap"`
	Release   string   `json:"maintenance_release"`
	Program   string   `json:"implementation"`
	Version   string   `json:"implementation_version"`
	Level     int      `json:"level"`
	Fixtures  string   `json:"fixture_revision"` // commit of the published fixtures that the tests were run against
	Passed    []string `json:"passed"`
	Failed    []string `json:"failed"`
	Notes     []string `json:"notes"`
	Generated string   `json:"generated_at"`
}

// Fixtures is the commit of the published examples and deltas (corpus, NOTICE).
const Fixtures = "31838059e26a19fbe26554709b916d8eb8a9d2e4"

// Run runs every test that names a requirement, once, and says which requirements hold: those whose tests have all
// passed. A test that was skipped proves nothing and so counts as failed. The error is of a requirement without a
// test, or of a test that is not there.
func Run(top, version string, now time.Time) (*Result, error) {
	found, err := Scan(top)
	if err != nil {
		return nil, err
	}
	if missing := Missing(found); missing != nil {
		return nil, fmt.Errorf("no test names %s", strings.Join(missing, ", "))
	}
	packages := map[string][]string{}
	for _, tests := range found {
		for _, t := range tests {
			if !slices.Contains(packages[t.Package], t.Name) {
				packages[t.Package] = append(packages[t.Package], t.Name)
			}
		}
	}
	verdicts := map[Test]string{}
	for pkg, names := range packages {
		if err := run(top, pkg, names, verdicts); err != nil {
			return nil, err
		}
	}
	r := &Result{
		Schema: "oap.conformance-result.v1", OAP: "1.0", Release: "1.0.1", Program: "oap", Version: version, Level: 3,
		Fixtures: Fixtures, Passed: []string{}, Failed: []string{}, Generated: now.UTC().Format(time.RFC3339),
		Notes: []string{"Written by go generate ./cmd/oap from a run of the tests that name each requirement."},
	}
	for _, word := range append(Required(), Optional()...) {
		tests := found[word]
		if len(tests) == 0 {
			continue // optional
		}
		passed := true
		for _, t := range tests {
			passed = passed && verdicts[t] == "pass"
		}
		if passed {
			r.Passed = append(r.Passed, word)
		} else {
			r.Failed = append(r.Failed, word)
		}
	}
	return r, nil
}

// run notes the verdicts of the tests of one package.
func run(top, pkg string, names []string, verdicts map[Test]string) error {
	slices.Sort(names)
	var tests, scripts []string
	for _, n := range names {
		if _, script, ok := strings.Cut(n, "/"); ok {
			scripts = append(scripts, script)
		} else {
			tests = append(tests, n)
		}
	}
	// Scripts and functions apart: a pattern with a slash would leave out every other subtest.
	var patterns []string
	if tests != nil {
		patterns = append(patterns, "^("+strings.Join(tests, "|")+")$")
	}
	if scripts != nil {
		patterns = append(patterns, "^TestScripts$/^("+strings.Join(scripts, "|")+")$")
	}
	for _, pattern := range patterns {
		cmd := exec.Command("go", "test", "-json", "-count=1", "-run", pattern, pkg)
		cmd.Dir, cmd.Stderr = top, os.Stderr
		out, err := cmd.Output()
		var exit *exec.ExitError
		if err != nil && !errors.As(err, &exit) {
			return err
		}
		lines := bufio.NewScanner(bytes.NewReader(out))
		lines.Buffer(nil, 16<<20)
		for lines.Scan() {
			var event struct{ Action, Test string }
			if json.Unmarshal(lines.Bytes(), &event) == nil && slices.Contains(names, event.Test) {
				switch event.Action {
				case "pass", "fail", "skip":
					verdicts[Test{pkg, event.Test}] = event.Action
				}
			}
		}
		if err := lines.Err(); err != nil {
			return err
		}
	}
	for _, n := range names {
		if verdicts[Test{pkg, n}] == "" {
			return fmt.Errorf("%s %s was not run", pkg, n)
		}
	}
	return nil
}
