package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/open-agent-profile/oap/canonical"
	"github.com/open-agent-profile/oap/internal/term"
	"github.com/open-agent-profile/oap/internal/textedit"
	"github.com/open-agent-profile/oap/profile"
)

func (a *app) newShowCommand() *cobra.Command {
	var format, pointer string
	cmd := &cobra.Command{
		Use:   "show NAME[@REV]|PATH",
		Short: "Show a profile as stored, or one part of it",
		Long: `Show a profile byte for byte as it is stored. NAME is read from the working tree, or from
the branch given with --branch; NAME@REV is a revision number or a commit. On a terminal,
characters that could steer it are shown escaped.

--format writes the same document in another encoding, with the same digests. --pointer
shows one part (RFC 6901, and id:ENTRY or term:TERM in lists of state).`,
		Example: `  oap show code-reviewer
  oap show code-reviewer@7 --format json
  oap show code-reviewer --pointer /state/facts/id:fact-ruff`,
		Args:              takes(cobra.ExactArgs(1)),
		ValidArgsFunction: a.completeNames,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.runShow(cmd.Context(), args[0], format, pointer)
		},
	}
	cmd.Flags().StringVar(&format, "format", "", "write in `FORMAT`: yaml, json or md")
	cmd.Flags().StringVar(&pointer, "pointer", "", "show only what `POINTER` addresses")
	return cmd
}

// encodings are the words of --format.
var encodings = map[string]textedit.Format{"yaml": textedit.YAML, "json": textedit.JSON, "md": textedit.Markdown}

func (a *app) runShow(ctx context.Context, spec, format, pointer string) error {
	enc, known := encodings[format]
	if format != "" && !known {
		return usagef("--format is yaml, json or md, not %q", format)
	}
	at, err := a.target(ctx, spec)
	if err != nil {
		return err
	}
	doc := at.Document
	switch {
	case pointer != "":
		return a.showPart(doc, pointer, enc)
	case a.json:
		return a.emit(map[string]any{"type": "document", "path": at.Path, "commit": at.Commit, "document": doc.Value})
	}
	text := doc.Bytes()
	if known && enc != doc.Encoding {
		if text, err = profile.Encode(doc.Value, enc); err != nil {
			return err
		}
	}
	return a.write(text)
}

// showPart prints a text as it is and everything else as JSON, which is YAML too, or a mapping in YAML's own style where
// that is asked for.
func (a *app) showPart(doc *profile.Document, pointer string, enc textedit.Format) error {
	if enc == textedit.Markdown {
		return usagef("--format md is for a whole document; --pointer shows text, json or yaml")
	}
	p, err := canonical.ParsePointer(pointer)
	if err != nil {
		return &usageError{err.Error()}
	}
	v, ok := profile.Lookup(doc.Value, p)
	if !ok {
		return &notFoundError{fmt.Sprintf("%s has nothing at %s", doc.Path, pointer)}
	}
	switch x := v.(type) {
	case string:
		if !a.json {
			return a.write([]byte(x + "\n"))
		}
	case map[string]any:
		if enc == textedit.YAML && !a.json {
			text, err := profile.Encode(x, enc)
			if err != nil {
				return err
			}
			return a.write(text)
		}
	}
	if a.json {
		return a.emit(map[string]any{"type": "part", "path": doc.Path, "pointer": pointer, "value": v})
	}
	var text bytes.Buffer
	if err := encodeIndented(&text, v); err != nil {
		return err
	}
	return a.write(text.Bytes())
}

// write puts text of a document on standard output: byte for byte into a pipe or file, escaped on a
// terminal.
func (a *app) write(text []byte) error {
	if isTerminal(a.out) {
		text = []byte(term.EscapeLines(string(text)))
	}
	_, err := a.out.Write(text)
	return err
}

// isTerminal reports whether a stream is a terminal.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(f.Fd())
}

// notFoundError is a part or entry that is not there.
type notFoundError struct{ msg string }

func (e *notFoundError) Error() string { return e.msg }
