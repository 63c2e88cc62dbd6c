package main

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/diff"

	"github.com/open-agent-profile/oap/internal/term"
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
	case apply.Queued:
		add("queued", "%s stays at r%d  %s waits on %s", rc.Profile, rc.Revision, commit, branch)
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
		line := fmt.Sprintf("%s %s  risk %s  %s %s", p.Op, p.Pointer, p.Risk, p.Status, p.ID)
		if p.Message != "" {
			line += ": " + p.Message
		}
		add("proposal", "%s", line)
	}
	return lines
}

// plural counts things in a sentence.
func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + many
}
