package proposals

import (
	"fmt"
	"regexp"
	"strings"
	"sync"

	"github.com/open-agent-profile/oap/internal/term"
)

// Markdown writes the body of a pull request for open items. Text that comes from sessions, profiles and
// branches stands in code, where nothing of it is live: no link, image, mention, HTML or heading. The
// trailers stand last, since a forge that squashes keeps the body and drops the messages.
func Markdown(items ...*Item) string {
	var b strings.Builder
	for _, i := range items {
		i.markdown(&b)
		b.WriteString("\n")
	}
	for _, i := range items {
		b.WriteString(i.plainTrailers())
	}
	return b.String()
}

func (i *Item) markdown(b *strings.Builder) {
	p := func(format string, args ...any) { fmt.Fprintf(b, format+"\n", args...) }
	if i.Kind == KindProposal {
		p("Proposed change of the contract of %s: %s", term.Markdown(i.Profile), term.Markdown(i.Asks))
		p("")
		p("**Risk: %s.** Asked for by %s.", i.Risk, counted(i.Sessions, "session", "sessions"))
	} else {
		p("State of %s that waits for a person.", term.Markdown(i.Profile))
	}
	if i.Trouble != "" {
		p("")
		p("**It cannot be accepted as it is:** %s", term.Markdown(i.Trouble))
	}
	if i.Edited {
		p("")
		p("People have changed this branch since it was opened.")
	}
	p("")
	p("## What changes")
	p("")
	b.WriteString(term.Fence(changeLines(i.Changes)))
	if len(i.Reasons) > 0 {
		p("")
		p("## Why the risk is %s", i.Risk)
		p("")
		b.WriteString(term.Fence(reasonLines(i.Reasons)))
	}
	if i.Kind == KindProposal && i.merged != nil && i.ours != nil {
		p("")
		p("## What the contract grants, before and after")
		p("")
		b.WriteString(term.Fence(effectLines(Effects(i.ours.Value, i.merged))))
	}
	p("")
	p("## Rationale")
	for _, a := range i.Asked {
		p("")
		p("%s", from(a))
		p("")
		b.WriteString(term.Fence(a.Rationale))
	}
	p("")
	p("To decide: merge this, or run %s. After a merge, %s puts the change on record.",
		term.Markdown("oap proposals accept "+i.ID), term.Markdown("oap stamp "+i.Profile))
}

func from(a Asked) string {
	at := a.At.Format("2006-01-02 15:04 MST")
	if a.Session == "" {
		return fmt.Sprintf("By %s on %s:", term.Markdown(a.By), at)
	}
	s := "Session " + term.Markdown(a.Session)
	if a.Harness != "" {
		s += " in " + term.Markdown(a.Harness)
	}
	return s + " on " + at + ":"
}

func counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// changeLines lists changes below their places, each on a line of its own.
func changeLines(list []Change) string {
	if len(list) == 0 {
		return "nothing\n"
	}
	var b strings.Builder
	for i, c := range list {
		if i == 0 || c.Pointer != list[i-1].Pointer {
			fmt.Fprintf(&b, "%s\n", term.Escape(c.Pointer))
		}
		fmt.Fprintf(&b, "  %s\n", term.Escape(c.String()))
	}
	return b.String()
}

func reasonLines(list []Reason) string {
	var b strings.Builder
	for _, r := range list {
		fmt.Fprintf(&b, "%-6s %s: %s\n", r.Risk, term.Escape(r.Pointer), term.Escape(r.Message))
	}
	return b.String()
}

func effectLines(list []Effect) string {
	var b strings.Builder
	for _, e := range list {
		if e.Differs() {
			fmt.Fprintf(&b, "%-10s %s -> %s\n", e.What, term.Escape(e.Before), term.Escape(e.After))
		} else {
			fmt.Fprintf(&b, "%-10s %s\n", e.What, term.Escape(e.Before))
		}
	}
	return b.String()
}

// inert is what may stand in Markdown as it is: no forge makes a link, mention or markup of it.
var (
	inert = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^[A-Za-z0-9.][A-Za-z0-9./_-]*$`)
	})
	linked = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)www\.|^gh-[0-9]|__|^_|_$|\.(com|org|net|io|dev)\b`)
	})
)

// plainTrailers writes the trailers as text. A value that Markdown could make something of is left out: the
// branch's own commits have it.
func (i *Item) plainTrailers() string {
	var b strings.Builder
	for _, t := range append(trailers(keyProfile, i.Profile, keyPath, i.Path), i.origin()...) {
		v := strings.TrimPrefix(t.Value, "sha256:")
		if inert().MatchString(v) && !linked().MatchString(v) {
			fmt.Fprintf(&b, "%s: %s\n", t.Key, t.Value)
		}
	}
	return b.String()
}

// Text writes the same for a terminal, indented; it is safe to print.
func Text(i *Item) string {
	var b strings.Builder
	section := func(head, lines string) {
		fmt.Fprintf(&b, "\n%s\n", head)
		for l := range strings.Lines(lines) {
			b.WriteString("  " + l)
		}
	}
	section("Changes", changeLines(i.Changes))
	if i.Kind == KindProposal {
		section(fmt.Sprintf("Risk %s", i.Risk), reasonLines(i.Reasons))
		if i.merged != nil && i.ours != nil {
			section("Grants, before -> after", effectLines(Effects(i.ours.Value, i.merged)))
		}
	}
	for _, a := range i.Asked {
		who := "session " + a.Session
		if a.Session == "" {
			who = a.By
		}
		if a.Harness != "" {
			who += " (" + a.Harness + ")"
		}
		text := ""
		for n, paragraph := range paragraphs(a.Rationale) {
			if n > 0 {
				text += "\n"
			}
			text += fold(paragraph, "") + "\n"
		}
		section(term.Escape(fmt.Sprintf("Rationale of %s, %s", who, a.At.Format("2006-01-02"))), text)
	}
	for n, c := range i.Conflicts {
		if n == 0 {
			b.WriteString("\nConflicts\n")
		}
		fmt.Fprintf(&b, "  %s: %s\n    on the branch:   %s\n    in the proposal: %s\n", term.Escape(c.Pointer), term.Escape(c.Reason), valueLine(c.Ours), valueLine(c.Theirs))
	}
	return b.String()
}

func valueLine(v any) string {
	if v == nil {
		return "nothing"
	}
	return term.Escape(short(v))
}
