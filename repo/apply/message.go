package apply

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/open-agent-profile/oap/delta"
	"github.com/open-agent-profile/oap/repo"
)

// DefaultSubject is the form of a state commit's subject. %p is the profile, %r the revision, %s the
// summary; %% is a percent sign.
const DefaultSubject = "%p: r%r %s"

// message says what the commit does. Everything in it that a delta wrote is hostile; repo.Message keeps
// it from forming trailers.
func message(o Options, req *Request, rc *Receipt, evicted []delta.Eviction, summaryLost string) repo.Message {
	d := req.Delta
	form := o.Subject
	if form == "" {
		form = DefaultSubject
	}
	summary := summaryOf(d)
	m := repo.Message{
		Subject: strings.NewReplacer("%%", "%", "%p", rc.Profile, "%r", strconv.Itoa(rc.Revision), "%s", summary).Replace(form),
		Body:    body(d, rc, evicted, summaryLost),
	}
	add := func(key, value string) {
		if value != "" {
			m.Trailers = append(m.Trailers, repo.Trailer{Key: key, Value: value})
		}
	}
	add("OAP-Profile", rc.Profile)
	add("OAP-Path", rc.Path)
	add("OAP-Revision", strconv.Itoa(rc.Revision))
	add("OAP-Sections", "state")
	add("OAP-Profile-Digest", rc.ProfileDigest.String())
	add("OAP-Spec-Digest", rc.SpecDigest.String())
	add("OAP-Delta", req.Key.String())
	add("OAP-Session", d.Session.ID)
	add("OAP-Harness", d.Session.Harness)
	add("OAP-Approved-By", rc.ApprovedBy)
	return m
}

// summaryOf is the delta's own summary, or a count.
func summaryOf(d *delta.Delta) string {
	if s := strings.TrimSpace(d.Summary); s != "" {
		return s
	}
	if len(d.Operations) == 1 {
		return "1 state operation"
	}
	return fmt.Sprintf("%d state operations", len(d.Operations))
}

// body holds the whole summary where the subject cuts it, every operation with its reason, every
// evicted entry with the rule that evicted it, and what a merge gave up.
func body(d *delta.Delta, rc *Receipt, evicted []delta.Eviction, summaryLost string) string {
	var b strings.Builder
	if s := strings.TrimSpace(d.Summary); s != "" {
		fmt.Fprintf(&b, "%s\n\n", repo.Fill(s, ""))
	}
	for _, op := range d.Operations {
		fmt.Fprintf(&b, "- %s %s\n", op.Op, label(op))
		if op.Reason != "" {
			fmt.Fprintf(&b, "%s\n", repo.Fill(op.Reason, "  "))
		}
	}
	if len(evicted) > 0 {
		b.WriteString("\nEvicted by retention\n")
		for _, e := range evicted {
			fmt.Fprintf(&b, "- %s/%s (%s)\n", e.Collection, e.ID, e.Rule)
		}
	}
	if rc.Rebased {
		fmt.Fprintf(&b, "\nMade for revision %d, merged onto revision %d.\n", rc.RebasedFrom, rc.Previous)
	}
	if summaryLost != "" {
		fmt.Fprintf(&b, "\nThe summary that gave way:\n%s\n", repo.Fill(summaryLost, "  "))
	}
	return b.String()
}

// label names what an operation is about: its path, and for an appended entry the entry's own name,
// since "/state/facts/-" tells a reader nothing.
func label(op delta.Operation) string {
	entry, _ := op.Value.(map[string]any)
	if !strings.HasSuffix(op.Path, "/-") || entry == nil {
		return op.Path
	}
	for _, key := range []string{"id", "term"} {
		if s, ok := entry[key].(string); ok && s != "" {
			return strings.TrimSuffix(op.Path, "-") + key + ":" + s
		}
	}
	return op.Path
}
