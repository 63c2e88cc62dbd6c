package main

import (
	"bytes"
	"context"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// everyCommand visits oap's own commands, sub-commands included.
func everyCommand(t *testing.T, visit func(t *testing.T, c *cobra.Command)) {
	t.Helper()
	var walk func(c *cobra.Command)
	walk = func(c *cobra.Command) {
		t.Run(strings.ReplaceAll(c.CommandPath(), " ", "-"), func(t *testing.T) { visit(t, c) })
		for _, sub := range c.Commands() {
			if sub.Name() != "help" && sub.Name() != "completion" {
				walk(sub)
			}
		}
	}
	walk(newRootCommand(newApp(strings.NewReader(""), nil, nil, noEnv)))
}

func noEnv(string) string { return "" }

// ran is what one run of oap printed.
func ran(t *testing.T, args ...string) (code int, out, errs string) {
	t.Helper()
	var o, e bytes.Buffer
	code = run(context.Background(), newApp(strings.NewReader(""), &o, &e, noEnv), args)
	return code, o.String(), e.String()
}

func TestEveryCommandIsExplained(t *testing.T) {
	everyCommand(t, func(t *testing.T, c *cobra.Command) {
		switch {
		case c.Short == "" || strings.HasSuffix(c.Short, ".") || c.Short[:1] != strings.ToUpper(c.Short[:1]):
			t.Errorf("Short %q: a capital letter first, no full stop", c.Short)
		case strings.TrimSpace(c.Long) == "":
			t.Error("no Long")
		case strings.TrimSpace(c.Example) == "":
			t.Error("no Example")
		case c.Args == nil && c.ValidArgsFunction == nil:
			t.Error("takes any arguments without saying so")
		}
		for line := range strings.Lines(c.Long) {
			if len([]rune(line)) > 96 {
				t.Errorf("a line of Long is too wide for a terminal: %s", line)
			}
		}
	})
}

// TestHelp wants the help of every command to run without a repository, in each of its spellings, and to
// end in the exit codes.
func TestHelp(t *testing.T) {
	everyCommand(t, func(t *testing.T, c *cobra.Command) {
		words := strings.Fields(c.CommandPath())[1:]
		code, help, errs := ran(t, append(words, "--help")...)
		if code != 0 || errs != "" || !strings.HasSuffix(help, exitStatus+"\n") {
			t.Errorf("--help: exit %d, %s\n%s", code, errs, help)
		}
		if code, same, errs := ran(t, append([]string{"help"}, words...)...); code != 0 || errs != "" || same != help {
			t.Errorf("help %v: exit %d, %s", words, code, errs)
		}
		for _, example := range strings.Split(c.Example, "\n") {
			if !strings.HasPrefix(example, "  oap ") && !strings.HasPrefix(example, "  git ") {
				t.Errorf("the example %q is no command line", example)
			}
		}
	})
}

// TestExamples wants examples to parse: commands and flags that exist.
func TestExamples(t *testing.T) {
	everyCommand(t, func(t *testing.T, c *cobra.Command) {
		for line := range strings.Lines(c.Example) {
			checkCommandLine(t, strings.TrimSpace(line))
		}
	})
}

// checkCommandLine finds the command and parses the flags of each oap command in a line of shell.
func checkCommandLine(t *testing.T, line string) {
	t.Helper()
	for part := range strings.SplitSeq(line, "&&") {
		words := shellWords(part)
		if len(words) == 0 || words[0] != "oap" {
			continue
		}
		c, rest, err := newRootCommand(newApp(nil, nil, nil, noEnv)).Find(words[1:])
		if err != nil || c.Parent() == nil {
			t.Errorf("%q names no command: %v", line, err)
			continue
		}
		if err := c.ParseFlags(rest); err != nil {
			t.Errorf("%q: %v", line, err)
		}
		if err := c.ValidateArgs(c.Flags().Args()); err != nil {
			t.Errorf("%q: %v", line, err)
		}
	}
}

// shellWords knows single quotes, and ends at a redirection or at two spaces, behind which examples explain.
func shellWords(line string) []string {
	line = strings.TrimSpace(line)
	if i := strings.Index(line, "  "); i >= 0 {
		line = line[:i]
	}
	var words []string
	for _, m := range regexp.MustCompile(`'[^']*'|[^ ']+`).FindAllString(line, -1) {
		if m == ">" || m == "<" || m == "|" {
			break
		}
		words = append(words, strings.Trim(m, "'"))
	}
	return words
}

// TestHints reads every text that exit.go and hints.go can print and wants the commands in it to exist.
func TestHints(t *testing.T) {
	var texts []string
	for _, file := range []string{"exit.go", "hints.go"} {
		tree, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(tree, func(n ast.Node) bool {
			if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
				if s, err := strconv.Unquote(lit.Value); err == nil {
					texts = append(texts, s)
				}
			}
			return true
		})
	}
	command := regexp.MustCompile(`(?:^|[:,;] |or )(oap [a-z].*)`)
	found := 0
	for _, s := range texts {
		m := command.FindStringSubmatch(s)
		if m == nil {
			continue
		}
		found++
		words := shellWords(m[1])
		c, rest, err := newRootCommand(newApp(nil, nil, nil, noEnv)).Find(words[1:])
		if words[1] == "help" {
			continue
		}
		if err != nil || c.Parent() == nil {
			t.Errorf("the hint %q names no command: %v", s, err)
			continue
		}
		if err := c.ParseFlags(rest); err != nil && !strings.Contains(err.Error(), "needs an argument") {
			t.Errorf("the hint %q: %v", s, err)
		}
	}
	if found < 6 {
		t.Errorf("only %d hints found: the pattern is out of date", found)
	}
}

