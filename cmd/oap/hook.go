package main

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/open-agent-profile/oap/profile"
	"github.com/open-agent-profile/oap/repo"
	"github.com/open-agent-profile/oap/repo/catalog"
)

func (a *app) newHookCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "hook",
		Short: "What the session hooks of a harness call",
		Long: `What a harness calls when a session starts and ends. A harness may give a second, call twice,
or never: the end only puts finished deltas aside, in a spool that the sandbox cannot write,
and the next start, oap hook drain or a timer applies them, once.

Hooks never push, ask nothing, print nothing on standard output, and never exit with 2, by
which some harnesses take a hook to forbid something. Outside of a repository they do nothing.
Files for each harness are in docs/hooks.`,
		Example: `  oap hook end --harness claude < payload.json
  oap hook drain`,
		Args: takes(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, args []string) error { return cmd.Help() },
	}
	cmd.AddCommand(a.newHookStartCommand(), a.newHookEndCommand(), a.newHookDrainCommand())
	return cmd
}

func (a *app) newHookStartCommand() *cobra.Command {
	var harness string
	cmd := &cobra.Command{
		Use:   "start --harness HARNESS",
		Short: "Apply what ended sessions have left",
		Long: `Read what the harness says of the session on standard input, put aside deltas of sessions whose
end nobody told of, and apply the spool. What is refused is named on standard error and lies in
the spool's failed folder; the session starts all the same.`,
		Example: `  oap hook start --harness claude < payload.json`,
		Args:    takes(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.runHook(cmd.Context(), harness, true)
		},
	}
	hookFlag(cmd, &harness)
	return cmd
}

func (a *app) newHookEndCommand() *cobra.Command {
	var harness string
	cmd := &cobra.Command{
		Use:   "end --harness HARNESS",
		Short: "Put the deltas of a session aside",
		Long: `Read what the harness says of the session on standard input, and move the finished deltas of
this repository's profiles from the outbox to the spool. Nothing is applied: there may be no
time for it.`,
		Example: `  oap hook end --harness gemini < payload.json`,
		Args:    takes(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.runHook(cmd.Context(), harness, false)
		},
	}
	hookFlag(cmd, &harness)
	return cmd
}

func hookFlag(cmd *cobra.Command, harness *string) {
	cmd.Flags().StringVar(harness, "harness", "", "`HARNESS` that calls: claude, codex, gemini or opencode (required)")
}

func (a *app) newHookDrainCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "drain",
		Short: "Apply the spool, from a timer",
		Long: `Apply what hooks have put aside for this repository, in the order in which it came, each delta
once. What was applied lies in the spool's done folder, what was refused in failed with the
reason beside it; what was only busy stays for the next run. The exit code is that of the first
refusal.`,
		Example: `  oap hook drain -C /srv/agents`,
		Args:    takes(cobra.NoArgs),
		RunE:    func(cmd *cobra.Command, args []string) error { return a.drain(cmd.Context()) },
	}
}

// payload is what harnesses say on standard input; they agree in these names.
type payload struct {
	Session string         `json:"session_id"`
	Folder  string         `json:"cwd"`
	Event   string         `json:"hook_event_name"`
	Reason  string         `json:"reason"`
	Tool    string         `json:"tool_name"`
	Input   map[string]any `json:"tool_input"`
}

// maxPayload bounds standard input: a payload may quote what a tool is to write.
const maxPayload = 8 << 20

// hookHarnesses are those whose payloads are known.
var hookHarnesses = []string{"claude", "codex", "gemini", "opencode"}

func (a *app) readPayload(harness string) (*payload, error) {
	if !slices.Contains(hookHarnesses, harness) {
		return nil, usagef("the harness is %s, not %q", strings.Join(hookHarnesses, ", "), harness)
	}
	text, err := a.interruptible(func() ([]byte, error) { return io.ReadAll(io.LimitReader(a.in, maxPayload+1)) })
	if err != nil {
		return nil, err
	}
	p := &payload{}
	if len(text) > maxPayload {
		return nil, &repo.Error{Kind: repo.Refused, Reason: "payload", Msg: "the payload on standard input is too large"}
	}
	if err := json.Unmarshal(text, p); err != nil {
		return nil, &repo.Error{Kind: repo.Refused, Reason: "payload", Msg: fmt.Sprintf("standard input holds no payload of %s: %v", harness, err)}
	}
	return p, nil
}

