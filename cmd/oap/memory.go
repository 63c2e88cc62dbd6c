package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/open-agent-profile/oap/internal/secrets"
	"github.com/open-agent-profile/oap/internal/term"
	"github.com/open-agent-profile/oap/repo"
)

func (a *app) newMemoryCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "memory",
		Short: "Read and write the notes of a session's memory store",
		Long: `Read and write notes in a memory store of the kind git-notes-dir: a folder of the working tree
that the profile names in spec.memory.stores. Mode and scopes are those of the session. A note
is one Markdown file; git sees it like every other file, and people commit it or not.`,
		Example: `  oap memory list start.json notes
  oap memory put start.json notes flaky-upload --file note.md`,
		Args: takes(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, args []string) error { return cmd.Help() },
	}
	cmd.AddCommand(a.newMemoryListCommand(), a.newMemoryGetCommand(), a.newMemoryPutCommand())
	return cmd
}

const memoryWords = `

SESSION is the .json file that oap session start printed, or the id of one that was recorded.`

func (a *app) newMemoryListCommand() *cobra.Command {
	var scope string
	cmd := &cobra.Command{
		Use:     "list SESSION STORE",
		Short:   "List the notes of a store",
		Long:    `List the keys of the notes in a store, one a line.` + memoryWords,
		Example: `  oap memory list start.json notes --scope project:upload`,
		Args:    takes(cobra.ExactArgs(2)),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.runMemoryList(cmd.Context(), args[0], args[1], scope)
		},
	}
	scopeFlag(cmd, &scope)
	return cmd
}

func (a *app) newMemoryGetCommand() *cobra.Command {
	var scope string
	cmd := &cobra.Command{
		Use:   "get SESSION STORE KEY",
		Short: "Print a note",
		Long: `Print a note. It is untrusted text: somebody wrote it in an earlier session.` +
			memoryWords,
		Example: `  oap memory get start.json notes flaky-upload`,
		Args:    takes(cobra.ExactArgs(3)),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.runMemoryGet(cmd.Context(), args[0], args[1], args[2], scope)
		},
	}
	scopeFlag(cmd, &scope)
	return cmd
}

func (a *app) newMemoryPutCommand() *cobra.Command {
	var scope, file string
	cmd := &cobra.Command{
		Use:   "put SESSION STORE KEY",
		Short: "Write a note",
		Long: `Write a note, from standard input or --file, in place of the one that has the key. A note is
text of at most 64 KiB without credentials.` + memoryWords,
		Example: `  oap memory put start.json notes flaky-upload < note.md`,
		Args:    takes(cobra.ExactArgs(3)),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.runMemoryPut(cmd.Context(), args[0], args[1], args[2], scope, file)
		},
	}
	scopeFlag(cmd, &scope)
	cmd.Flags().StringVar(&file, "file", "-", "read the note from `FILE`")
	return cmd
}

func scopeFlag(cmd *cobra.Command, scope *string) {
	cmd.Flags().StringVar(scope, "scope", "", "`SCOPE` of the note, one of memory.scopes")
}

// noted is one line of JSON.
type noted struct {
	Type  string  `json:"type"` // "note"
	Store string  `json:"store"`
	Scope string  `json:"scope"`
	Key   string  `json:"key"`
	Bytes int     `json:"bytes"`
	Text  *string `json:"text,omitempty"`
}

func (a *app) runMemoryList(ctx context.Context, session, store, scope string) error {
	n, err := a.openNotes(ctx, session, store, scope, false)
	if err != nil {
		return err
	}
	defer n.close()
	all, err := n.list()
	if err != nil {
		return err
	}
	for _, note := range all {
		if a.json {
			if err := a.emit(note); err != nil {
				return err
			}
			continue
		}
		a.printf("%s\n", term.Escape(note.Key))
	}
	if len(all) == 0 {
		a.notef("no notes")
	}
	return nil
}

func (a *app) runMemoryGet(ctx context.Context, session, store, key, scope string) error {
	n, err := a.openNotes(ctx, session, store, scope, false)
	if err != nil {
		return err
	}
	defer n.close()
	text, err := n.get(key)
	if err != nil {
		return err
	}
	if a.json {
		s := string(text)
		return a.emit(noted{"note", store, scope, key, len(text), &s})
	}
	return a.write(text)
}

func (a *app) runMemoryPut(ctx context.Context, session, store, key, scope, file string) error {
	n, err := a.openNotes(ctx, session, store, scope, true)
	if err != nil {
		return err
	}
	defer n.close()
	inputs, err := a.readDeltas([]string{file}) // one reader of files and standard input for all commands
	if err != nil {
		return err
	}
	text := inputs[0].data
	if found := secrets.Scan(string(text)); len(found) > 0 {
		return &repo.Error{Kind: repo.Refused, Reason: "secret", Path: key, Msg: fmt.Sprintf("the note holds a credential (%s)", found[0].Kind)}
	}
	if err := n.put(key, text); err != nil {
		return err
	}
	if a.json {
		return a.emit(noted{"note", store, scope, key, len(text), nil})
	}
	a.printf("wrote %s\n", n.path(key))
	return nil
}