// TestFlags wants no command to redefine a flag of all commands, and every flag to be explained.
func TestFlags(t *testing.T) {
	global := newRootCommand(newApp(nil, nil, nil, noEnv)).PersistentFlags()
	everyCommand(t, func(t *testing.T, c *cobra.Command) {
		short := map[string]string{}
		global.VisitAll(func(f *pflag.Flag) { short[f.Shorthand] = f.Name })
		c.LocalNonPersistentFlags().VisitAll(func(f *pflag.Flag) {
			if global.Lookup(f.Name) != nil {
				t.Errorf("--%s is a flag of every command", f.Name)
			}
			if other, taken := short[f.Shorthand]; taken && f.Shorthand != "" && other != f.Name {
				t.Errorf("-%s is --%s already", f.Shorthand, other)
			}
			if f.Usage == "" || strings.HasSuffix(f.Usage, ".") {
				t.Errorf("--%s: %q: an explanation without a full stop", f.Name, f.Usage)
			}
		})
	})
}

func TestCompletion(t *testing.T) {
	for _, shell := range []string{"bash", "zsh", "fish", "powershell"} {
		if code, script, errs := ran(t, "completion", shell); code != 0 || errs != "" || !strings.Contains(script, "oap") {
			t.Errorf("%s: exit %d, %s", shell, code, errs)
		}
	}
	dir := t.TempDir()
	code, names, _ := ran(t, "__complete", "show", "-C", dir, "")
	if code != 0 || !strings.HasPrefix(names, ":") {
		t.Errorf("completion without a repository: exit %d, %q", code, names)
	}
}

// TestCodesAreDocumented compares the exit codes of exit.go with the table of docs/scripting.md and with the
// end of every help text.
func TestCodesAreDocumented(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "scripting.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, code := range []int{exitOK, exitNo, exitUsage, exitChoose, exitRefused, exitNotFound, exitBusy, exitRemote, exitBug, exitIO, exitInterrupted} {
		if !strings.Contains(string(page), "\n| "+strconv.Itoa(code)+" | ") {
			t.Errorf("docs/scripting.md has no line for %d", code)
		}
		if !regexp.MustCompile(`(?m)^  ` + strconv.Itoa(code) + ` +\w`).MatchString(exitStatus) {
			t.Errorf("EXIT STATUS has no line for %d", code)
		}
	}
}

// TestPanicIsABug wants a panic to have a code of its own, not the runtime's.
func TestPanicIsABug(t *testing.T) {
	var out, errs bytes.Buffer
	a := newApp(nil, &out, &errs, func(string) string { panic("for the test") })
	if code := run(context.Background(), a, []string{"version", "--json"}); code != exitOK {
		t.Fatalf("version asks the environment: exit %d", code)
	}
	out.Reset()
	if code := run(context.Background(), a, []string{"list", "--json", "-C", t.TempDir()}); code == exitOK {
		t.Fatal("list outside a repository succeeded")
	}
	out.Reset()
	if code := run(context.Background(), a, []string{"new", "x", "--description", "y", "--json"}); code != exitBug || !strings.Contains(out.String(), `"kind":"bug"`) {
		t.Errorf("exit %d, %s", code, out.String())
	}
}
