package main

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"

	"github.com/spf13/cobra"

	"github.com/open-agent-profile/oap/internal/textedit"
	"github.com/open-agent-profile/oap/profile"
	"github.com/open-agent-profile/oap/profile/narrow"
)

// narrowing are the flags of commands that narrow what they resolve.
type narrowing struct {
	composing
	policy string
	parent string
	needed bool // without a policy there is no answer

	caller   *narrow.Effective              // the parent, where it is known already
	servable func(provider, id string) bool // models of the harness; nil is all
}

func (o *narrowing) flags(cmd *cobra.Command) {
	o.composing.flags(cmd)
	cmd.Flags().StringVar(&o.policy, "policy", "", "the local policy, a `FILE` (default: the setting oap.policy)")
}

// narrow composes a profile and intersects it with the policy, its bases and its caller.
func (a *app) narrow(ctx context.Context, spec string, o narrowing) (*narrow.Effective, *composition, error) {
	c, err := a.compose(ctx, spec, o.composing)
	if err != nil {
		return nil, nil, err
	}
	a.warnComposed(c)
	policy, err := a.policy(c.discovery.repo, o.policy)
	if err != nil {
		return nil, nil, err
	}
	if policy == nil && o.needed {
		return nil, nil, usagef("name the policy of this machine with --policy or git config oap.policy; oap policy init writes one")
	}
	opts, err := a.narrowOptions(c)
	if err != nil {
		return nil, nil, err
	}
	opts.Servable, opts.Parent = o.servable, o.caller
	if o.parent != "" {
		if opts.Parent, err = a.parent(ctx, o); err != nil {
			return nil, nil, err
		}
	}
	e, err := narrow.Narrow(narrow.From(c.Resolved), policy, opts)
	return e, c, err
}

func (a *app) narrowOptions(c *composition) (narrow.Options, error) {
	o := narrow.Options{Workspace: c.workspace}
	switch limit := a.setting(c.discovery.repo, "writeback"); limit {
	case "", "off", "propose", "auto":
		o.Writeback = profile.Writeback(limit)
	default:
		return o, usagef("the setting writeback is %q; it is off, propose or auto", limit)
	}
	return o, nil
}

// parent is the agent that calls: a profile under the same policy, or a record of one: a JSON file.
func (a *app) parent(ctx context.Context, o narrowing) (*narrow.Effective, error) {
	if isRecord(o.parent) {
		rec, err := a.recordFile(o.parent)
		if err != nil {
			return nil, err
		}
		return rec.Effective, nil
	}
	above := o
	above.parent = ""
	e, _, err := a.narrow(ctx, o.parent, above)
	return e, err
}

// isRecord tells the file of a record from a name and from a profile.
func isRecord(spec string) bool {
	return strings.HasSuffix(spec, ".json") && !profile.IsProfilePath(spec) && !profile.IsDeltaPath(spec)
}

func (a *app) recordFile(file string) (*record, error) {
	text, err := a.readFile(a.resolve(file))
	if err != nil {
		return nil, err
	}
	return readRecord(file, text)
}

// record is what a file says of a session, or of an effective profile.
type record struct {
	Session   string
	Effective *narrow.Effective
}

// readRecord reads what oap session start or oap effective --json printed. A record without sides would limit
// nobody, so it is none.
func readRecord(name string, text []byte) (*record, error) {
	bad := func(why string) error { return &profile.SyntaxError{Path: name, Line: 1, Column: 1, Msg: why} }
	// The strict reader refuses what two readers could take for different values.
	if _, err := textedit.Parse(text, textedit.JSON, textedit.Options{}); err != nil {
		return nil, bad(err.Error())
	}
	var head struct {
		Type      string          `json:"type"`
		Session   string          `json:"session_id"`
		Effective json.RawMessage `json:"effective"`
	}
	if err := json.Unmarshal(text, &head); err != nil {
		return nil, bad(err.Error())
	}
	switch head.Type {
	case "effective":
		head.Effective = text
	case "session":
	default:
		return nil, bad("the file is neither a session nor an effective profile of oap")
	}
	var e narrow.Effective
	if err := json.NewDecoder(bytes.NewReader(head.Effective)).Decode(&e); err != nil {
		return nil, bad(err.Error())
	}
	if e.Profile == "" || len(e.Sides) == 0 || e.Spec == nil {
		return nil, bad("the record does not say what limits the agent")
	}
	return &record{Session: head.Session, Effective: &e}, nil
}
