package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/open-agent-profile/oap/canonical"
	"github.com/open-agent-profile/oap/repo/catalog"
)

func (a *app) newDigestCommand() *cobra.Command {
	var resolved bool
	cmd := &cobra.Command{
		Use:   "digest TARGET [OTHER]",
		Short: "Print or compare profile and spec digest",
		Long: `Print the two digests of a profile: the profile digest covers the whole document, the spec
digest the contract, so that writing state back leaves it as it is. Both are SHA-256 over
RFC 8785 canonical JSON: comments, order, quoting and encoding do not matter.

TARGET is a path, NAME, NAME@REVISION or NAME@COMMIT. With OTHER the two documents are
compared: exit 0 if the profile digests are equal, 1 if not, naming what differs.

--resolved adds the resolved digest, which covers the contract with everything the profile
extends, and compares by that.`,
		Example: `  oap digest code-reviewer
  oap digest code-reviewer@7 code-reviewer
  oap digest note-taker.agent.yaml note-taker.agent.json`,
		Args:              takes(cobra.RangeArgs(1, 2)),
		ValidArgsFunction: a.completeNames,
		RunE: func(cmd *cobra.Command, args []string) error {
			if resolved {
				return a.runDigestResolved(cmd.Context(), args)
			}
			return a.runDigest(cmd.Context(), args)
		},
	}
	cmd.Flags().BoolVar(&resolved, "resolved", false, "with the profiles that it extends")
	return cmd
}

// digested is one line of JSON.
type digested struct {
	Type          string           `json:"type"` // "digest"
	Target        string           `json:"target"`
	Path          string           `json:"path"`
	Commit        string           `json:"commit,omitempty"`
	Name          string           `json:"name"`
	Revision      int              `json:"revision"`
	ProfileDigest canonical.Digest `json:"profile_digest"`
	SpecDigest    canonical.Digest `json:"spec_digest"`
	// ResolvedDigest is there with --resolved.
	ResolvedDigest string   `json:"resolved_digest,omitempty"`
	Equal          *bool    `json:"equal,omitempty"`
	Differs        []string `json:"differs,omitempty"`
}

func (a *app) runDigest(ctx context.Context, args []string) error {
	var out []digested
	var ats []*catalog.At
	for _, arg := range args {
		at, err := a.target(ctx, arg)
		if err != nil {
			return err
		}
		d := digested{Type: "digest", Target: arg, Path: at.Path, Commit: string(at.Commit), Name: at.Name(), Revision: at.Document.Revision()}
		if d.ProfileDigest, err = at.Document.Digest(); err != nil {
			return fmt.Errorf("%s: %w", at.Path, err)
		}
		if d.SpecDigest, err = at.Document.SpecDigest(); err != nil {
			return fmt.Errorf("%s: %w", at.Path, err)
		}
		out, ats = append(out, d), append(ats, at)
	}
	var differs []string
	if len(out) == 2 {
		differs = canonical.Differences(ats[0].Document.Value, ats[1].Document.Value)
		equal := out[0].ProfileDigest == out[1].ProfileDigest
		out[1].Equal, out[1].Differs = &equal, differs
	}
	if err := a.printDigests(out); err != nil {
		return err
	}
	if len(differs) > 0 {
		return &answerNo{fmt.Sprintf("%s and %s differ at %s", args[0], args[1], strings.Join(differs, ", "))}
	}
	return nil
}

func (a *app) printDigests(out []digested) error {
	for _, d := range out {
		if a.json {
			if err := a.emit(d); err != nil {
				return err
			}
			continue
		}
		a.printf("profile %s  %s\nspec    %s\n", d.ProfileDigest, d.Target, d.SpecDigest)
		if d.ResolvedDigest != "" {
			a.printf("resolved %s\n", d.ResolvedDigest)
		}
	}
	return nil
}
