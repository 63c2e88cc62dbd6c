package main

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/diff"

	"github.com/open-agent-profile/oap/internal/term"
	"github.com/open-agent-profile/oap/proposals"
	"github.com/open-agent-profile/oap/repo/apply"
)

// emit prints one JSON object on a line of its own.
func (a *app) emit(v any) error {
	enc := json.NewEncoder(a.out)
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}

// printReceipt shows what became of a delta: one JSON line, or three or four aligned lines.
func (a *app) printReceipt(rc *apply.Receipt, dryRun bool) error {
	if dryRun && rc.Outcome == apply.Applied {
		rc.DryRun = true
		rc.Diff = string(diff.Diff("a/"+rc.Path, rc.Before(), "b/"+rc.Path, rc.After()))
	}
	if a.json {
		return a.emit(rc)
	}
	for _, w := range rc.Warnings {
		a.warnf("%s: %s [%s]", w.Pointer, w.Message, w.Rule)
	}
	if rc.Diff != "" {
		a.printf("%s", term.EscapeLines(rc.Diff))
	}
	for _, line := range receiptLines(rc) {
		a.printf("%-9s %s\n", line[0], term.Escape(line[1]))
	}
	return nil
}

// receiptLines gives label and text of each line of the human receipt.
func receiptLines(rc *apply.Receipt) [][2]string {
	commit := rc.Commit
	if len(commit) > 7 {
		commit = commit[:7]
	}
	var lines [][2]string
	add := func(label, format string, args ...any) {
		lines = append(lines, [2]string{label, fmt.Sprintf(format, args...)})
	}
	branch := strings.TrimPrefix(rc.Branch, "refs/heads/")
	switch rc.Outcome {
	case apply.Applied:
		verb := "applied"
		if rc.DryRun {
			verb = "would apply"
		}
		add(verb, "%s r%d -> r%d  %s on %s  %s", rc.Profile, rc.Previous, rc.Revision, commit, branch, rc.Path)
	case apply.AlreadyApplied:
		if commit == "" {
			add("already", "%s has this delta already (session %s is in its history)", rc.Profile, rc.Session)
		} else {
			add("already", "%s has this delta already, in %s on %s", rc.Profile, commit, branch)
		}
	default:
		add(string(rc.Outcome), "%s stays at r%d", rc.Profile, rc.Revision)
	}
	add("digests", "profile %s  spec %s", rc.ProfileDigest.Short(), rc.SpecDigest.Short())
	if len(rc.Evicted) > 0 {
		var ids []string
		for _, e := range rc.Evicted {
			ids = append(ids, e.Collection+"/"+e.ID+" ("+e.Rule+")")
		}
		add("evicted", "%s", strings.Join(ids, ", "))
	}
	for _, p := range rc.Proposals {
		add("proposal", "%s %s  risk %s  %s", p.Op, p.Pointer, p.Risk, p.Status)
	}
	return lines
}

// rateProposals fills in the receipt's proposals: each wish with its computed risk, against the contract
// that the delta met on the branch.
func rateProposals(res apply.Result) {
	for _, p := range res.Request.Delta.Proposals {
		out := apply.Proposal{Pointer: p.Path, Op: p.Op, Declared: p.Risk, Rationale: p.Rationale, Status: "not-opened", Reasons: []string{}}
		_, risk, reasons, err := proposals.RateProposal(res.Contract, p)
		if err != nil {
			out.Status, out.Message = "refused", err.Error()
		}
		out.Risk = risk.String()
		for _, r := range reasons {
			out.Reasons = append(out.Reasons, r.Pointer+": "+r.Message)
		}
		res.Receipt.Proposals = append(res.Receipt.Proposals, out)
	}
}

// plural counts things in a sentence.
func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + many
}
