package audit

import (
	"slices"
	"strings"

	"github.com/open-agent-profile/oap/repo"
)

// claim is what a group of trailers says of one profile (docs/format.md, "A state commit"). Nothing of it is
// true before the tree has borne it out.
type claim struct {
	profile, path, revision          string
	sections                         []string
	digest, spec                     string
	delta, session, approvedBy       string
	proposal, decision, action, risk string
}

// claimsOf reads the trailers of a commit. A commit about several profiles repeats the group that starts with
// OAP-Profile for each. Of a key that stands in a group twice, as after a squash, the last counts.
func claimsOf(message string) []claim {
	if !strings.Contains(message, "OAP-") {
		return nil
	}
	var all []claim
	started := false
	for _, t := range repo.ParseTrailers(message) {
		if !strings.HasPrefix(t.Key, "OAP-") {
			continue
		}
		if len(all) == 0 || t.Key == "OAP-Profile" && started {
			all, started = append(all, claim{}), false
		}
		started = started || t.Key == "OAP-Profile"
		all[len(all)-1].set(t.Key, t.Value)
	}
	return all
}

func (c *claim) set(key, value string) {
	switch key {
	case "OAP-Profile":
		c.profile = value
	case "OAP-Path":
		c.path = value
	case "OAP-Revision":
		c.revision = value
	case "OAP-Sections":
		c.sections = nil
		for s := range strings.SplitSeq(value, ",") {
			if s = strings.TrimSpace(s); s != "" {
				c.sections = append(c.sections, s)
			}
		}
	case "OAP-Profile-Digest":
		c.digest = value
	case "OAP-Spec-Digest":
		c.spec = value
	case "OAP-Delta":
		c.delta = value
	case "OAP-Session":
		c.session = value
	case "OAP-Approved-By":
		c.approvedBy = value
	case "OAP-Proposal":
		c.proposal = value
	case "OAP-Decision":
		c.decision = value
	case "OAP-Action":
		c.action = value
	case "OAP-Risk":
		c.risk = value
	}
}

// records reports whether the claim is about a revision. Commits on branches for people, and decisions, are not.
func (c *claim) records() bool { return c.revision != "" || c.digest != "" }

// contract reports whether the claim puts a contract on record.
func (c *claim) contract() bool {
	return slices.ContainsFunc(c.sections, func(s string) bool { return s != "state" })
}

// state reports whether the claim puts state on record.
func (c *claim) state() bool { return slices.Contains(c.sections, "state") }

// stateOnly reports whether the commit says that it is one of state: a revision of it, or a delta that waits.
func (c *claim) stateOnly() bool {
	if len(c.sections) > 0 {
		return !c.contract()
	}
	return c.delta != "" && c.proposal == "" && c.revision == ""
}

// accept reports whether the claim is a person's decision about a branch.
func (c *claim) accept() bool { return c.decision == "accepted" }

// stamp reports whether the claim puts on record whatever stood on the branch, and not its own change only.
func (c *claim) stamp() bool {
	return !c.accept() && c.delta == "" && (c.action == "" || c.action == "rollback")
}

// about finds the claim that a commit makes of a document; nil where it makes none.
func about(claims []claim, path, name string) *claim {
	for i := range claims {
		if claims[i].path == path {
			return &claims[i]
		}
	}
	for i := range claims {
		if claims[i].profile == name && name != "" {
			return &claims[i]
		}
	}
	return nil
}
