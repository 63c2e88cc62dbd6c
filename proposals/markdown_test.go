package proposals_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/open-agent-profile/oap/proposals"
)

// rendered gives what a CommonMark parser would show of a text outside of code: fenced blocks (§4.5) and
// code spans (§6.1) are taken out by the specification's own rules, written here once more.
func rendered(t *testing.T, text string) string {
	t.Helper()
	var out []string
	fence := ""
	for line := range strings.SplitSeq(text, "\n") {
		trimmed := strings.TrimLeft(line, " ")
		run := trimmed[:len(trimmed)-len(strings.TrimLeft(trimmed, "`"))]
		indent := len(line) - len(trimmed)
		switch {
		case fence == "" && indent < 4 && len(run) >= 3 && !strings.Contains(trimmed[len(run):], "`"):
			fence = run
		case fence == "":
			out = append(out, line)
		case indent < 4 && len(run) >= len(fence) && strings.TrimSpace(trimmed[len(run):]) == "":
			fence = ""
		}
	}
	if fence != "" {
		t.Errorf("a fence is not closed:\n%s", text)
	}
	return withoutSpans(strings.Join(out, "\n"))
}

// withoutSpans drops code spans: a run of backticks up to the next run of the same length.
func withoutSpans(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); {
		if s[i] != '`' {
			b.WriteByte(s[i])
			i++
			continue
		}
		n := len(s[i:]) - len(strings.TrimLeft(s[i:], "`"))
		end := closing(s, i+n, n)
		if end < 0 {
			b.WriteString(s[i : i+n])
			i += n
			continue
		}
		i = end
	}
	return b.String()
}

func closing(s string, from, n int) int {
	for j := from; j < len(s); j++ {
		if s[j] != '`' {
			continue
		}
		m := len(s[j:]) - len(strings.TrimLeft(s[j:], "`"))
		if m == n {
			return j + m
		}
		j += m - 1
	}
	return -1
}

var alive = regexp.MustCompile(`[<>\[\]!@~|]|://|www\.|#[0-9]|GH-|evil|javascript|everyone|\*\*x`)

// Nothing that a session wrote is live in the body of a pull request.
func TestMarkdown(t *testing.T) {
	texts := []string{
		"[click](https://evil.example) and <https://evil.example>", "![x](//evil.example/p.png)", "<img src=x onerror=evil()>", "@everyone #1 GH-1 evil/repo#2",
		"```\n[out](https://evil.example)\n```", "``````````` [x](evil) ``` ` `` [y](evil)", "~~~\n<script>evil</script>", "x\n\n    [z](evil)\n\n[ref]: https://evil.example",
		"`" + strings.Repeat("`", 200) + "[x](evil)", "https://evil.example www.evil.example", "**x** _y_ &lt;evil&gt;", "| a | b |\n|---|---|\n| [x](evil) | @everyone |",
		"<!-- evil -->", "/approve\n/merge evil", ":evil: \u202eevil", "x\r\n# evil\r\n", "- [ ] evil\n> [!WARNING]\n> evil", "$evil$ `$ evil $`", "\\` [x](evil) \\`",
	}
	for n, text := range texts {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			s := newShelf(t, scout)
			rest := fmt.Sprintf("operations: []\nproposals:\n  - {path: /spec/role/instructions, value: %s, rationale: %s}\n", quoted(text+" x"), quoted(text))
			session := []rune("s " + text)
			req := request(t, 7, quoted(string(session[:min(len(session), 150)])), rest)
			req.Delta.Session.Harness = text
			got, err := s.book.OpenAll(ctx, req, false)
			if err != nil || got[0].Status != proposals.StatusOpened {
				t.Fatalf("%+v, %v", got, err)
			}
			item, _, err := s.book.Show(ctx, got[0].ID)
			if err != nil {
				t.Fatal(err)
			}
			body := proposals.Markdown(item)
			if live := rendered(t, body); alive.MatchString(live) {
				t.Errorf("%q is live in\n%s\n--- of\n%s", alive.FindString(live), live, body)
			}
			if !strings.HasSuffix(strings.TrimSpace(body), "OAP-Risk: medium") || !strings.Contains(body, "\n\nOAP-Profile: scout\nOAP-Path: .agents/scout.agent.yaml\nOAP-Proposal: "+got[0].ID) {
				t.Errorf("the trailers do not come last:\n%s", body)
			}
			if text := proposals.Text(item); strings.ContainsAny(text, "\x1b\u202e\r\u2028") {
				t.Errorf("the terminal would obey %q", text)
			}
		})
	}
}

// quoted writes a text as a JSON string, which is YAML as well.
func quoted(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r < 0x20 || r > 0x7e && r < 0x10000:
			fmt.Fprintf(&b, "\\u%04x", r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}
