package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/open-agent-profile/oap/canonical"
	"github.com/open-agent-profile/oap/interop/agentmanifest"
	"github.com/open-agent-profile/oap/profile"
	"github.com/open-agent-profile/oap/repo"
	"github.com/open-agent-profile/oap/repo/audit"
	"github.com/open-agent-profile/oap/repo/catalog"
)

type auditOptions struct {
	span, only, format, signers, digest string
	sarif, formatSet                    bool
	approval, signatures                bool
}

func (a *app) newAuditCommand() *cobra.Command {
	var o auditOptions
	cmd := &cobra.Command{
		Use:   "audit [NAME]...",
		Short: "Judge the history of profiles",
		Long: `Hold every commit that touched a profile against what it says and what it may: its document,
its trailers, its revision, the border between contract and state, approvals. Without NAME
all profiles are judged. A finding has an id, a severity, a commit and a place; a note is no
fault. docs/audit.md lists the ids.

The commit that brings a profile in is its baseline. Commits that merges brought are judged
for what they claim. A contract change without a record is fine once "oap stamp" covers it.

--range A..B judges what B has and A has not; without B, the branch. A has to be part of B's
history, or somebody moved the branch; A...B starts where the two parted. --only state wants
commits that change state and nothing else in the repository: the check for a bot's pull
request. Approvals are asserted, signed, or forge-reviewed (signed by one of git config
oap.forgeSigner); signatures are looked at with --allowed-signers, --require-signatures or
--require-approval. A file of signers inside the working tree is read at A, never from what
is judged.

--digest tells which profile, revision and commit a profile or spec digest belongs to.`,
		Example: `  oap audit
  oap audit --range origin/main..HEAD --only state
  oap audit --require-signatures --allowed-signers /etc/oap/signers --format sarif
  oap audit --digest sha256:9c1f…`,
		ValidArgsFunction: a.completeNames,
		RunE: func(cmd *cobra.Command, args []string) error {
			o.formatSet = cmd.Flags().Changed("format")
			return a.runAudit(cmd.Context(), o, args)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.span, "range", "", "judge the commits of `A..B`")
	f.StringVar(&o.only, "only", "", "want changes of `SECTION` only; the one section is state")
	f.BoolVar(&o.approval, "require-approval", false, "want an approver for every state, also under writeback auto")
	f.BoolVar(&o.signatures, "require-signatures", false, "want a good signature by a known key on every commit")
	f.StringVar(&o.signers, "allowed-signers", "", "known SSH keys, in a `FILE` as of ssh-keygen -Y verify")
	f.StringVar(&o.digest, "digest", "", "look for the document of `DIGEST`")
	f.StringVar(&o.format, "format", "text", "print as `FORMAT`: text, json, sarif, github or gitlab")
	f.BoolVar(&o.sarif, "sarif", false, "the same as --format sarif")
	return cmd
}

// audited is the last line of JSON.
type audited struct {
	Type      string         `json:"type"` // "audited"
	Commits   int            `json:"commits"`
	Profiles  int            `json:"profiles"`
	Documents int            `json:"documents"`
	Errors    int            `json:"errors"`
	Warnings  int            `json:"warnings"`
	Notes     int            `json:"notes"`
	Approvals map[string]int `json:"approvals"` // by grade
	Shallow   bool           `json:"shallow"`
}

func (a *app) runAudit(ctx context.Context, o auditOptions, args []string) error {
	if err := a.auditFormat(&o); err != nil {
		return err
	}
	r, s, roots, err := a.committed(ctx)
	if err != nil {
		return err
	}
	if r.Prefix != "" {
		// Paths of a history are those from the top.
		if r, err = repo.Open(ctx, repo.Options{Dir: r.Root, Env: a.environ}); err != nil {
			return err
		}
		defer r.Close()
	}
	opts, err := a.auditing(ctx, r, o, args)
	if err != nil {
		return err
	}
	if opts.Roots == nil {
		opts.Roots = roots
	}
	if opts.Tip == "" {
		opts.Tip = s.ID()
	}
	stop := a.auditProgress(&opts)
	if o.digest != "" {
		return a.auditDigest(ctx, r, o, opts, stop)
	}
	report, err := audit.Run(ctx, r, opts)
	stop()
	if err != nil {
		return err
	}
	for _, name := range opts.Names {
		if !slices.Contains(report.Names, name) {
			return &notFoundError{fmt.Sprintf("no profile named %q in this history", name)}
		}
	}
	return a.reportAudit(o, report)
}

func (a *app) auditFormat(o *auditOptions) error {
	if o.sarif && !o.formatSet {
		o.format, o.formatSet = "sarif", true
	}
	if a.json && !o.formatSet {
		o.format = "json"
	}
	switch {
	case reporters[o.format] == nil:
		return usagef("--format is text, json, sarif, github or gitlab, not %q", o.format)
	case o.sarif && o.format != "sarif", a.json && o.format != "json":
		return usagef("the wanted formats contradict each other")
	case o.only != "" && o.only != "state":
		return usagef("--only takes state, not %q", o.only)
	case o.only != "" && o.span == "":
		return usagef("--only needs --range: the whole of a history is never state alone")
	case o.digest != "" && o.format != "text" && o.format != "json":
		return usagef("--digest is answered as text or json, not as %s", o.format)
	}
	a.json = o.format == "json"
	return nil
}

// auditing turns flags, arguments and settings into options.
func (a *app) auditing(ctx context.Context, r *repo.Repo, o auditOptions, args []string) (audit.Options, error) {
	opts := audit.Options{
		OnlyState: o.only == "state", RequireApproval: o.approval, RequireSignatures: o.signatures,
		Gate:       func(doc *profile.Document) []profile.Finding { return agentmanifest.Gate(doc, spec(doc.Value)) },
		Signatures: audit.Signatures{Check: o.signatures || o.approval || o.signers != "", Forges: r.Settings("oap.forgeSigner")},
	}
	if o.signers != "" {
		opts.Signatures.AllowedSigners = absolute(a.resolve(o.signers))
	}
	var err error
	if opts.ProtectPinned, err = a.switchedOn(r, "protectPinned"); err != nil {
		return opts, err
	}
	for _, arg := range args {
		root, name, qualified := strings.Cut(arg, ":")
		if !qualified {
			root, name = "", arg
		} else if opts.Roots, err = catalog.CleanRoots(append(opts.Roots, root)); err != nil {
			return opts, usagef("%v", err)
		}
		opts.Names = append(opts.Names, name)
	}
	if o.span == "" {
		return opts, nil
	}
	tip, err := a.tip(ctx, r)
	if err != nil {
		return opts, err
	}
	opts.Start, opts.Tip, err = audit.Range(ctx, r, o.span, tip.ID())
	return opts, err
}

// auditProgress counts documents on a terminal; the function that it gives wipes the line away.
func (a *app) auditProgress(opts *audit.Options) func() {
	w := a.progress()
	if w == nil {
		return func() {}
	}
	began, shown := time.Now(), false
	opts.Progress = func(documents int) {
		if shown || time.Since(began) > 500*time.Millisecond {
			shown = true
			fmt.Fprintf(w, "\roap: %d documents read", documents)
		}
	}
	return func() {
		if shown {
			fmt.Fprint(w, "\r\x1b[K")
		}
	}
}

// found is the answer to --digest.
type found struct {
	Type       string `json:"type"` // "found"
	Digest     string `json:"digest"`
	Kind       string `json:"kind"` // "profile" or "spec"
	Profile    string `json:"profile"`
	Path       string `json:"path"`
	Revision   int    `json:"revision"`
	Commit     string `json:"commit"`
	Date       string `json:"date"`
	Current    bool   `json:"current"`
	ApprovedBy string `json:"approved_by,omitempty"`
	Grade      string `json:"grade,omitempty"`
}

func (a *app) auditDigest(ctx context.Context, r *repo.Repo, o auditOptions, opts audit.Options, stop func()) error {
	want, err := canonical.ParseDigest(o.digest)
	if err != nil {
		return usagef("--digest: %v", err)
	}
	m, err := audit.Find(ctx, r, opts, want)
	stop()
	if err != nil {
		return err
	}
	if m == nil {
		more := ""
		if r.Shallow {
			more = "; this clone is shallow, so that older ones are not known"
		}
		return &answerNo{"no profile in this history has the digest " + want.String() + more}
	}
	f := found{
		Type: "found", Digest: want.String(), Kind: m.Kind, Profile: m.Profile, Path: m.Path, Revision: m.Revision, Commit: string(m.Commit),
		Date: m.When.UTC().Format(time.RFC3339), Current: m.Current, ApprovedBy: m.ApprovedBy, Grade: m.Grade,
	}
	if a.json {
		return a.emit(f)
	}
	lines := [][2]string{
		{"commit", f.Commit + "  " + f.Date}, {"file", f.Path},
		{"current", map[bool]string{true: "yes", false: "no, the branch has another"}[f.Current]},
		{"approved", "nobody is named"},
	}
	if f.ApprovedBy != "" {
		lines[3][1] = fmt.Sprintf("%s (%s)", f.ApprovedBy, f.Grade)
	}
	return a.printBlock(fmt.Sprintf("%s r%d has this %s digest", f.Profile, f.Revision, f.Kind), lines)
}
