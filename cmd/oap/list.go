package main

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/open-agent-profile/oap/internal/term"
	"github.com/open-agent-profile/oap/repo/catalog"
)

func (a *app) newListCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List the profiles",
		Long: `List the profiles under the profile roots: those of the working tree, or of a branch with
--branch. A name that stands twice in one root is an error, and so are paths that differ by
letter case only. A file that cannot be read stands in the list and makes the exit code 1.`,
		Example: `  oap list
  oap list --branch main --json`,
		Args: takes(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, args []string) error { return a.runList(cmd.Context()) },
	}
}

// listed is a profile in the table, and one line of JSON.
type listed struct {
	Type        string `json:"type"` // "profile"
	Name        string `json:"name"`
	Revision    int    `json:"revision"`
	UpdatedAt   string `json:"updated_at"`
	Writeback   string `json:"writeback"`
	Facts       int    `json:"facts"`
	OpenThreads int    `json:"open_threads"`
	Root        string `json:"root"`
	Path        string `json:"path"`
	Error       string `json:"error,omitempty"`
}

func (a *app) runList(ctx context.Context) error {
	src, roots, err := a.source(ctx)
	if err != nil {
		return err
	}
	entries, err := catalog.List(ctx, src, roots)
	if err != nil {
		return err
	}
	var rows []listed
	var paths []string
	broken := 0
	for _, e := range entries {
		rows, paths = append(rows, rowOf(e)), append(paths, e.Path)
		if e.Err != nil {
			broken++
		}
	}
	if err := a.printList(rows); err != nil {
		return err
	}
	if dup := append(catalog.Duplicates(entries), catalog.Collisions(paths)...); len(dup) > 0 {
		for _, d := range dup[1:] {
			a.warnf("%v", d)
		}
		return dup[0]
	}
	if broken > 0 {
		return &answerNo{plural(broken, "file is no profile", "files are no profiles")}
	}
	if len(rows) == 0 {
		a.notef("no profiles under %s", strings.Join(roots, ", "))
	}
	return nil
}

func rowOf(e *catalog.Entry) listed {
	row := listed{Type: "profile", Name: e.Name(), Root: e.Root, Path: e.Path}
	if e.Err != nil {
		row.Error = e.Err.Error()
		return row
	}
	d := e.Document
	row.Revision, row.UpdatedAt, row.Writeback = d.Revision(), d.UpdatedAt(), string(d.Writeback())
	row.Facts, row.OpenThreads = d.Facts(), d.ActiveThreads()
	return row
}

func (a *app) printList(rows []listed) error {
	if a.json {
		for _, r := range rows {
			if err := a.emit(r); err != nil {
				return err
			}
		}
		return nil
	}
	if len(rows) == 0 {
		return nil
	}
	w := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "NAME\tREV\tUPDATED\tWRITEBACK\tFACTS\tTHREADS\tPATH")
	for _, r := range rows {
		if r.Error != "" {
			fmt.Fprintf(w, "%s\t-\t-\t-\t-\t-\t%s\n", term.Escape(r.Name), term.Escape(r.Path+" ("+r.Error+")"))
			continue
		}
		updated := r.UpdatedAt
		if updated == "" {
			updated = "-"
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%d\t%d\t%s\n", term.Escape(r.Name), strconv.Itoa(r.Revision), term.Escape(updated), r.Writeback, r.Facts, r.OpenThreads, term.Escape(r.Path))
	}
	return w.Flush()
}
