package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/open-agent-profile/oap/internal/textedit"
)

// TestSkillTexts wants our skills to be skills, and every command in them and in docs/harness.md to exist: an agent
// does what stands there.
func TestSkillTexts(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("..", "..", "docs", "skills", "*", skillFile))
	if err != nil || len(files) < 2 {
		t.Fatalf("%d skills: %v", len(files), err)
	}
	for _, file := range files {
		text := readText(t, file)
		front, _, ok := strings.Cut(strings.TrimPrefix(text, "---\n"), "\n---\n")
		doc, err := textedit.Parse([]byte(front), textedit.YAML, textedit.Options{})
		if !ok || err != nil {
			t.Fatalf("%s: no front matter: %v", file, err)
		}
		head, _ := doc.Value().(map[string]any)
		if description, _ := head["description"].(string); head["name"] != filepath.Base(filepath.Dir(file)) || description == "" {
			t.Errorf("%s: name %q and description %q", file, head["name"], description)
		}
		for _, forbidden := range []string{"git commit", "git push", "git config", "--approve"} {
			if strings.Contains(text, forbidden) {
				t.Errorf("%s tells an agent to use %s", file, forbidden)
			}
		}
	}
	command := regexp.MustCompile("(?m)^ *(oap [a-z].*)$|`(oap [a-z][^`]*)`")
	for _, file := range append(files, filepath.Join("..", "..", "docs", "harness.md")) {
		found := 0
		for _, m := range command.FindAllStringSubmatch(readText(t, file), -1) {
			line := m[1] + m[2]
			if words := shellWords(line); len(words) > 2 && strings.ContainsAny(line, "-") {
				found++
				checkSkillLine(t, file, words)
			}
		}
		if found == 0 {
			t.Errorf("%s: no command found", file)
		}
	}
}

// checkSkillLine wants the command and its flags to exist.
func checkSkillLine(t *testing.T, file string, words []string) {
	t.Helper()
	c, rest, err := newRootCommand(newApp(nil, nil, nil, noEnv)).Find(words[1:])
	if err != nil || c.Parent() == nil {
		t.Errorf("%s: %q names no command: %v", file, words, err)
		return
	}
	if err := c.ParseFlags(rest); err != nil && !strings.Contains(err.Error(), "needs an argument") {
		t.Errorf("%s: %q: %v", file, words, err)
	}
}

func readText(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
