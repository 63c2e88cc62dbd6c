package main

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/open-agent-profile/oap/profile"
	"github.com/open-agent-profile/oap/repo/audit"
)

// reportAudit prints what an audit found and says what it comes to.
func (a *app) reportAudit(o auditOptions, report *audit.Report) error {
	n := countAudit(report)
	var err error
	switch o.format {
	case "text":
		err = a.auditTable(report)
	case "json":
		err = a.auditJSON(report, n)
	default:
		err = a.auditForMachines(o.format, report)
	}
	if err != nil {
		return err
	}
	judged := fmt.Sprintf("%s of %s", plural(n.Commits, "commit", "commits"), plural(n.Profiles, "profile", "profiles"))
	if audit.Faulty(report.Findings) {
		return &answerNo{fmt.Sprintf("%s in %s", plural(n.Errors+n.Warnings, "finding", "findings"), judged)}
	}
	grades := ""
	for _, g := range []string{audit.Asserted, audit.Signed, audit.ForgeReviewed} {
		if n.Approvals[g] > 0 {
			grades += fmt.Sprintf(", %d %s", n.Approvals[g], g)
		}
	}
	if grades != "" {
		grades = "; approvals: " + grades[2:]
	}
	a.notef("%s judged, nothing wrong%s", judged, grades)
	return nil
}

func countAudit(report *audit.Report) audited {
	n := audited{
		Type: "audited", Commits: report.Commits, Profiles: len(report.Names), Documents: report.Documents, Shallow: report.Shallow,
		Approvals: map[string]int{audit.Asserted: 0, audit.Signed: 0, audit.ForgeReviewed: 0},
	}
	for _, f := range report.Findings {
		switch f.Severity {
		case audit.Error:
			n.Errors++
		case audit.Warning:
			n.Warnings++
		default:
			n.Notes++
		}
	}
	for _, p := range report.Approvals {
		n.Approvals[p.Grade]++
	}
	return n
}

func (a *app) auditTable(report *audit.Report) error {
	if len(report.Findings) == 0 {
		return nil
	}
	return a.table("COMMIT\tPROFILE\tREV\tSEVERITY\tFINDING\tPLACE\tMEANING", len(report.Findings), func(i int) []string {
		f := report.Findings[i]
		commit, rev := string(f.Commit), ""
		if len(commit) > 7 {
			commit = commit[:7]
		}
		if f.Revision > 0 {
			rev = strconv.Itoa(f.Revision)
		}
		place := f.Pointer
		if f.Profile == "" {
			place = f.Path
		}
		return []string{commit, f.Profile, rev, string(f.Severity), f.ID, place, f.Message}
	})
}

// auditJSON prints a line a finding, a line an approval, and what it comes to.
func (a *app) auditJSON(report *audit.Report, n audited) error {
	type finding struct {
		Type string `json:"type"` // "finding"
		audit.Finding
	}
	type approval struct {
		Type string `json:"type"` // "approval"
		audit.Approval
	}
	for _, f := range report.Findings {
		if err := a.emit(finding{"finding", f}); err != nil {
			return err
		}
	}
	for _, p := range report.Approvals {
		if err := a.emit(approval{"approval", p}); err != nil {
			return err
		}
	}
	return a.emit(n)
}

// auditForMachines writes the findings as those of validate. They have no lines: those of an old commit are
// not those of the file that a page shows.
func (a *app) auditForMachines(format string, report *audit.Report) error {
	c := &checked{}
	for _, f := range report.Findings {
		c.findings = append(c.findings, profile.Finding{
			Path: f.Path, Severity: levelIn(format, f.Severity), Rule: f.ID, Pointer: f.Pointer, Message: f.Message + where(f),
		})
	}
	for id, text := range audit.Rules {
		if _, known := ruleTexts[id]; !known {
			ruleTexts[id] = text
		}
	}
	return reporters[format](a, &validation{app: a, checked: []*checked{c}})
}

// levelIn spells a severity as the format does. GitLab's report has no level below minor in use here.
func levelIn(format string, s audit.Severity) profile.Severity {
	if s != audit.Note {
		return profile.Severity(s)
	}
	switch format {
	case "github":
		return "notice"
	case "gitlab":
		return profile.Warning
	}
	return profile.Severity(s)
}

func where(f audit.Finding) string {
	var parts []string
	if f.Revision > 0 {
		parts = append(parts, fmt.Sprintf("revision %d", f.Revision))
	}
	if f.Commit != "" {
		parts = append(parts, "commit "+f.Commit.Short())
	}
	if len(parts) == 0 {
		return ""
	}
	return " (" + strings.Join(parts, ", ") + ")"
}
