package main

import (
	"fmt"
	"strings"

	"github.com/open-agent-profile/oap/canonical"
	"github.com/open-agent-profile/oap/internal/term"
	"github.com/open-agent-profile/oap/internal/textedit"
	"github.com/open-agent-profile/oap/profile"
	"github.com/open-agent-profile/oap/repo/history"
)

// printDifference shows one pair: a heading, contract, state.
func (a *app) printDifference(c compared, stat bool) error {
	p, err := a.palette()
	if err != nil {
		return err
	}
	title := p.Bold(term.Escape(c.Profile))
	if stat {
		a.printf("%s  %s\n", title, numbers(c.Difference))
		return nil
	}
	a.printf("%s  %s -> %s\n", title, term.Escape(sideText(c.Before)), term.Escape(sideText(c.After)))
	if len(c.Contract) > 0 {
		a.printf("  %s\n", p.Red("contract"))
	}
	for _, ch := range c.Contract {
		a.printf("    %s %-8s %s\n", p.Red("!"), ch.What, term.Escape(changeText(ch)))
	}
	for _, ch := range c.Manifest {
		line := fmt.Sprintf("%s %s: %s -> %s", ch.Kind, ch.Field, orAbsent(ch.Before), orAbsent(ch.After))
		a.printf("    %s manifest %s\n", p.Red("!"), term.Escape(line))
	}
	if len(c.State) > 0 {
		a.printf("  state\n")
	}
	for _, ch := range c.State {
		mark := map[string]string{history.Added: p.Green("+"), history.Changed: p.Yellow("~"), history.Removed: p.Red("-"), history.Moved: ">"}[ch.What]
		a.printf("    %s %s\n", mark, term.Escape(changeText(ch)))
	}
	if c.HistoryAdded+c.HistoryRemoved > 0 {
		a.printf("  history  +%d -%d\n", c.HistoryAdded, c.HistoryRemoved)
	}
	return nil
}

func sideText(s *comparedSide) string {
	if s == nil {
		return "(none)"
	}
	return fmt.Sprintf("r%d (%s)", s.Revision, s.Target)
}

// changeText says what changed in one line: the place, which fields, and texts cut short.
func changeText(c history.Change) string {
	at := c.Pointer
	if collection, id, ok := c.Entry(); ok {
		at = collection + "/" + id
	}
	var words []string
	switch {
	case c.What == history.Moved && c.After == nil:
		words = append(words, "moved")
	case c.What == history.Moved:
		words = append(words, "other order: "+oneLine(c.After))
	case c.What == history.Added:
		words = append(words, oneLine(c.After))
	case c.What == history.Removed:
		words = append(words, oneLine(c.Before))
	case len(c.Fields) > 0:
		before, _ := c.Before.(map[string]any)
		after, _ := c.After.(map[string]any)
		for _, f := range c.Fields {
			words = append(words, fmt.Sprintf("%s: %s -> %s", f, orNothing(before, f), orNothing(after, f)))
		}
	default:
		words = append(words, oneLine(c.Before)+" -> "+oneLine(c.After))
	}
	return at + "  " + strings.Join(words, "; ")
}

func orAbsent(v any) string {
	if v == nil {
		return "(absent)"
	}
	return oneLine(v)
}

func orNothing(m map[string]any, name string) string {
	v, ok := m[name]
	if !ok {
		return "(none)"
	}
	return oneLine(v)
}

// oneLine shows a value: an entry by its words, a text quoted, anything else as JSON.
func oneLine(v any) string {
	if m, ok := v.(map[string]any); ok {
		if s := history.Words(m); s != "" {
			v = s
		}
	}
	if s, ok := v.(string); ok {
		v = brief(s, 100)
	}
	text, err := canonical.JCS(v)
	if err != nil {
		return "?"
	}
	return brief(string(text), 120)
}

// numbers counts changes by place: "contract 2  facts +1 ~1 -0".
func numbers(d *history.Difference) string {
	type count struct{ added, changed, removed, moved int }
	by := map[string]*count{}
	var order []string
	for _, c := range d.State {
		place := "state"
		if collection, _, ok := c.Entry(); ok {
			place = collection
		} else if p, err := canonical.ParsePointer(c.Pointer); err == nil && len(p) > 1 {
			place = p[1]
		}
		if by[place] == nil {
			by[place] = &count{}
			order = append(order, place)
		}
		n := by[place]
		*map[string]*int{history.Added: &n.added, history.Changed: &n.changed, history.Removed: &n.removed, history.Moved: &n.moved}[c.What]++
	}
	var parts []string
	if n := len(d.Contract); n > 0 {
		parts = append(parts, fmt.Sprintf("contract !%d", n))
	}
	for _, place := range order {
		n := by[place]
		parts = append(parts, fmt.Sprintf("%s +%d ~%d -%d", term.Escape(place), n.added, n.changed, n.removed))
		if n.moved > 0 {
			parts[len(parts)-1] += fmt.Sprintf(" >%d", n.moved)
		}
	}
	if d.HistoryAdded+d.HistoryRemoved > 0 {
		parts = append(parts, fmt.Sprintf("history +%d -%d", d.HistoryAdded, d.HistoryRemoved))
	}
	return strings.Join(parts, "  ")
}

// printOperations writes the delta between two versions, checked as one that comes in would be.
func (a *app) printOperations(pairs []pair) error {
	if len(pairs) != 1 || pairs[0].before == nil || pairs[0].after == nil {
		return usagef("--operations is about two versions of one profile")
	}
	p := pairs[0]
	rationale := fmt.Sprintf("Difference between %s and %s.", p.before.label, p.after.label)
	v, left, err := history.Delta(p.before.doc, p.after.doc, rationale)
	if err != nil {
		return err
	}
	for _, at := range left {
		a.warnf("%s differs, which no delta can ask for", at)
	}
	text, err := profile.Encode(v, textedit.YAML)
	if err != nil {
		return err
	}
	doc, err := profile.Parse("difference.delta.yaml", text)
	if err != nil {
		return err
	}
	if _, err := doc.Validate(); err != nil {
		return err
	}
	if a.json {
		return a.emit(map[string]any{"type": "delta", "document": v, "left": append([]string{}, left...)})
	}
	return a.write(text)
}
