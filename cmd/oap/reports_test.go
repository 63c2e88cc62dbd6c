package main

import (
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/open-agent-profile/oap/delta"
	"github.com/open-agent-profile/oap/profile"
)

// sarif FILE wants a SARIF 2.1.0 log with what GitHub's code scanning asks for.
func verbSARIF(ts *testscript.TestScript, neg bool, args []string) {
	wants(ts, neg, false, args, 1, 1, "sarif FILE")
	var log sarifLog
	ts.Check(strictly(ts.ReadFile(args[0]), &log))
	for _, fault := range sarifFaults(log) {
		ts.Fatalf("%s: %s", args[0], fault)
	}
}

func sarifFaults(log sarifLog) (faults []string) {
	add := func(format string, args ...any) { faults = append(faults, fmt.Sprintf(format, args...)) }
	if log.Version != "2.1.0" || !strings.HasSuffix(log.Schema, "sarif-2.1.0.json") || len(log.Runs) != 1 {
		add("version %q, schema %q, %d runs", log.Version, log.Schema, len(log.Runs))
		return faults
	}
	run := log.Runs[0]
	driver := run.Tool.Driver
	if driver.Name != "oap" || driver.Version == "" || driver.Rules == nil || run.Results == nil || run.ColumnKind != "unicodeCodePoints" {
		add("an incomplete run: %+v", run)
	}
	prints := map[string]bool{}
	for i, r := range run.Results {
		if r.RuleIndex < 0 || r.RuleIndex >= len(driver.Rules) || driver.Rules[r.RuleIndex].ID != r.RuleID {
			add("result %d: rule %s is not at index %d", i, r.RuleID, r.RuleIndex)
		}
		if r.Level != "error" && r.Level != "warning" || r.Message.Text == "" || len(r.Locations) != 1 {
			add("result %d: %+v", i, r)
			continue
		}
		at := r.Locations[0].PhysicalLocation
		if u, err := url.Parse(at.ArtifactLocation.URI); err != nil || u.IsAbs() == (at.ArtifactLocation.URIBaseID != "") {
			add("result %d: uri %q: %v", i, at.ArtifactLocation.URI, err)
		}
		if at.Region != nil && (at.Region.StartLine < 1 || at.Region.StartColumn < 1) {
			add("result %d: region %+v", i, at.Region)
		}
		for _, mark := range r.PartialFingerprints {
			if prints[mark] {
				add("result %d: the fingerprint %s repeats", i, mark)
			}
			prints[mark] = true
		}
	}
	for _, rule := range driver.Rules {
		if rule.ShortDescription.Text == "" || rule.FullDescription.Text == "" || rule.Help.Text == "" {
			add("rule %s has no text", rule.ID)
		}
	}
	return faults
}

// gitlab FILE wants a code quality report.
func verbGitLab(ts *testscript.TestScript, neg bool, args []string) {
	wants(ts, neg, false, args, 1, 1, "gitlab FILE")
	var issues []struct {
		Description string `json:"description"`
		CheckName   string `json:"check_name"`
		Fingerprint string `json:"fingerprint"`
		Severity    string `json:"severity"`
		Location    struct {
			Path  string `json:"path"`
			Lines struct {
				Begin int `json:"begin"`
			} `json:"lines"`
		} `json:"location"`
	}
	ts.Check(strictly(ts.ReadFile(args[0]), &issues))
	if issues == nil {
		ts.Fatalf("%s is no list", args[0])
	}
	seen := map[string]bool{}
	for i, x := range issues {
		known := slices.Contains([]string{"info", "minor", "major", "critical", "blocker"}, x.Severity)
		if !known || x.Description == "" || x.CheckName == "" || len(x.Fingerprint) != 64 || seen[x.Fingerprint] ||
			x.Location.Lines.Begin < 1 || x.Location.Path == "" || strings.HasPrefix(x.Location.Path, "./") {
			ts.Fatalf("%s: issue %d: %+v", args[0], i, x)
		}
		seen[x.Fingerprint] = true
	}
}

