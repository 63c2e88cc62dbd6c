package main

import (
	"context"
	"fmt"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/open-agent-profile/oap/internal/term"
	"github.com/open-agent-profile/oap/profile/narrow"
	"github.com/open-agent-profile/oap/profile/resolve"
	"github.com/open-agent-profile/oap/repo"
	"github.com/open-agent-profile/oap/repo/catalog"
)

type toolsOptions struct {
	narrowing
	action, target string
	who            string
	hook           string
}

func (a *app) newToolsCommand() *cobra.Command {
	var o toolsOptions
	cmd := &cobra.Command{
		Use:   "tools NAME TOOL... --policy FILE | tools NAME --hook HARNESS | tools --who TOOL",
		Short: "Ask whether a tool may be called, or who has it",
		Long: `Say whether a profile may call a tool on this machine, and which line of which document says
so: exit 0 allow, 3 ask a person, 4 deny. Of several tools the strictest answer gives the exit
code. --action and --target say what the call is to do, and to which path, host or command;
where the answer depends on them and they are not named, it is at most "ask". NAME may be a
.json file with what oap session start printed; then its own policy counts.

--hook HARNESS reads the payload of that harness's tool hook on standard input and answers in
its own form, always with exit 0: no to what is denied and to whatever keeps oap from deciding.
What is allowed is left to the harness's own rules.

--who lists the profiles that have a tool, by their own contract and the profiles they extend,
and, with --policy, by the policy.`,
		Example: `  oap tools code-reviewer read git/diff --policy policy.yaml
  oap tools code-reviewer edit --target src/main.go --policy policy.yaml
  oap tools code-reviewer --hook claude --policy policy.yaml < payload.json
  oap tools --who shell
  oap tools --who 'mcp/tickets/close' --at HEAD~5`,
		Args: func(cmd *cobra.Command, args []string) error {
			switch {
			case o.who != "" && len(args) > 0:
				return usagef("--who asks about all profiles; take away %q", args[0])
			case o.hook != "" && (o.who != "" || len(args) != 1 || o.action+o.target != ""):
				return usagef("--hook takes the profile alone: the payload says what is called")
			case o.hook == "" && o.who == "" && len(args) < 2:
				return usagef("name a profile and at least one tool, or ask with --who TOOL")
			}
			return nil
		},
		ValidArgsFunction: a.completeNames,
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.who != "" {
				return a.runWho(cmd.Context(), o)
			}
			if o.hook != "" {
				return a.runToolsHook(cmd.Context(), args[0], o)
			}
			return a.runTools(cmd.Context(), args[0], args[1:], o)
		},
	}
	o.flags(cmd)
	f := cmd.Flags()
	f.StringVar(&o.action, "action", "", "what the call does: `ACTION`, such as read, edit, shell or network")
	f.StringVar(&o.target, "target", "", "`TARGET` of the call: a path, host or command")
	f.StringVar(&o.parent, "as-subagent-of", "", "the agent that calls this one: `PARENT`, a name or a record")
	f.StringVar(&o.hook, "hook", "", "answer the tool hook of `HARNESS`: claude, codex, gemini or opencode")
	f.StringVar(&o.who, "who", "", "list the profiles that have `TOOL`")
	return cmd
}

// decided is one line of JSON.
type decided struct {
	Type    string `json:"type"` // "decision"
	Profile string `json:"profile"`
	Tool    string `json:"tool"`
	Action  string `json:"action"`
	Target  string `json:"target"`
	narrow.Verdict
}

// decisionError ends a command whose printed answer is "ask" or "deny".
type decisionError struct {
	verdict narrow.Decision
	tool    string
}

func (e *decisionError) Error() string { return fmt.Sprintf("%s: %s", e.tool, e.verdict) }

func (e *decisionError) code() int {
	if e.verdict == narrow.Ask {
		return exitChoose
	}
	return exitRefused
}

