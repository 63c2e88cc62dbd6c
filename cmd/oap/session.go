package main

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/open-agent-profile/oap/canonical"
	"github.com/open-agent-profile/oap/profile/narrow"
	"github.com/open-agent-profile/oap/profile/render"
	"github.com/open-agent-profile/oap/profile/resolve"
	"github.com/open-agent-profile/oap/repo"
)

func (a *app) newSessionCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "session",
		Short: "Start and end the session of an agent",
		Long: `What a harness calls when a session starts and when it ends: the start gives all that an agent
is for this session, as one JSON object; the end applies what it learned.`,
		Example: `  oap session start scout --policy policy.yaml
  oap session end sess_1 sess_1.delta.yaml`,
		Args: takes(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, args []string) error { return cmd.Help() },
	}
	cmd.AddCommand(a.newSessionStartCommand(), a.newSessionEndCommand())
	return cmd
}

type startOptions struct {
	renderOptions
	id, harness string
	running     int
	hooks       []string
	models      []string
	record      bool
}

func (a *app) newSessionStartCommand() *cobra.Command {
	var o startOptions
	cmd := &cobra.Command{
		Use:   "start NAME[@REV]|PATH --policy FILE",
		Short: "Give all that an agent is for one session, as JSON",
		Long: `Print one JSON object: prompt, effective contract, every adjustment, the model and by which
rule, hooks, MCP servers, revision, digests and a session id. Nothing is launched.

What the profile requires has to be there: a skill (--skills), a memory store of a kind that
the harness serves (--store), a lifecycle hook that it has (--hook); else the session does not
start. --parent makes it the session of a subagent, within everything its parent is within:
exit 4 where the parent may not call it, or not now (--running).

--record keeps the object, without the prompt, as a commit under refs/oap/sessions/ID.`,
		Example: `  oap session start scout --policy policy.yaml --harness acme --record
  oap session start scout --policy policy.yaml --parent sess_1 --running 1
  oap session start scout --policy policy.yaml --hook notify --model acme/large`,
		Args:              takes(cobra.ExactArgs(1)),
		ValidArgsFunction: a.completeNames,
		RunE: func(cmd *cobra.Command, args []string) error {
			if !cmd.Flags().Changed("budget-tokens") {
				o.budget = -1
			} else if o.budget < 0 {
				return usagef("--budget-tokens is no negative number")
			}
			return a.runSessionStart(cmd.Context(), args[0], o)
		},
	}
	o.flags(cmd)
	o.promptFlags(cmd)
	f := cmd.Flags()
	f.IntVar(&o.budget, "budget-tokens", 0, "state takes at most `N` tokens")
	f.StringVar(&o.id, "session", "", "session `ID` (default: a random one)")
	f.StringVar(&o.harness, "harness", "", "name of the harness")
	f.StringVar(&o.parent, "parent", "", "the session that calls this agent: its recorded id, or a .json `FILE`")
	f.IntVar(&o.running, "running", 0, "`N` agents that the parent has running already")
	f.StringArrayVar(&o.hooks, "hook", nil, "`NAME` of a lifecycle hook that the harness has (may be repeated)")
	f.StringArrayVar(&o.stores, "store", nil, "`KIND` of memory store that the harness serves (may be repeated)")
	f.StringArrayVar(&o.models, "model", nil, "`PROVIDER/ID` of a model that the harness can use (may be repeated; default: all)")
	f.BoolVar(&o.record, "record", false, "keep the start under refs/oap/sessions")
	return cmd
}

// session is the JSON answer, and without Prompt the record.
type session struct {
	Type           string           `json:"type"` // "session"
	ID             string           `json:"session_id"`
	StartedAt      string           `json:"started_at"`
	Harness        string           `json:"harness"`
	Parent         string           `json:"parent"` // its profile; empty for an agent that nobody called
	ParentSession  string           `json:"parent_session"`
	Profile        string           `json:"profile"`
	Path           string           `json:"path"`
	Commit         string           `json:"commit"` // empty: the working tree
	Revision       int              `json:"revision"`
	Trust          resolve.Trust    `json:"trust"`
	ProfileDigest  canonical.Digest `json:"profile_digest"`
	SpecDigest     canonical.Digest `json:"spec_digest"`
	ResolvedDigest canonical.Digest `json:"resolved_digest"`
	Model          narrow.Choice    `json:"model"`
	Hooks          sessionHooks     `json:"hooks"`
	MCPServers     []sessionServer  `json:"mcp_servers"`
	Omitted        []render.Omitted `json:"omitted"`
	PromptDigest   string           `json:"prompt_digest"` // SHA-256 of the text
	PromptTokens   int              `json:"prompt_tokens"`
	Prompt         *string          `json:"prompt,omitempty"`

	Effective *narrow.Effective `json:"effective"`
}