// TestSARIFFaults makes sure that the judge of SARIF logs sees what is wrong.
func TestSARIFFaults(t *testing.T) {
	good := func() sarifLog {
		return sarifLog{Schema: "https://example.org/sarif-2.1.0.json", Version: "2.1.0", Runs: []sarifRun{{
			Tool:       sarifTool{sarifDriver{Name: "oap", Version: "1", Rules: []sarifRule{{"a", sarifText{"x"}, sarifText{"x"}, sarifText{"x"}}}}},
			ColumnKind: "unicodeCodePoints",
			Results: []sarifResult{{RuleID: "a", Level: "error", Message: sarifText{"m"}, Locations: []sarifLocation{
				sarifPlace(profile.Finding{Path: "x y.yaml", Line: 1, Column: 1})}}},
		}}}
	}
	if faults := sarifFaults(good()); faults != nil {
		t.Fatal(faults)
	}
	for name, spoil := range map[string]func(*sarifLog){
		"version":    func(l *sarifLog) { l.Version = "2.0.0" },
		"no runs":    func(l *sarifLog) { l.Runs = nil },
		"rule index": func(l *sarifLog) { l.Runs[0].Results[0].RuleIndex = 1 },
		"rule id":    func(l *sarifLog) { l.Runs[0].Results[0].RuleID = "b" },
		"level":      func(l *sarifLog) { l.Runs[0].Results[0].Level = "fatal" },
		"line 0": func(l *sarifLog) {
			l.Runs[0].Results[0].Locations[0].PhysicalLocation.Region.StartLine = 0
		},
		"uri": func(l *sarifLog) {
			l.Runs[0].Results[0].Locations[0].PhysicalLocation.ArtifactLocation.URI = "a%zz"
		},
		"no results": func(l *sarifLog) { l.Runs[0].Results = nil },
		"rule text":  func(l *sarifLog) { l.Runs[0].Tool.Driver.Rules[0].Help.Text = "" },
	} {
		log := good()
		spoil(&log)
		if sarifFaults(log) == nil {
			t.Errorf("%s: not seen", name)
		}
	}
}

func TestArtifactOf(t *testing.T) {
	cases := []struct{ name, why, path, uri, base string }{
		{"relative", "code scanning matches it with the checkout", "a/b.yaml", "a/b.yaml", "%SRCROOT%"},
		{"space", "a URI holds none", "a b.yaml", "a%20b.yaml", "%SRCROOT%"},
		{"percent", "it would be taken for an escape", "a%20b.yaml", "a%2520b.yaml", "%SRCROOT%"},
		{"colon", "it would be taken for a scheme", "a:b.yaml", "./a:b.yaml", "%SRCROOT%"},
		{"absolute", "no checkout to be relative to", "/tmp/x y.yaml", "file:///tmp/x%20y.yaml", ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if got := artifactOf(c.path); got.URI != c.uri || got.URIBaseID != c.base {
				t.Errorf("%s: %+v, want %s %s (%s)", c.path, got, c.uri, c.base, c.why)
			}
		})
	}
}

func TestFingerprints(t *testing.T) {
	at := func(line int, rule, message string) profile.Finding {
		return profile.Finding{Path: "x", Line: line, Rule: rule, Pointer: "/a", Message: message}
	}
	marks, moved := fingerprints{}, fingerprints{}
	first, second, other := marks.of(at(1, "a", "m")), marks.of(at(1, "a", "n")), marks.of(at(1, "b", "m"))
	if first == second || first == other {
		t.Error("different findings have one fingerprint")
	}
	if moved.of(at(9, "a", "m")) != first {
		t.Error("the fingerprint changes with the line")
	}
}

// TestRulesAreDescribed reads the rules out of the packages that make findings.
func TestRulesAreDescribed(t *testing.T) {
	rule := regexp.MustCompile(`(?:r\.add\(\w+, |sev, rule :?= \w+, |about\(\w+, profile\.\w+, |Rule: )"([a-z-]+)"`)
	found := map[string]bool{}
	for _, pattern := range []string{"../../profile/check*.go", "validate*.go"} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			t.Fatal(pattern, err)
		}
		for _, f := range files {
			text, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range rule.FindAllStringSubmatch(string(text), -1) {
				found[m[1]] = true
			}
		}
	}
	if len(found) < 25 {
		t.Errorf("only %d rules found: the pattern is out of date", len(found))
	}
	found[delta.RuleScope] = true
	for id := range found {
		if ruleTexts[id] == "" {
			t.Errorf("the rule %s has no text in validate_rules.go", id)
		}
	}
}