// runHook handles the start or the end of a session. What keeps it from working is said, and is no reason to keep the
// session from starting or ending.
func (a *app) runHook(ctx context.Context, harness string, start bool) error {
	p, err := a.readPayload(harness)
	if err != nil {
		return err
	}
	if a.dir == "" && p.Folder != "" {
		a.dir = p.Folder // the folder of the session, wherever the harness itself was started
	}
	r, err := a.repo(ctx)
	if repo.ReasonOf(err) == "not-a-repository" || notFound(err) {
		return nil
	}
	if err != nil {
		return err
	}
	if err := a.spool(ctx, r); err != nil || !start {
		return err
	}
	a.out = a.err // what a hook prints would be read by the agent
	if err := a.drain(ctx); err != nil && !errors.As(err, new(*alreadyReported)) {
		a.warnf("%v", err)
	}
	return ctx.Err()
}

// spoolDir lies in the user's state, outside of what a sandbox of the repository may write; one for each repository,
// whichever of its working trees a session is in.
func (a *app) spoolDir(r *repo.Repo) (string, error) {
	if dir := a.setting(r, "spool"); dir != "" {
		return filepath.Abs(a.resolve(dir))
	}
	state, err := a.stateDir()
	if err != nil {
		return "", err
	}
	common := realPath(r.CommonDir)
	name := filepath.Base(common)
	if name == ".git" {
		name = filepath.Base(filepath.Dir(common))
	}
	sum := sha256.Sum256([]byte(common))
	return filepath.Join(state, "spool", name+"-"+hex.EncodeToString(sum[:6])), nil
}

// spool moves the finished deltas of this repository's profiles out of the outbox. What is for profiles of others
// stays, since one outbox may serve several repositories.
func (a *app) spool(ctx context.Context, r *repo.Repo) error {
	from, err := a.outboxDir(r)
	if err != nil {
		return err
	}
	to, err := a.spoolDir(r)
	if err != nil {
		return err
	}
	box := &outbox{dir: from}
	if box.root, err = os.OpenRoot(from); notFound(err) {
		return nil
	} else if err != nil {
		return err
	}
	defer box.root.Close()
	names, err := box.deltas(".")
	if err != nil || len(names) == 0 {
		return err
	}
	if err := os.MkdirAll(to, 0o700); err != nil {
		return err
	}
	dest, err := os.OpenRoot(to)
	if err != nil {
		return err
	}
	defer dest.Close()
	src, roots, err := a.source(ctx)
	if err != nil {
		return err
	}
	run := fmt.Sprintf("%019d-%s", time.Now().UnixNano(), rand.Text()[:8]) // names in the order in which they came
	for i, name := range names {
		data, err := box.text(name)
		if notFound(err) {
			continue // another hook was faster
		}
		if err != nil || !a.isHere(ctx, src, roots, name, data) {
			continue // no file, or not ours: oap apply-delta --outbox says what is wrong with it
		}
		if err := moveInto(box.root, dest, name, fmt.Sprintf("%s-%04d-%s", run, i, name), data); err != nil {
			return err
		}
	}
	return nil
}

// isHere reports whether a delta is for a profile of this repository; one that cannot be read is, so that somebody
// gets to hear of it.
func (a *app) isHere(ctx context.Context, src catalog.Source, roots []string, name string, data []byte) bool {
	doc, err := profile.Parse(name, data)
	if err != nil {
		return true
	}
	target, _ := doc.Value["target"].(map[string]any)
	wanted, _ := target["name"].(string)
	_, err = catalog.Find(ctx, src, roots, wanted)
	var missing *catalog.Error
	return !errors.As(err, &missing) || missing.Kind != catalog.NotFound
}

// moveInto writes the bytes that were judged, and not what the sandbox may have put there since; then the file leaves
// the outbox. After a crash between the two the delta is there twice, and is applied once.
func moveInto(from, to *os.Root, name, final string, data []byte) error {
	f, err := to.OpenFile(final+".tmp", os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Sync(), f.Close()); err == nil {
		err = to.Rename(final+".tmp", final)
	}
	if err != nil {
		return errors.Join(err, to.Remove(final+".tmp"))
	}
	if err := from.Remove(name); err != nil && !notFound(err) {
		return err
	}
	return nil
}

// drain applies the spool as oap apply-delta --outbox applies an outbox.
func (a *app) drain(ctx context.Context) error {
	o := applyOptions{batch: 1, conflict: "reject", keepGoing: true, outbox: true}
	r, opts, err := a.applySetup(ctx, o)
	if err != nil {
		return err
	}
	dir, err := a.spoolDir(r)
	if err != nil {
		return err
	}
	box, err := a.openBox(dir)
	if err != nil || len(box.files) == 0 {
		return err
	}
	inputs, err := a.readDeltas(box.files)
	if err != nil {
		return err
	}
	book, err := a.book(r, opts)
	if err != nil {
		return err
	}
	s := &applySession{app: a, repo: r, book: book, options: o, outbox: box}
	return s.run(ctx, opts, inputs)
}
