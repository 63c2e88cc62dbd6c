package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/open-agent-profile/oap/canonical"
	"github.com/open-agent-profile/oap/internal/term"
	"github.com/open-agent-profile/oap/repo/apply"
	"github.com/open-agent-profile/oap/repo/prune"
)

func escapeToken(s string) string { return canonical.Escape(s) }

// printPruned shows one profile's page.
func (a *app) printPruned(rc *prune.Receipt, markdown bool) error {
	switch {
	case a.json:
		return a.emit(rc)
	case markdown:
		a.printf("%s", markdownPage(rc))
		return nil
	}
	for _, w := range rc.Warnings {
		a.warnf("%s: %s: %s [%s]", rc.Profile, w.Pointer, w.Message, w.Rule)
	}
	lines := [][2]string{{outcomeWord(rc), outcomeText(rc)}}
	for _, part := range pageParts(rc.Page) {
		for i, it := range part.items {
			label := ""
			if i == 0 {
				label = part.name
			}
			lines = append(lines, [2]string{label, itemText(it)})
		}
	}
	return a.printBlock(rc.Profile, lines)
}

// outcomeWord says what became of the profile.
func outcomeWord(rc *prune.Receipt) string {
	switch {
	case rc.Outcome == string(apply.Queued):
		return "proposed"
	case rc.Outcome == prune.Unchanged && len(rc.Evicted) > 0:
		return "refused"
	case rc.Outcome == prune.Unchanged:
		return "nothing"
	case rc.DryRun:
		return "would go"
	}
	return "pruned"
}

func outcomeText(rc *prune.Receipt) string {
	size := fmt.Sprintf("%s, %s, %s", plural(rc.Facts, "fact", "facts"), plural(rc.Preferences, "preference", "preferences"), plural(rc.OpenThreads, "thread", "threads"))
	n := plural(len(rc.Evicted), "entry", "entries")
	branch := strings.TrimPrefix(rc.Branch, "refs/heads/")
	switch outcomeWord(rc) {
	case "proposed":
		return fmt.Sprintf("%s of %s on %s  %s", n, size, branch, short(rc.Commit))
	case "refused":
		return fmt.Sprintf("%s of %s would go", n, size)
	case "nothing":
		return fmt.Sprintf("goes of %s; stays at r%d", size, rc.Revision)
	case "would go":
		return fmt.Sprintf("%s of %s  r%d -> r%d", n, size, rc.Previous, rc.Revision)
	}
	return fmt.Sprintf("%s of %s  r%d -> r%d  %s on %s", n, size, rc.Previous, rc.Revision, short(rc.Commit), branch)
}

// pagePart is one heading of the page.
type pagePart struct {
	name, why string
	items     []prune.Item
}

// pageParts gives the page in the order of reading; groups of duplicates are told apart by their rule.
func pageParts(p *prune.Page) []pagePart {
	parts := []pagePart{
		{"goes", "Goes by retention or threshold.", p.Evicted},
		{"near edge", "Would go within a month, or under a somewhat stricter rule.", p.NearEdge},
		{"weak", "Rated low, and not used since it was learned. Nothing else supports it.", p.Weak},
		{"alike", "Says nearly the same as another entry of its group.", nil},
		{"untouched", "An active thread that nobody has touched for three months.", p.Untouched},
	}
	for i, group := range p.Duplicates {
		for _, it := range group {
			it.Rule = fmt.Sprintf("group %d", i+1)
			parts[3].items = append(parts[3].items, it)
		}
	}
	return parts
}

func itemText(it prune.Item) string {
	s := it.Collection + "/" + it.ID
	if it.Rule != "" {
		s += " (" + it.Rule + ")"
	}
	s += "  " + brief(it.Text, 70)
	if it.Source != "" {
		s += "  [" + brief(it.Source, 40) + "]"
	}
	return s
}

// printBlock prints a heading and labelled lines below it; everything is escaped. Lines without a text
// are left out.
func (a *app) printBlock(title string, lines [][2]string) error {
	p, err := a.palette()
	if err != nil {
		return err
	}
	a.printf("%s\n", p.Bold(term.Escape(title)))
	for _, l := range lines {
		if l[1] != "" {
			a.printf("  %-10s %s\n", l[0], term.Escape(l[1]))
		}
	}
	return nil
}

// markdownHead opens the page for a ticket.
func markdownHead(o prune.Options, t prune.Thresholds) string {
	var rules []string
	if t.Unused > 0 {
		rules = append(rules, "unused for "+ageText(t.Unused))
	}
	if t.MinConfidence > 0 {
		rules = append(rules, fmt.Sprintf("confidence below %g", t.MinConfidence))
	}
	if t.ClosedThreads > 0 {
		rules = append(rules, "threads closed for "+ageText(t.ClosedThreads))
	}
	if t.Expired {
		rules = append(rules, "no caps")
	}
	more := ""
	if len(rules) > 0 {
		more = " and: " + strings.Join(rules, ", ")
	}
	return fmt.Sprintf("# Monthly skim of agent state, %s\n\nBranch %s. Each profile's own retention%s.\n",
		o.Now.UTC().Format(time.DateOnly), term.Markdown(strings.TrimPrefix(o.Branch, "refs/heads/")), more)
}

func ageText(d time.Duration) string {
	if d%(24*time.Hour) == 0 {
		return fmt.Sprintf("%dd", d/(24*time.Hour))
	}
	return d.String()
}

// markdownPage is the page as a part of the ticket. Texts of sessions stand in code spans, where nothing
// in them is live.
func markdownPage(rc *prune.Receipt) string {
	var b strings.Builder
	fmt.Fprintf(&b, "\n## %s\n\n%s %s\n", term.Markdown(rc.Profile), outcomeWord(rc), term.Markdown(outcomeText(rc)))
	for _, part := range pageParts(rc.Page) {
		if len(part.items) == 0 {
			continue
		}
		fmt.Fprintf(&b, "\n### %s\n\n%s\n\n", strings.ToUpper(part.name[:1])+part.name[1:], part.why)
		for _, it := range part.items {
			fmt.Fprintf(&b, "- [ ] %s", term.Markdown(it.Collection+"/"+it.ID))
			if it.Rule != "" {
				fmt.Fprintf(&b, " (%s)", term.Markdown(it.Rule))
			}
			fmt.Fprintf(&b, ": %s", term.Markdown(brief(it.Text, 200)))
			if it.Source != "" {
				fmt.Fprintf(&b, ", source %s", term.Markdown(brief(it.Source, 100)))
			}
			if it.Since != "" {
				fmt.Fprintf(&b, ", since %s", term.Markdown(it.Since))
			}
			b.WriteString("\n")
		}
	}
	return b.String()
}