func (a *app) runSessionStart(ctx context.Context, spec string, o startOptions) error {
	now, err := a.time()
	if err != nil {
		return err
	}
	if o.id == "" {
		o.id = newSessionID()
	}
	if !sessionID().MatchString(o.id) {
		return usagef("--session %q: an id is letters, digits, dots, dashes and underscores", o.id)
	}
	if o.running != 0 && o.parent == "" {
		return usagef("--running goes with --parent")
	}
	above, err := a.caller(ctx, o)
	if err != nil {
		return err
	}
	e, c, err := a.startable(ctx, spec, o, above)
	if err != nil {
		return err
	}
	hooks, err := a.lifecycle(e, o.hooks)
	if err != nil {
		return err
	}
	value := maps.Clone(c.Value)
	value["spec"] = e.Spec
	p, err := a.prompt(value, o.renderOptions)
	if err != nil {
		return err
	}
	a.noteOmitted(p)
	sum := sha256.Sum256([]byte(p.Text))
	s := session{
		Type: "session", ID: o.id, StartedAt: now.UTC().Format(time.RFC3339), Harness: o.harness,
		Profile: e.Profile, Path: c.Source.Path, Commit: string(c.discovery.commit), Revision: e.Revision, Trust: e.Trust,
		ProfileDigest: c.Digest, SpecDigest: c.SpecDigest, ResolvedDigest: c.ResolvedDigest,
		Model: e.Model, Hooks: hooks, MCPServers: servers(e), Omitted: filled(p.State.Omitted),
		PromptDigest: "sha256:" + hex.EncodeToString(sum[:]), PromptTokens: p.Tokens, Effective: e,
	}
	if above != nil {
		s.Parent, s.ParentSession = above.Effective.Profile, above.Session
	}
	if o.record {
		if err := a.recordSession(ctx, c.discovery.repo, s); err != nil {
			return err
		}
	}
	s.Prompt = &p.Text
	return a.emit(s)
}

// caller reads the session of the parent; nil where there is none.
func (a *app) caller(ctx context.Context, o startOptions) (*record, error) {
	if o.parent == "" {
		return nil, nil
	}
	return a.anyRecord(ctx, o.parent)
}

// startable gives the effective profile of a session, or why none may start.
func (a *app) startable(ctx context.Context, spec string, o startOptions, above *record) (*narrow.Effective, *composition, error) {
	n := o.narrowing
	n.strict, n.needed, n.parent = true, true, ""
	if len(o.models) > 0 {
		n.servable = func(provider, id string) bool { return slices.Contains(o.models, provider+"/"+id) }
	}
	if above != nil {
		n.caller = above.Effective
	}
	e, c, err := a.narrow(ctx, spec, n)
	if err != nil {
		return nil, nil, err
	}
	if above != nil {
		if err := above.Effective.Delegate(e.Profile, o.running); err != nil {
			return nil, nil, err
		}
	} else if mode, _ := canonical.Get(e.Spec, canonical.Pointer{"runtime", "mode"}); mode == "subagent" {
		a.warnf("%s is meant to be called by other agents (runtime.mode is subagent)", e.Profile)
	}
	if len(e.Blockers) > 0 {
		b := e.Blockers[0]
		return nil, nil, &repo.Error{Kind: repo.Refused, Reason: "blocked", Path: b.Field, Msg: b.Reason + " (" + b.Source + ")"}
	}
	return e, c, nil
}

// newSessionID draws an id that nobody else has.
func newSessionID() string {
	var b [8]byte
	_, _ = rand.Read(b[:]) // never fails (crypto/rand)
	return "sess_" + hex.EncodeToString(b[:])
}
