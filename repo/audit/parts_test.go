package audit

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/open-agent-profile/oap/internal/oaptest"
)

// sameView wants a document that is read after others to be what it is when read alone.
func sameView(t *testing.T, p *parts, path string, text []byte) {
	t.Helper()
	got, want := p.view(path, text), judge(nil).view(path, text)
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(view{}, fault{}, logged{}, entry{})); diff != "" {
		t.Fatalf("read in parts (-alone +parts):\n%s\n%s", diff, text)
	}
}

func TestPartsOfGrownHistory(t *testing.T) {
	r := oaptest.New(t)
	r.Grow(oaptest.History{Seed: 2, Revisions: 150, Profiles: 2})
	known := map[string]*parts{}
	fast := 0
	for line := range strings.Lines(r.Git("log", "--raw", "--no-abbrev", "--format=", "--", ".agents") + "\n") {
		f := strings.Fields(line)
		path := f[5]
		if known[path] == nil {
			known[path] = newParts(nil)
		}
		p := known[path]
		sameView(t, p, path, []byte(r.Git("cat-file", "blob", f[3])+"\n"))
		if p.last != nil && len(p.last.base.faults) == 0 && p.skeleton.valid(p.last) && p.last.proven() {
			fast++
		}
	}
	if fast < 140 {
		t.Errorf("%d versions could be read in parts, want nearly all of 150", fast)
	}
}

// texts are documents whose parts are tricky.
func texts(t testing.TB) map[string]string {
	base := `oap: "1.0"
kind: AgentProfile
metadata:
  name: scout
  description: Finds where a feature lives.
  revision: 3
spec:
  role:
    instructions: |
      Look.

state:
  facts:
    - id: fact-a
      text: One thing.
    - id: fact-b
      text: Another thing.
  open_threads: []
history:
  - revision: 3
    at: 2026-05-04T08:00:00Z
`
	swap := func(old, new string) string {
		if !strings.Contains(base, old) {
			t.Fatal(old)
		}
		return strings.Replace(base, old, new, 1)
	}
	return map[string]string{
		"base":                base,
		"quoted over lines":   swap("text: One thing.", "text: \"One\n    - id: x"),
		"quoted over a key":   swap("  name: scout", "  name: \"scout\n  description: x\""),
		"flow over a key":     swap("  name: scout", "  name: [a,\n  description: b]"),
		"block text":          swap("text: One thing.", "text: |\n        - id: fact-b\n        # no comment\n\n      pinned: true"),
		"kept blank lines":    swap("text: Another thing.", "text: |+\n        x\n\n"),
		"comment in a list":   swap("    - id: fact-b", "# a comment\n    # another\n    - id: fact-b"),
		"dash at the key":     strings.ReplaceAll(strings.ReplaceAll(base, "    - id", "  - id"), "      text", "    text"),
		"dash at column 0":    swap("  - revision: 3\n    at", "- revision: 3\n  at"),
		"anchor":              swap("text: One thing.", "text: &a One thing.") + "",
		"alias":               strings.Replace(swap("text: One thing.", "text: &a One thing."), "Another thing.", "*a", 1),
		"tag":                 swap("One thing.", "!!str 12"),
		"yes":                 swap("One thing.", "yes"),
		"null":                swap("One thing.", "Null"),
		"octal":               swap("One thing.", "017"),
		"float":               swap("One thing.", "1e3"),
		"date":                swap("2026-05-04T08:00:00Z", "2026-05-04"),
		"duplicate id":        swap("fact-b", "fact-a"),
		"duplicate key":       swap("  revision: 3\nspec", "  revision: 3\n  revision: 4\nspec"),
		"duplicate block":     base + "state:\n  summary: x\n",
		"same text elsewhere": swap("  open_threads: []", "  preferences:\n    - id: fact-a\n      text: One thing."),
		"secret":              swap("One thing.", "ghp_"+strings.Repeat("a1B2c3", 6)),
		"secret by name":      swap("text: One thing.", "text: x\n      password: hunter2hunter2"),
		"future history":      swap("  - revision: 3", "  - revision: 4"),
		"falling history":     swap("history:", "history:\n  - revision: 4\n    at: 2026-05-04T08:00:00Z"),
		"bad revision":        swap("revision: 3\nspec", "revision: 0\nspec"),
		"odd revision":        swap("revision: 3\nspec", "revision: 2.5\nspec"),
		"text revision":       swap("revision: 3\nspec", "revision: three\nspec"),
		"bad time":            swap("2026-05-04T08", "2026-13-04T08"),
		"unknown member":      swap("  open_threads: []", "  color: red"),
		"unknown block":       base + "color: red\n",
		"empty behind colons": swap("open_threads: []", "open_threads: : []"),
		"spaced empty":        swap("open_threads: []", "open_threads:  []"),
		"null list":           swap("open_threads: []", "open_threads:"),
		"empty state":         "oap: \"1.0\"\nkind: AgentProfile\nmetadata:\n  name: scout\n  description: Finds where a feature lives.\nspec:\n  role:\n    instructions: Look.\nstate: {}  # nothing\n\nhistory: []\n# the end\n",
		"no state":            "oap: \"1.0\"\nkind: AgentProfile\nmetadata:\n  name: scout\n  description: Finds where a feature lives.\nspec:\n  role:\n    instructions: Look.\n",
		"carriage returns":    strings.ReplaceAll(base, "\n", "\r\n"),
		"lone return":         swap("One thing.", "One thing.\r      pinned: true"),
		"line separator":      swap("One thing.", "One\u2028      thing."),
		"next line":           swap("One thing.", "One\u0085      thing."),
		"tab":                 swap("One thing.", "One\tthing."),
		"document marks":      "---\n" + base + "...\n",
		"second document":     base + "---\noap: x\n",
		"conflict":            swap("    - id: fact-b\n", "<<<<<<< a\n    - id: fact-b\n=======\n    - id: fact-c\n>>>>>>> b\n"),
		"no final newline":    strings.TrimSuffix(base, "\n"),
		"extends":             swap("metadata:", "extends:\n  - name: base\nmetadata:"),
		"pinned and used":     swap("One thing.", "One thing.\n      pinned: true\n      last_used_at: 2026-05-04T08:00:00Z"),
		"complex key":         swap("  open_threads: []", "  ? open_threads\n  : []"),
		"text behind a list":  swap("history:", "  facts\nhistory:"),
		"deeper first":        swap("  name: scout\n", "    name: scout\n"),
	}
}

func TestPartsOfTrickyTexts(t *testing.T) {
	all := texts(t)
	for name, text := range all {
		t.Run(name, func(t *testing.T) {
			p := newParts(nil)
			for _, one := range []string{all["base"], text, all["base"], text, text} {
				sameView(t, p, "scout.agent.yaml", []byte(one))
			}
		})
	}
}

// FuzzParts changes one document after another.
func FuzzParts(f *testing.F) {
	all := texts(f)
	for _, text := range all {
		f.Add(all["base"], text)
		f.Add(text, all["base"])
	}
	if dir := os.Getenv("OAP_CORPUS"); dir != "" {
		files, _ := filepath.Glob(filepath.Join(dir, "oap", "*", "*.agent.yaml"))
		for _, name := range files {
			if text, err := os.ReadFile(name); err == nil {
				f.Add(all["base"], string(text))
			}
		}
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		p := newParts(nil)
		for _, text := range []string{a, b, a} {
			sameView(t, p, "scout.agent.yaml", []byte(text))
		}
	})
}
