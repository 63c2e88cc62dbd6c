package main

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"github.com/open-agent-profile/oap/internal/term"
	"github.com/open-agent-profile/oap/repo/history"
)

func (a *app) newBlameCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "blame NAME[@REV]",
		Short: "Show which revision brought each entry's present text",
		Long: `Show for the summary and for every fact, preference, thread and term of a profile which
revision, commit and session brought the text that it has now, and the source that it names.
Of a text that went and came back, the revision that brought it back counts.`,
		Example: `  oap blame code-reviewer
  oap blame code-reviewer@7 --json`,
		Args:              takes(cobra.ExactArgs(1)),
		ValidArgsFunction: a.completeNames,
		RunE:              func(cmd *cobra.Command, args []string) error { return a.runBlame(cmd.Context(), args[0]) },
	}
}

// blamed is one line of JSON.
type blamed struct {
	Type       string `json:"type"` // "origin"
	Profile    string `json:"profile"`
	Collection string `json:"collection"` // "summary" for the summary
	ID         string `json:"id"`
	Text       string `json:"text"`
	Source     string `json:"source,omitempty"`
	Revision   int    `json:"revision"` // 0 where history ends before it is found
	Commit     string `json:"commit,omitempty"`
	Date       string `json:"date,omitempty"`
	Kind       string `json:"kind,omitempty"`
	Session    string `json:"session,omitempty"`
	Author     string `json:"author,omitempty"`
}

func (a *app) runBlame(ctx context.Context, spec string) error {
	p, err := a.readable(ctx, spec)
	if err != nil {
		return err
	}
	origins, err := history.Blame(p.at.Document, p.versions(ctx, history.Options{}))
	if err != nil {
		return err
	}
	defer a.noteShallow(p.repo)
	rows := make([]blamed, len(origins))
	for i, o := range origins {
		rows[i] = blamed{Type: "origin", Profile: p.at.Name(), Collection: o.Collection, ID: o.ID, Text: o.Text, Source: o.Source}
		if o.Collection == "" {
			rows[i].Collection = "summary"
		}
		if v := o.Version; v != nil {
			rows[i].Revision, rows[i].Commit, rows[i].Kind = v.Document.Revision(), string(v.Commit.ID), string(v.Kind)
			rows[i].Session, rows[i].Author = v.Claim.Session, v.Commit.Author.String()
			rows[i].Date = v.Commit.Committer.When.UTC().Format(time.RFC3339)
		}
		if a.json {
			if err := a.emit(rows[i]); err != nil {
				return err
			}
		}
	}
	if a.json {
		return nil
	}
	if len(rows) == 0 {
		a.notef("%s has no entries", term.Escape(p.at.Name()))
		return nil
	}
	return a.table("REV\tCOMMIT\tKIND\tSESSION\tSOURCE\tENTRY\tTEXT", len(rows), func(i int) []string {
		b := rows[i]
		entry := b.Collection
		if b.ID != "" {
			entry += "/" + b.ID
		}
		return []string{revisionText(logged{Revision: b.Revision}), short(b.Commit), b.Kind, b.Session, brief(b.Source, 30), entry, brief(b.Text, 60)}
	})
}

// short is an id for people.
func short(commit string) string {
	if len(commit) > 7 {
		return commit[:7]
	}
	return commit
}
