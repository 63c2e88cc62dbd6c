package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/open-agent-profile/oap/internal/oaptest"
)

// TestDocs runs every command block of README and docs, a page after the other from top to bottom, each page in
// a folder and with a home of its own. Blocks say by their language what they are:
//
//	console   a transcript: a line "$ command" (goes on at "> "), and what it prints. An ellipsis stands for any
//	          text, and commit ids and other long runs of hex digits for any others.
//	sh        a script that has to succeed; behind the language may stand exit=N.
//	sh not-run: REASON   for what needs a forge or the network; bash reads it all the same
//
// A block without a language must not hold commands. What a page needs before stands in a comment of it that
// begins "<!-- run", as lines of shell.
func TestDocs(t *testing.T) {
	if testing.Short() {
		t.Skip("runs some hundred commands")
	}
	top := filepath.Join("..", "..")
	pages := []string{filepath.Join(top, "README.md")}
	err := filepath.WalkDir(filepath.Join(top, "docs"), func(name string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() && strings.HasSuffix(name, ".md") {
			pages = append(pages, name)
		}
		return err
	})
	if err != nil || len(pages) < 5 {
		t.Fatal(err, "no pages")
	}
	oapBinary(t)
	for _, file := range pages {
		rel, _ := filepath.Rel(top, file)
		t.Run(filepath.ToSlash(rel), func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			page := string(text)
			var blocks []docBlock
			if strings.HasSuffix(rel, skillFile) {
				page = inSkills.Replace(page)
				blocks = append(blocks, docBlock{script: beforeSkills, hidden: true})
			}
			blocks = append(blocks, commandBlocks(t, page)...)
			if slices.ContainsFunc(blocks, func(b docBlock) bool { return !b.hidden }) {
				runDocs(t, blocks)
			}
		})
	}
}

// beforeSkills is what the pages for agents need; they hold no comments, and words in capitals for what differs.
const beforeSkills = `git init -q -b main agents && cd agents && oap init -q
oap new scout --description 'Finds where a feature lives.' --commit -q
sed -i 's/default: ask/default: allow/' .agents/scout.agent.yaml
oap policy init -q ../policy.yaml && sed -i 's/default: ask/default: allow/' ../policy.yaml && git config oap.policy ../policy.yaml
export OAP_OUTBOX=$HOME/outbox`

var inSkills = strings.NewReplacer("NAME", "scout", " ID", " sess-1", "--request-tool TOOL", "--request-tool git/log", "TOOL", "read", "ACTION", "read", " PATH", " README.md",
	"TEXT|SOURCE|CONFIDENCE", "The parser is slow.|profile.txt|0.9")

// docBlock is one command or script of a page.
type docBlock struct {
	line   int
	script string
	want   []string // lines of a transcript; nil of a script
	exit   int      // wanted; -1 is any, for a transcript shows what it is
	parse  bool     // by bash only
	hidden bool     // in a comment
}

var fence = regexp.MustCompile("^( *)```([a-z]*)(?: +(.*))?$")

// commandBlocks reads the blocks of a page, and fails for commands that no block would run.
func commandBlocks(t *testing.T, text string) []docBlock {
	t.Helper()
	var blocks []docBlock
	lines := strings.Split(text, "\n")
	for i := 0; i < len(lines); i++ {
		if strings.HasPrefix(lines[i], "<!-- run") {
			begin := i + 1
			for i < len(lines) && lines[i] != "-->" {
				i++
			}
			blocks = append(blocks, docBlock{line: begin, script: strings.Join(lines[begin:min(i, len(lines))], "\n"), hidden: true})
			continue
		}
		if strings.HasPrefix(lines[i], "    oap ") {
			t.Errorf("line %d: commands stand in a block ```sh", i+1)
		}
		m := fence.FindStringSubmatch(lines[i])
		if m == nil {
			continue
		}
		begin := i + 1
		var body []string
		for i++; i < len(lines) && lines[i] != m[1]+"```"; i++ {
			body = append(body, strings.TrimPrefix(lines[i], m[1]))
		}
		if i == len(lines) {
			t.Fatalf("line %d: the block has no end", begin)
		}
		switch m[2] {
		case "console":
			blocks = append(blocks, transcript(t, begin, body)...)
		case "sh":
			b := docBlock{line: begin, script: strings.Join(body, "\n")}
			if code, ok := strings.CutPrefix(m[3], "exit="); ok {
				b.exit, _ = strconv.Atoi(code)
			} else if reason, ok := strings.CutPrefix(m[3], "not-run: "); ok && reason != "" {
				b.parse = true
			} else if m[3] != "" {
				t.Errorf("line %d: a block of sh is %q", begin, m[3])
			}
			blocks = append(blocks, b)
		case "":
			for n, l := range body {
				if strings.HasPrefix(l, "oap ") || strings.HasPrefix(l, "git ") || strings.HasPrefix(l, "$ ") {
					t.Errorf("line %d: a command in a block that no test runs", begin+n+1)
				}
			}
		}
	}
	return blocks
}

