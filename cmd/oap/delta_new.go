package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/open-agent-profile/oap/delta/draft"
	"github.com/open-agent-profile/oap/internal/textedit"
	"github.com/open-agent-profile/oap/profile"
	"github.com/open-agent-profile/oap/repo/catalog"
)

type deltaNewOptions struct {
	facts, preferences, threads, terms []string
	used, forget                       []string
	wishes                             wishList
	evidence                           draft.Evidence
	started, ended                     string
	turns, toolCalls                   int
	cost                               float64
	output, format                     string
	outbox                             bool
}

func (a *app) newDeltaNewCommand() *cobra.Command {
	var o deltaNewOptions
	cmd := &cobra.Command{
		Use:   "new NAME[@REV]|PATH --session ID ...",
		Short: "Write a delta from what a session learned",
		Long: `Write a delta from evidence, for the profile as it is on the branch, or as it was at REV
when the session started. Nothing is applied; the delta goes to standard output, to a file with
-o, or into the outbox with --outbox.

Known entries are updated field by field, found by id or by equal text; new ones get a
readable id. In 'text|source|confidence' and 'id|status|detail|title' later parts may be left
out, and \| is a literal bar. --rationale belongs to the --propose or --request-tool before it.`,
		Example: `  oap delta new scout --session s1 --fact 'Tests live beside the code.|CONTRIBUTING.md|0.9' -o s1.delta.yaml
  oap delta new scout --session s1 --used fact-ci --forget preferences/pref-old --summary 'Tidied up.'
  oap delta new scout --session s1 --thread '|blocked|Waits for review.|Flaky upload test'
  oap delta new scout --session s1 --request-tool shell --rationale 'Could not run the tests.'`,
		Args:              takes(cobra.ExactArgs(1)),
		ValidArgsFunction: a.completeNames,
		RunE: func(cmd *cobra.Command, args []string) error {
			flags := cmd.Flags()
			if flags.Changed("turns") {
				o.evidence.Session.Turns = &o.turns
			}
			if flags.Changed("tool-calls") {
				o.evidence.Session.ToolCalls = &o.toolCalls
			}
			if flags.Changed("cost-usd") {
				o.evidence.Session.CostUSD = &o.cost
			}
			return a.runDeltaNew(cmd.Context(), o, args[0])
		},
	}
	f, s := cmd.Flags(), &o.evidence.Session
	f.StringArrayVar(&o.facts, "fact", nil, "a fact, `'TEXT|SOURCE|CONFIDENCE'` (may be repeated)")
	f.StringArrayVar(&o.preferences, "preference", nil, "a preference, `'TEXT|SOURCE|CONFIDENCE'`")
	f.StringArrayVar(&o.threads, "thread", nil, "open work, `'ID|STATUS|DETAIL|TITLE'`")
	f.StringArrayVar(&o.terms, "term", nil, "a glossary entry, `'TERM|DEFINITION|SOURCE'`")
	f.StringArrayVar(&o.used, "used", nil, "`ID` of an entry that helped")
	f.StringArrayVar(&o.forget, "forget", nil, "`COLLECTION/ID` of an entry that is wrong or over")
	f.StringVar(&o.evidence.StateSummary, "state-summary", "", "the new /state/summary")
	f.StringVar(&o.evidence.Summary, "summary", "", "what the session did, for the log")
	f.Var(o.wishes.flag("propose"), "propose", "a wished contract change, `POINTER=VALUE`")
	f.Var(o.wishes.flag("request-tool"), "request-tool", "a `TOOL` the session lacked")
	f.Var(o.wishes.flag("rationale"), "rationale", "why; belongs to the wish before it")
	f.StringVar(&s.ID, "session", "", "session `ID` (required)")
	f.StringVar(&s.Harness, "harness", "", "name of the harness")
	f.StringVar(&s.HarnessVersion, "harness-version", "", "its version")
	f.StringVar(&s.Model, "model", "", "model that was used")
	f.StringVar(&s.Outcome, "outcome", "", "completed, aborted, error or timeout")
	f.StringVar(&o.started, "started", "", "when the session started (RFC 3339)")
	f.StringVar(&o.ended, "ended", "", "when it ended (default: now)")
	f.IntVar(&o.turns, "turns", 0, "number of turns")
	f.IntVar(&o.toolCalls, "tool-calls", 0, "number of tool calls")
	f.Float64Var(&o.cost, "cost-usd", 0, "cost in US dollars")
	f.StringVarP(&o.output, "output", "o", "", "write to `FILE` (.delta.yaml or .delta.json)")
	f.StringVar(&o.format, "format", "yaml", "write `yaml` or json")
	f.BoolVar(&o.outbox, "outbox", false, "write into the outbox (OAP_OUTBOX)")
	return cmd
}

func (a *app) runDeltaNew(ctx context.Context, o deltaNewOptions, spec string) error {
	enc, known := encodings[o.format]
	if !known || enc == textedit.Markdown {
		return usagef("--format is yaml or json, not %q", o.format)
	}
	if o.output != "" {
		if !profile.IsDeltaPath(o.output) {
			return usagef("a delta's file ends in .delta.yaml, .delta.yml or .delta.json, unlike %q", o.output)
		}
		enc = profile.EncodingOf(o.output)
	}
	if a.json {
		enc = textedit.JSON
	}
	now, err := a.time()
	if err != nil {
		return err
	}
	if err := o.gather(now); err != nil {
		return err
	}
	at, err := a.baseOf(ctx, spec)
	if err != nil {
		return err
	}
	digest, err := at.Document.Digest()
	if err != nil {
		return err
	}
	value, warnings, err := draft.New(at.Document.Value, digest.String(), o.evidence, now)
	for _, w := range warnings {
		a.warnf("%s: %s", w.Source, w.Message)
	}
	if err != nil {
		return draftError(err)
	}
	text, err := profile.Encode(value, enc)
	if err != nil {
		return err
	}
	// The delta is checked as apply-delta will check it: a credential stops here already.
	doc, err := profile.ParseAs("the new delta", text, enc)
	if err != nil {
		return err
	}
	if _, err := doc.Validate(); err != nil {
		return err
	}
	return a.deliver(ctx, o, text, enc)
}