func (a *app) runTools(ctx context.Context, name string, tools []string, o toolsOptions) error {
	e, err := a.judge(ctx, name, o)
	if err != nil {
		return err
	}
	strictest := &decisionError{verdict: narrow.Allow}
	w := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
	for _, tool := range tools {
		v := e.Decide(tool, o.action, o.target)
		if lesser := strictest.verdict.Lesser(v.Decision); lesser != strictest.verdict {
			strictest = &decisionError{verdict: lesser, tool: tool}
		}
		if a.json {
			if err := a.emit(decided{"decision", e.Profile, tool, o.action, o.target, v}); err != nil {
				return err
			}
			continue
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", v.Decision, term.Escape(tool), term.Escape(lineOf(v)), term.Escape(v.Reason))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if strictest.verdict == narrow.Allow {
		return nil
	}
	return &alreadyReported{strictest}
}

// judge gives the effective profile that decides: of a record, or made here.
func (a *app) judge(ctx context.Context, name string, o toolsOptions) (*narrow.Effective, error) {
	if isRecord(name) {
		if o.policy+o.parent+o.at != "" {
			return nil, usagef("a record holds its own policy, caller and revision")
		}
		rec, err := a.recordFile(name)
		if err != nil {
			return nil, err
		}
		return rec.Effective, nil
	}
	o.needed = true
	e, _, err := a.narrow(ctx, name, o.narrowing)
	return e, err
}

// lineOf names the line that decided.
func lineOf(v narrow.Verdict) string {
	if v.Pointer == "" {
		return v.Source
	}
	return v.Source + " " + v.Pointer
}

// holder is one profile that has a tool.
type holder struct {
	Type     string `json:"type"` // "holder"
	Profile  string `json:"profile"`
	Revision int    `json:"revision"`
	Path     string `json:"path"`
	Tool     string `json:"tool"`
	narrow.Verdict
}

func (a *app) runWho(ctx context.Context, o toolsOptions) error {
	if o.parent != "" {
		return usagef("--as-subagent-of is about one profile, --who about all")
	}
	d, err := a.discover(ctx, o.at)
	if err != nil {
		return err
	}
	policy, err := a.policy(d.repo, o.policy)
	if err != nil {
		return err
	}
	entries, err := d.entries(ctx)
	if err != nil {
		return err
	}
	var rows []holder
	broken := 0
	for _, entry := range entries {
		e, err := a.effectiveOf(ctx, d, entry, policy, o)
		if err != nil {
			broken++
			a.warnf("%s: %v", entry.Path, err)
			continue
		}
		if v := e.Decide(o.who, o.action, o.target); v.Decision != narrow.Deny {
			rows = append(rows, holder{"holder", e.Profile, e.Revision, entry.Path, o.who, v})
		}
	}
	if err := a.printHolders(rows); err != nil {
		return err
	}
	if broken > 0 {
		return &answerNo{plural(broken, "profile could not be resolved", "profiles could not be resolved") + ", so the list may be incomplete"}
	}
	if len(rows) == 0 {
		a.notef("no profile has %s", term.Escape(o.who))
	}
	return nil
}

// entries lists the profiles of the repository.
func (d *discovery) entries(ctx context.Context) ([]*catalog.Entry, error) {
	if d.source == nil {
		return nil, &repo.Error{Kind: repo.NotFound, Reason: "not-a-repository", Msg: "not inside a git repository"}
	}
	var roots []string
	for _, r := range d.roots {
		if r.Name == "project" || r.Name == "native project" {
			roots = append(roots, r.Path)
		}
	}
	return catalog.List(ctx, d.source, roots)
}

func (a *app) effectiveOf(ctx context.Context, d *discovery, entry *catalog.Entry, policy *narrow.Policy, o toolsOptions) (*narrow.Effective, error) {
	if entry.Err != nil {
		return nil, entry.Err
	}
	src, err := d.place(ctx, resolve.Root{Name: "project", Path: entry.Root, Trust: resolve.Project}, entry.Document)
	if err != nil {
		return nil, err
	}
	workspace, err := a.workspace(d, o.workspace)
	if err != nil {
		return nil, err
	}
	// Who has a tool is a question about documents: what this machine lacks makes no difference.
	r, err := resolve.Resolve(ctx, d, d.roots, src, resolve.Options{})
	if err != nil {
		return nil, err
	}
	return narrow.Narrow(narrow.From(r), policy, narrow.Options{Workspace: workspace})
}

func (a *app) printHolders(rows []holder) error {
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
	fmt.Fprintln(w, "PROFILE\tREV\tDECISION\tLINE\tPATH")
	for _, r := range rows {
		fmt.Fprintf(w, "%s\t%d\t%s\t%s\t%s\n", term.Escape(r.Profile), r.Revision, r.Decision, term.Escape(lineOf(r.Verdict)), term.Escape(r.Path))
	}
	return w.Flush()
}
