package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/open-agent-profile/oap/canonical"
	"github.com/open-agent-profile/oap/profile"
)

// runDigestResolved is digest of what profiles come to with everything they extend. Compared is the contract
// alone: state belongs to one document.
func (a *app) runDigestResolved(ctx context.Context, args []string) error {
	var out []digested
	var contracts []map[string]any
	for _, arg := range args {
		c, err := a.compose(ctx, arg, composing{})
		if err != nil {
			return err
		}
		doc := c.Source.Document
		out = append(out, digested{
			Type: "digest", Target: arg, Path: c.Source.Path, Name: doc.Name(), Revision: doc.Revision(),
			ProfileDigest: c.Digest, SpecDigest: c.SpecDigest, ResolvedDigest: c.ResolvedDigest.String(),
		})
		contracts = append(contracts, profile.Contract(c.Merged))
	}
	var differs []string
	if len(out) == 2 {
		equal := out[0].ResolvedDigest == out[1].ResolvedDigest
		if !equal {
			// The digest covers each base's own contract, also where what they come to is the same.
			if differs = canonical.Differences(contracts[0], contracts[1]); len(differs) == 0 {
				differs = []string{"/extends"}
			}
		}
		out[1].Equal, out[1].Differs = &equal, differs
	}
	if err := a.printDigests(out); err != nil {
		return err
	}
	if len(differs) > 0 {
		return &answerNo{fmt.Sprintf("%s and %s, resolved, differ at %s", args[0], args[1], strings.Join(differs, ", "))}
	}
	return nil
}
