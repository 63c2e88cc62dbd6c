package audit

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/open-agent-profile/oap/internal/term"
	"github.com/open-agent-profile/oap/profile"
)

// disproved says what of a claim the tree disproves; "" where nothing is. The digest is not looked at here.
func (s *step) disproved() string {
	c, n := s.claim, s.now
	switch {
	case c.profile != "" && c.profile != n.name:
		return fmt.Sprintf("speak of the profile %s, and the document is %s", quote(c.profile), quote(n.name))
	case c.path != "" && c.path != s.path:
		return fmt.Sprintf("speak of the file %s, which the commit does not change", quote(c.path))
	case c.revision != "" && c.revision != strconv.Itoa(n.revision):
		return fmt.Sprintf("speak of revision %s, and the document is revision %d", quote(c.revision), n.revision)
	case c.spec != "" && c.spec != n.spec.String():
		return "name a spec digest that is not the document's"
	}
	if l, ok := n.entryFor(n.revision); ok {
		switch {
		case c.approvedBy != "" && !alike(l.approvedBy, c.approvedBy):
			return fmt.Sprintf("name %s as approver, and the document's history %s", quote(c.approvedBy), named(l.approvedBy))
		case c.session != "" && l.session != "" && !alike(l.session, c.session):
			return fmt.Sprintf("name the session %s, and the document's history %s", quote(c.session), quote(l.session))
		}
	}
	if s.old == nil || len(s.commit.Parents) > 1 {
		return ""
	}
	if c.digest != "" && len(c.sections) > 0 && !c.state() && n.state != s.old.state {
		return fmt.Sprintf("say that the commit changes %s, and it changes state", term.Escape(strings.Join(c.sections, ", ")))
	}
	if c.action == "prune" {
		if at := grown(s.old, n); at != "" {
			return fmt.Sprintf("call the commit a prune, and it writes /state/%s", term.Escape(at))
		}
	}
	return ""
}

func named(who string) string {
	if who == "" {
		return "names nobody"
	}
	return "names " + quote(who)
}

// alike compares a text of the history with that of a trailer, which is one escaped line; the history cuts at
// 200 characters.
func alike(history, trailer string) bool {
	line := strings.Join(strings.Fields(term.Escape(history)), " ")
	if cut, ok := strings.CutSuffix(line, "…"); ok {
		return strings.HasPrefix(trailer, cut)
	}
	return line == trailer
}

// grown gives an entry that is new or differs, "" where entries only went.
func grown(old, now *view) string {
	was := map[string]sum{}
	for _, e := range old.entries {
		was[e.place] = e.sum
	}
	for _, e := range now.entries {
		if was[e.place] != e.sum {
			return e.place
		}
	}
	return ""
}

// permission asks whether a commit that is on record was allowed, and takes down who allowed it. A merge that
// is no decision brings what was allowed elsewhere.
func (b *bench) permission(s *step, crossed bool) {
	if !s.borne {
		return
	}
	c := s.claim
	of := "state"
	if c.contract() {
		of = "contract"
	}
	b.approval(s, of)
	merge := len(s.commit.Parents) > 1 && !c.accept()
	if c.approvedBy != "" || merge || crossed {
		return
	}
	if c.contract() {
		b.about(s, UnapprovedContr, Error, "", "the contract is on record here, and nobody is named who approved it")
		return
	}
	switch mode := s.old.writeback; {
	case !c.state():
	case mode == profile.WritebackOff:
		b.about(s, UnapprovedState, Error, "/state", "state is written although the contract switches that off")
		return
	case c.action == "prune": // carries out the contract
		return
	case mode == profile.WritebackPropose:
		b.about(s, UnapprovedState, Error, "/state", "the contract wants a person to approve state, and nobody is named")
		return
	case b.options.RequireApproval:
		b.about(s, UnapprovedState, Error, "/state", "nobody is named who approved the state")
		return
	}
	if at := unpinned(s.old, s.now); at != "" {
		severity := Note
		if b.options.ProtectPinned {
			severity = Error
		}
		b.about(s, PinnedChanged, severity, "/state/"+at, "a pinned entry changed, and nobody is named who approved it")
	}
}

// unpinned gives a pinned entry that changed or went; "" for none.
func unpinned(old, now *view) string {
	for _, e := range old.entries {
		if e.pinned && !slices.ContainsFunc(now.entries, func(n entry) bool { return n.place == e.place && n.sum == e.sum && n.pinned }) {
			return e.place
		}
	}
	return ""
}

// approval takes down who approved a step, and what that rests on.
func (b *bench) approval(s *step, of string) {
	if !s.borne || s.claim.approvedBy == "" {
		return
	}
	sig := b.signatureOf(s.commit.ID)
	b.approvals = append(b.approvals, Approval{
		Profile: s.line.name, Revision: s.now.revision, Commit: s.commit.ID, By: s.claim.approvedBy,
		Of: of, Grade: b.grade(sig), Signature: sig.verdict, Signer: sig.signer,
	})
}
