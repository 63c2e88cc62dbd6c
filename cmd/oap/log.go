package main

import (
	"context"
	"fmt"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/open-agent-profile/oap/internal/term"
	"github.com/open-agent-profile/oap/repo/history"
)

type logOptions struct {
	entry string
	count int
	since string
}

func (a *app) newLogCommand() *cobra.Command {
	var o logOptions
	cmd := &cobra.Command{
		Use:   "log NAME[@REV]",
		Short: "Show the revisions of a profile, or the life of one entry",
		Long: `Show the commits that changed a profile, newest first, and what each of them was: state (a
session's delta), accept, stamp, prune, restore, rollback, merge, create, delete, or edit for
what people did by hand. A commit counts as what its trailers say only where the document in
it has the name, revision and digest that they name. SECTIONS is what really differs from the
commit before.

The file is followed through renames by metadata.id, else by name. --entry shows what became
of one fact, preference, thread or term: added, changed, used, evicted, removed, restored.`,
		Example: `  oap log code-reviewer
  oap log code-reviewer -n 5 --since 30d
  oap log code-reviewer --entry fact-ruff
  oap log --json code-reviewer`,
		Args:              takes(cobra.ExactArgs(1)),
		ValidArgsFunction: a.completeNames,
		RunE:              func(cmd *cobra.Command, args []string) error { return a.runLog(cmd.Context(), args[0], o) },
	}
	f := cmd.Flags()
	f.StringVar(&o.entry, "entry", "", "show the life of the entry `ID` (or COLLECTION/ID)")
	f.IntVarP(&o.count, "max-count", "n", 0, "show at most `N`")
	f.StringVar(&o.since, "since", "", "show what is not older than `TIME`: a date, an RFC 3339 time or an age such as 30d")
	return cmd
}

// logged is a line of the log; with --entry it also says what became of the entry.
type logged struct {
	Type       string   `json:"type"` // "version" or "entry"
	Profile    string   `json:"profile"`
	Revision   int      `json:"revision"` // 0 where the commit removes the file or leaves no document
	Date       string   `json:"date"`     // of the commit
	Commit     string   `json:"commit"`
	Kind       string   `json:"kind"`
	Sections   []string `json:"sections"`
	Session    string   `json:"session,omitempty"`
	Harness    string   `json:"harness,omitempty"`
	ApprovedBy string   `json:"approved_by,omitempty"`
	Proposal   string   `json:"proposal,omitempty"`
	Author     string   `json:"author"`
	Summary    string   `json:"summary"`
	Path       string   `json:"path"`
	Error      string   `json:"error,omitempty"`

	Collection string         `json:"collection,omitempty"`
	ID         string         `json:"id,omitempty"`
	Event      string         `json:"event,omitempty"`
	Fields     []string       `json:"fields,omitempty"`
	Rule       string         `json:"rule,omitempty"`
	Entry      map[string]any `json:"entry,omitempty"`
}

func loggedOf(name string, v *history.Version) logged {
	l := logged{
		Type: "version", Profile: name, Date: v.Commit.Committer.When.UTC().Format(time.RFC3339), Commit: string(v.Commit.ID),
		Kind: string(v.Kind), Sections: v.Sections, Session: v.Claim.Session, Harness: v.Claim.Harness,
		ApprovedBy: v.Claim.ApprovedBy, Proposal: v.Claim.Proposal, Author: v.Commit.Author.String(), Summary: v.Summary(), Path: v.Path,
	}
	if v.Document != nil {
		l.Profile, l.Revision = v.Document.Name(), v.Document.Revision()
	}
	if v.Err != nil {
		l.Error = v.Err.Error()
	}
	return l
}