// baseOf reads the profile that a session started from: the branch's, not the working file's, since that
// is what the delta will meet. A profile that is not committed yet is read where it lies.
func (a *app) baseOf(ctx context.Context, spec string) (*catalog.At, error) {
	name, rev := catalog.SplitRevision(spec)
	if rev != "" || looksLikePath(spec) {
		return a.target(ctx, spec)
	}
	_, s, roots, err := a.committed(ctx)
	if err != nil {
		return nil, err
	}
	e, err := catalog.Find(ctx, catalog.Commit{Snapshot: s}, roots, name)
	if err != nil {
		return nil, err
	}
	if e.Err != nil {
		return nil, e.Err
	}
	return &catalog.At{Entry: e, Commit: s.ID()}, nil
}

// gather reads the flags into evidence.
func (o *deltaNewOptions) gather(now time.Time) error {
	e := &o.evidence
	for _, s := range o.facts {
		entry, err := draft.ParseEntry(s)
		if err != nil {
			return usagef("--fact: %v", err)
		}
		e.Facts = append(e.Facts, entry)
	}
	for _, s := range o.preferences {
		entry, err := draft.ParseEntry(s)
		if err != nil {
			return usagef("--preference: %v", err)
		}
		e.Preferences = append(e.Preferences, entry)
	}
	for _, s := range o.threads {
		thread, err := draft.ParseThread(s)
		if err != nil {
			return usagef("--thread: %v", err)
		}
		e.Threads = append(e.Threads, thread)
	}
	for _, s := range o.terms {
		term, err := draft.ParseTerm(s)
		if err != nil {
			return usagef("--term: %v", err)
		}
		e.Terms = append(e.Terms, term)
	}
	for _, s := range o.forget {
		ref, err := draft.ParseRef(s)
		if err != nil {
			return usagef("--forget: %v", err)
		}
		e.Forget = append(e.Forget, ref)
	}
	e.Used = o.used
	if err := o.wishes.gather(e); err != nil {
		return err
	}
	return o.times(now)
}

// times fills in when the session was. Its end is always told: it bounds how far back oap looks for the
// delta in history.
func (o *deltaNewOptions) times(now time.Time) error {
	e := &o.evidence
	e.Session.EndedAt = now
	for _, t := range []struct {
		flag, text string
		into       *time.Time
	}{{"started", o.started, &e.Session.StartedAt}, {"ended", o.ended, &e.Session.EndedAt}} {
		if t.text == "" {
			continue
		}
		at, err := time.Parse(time.RFC3339, t.text)
		if err != nil {
			return usagef("--%s: %q is not an RFC 3339 time such as 2026-08-14T19:48:31Z", t.flag, t.text)
		}
		*t.into = at
	}
	return nil
}

// draftError gives evidence that cannot be written down the exit code of the command line, and an entry
// that is not there that of not found.
func draftError(err error) error {
	var input *draft.InputError
	var unknown *draft.UnknownError
	switch {
	case errors.As(err, &unknown):
		return &notFoundError{unknown.Error()}
	case errors.As(err, &input):
		return &usageError{input.Error()}
	case errors.Is(err, draft.ErrNothing):
		return &answerNo{"there is nothing to write: the profile would be the same afterwards"}
	}
	return err
}

// deliver writes the delta out. A file appears whole, under its final name, and never replaces one.
func (a *app) deliver(ctx context.Context, o deltaNewOptions, text []byte, enc textedit.Format) error {
	name := a.resolve(o.output)
	switch {
	case o.outbox && o.output != "":
		return usagef("--outbox and -o exclude each other")
	case o.outbox:
		r, err := a.repo(ctx)
		if err != nil {
			return err
		}
		dir, err := a.outboxDir(r)
		if err != nil {
			return err
		}
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return err
		}
		ending := ".delta.yaml"
		if enc == textedit.JSON {
			ending = ".delta.json"
		}
		stamp := o.evidence.Session.EndedAt.UTC().Format("20060102T150405Z")
		name = filepath.Join(dir, free(dir, stamp+ending))
	case o.output == "":
		_, err := a.out.Write(text)
		return err
	}
	if err := writeWhole(name, text); err != nil {
		return err
	}
	a.notef("wrote %s", name)
	return nil
}

// writeWhole makes a file that other processes see complete or not at all.
func writeWhole(name string, text []byte) error {
	tmp, err := os.CreateTemp(filepath.Dir(name), ".oap-*.tmp")
	if err != nil {
		return err
	}
	defer os.Remove(tmp.Name())
	if _, err := tmp.Write(text); err != nil {
		return errors.Join(err, tmp.Close())
	}
	if err := errors.Join(tmp.Sync(), tmp.Close()); err != nil {
		return err
	}
	// A link, unlike a rename, fails where the name is taken.
	if err := os.Link(tmp.Name(), name); err != nil {
		return err
	}
	return nil
}
