package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/open-agent-profile/oap/profile"
)

type validateOptions struct {
	format    string
	formatSet bool
	digest    bool
	strict    bool
	resolve   bool
}

func (a *app) newValidateCommand() *cobra.Command {
	var o validateOptions
	cmd := &cobra.Command{
		Use:   "validate [PATH|NAME]...",
		Short: "Check profiles and deltas",
		Long: `Check agent profiles and session deltas: syntax, schema, and what no schema can say. Each
finding is a line: path:line:column: severity: /pointer: message [rule].

PATH is a file or a folder, whose *.agent.* and *.delta.* files are checked, those in folders
below included; no repository is needed. - is standard input. NAME, ROOT:NAME and NAME@REV
are profiles of the repository; a word that names a file or folder here is a path. Without
arguments all profiles and deltas under the profile roots are checked, those of the working
tree, or of a commit with --branch or in a bare repository; there a name that stands twice in
one root is an error. There the public personas are held against their bases, too, as by
oap persona check. Having nothing to check under the roots is no failure.

A document is judged by itself. With --resolve each profile that extends others is composed as
well: a base that is not there, or is not the one that is pinned, is an error.

--format is text, json (one object a line), sarif (2.1.0, for code scanning), github (workflow
commands) or gitlab (code quality report). Everything is checked and printed before a failure
is reported; a file that cannot be read does not hide the others.`,
		Example: `  oap validate
  oap validate --strict --digest code-reviewer
  oap validate .agents session.delta.yaml
  oap validate --resolve
  oap validate --format sarif > oap.sarif`,
		ValidArgsFunction: a.completeNames,
		RunE: func(cmd *cobra.Command, args []string) error {
			o.formatSet = cmd.Flags().Changed("format")
			return a.runValidate(cmd.Context(), o, args)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.format, "format", "text", "print as `FORMAT`: text, json, sarif, github or gitlab")
	f.BoolVar(&o.digest, "digest", false, "print both digests of each profile")
	f.BoolVar(&o.resolve, "resolve", false, "compose profiles with what they extend, too")
	f.BoolVar(&o.strict, "strict", false, "count warnings as failure")
	return cmd
}

// reporters print the findings of a run, one for each word of --format.
var reporters = map[string]func(a *app, v *validation) error{
	"text": reportText, "json": reportJSON, "sarif": reportSARIF, "github": reportGitHub, "gitlab": reportGitLab,
}

// withDigests are the formats that have a place for digests.
var withDigests = []string{"text", "json"}

// validated is the last line of JSON.
type validated struct {
	Type      string `json:"type"` // "validated"
	Documents int    `json:"documents"`
	Errors    int    `json:"errors"`
	Warnings  int    `json:"warnings"`
}

func (a *app) runValidate(ctx context.Context, o validateOptions, args []string) error {
	if a.json && !o.formatSet {
		o.format = "json"
	}
	report, known := reporters[o.format]
	switch {
	case !known:
		return usagef("--format is text, json, sarif, github or gitlab, not %q", o.format)
	case a.json && o.format != "json":
		return usagef("--json and --format %s contradict each other", o.format)
	case o.digest && !slices.Contains(withDigests, o.format):
		return usagef("--digest goes with --format text or json, not with %s", o.format)
	}
	a.json = o.format == "json"
	v := &validation{app: a, seen: map[string]bool{}, digests: o.digest, resolve: o.resolve}
	if err := v.collect(ctx, args); err != nil {
		return err
	}
	if err := report(a, v); err != nil {
		return err
	}
	err := v.end(o.strict)
	if a.json {
		if err := a.emit(v.count()); err != nil {
			return err
		}
	}
	return err
}

// end says what the run comes to. What could not be read weighs more than what is invalid: the answer is
// not known then.
func (v *validation) end(strict bool) error {
	for _, err := range v.unread {
		v.app.fail(err)
	}
	n := v.count()
	if len(v.unread) > 0 {
		return &alreadyReported{v.unread[0]}
	}
	var what []string
	if n.Errors > 0 {
		what = append(what, plural(n.Errors, "error", "errors"))
	}
	if n.Warnings > 0 {
		what = append(what, plural(n.Warnings, "warning", "warnings"))
	}
	if n.Errors > 0 || strict && n.Warnings > 0 {
		err := &answerNo{fmt.Sprintf("%s in %s", strings.Join(what, " and "), plural(n.Documents, "document", "documents"))}
		v.app.fail(err)
		return &alreadyReported{err}
	}
	switch {
	case n.Documents == 0:
		v.app.notef("nothing to check under %s", strings.Join(v.roots, ", "))
	case n.Warnings > 0:
		v.app.notef("%s, valid, with %s", plural(n.Documents, "document", "documents"), what[0])
	default:
		v.app.notef("%s, valid", plural(n.Documents, "document", "documents"))
	}
	return nil
}

func (v *validation) count() validated {
	n := validated{Type: "validated", Documents: v.documents}
	for _, f := range v.findings() {
		if f.Severity == profile.Error {
			n.Errors++
		} else {
			n.Warnings++
		}
	}
	return n
}
