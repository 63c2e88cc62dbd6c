package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/open-agent-profile/oap/canonical"
	"github.com/open-agent-profile/oap/interop/agentmanifest"
	"github.com/open-agent-profile/oap/profile"
	"github.com/open-agent-profile/oap/repo"
	"github.com/open-agent-profile/oap/repo/history"
)

type diffOptions struct {
	stat       bool
	operations bool
	exitCode   bool
}

func (a *app) newDiffCommand() *cobra.Command {
	var o diffOptions
	cmd := &cobra.Command{
		Use:   "diff A [B]",
		Short: "Show what changed in meaning between two versions",
		Long: `Show what changed between two profiles: the contract first, each change marked with "!", then
state by entry: added (+), changed (~, which fields), removed (-), moved (>). Encoding, order
of members, comments and quoting make no difference, nor do revision and updated_at.

A and B are names, NAME@REV, files of any encoding, or commits, which stand for all profiles
in them. Without B, A is compared with the file in the working tree, or with the tip of the
branch where there is none; a name alone with what is committed of it.

--operations writes the delta that turns A into B: its operations turn the state, its
proposals, each of which a person has to accept, the contract.`,
		Example: `  oap diff code-reviewer                        what is not committed yet
  oap diff code-reviewer@7 code-reviewer@9
  oap diff HEAD~5 --stat
  oap diff note-taker.agent.yaml note-taker.agent.json
  oap diff code-reviewer@9 code-reviewer@8 --operations`,
		Args:              takes(cobra.RangeArgs(1, 2)),
		ValidArgsFunction: a.completeNames,
		RunE:              func(cmd *cobra.Command, args []string) error { return a.runDiff(cmd.Context(), args, o) },
	}
	f := cmd.Flags()
	f.BoolVar(&o.stat, "stat", false, "show numbers only")
	f.BoolVar(&o.operations, "operations", false, "write the delta that turns A into B")
	f.BoolVar(&o.exitCode, "exit-code", false, "exit 1 where there is a difference")
	return cmd
}

// side is one side of a comparison.
type side struct {
	label  string // as people named it
	path   string
	commit repo.ID // "" where it was read from a file
	doc    *profile.Document
}

// pair is two versions of one profile; a side is nil where the profile is not there.
type pair struct{ before, after *side }

func (p pair) name() string {
	if p.after != nil {
		return p.after.doc.Name()
	}
	return p.before.doc.Name()
}

func (p pair) documents() (before, after *profile.Document) {
	if p.before != nil {
		before = p.before.doc
	}
	if p.after != nil {
		after = p.after.doc
	}
	return before, after
}

func (p pair) values() (before, after map[string]any) {
	a, b := p.documents()
	if a != nil {
		before = a.Value
	}
	if b != nil {
		after = b.Value
	}
	return before, after
}

// compared is one pair of JSON.
type compared struct {
	Type    string        `json:"type"` // "diff"
	Profile string        `json:"profile"`
	Before  *comparedSide `json:"before"` // null where the profile is new
	After   *comparedSide `json:"after"`  // null where it is gone
	Equal   bool          `json:"equal"`  // the documents, revision and history included
	*history.Difference
	Manifest []agentmanifest.Change `json:"manifest"` // of what the profile is to OpenWOP
}

type comparedSide struct {
	Target        string           `json:"target"`
	Path          string           `json:"path"`
	Commit        string           `json:"commit,omitempty"`
	Revision      int              `json:"revision"`
	ProfileDigest canonical.Digest `json:"profile_digest"`
}

func sideOf(v *side) (*comparedSide, error) {
	if v == nil {
		return nil, nil
	}
	sum, err := v.doc.Digest()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", v.path, err)
	}
	return &comparedSide{v.label, v.path, string(v.commit), v.doc.Revision(), sum}, nil
}

func (a *app) runDiff(ctx context.Context, args []string, o diffOptions) error {
	if o.operations && o.stat {
		return usagef("--operations and --stat exclude each other")
	}
	pairs, err := a.pairs(ctx, args)
	if err != nil {
		return err
	}
	if o.operations {
		return a.printOperations(pairs)
	}
	differs := false
	for _, p := range pairs {
		before, after := p.values()
		d := history.Compare(before, after)
		c := compared{Type: "diff", Profile: p.name(), Difference: d, Manifest: filled(agentmanifest.Changes(p.documents()))}
		if c.Before, err = sideOf(p.before); err != nil {
			return err
		}
		if c.After, err = sideOf(p.after); err != nil {
			return err
		}
		c.Equal = c.Before != nil && c.After != nil && c.Before.ProfileDigest == c.After.ProfileDigest
		differs = differs || !c.Equal
		switch {
		case a.json:
			err = a.emit(c)
		case d.Empty() && c.Before != nil && c.After != nil:
		default:
			err = a.printDifference(c, o.stat)
		}
		if err != nil {
			return err
		}
	}
	if !differs {
		a.notef("no difference")
	}
	if differs && o.exitCode {
		return &answerNo{"there are differences"}
	}
	return nil
}
