package prune

import (
	"strconv"
	"strings"

	"github.com/open-agent-profile/oap/canonical"
	"github.com/open-agent-profile/oap/delta"
	"github.com/open-agent-profile/oap/repo"
	"github.com/open-agent-profile/oap/repo/apply"
	"github.com/open-agent-profile/oap/repo/history"
)

// Outcomes of a receipt; the words are those of package apply.
const (
	Applied   = "applied"
	Unchanged = "unchanged"
)

// Receipt says what became of a call, in terms that anyone with git and a SHA-256 can check. Members are
// added, never changed.
type Receipt struct {
	Type          string           `json:"type"` // "prune", "restore" or "rollback"
	Outcome       string           `json:"outcome"`
	Profile       string           `json:"profile"`
	Path          string           `json:"path"`
	Branch        string           `json:"branch"`
	Commit        string           `json:"commit"` // empty where nothing was committed
	Revision      int              `json:"revision"`
	Previous      int              `json:"previous_revision"`
	ProfileDigest canonical.Digest `json:"profile_digest"`
	SpecDigest    canonical.Digest `json:"spec_digest"`
	Sections      []string         `json:"sections"`
	ApprovedBy    string           `json:"approved_by,omitempty"`
	Warnings      []apply.Warning  `json:"warnings"`
	DryRun        bool             `json:"dry_run,omitempty"`

	*Page // of "prune"

	// Entry and From are of "restore", From and the changes of "rollback".
	Entry   *Item            `json:"entry,omitempty"`
	From    *From            `json:"from,omitempty"`
	Changes []history.Change `json:"changes,omitempty"`

	before, after []byte
}

// From is the version that something was brought back from.
type From struct {
	Revision int    `json:"revision"`
	Commit   string `json:"commit"`
}

// Texts gives the file before and after, for showing a difference. Both are empty where nothing changes.
func (rc *Receipt) Texts() (before, after []byte) { return rc.before, rc.after }

func newReceipt(kind string, o Options, t *target) (*Receipt, error) {
	rc := &Receipt{
		Type: kind, Outcome: Unchanged, Profile: t.doc.Name(), Path: t.path, Branch: o.Branch, DryRun: o.DryRun,
		Revision: t.doc.Revision(), Previous: t.doc.Revision(), Sections: []string{}, Warnings: []apply.Warning{},
	}
	var err error
	if rc.ProfileDigest, err = t.doc.Digest(); err != nil {
		return nil, err
	}
	rc.SpecDigest, err = t.doc.SpecDigest()
	return rc, err
}

func (rc *Receipt) warn(ws []delta.Warning) {
	for _, w := range ws {
		rc.Warnings = append(rc.Warnings, apply.Warning{Rule: w.Rule, Pointer: w.Pointer, Message: w.Message})
	}
}

// message says what the commit does. Ids and texts of entries are a session's words; repo.Message keeps
// them from forming trailers.
func message(o Options, a action, rc *Receipt) repo.Message {
	form := o.Subject
	if form == "" {
		form = apply.DefaultSubject
	}
	m := repo.Message{
		Subject: strings.NewReplacer("%%", "%", "%p", rc.Profile, "%r", strconv.Itoa(rc.Revision), "%s", a.summary).Replace(form),
		Body:    a.body,
	}
	for _, t := range []repo.Trailer{
		{Key: "OAP-Profile", Value: rc.Profile},
		{Key: "OAP-Path", Value: rc.Path},
		{Key: "OAP-Revision", Value: strconv.Itoa(rc.Revision)},
		{Key: "OAP-Sections", Value: strings.Join(a.sections, ", ")},
		{Key: "OAP-Profile-Digest", Value: rc.ProfileDigest.String()},
		{Key: "OAP-Spec-Digest", Value: rc.SpecDigest.String()},
		{Key: history.ActionTrailer, Value: string(a.kind)},
		{Key: "OAP-Approved-By", Value: a.approver},
	} {
		if t.Value != "" {
			m.Trailers = append(m.Trailers, t)
		}
	}
	return m
}