func (a *app) runLog(ctx context.Context, spec string, o logOptions) error {
	p, err := a.past(ctx, spec)
	if err != nil {
		return err
	}
	var bounds history.Options
	if o.since != "" {
		now, err := a.time()
		if err != nil {
			return err
		}
		if bounds.Since, err = parseSince(o.since, now); err != nil {
			return err
		}
	}
	if o.count < 0 {
		return usagef("-n is a number of lines, not %d", o.count)
	}
	defer a.noteShallow(p.repo)
	if o.entry != "" {
		return a.logEntry(ctx, p, bounds, o)
	}
	var rows []logged
	for v, err := range p.versions(ctx, bounds) {
		if err != nil {
			return err
		}
		rows = append(rows, loggedOf(p.at.Name(), v))
		if len(rows) == o.count {
			break
		}
	}
	return a.printLog(rows, "REV\tDATE\tCOMMIT\tKIND\tSECTIONS\tSESSION\tAPPROVED\tSUMMARY", func(l logged) []string {
		return []string{revisionText(l), l.Date[:10], l.Commit[:7], l.Kind, strings.Join(l.Sections, ","), l.Session, personName(l.ApprovedBy), l.Summary}
	})
}

// logEntry needs all of the history before it can tell the first time from a return; -n and --since
// cut what is shown.
func (a *app) logEntry(ctx context.Context, p *past, bounds history.Options, o logOptions) error {
	var versions []*history.Version
	for v, err := range p.versions(ctx, history.Options{}) {
		if err != nil {
			return err
		}
		versions = append(versions, v)
	}
	events := history.Life(versions, o.entry)
	if len(events) == 0 {
		return &notFoundError{fmt.Sprintf("%s never had an entry %q", p.at.Name(), o.entry)}
	}
	var rows []logged
	for _, e := range events {
		if e.Version.Commit.Committer.When.Before(bounds.Since) || o.count > 0 && len(rows) == o.count {
			continue
		}
		l := loggedOf(p.at.Name(), e.Version)
		l.Type, l.Collection, l.ID, l.Event, l.Fields, l.Rule, l.Entry = "entry", e.Collection, e.ID, e.What, e.Fields, e.Rule, e.Entry
		rows = append(rows, l)
	}
	return a.printLog(rows, "REV\tDATE\tCOMMIT\tEVENT\tENTRY\tKIND\tSESSION\tTEXT", func(l logged) []string {
		event := l.Event
		switch {
		case l.Rule != "":
			event += " (" + l.Rule + ")"
		case len(l.Fields) > 0 && l.Event == history.Changed:
			event += " " + strings.Join(l.Fields, ",")
		}
		return []string{revisionText(l), l.Date[:10], l.Commit[:7], event, l.Collection + "/" + l.ID, l.Kind, l.Session, brief(history.Words(l.Entry), 60)}
	})
}

func (a *app) printLog(rows []logged, head string, cells func(logged) []string) error {
	if a.json {
		for _, l := range rows {
			if err := a.emit(l); err != nil {
				return err
			}
		}
		return nil
	}
	if len(rows) == 0 {
		a.notef("nothing to show")
		return nil
	}
	return a.table(head, len(rows), func(i int) []string { return cells(rows[i]) })
}

// table prints aligned columns below one header line; every cell is escaped, an empty one is "-".
func (a *app) table(head string, rows int, cells func(int) []string) error {
	w := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, head)
	for i := range rows {
		line := cells(i)
		for j, s := range line {
			if line[j] = term.Escape(s); s == "" {
				line[j] = "-"
			}
		}
		fmt.Fprintln(w, strings.Join(line, "\t"))
	}
	return w.Flush()
}

func revisionText(l logged) string {
	switch {
	case l.Error != "":
		return "unreadable"
	case l.Revision == 0:
		return ""
	}
	return fmt.Sprint(l.Revision)
}

// personName leaves the mail address out.
func personName(s string) string {
	name, _, _ := strings.Cut(s, " <")
	return name
}

// brief is the first line of a text, cut to a number of characters.
func brief(s string, limit int) string {
	line, _, more := strings.Cut(strings.TrimSpace(s), "\n")
	if rs := []rune(line); len(rs) > limit {
		return string(rs[:limit-1]) + "…"
	}
	if more {
		line += " …"
	}
	return line
}
