package main

import (
	"context"
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/open-agent-profile/oap/canonical"
	"github.com/open-agent-profile/oap/internal/term"
	"github.com/open-agent-profile/oap/profile"
	"github.com/open-agent-profile/oap/profile/resolve"
)

func (a *app) newResolveCommand() *cobra.Command {
	var o composing
	var format string
	var explain bool
	cmd := &cobra.Command{
		Use:   "resolve NAME[@REV]|PATH",
		Short: "Show a profile with everything that it extends",
		Long: `Show the document that a profile and the profiles it extends make together, with variables
filled in and trust set by the place where it was found. Pins are checked, links followed;
what this machine does not have, such as a variable of an MCP server, is left out and named
on standard error. Nothing is fetched, installed, run or written.

A name is looked for in the managed root, the user's, the project's and plugins; a later one
wins, but for managed ones, and every collision is reported. With --at or @REV all documents
come from that one commit. --explain says which document each field comes from.`,
		Example: `  oap resolve python-reviewer
  oap resolve python-reviewer --explain
  oap resolve python-reviewer --at HEAD~5 --json`,
		Args:              takes(cobra.ExactArgs(1)),
		ValidArgsFunction: a.completeNames,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.runResolve(cmd.Context(), args[0], o, format, explain)
		},
	}
	o.flags(cmd)
	cmd.Flags().StringVar(&format, "format", "yaml", "write in `FORMAT`: yaml, json or md")
	cmd.Flags().BoolVar(&explain, "explain", false, "list which document each field of the contract comes from")
	return cmd
}

// resolvedProfile is the JSON answer.
type resolvedProfile struct {
	Type           string              `json:"type"` // "resolved"
	Name           string              `json:"name"`
	Path           string              `json:"path"`
	Commit         string              `json:"commit"` // empty: the working tree
	Root           resolve.Root        `json:"root"`
	Trust          resolve.Trust       `json:"trust"`
	Digest         canonical.Digest    `json:"profile_digest"`
	SpecDigest     canonical.Digest    `json:"spec_digest"`
	ResolvedDigest canonical.Digest    `json:"resolved_digest"`
	Document       map[string]any      `json:"document"`
	Layers         []resolve.Layer     `json:"layers"`
	Origins        []resolve.Origin    `json:"origins"`
	Collisions     []resolve.Collision `json:"collisions"`
	Dropped        []resolve.Dropped   `json:"dropped"`
	Findings       []profile.Finding   `json:"findings"`
}

func (a *app) runResolve(ctx context.Context, spec string, o composing, format string, explain bool) error {
	enc, known := encodings[format]
	if !known {
		return usagef("--format is yaml, json or md, not %q", format)
	}
	c, err := a.compose(ctx, spec, o)
	if err != nil {
		return err
	}
	a.warnComposed(c)
	for _, f := range c.Findings {
		a.warnf("%s", f.Text())
	}
	switch {
	case a.json:
		return a.emit(resolvedProfile{
			Type: "resolved", Name: c.Source.Document.Name(), Path: c.Source.Path, Commit: string(c.discovery.commit),
			Root: c.Source.Root, Trust: c.Trust, Digest: c.Digest, SpecDigest: c.SpecDigest, ResolvedDigest: c.ResolvedDigest,
			Document: c.Value, Layers: filled(c.Layers), Origins: filled(c.Origins), Collisions: filled(c.Collisions),
			Dropped: filled(c.Dropped), Findings: filled(c.Findings),
		})
	case explain:
		return a.explain(c)
	}
	text, err := profile.Encode(c.Value, enc)
	if err != nil {
		return err
	}
	return a.write(text)
}

// filled makes a list that JSON does not write as null.
func filled[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// explain lists where the fields of the contract come from; state and history are always the document's own.
func (a *app) explain(c *composition) error {
	w := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "FIELD\tFROM\tREV\tPATH")
	for _, o := range c.Origins {
		if strings.HasPrefix(o.Pointer, "/state") || strings.HasPrefix(o.Pointer, "/history") {
			continue
		}
		layer := c.Layers[o.Layer]
		field := term.Escape(o.Pointer)
		if o.Deleted {
			field += " (taken away)"
		}
		fmt.Fprintf(w, "%s\t%s\t%d\t%s\n", field, term.Escape(layer.Name), layer.Revision, term.Escape(layer.Path))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	a.printf("trust %s, from the %s root %s\n", c.Trust, term.Escape(c.Source.Root.Name), term.Escape(c.Source.Root.Path))
	return nil
}