func transcript(t *testing.T, begin int, body []string) (blocks []docBlock) {
	t.Helper()
	for n, l := range body {
		if command, ok := strings.CutPrefix(l, "$ "); ok {
			blocks = append(blocks, docBlock{line: begin + n + 1, script: command, want: []string{}, exit: -1})
		} else if len(blocks) == 0 {
			t.Errorf("line %d: a transcript begins with $", begin+n+1)
			return nil
		} else if b := &blocks[len(blocks)-1]; strings.HasPrefix(l, "> ") && len(b.want) == 0 {
			b.script += "\n" + l[2:]
		} else {
			b.want = append(b.want, l)
		}
	}
	return blocks
}

// runDocs runs the blocks in one shell, so that variables and folders stay, and compares what each printed.
func runDocs(t *testing.T, blocks []docBlock) {
	t.Helper()
	dir := t.TempDir()
	home, work := filepath.Join(dir, "home"), filepath.Join(dir, "work")
	for _, d := range []string{home, work} {
		if err := os.Mkdir(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	source, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	var script strings.Builder
	for i, b := range blocks {
		file := filepath.Join(dir, fmt.Sprintf("block%d.sh", i))
		text := b.script
		if b.parse {
			text = "bash -n <<'SCRIPT'\n" + text + "\nSCRIPT"
		}
		if err := os.WriteFile(file, []byte(text+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		how := "." // in this shell, so that folders and variables stay
		if strings.HasPrefix(b.script, "#!") {
			how = "bash"
		}
		fmt.Fprintf(&script, "printf '\\036%d\\n'\n%s %q \"$@\" </dev/null\nprintf '\\037%%d\\n' $?\n", i, how, file)
	}
	cmd := exec.Command("bash", "-c", "shopt -s expand_aliases\n"+script.String())
	cmd.Dir = work
	bin := filepath.Dir(oapBinary(t))
	cmd.Env = append(oaptest.Env(home), "PATH="+bin+":"+os.Getenv("PATH"), "OAP_NOW="+oaptest.Date,
		"GIT_AUTHOR_NAME=Ada", "GIT_COMMITTER_NAME=Ada", "GIT_COMMITTER_EMAIL=ada@example.org", "OAP_SOURCE="+source, "GOFLAGS=-buildvcs=false")
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	runErr := cmd.Run()
	parts := strings.Split(out.String(), "\036")[1:]
	if len(parts) != len(blocks) {
		t.Fatalf("the shell ended (%v) in the block of line %d:\n%s", runErr, blocks[max(0, len(parts)-1)].line, parts[max(0, len(parts)-1)])
	}
	for i, b := range blocks {
		_, printed, _ := strings.Cut(parts[i], "\n")
		printed, status, ended := strings.Cut(printed, "\037")
		code, err := strconv.Atoi(strings.TrimSpace(status))
		if !ended || err != nil {
			t.Fatalf("line %d: no exit code: %q", b.line, parts[i])
		}
		if b.exit >= 0 && code != b.exit {
			t.Errorf("line %d: exit %d, want %d\n%s\n%s", b.line, code, b.exit, b.script, printed)
			continue
		}
		if b.want != nil {
			if want := strings.Join(b.want, "\n"); !looksLike(want, printed) {
				t.Errorf("line %d: $ %s\nthe page says\n%s\noap says\n%s", b.line, b.script, want, printed)
			}
		}
	}
}

var hexDigits = regexp.MustCompile(`\b[0-9a-f]{7,64}\b`)

// looksLike compares a transcript with what was printed.
func looksLike(want, got string) bool {
	plain := func(s string) string {
		lines := strings.Split(strings.TrimRight(hexDigits.ReplaceAllString(s, "#"), "\n "), "\n")
		for i := range lines {
			lines[i] = strings.TrimRight(lines[i], " ")
		}
		return strings.Join(lines, "\n")
	}
	var pattern strings.Builder
	pattern.WriteString(`(?s)^`)
	for i, part := range strings.Split(plain(want), "…") {
		if i > 0 {
			pattern.WriteString(".*")
		}
		pattern.WriteString(regexp.QuoteMeta(part))
	}
	pattern.WriteString("$")
	return regexp.MustCompile(pattern.String()).MatchString(plain(got))
}

// TestLooksLike wants a transcript that says something else to be found out.
func TestLooksLike(t *testing.T) {
	for _, c := range []struct {
		name, want, got string
		like            bool
	}{
		{"the same", "a\nb", "a\nb\n", true},
		{"another commit id", "on 586452e main", "on 0123abc main", true},
		{"a word is no id", "on 586452e main", "on mainly main", false},
		{"an ellipsis in a line", "a … d", "a b c d", true},
		{"an ellipsis over lines", "a\n…\nd", "a\nb\nc\nd", true},
		{"something else", "a … d", "a b c", false},
		{"more than was said", "a", "a\nb", false},
		{"points are points", "a.b", "axb", false},
	} {
		if got := looksLike(c.want, c.got); got != c.like {
			t.Errorf("%s: %t", c.name, got)
		}
	}
}
