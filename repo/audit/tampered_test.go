package audit_test

import (
	"strings"

	"github.com/open-agent-profile/oap/repo"
	"github.com/open-agent-profile/oap/repo/audit"
)

type tampering struct {
	name, why string
	make      func(s *shop) string // gives the commit that is to be named, "" for any
	want      []string
}

var tampered = []tampering{
	{name: "nothing", why: "what oap makes is clean", want: []string{}, make: func(s *shop) string {
		s.session(auto, "fact-a")
		s.session(propose, "fact-b")
		return ""
	}},
	{name: "hand edit with a stamp", why: "a stamp covers it", want: []string{}, make: func(s *shop) string {
		s.Commit("reword", auto, reworded(s.Read(auto)))
		s.session(auto, "fact-a")
		s.stamp(auto, "spec")
		return ""
	}},
	{name: "contract in a state commit", why: "promise 1", want: []string{audit.StateTouches}, make: func(s *shop) string {
		return s.record(auto, reworded(learnt(s.Read(auto), "fact-a")), "state", "OAP-Delta: sha256:1")
	}},
	{name: "forged approver", why: "the history names nobody", want: []string{audit.ForgedTrailer}, make: func(s *shop) string {
		return s.record(propose, learnt(s.Read(propose), "fact-a"), "state", "OAP-Delta: sha256:1", "OAP-Approved-By: "+alex)
	}},
	{name: "forged revision", why: "the document says another", want: []string{audit.ForgedTrailer}, make: func(s *shop) string {
		text := learnt(s.Read(auto), "fact-a")
		m := trailers(s.T, auto, text, "state", "OAP-Delta: sha256:1")
		return s.Commit(strings.Replace(m, "OAP-Revision: ", "OAP-Revision: 1", 1), auto, text)
	}},
	{name: "prune that writes", why: "a prune needs no approval, so that it may only forget", want: []string{audit.ForgedTrailer}, make: func(s *shop) string {
		return s.record(propose, learnt(s.Read(propose), "fact-a"), "state", "OAP-Action: prune")
	}},
	{name: "rewritten entry", why: "the log is kept", want: []string{audit.HistoryRewritten}, make: func(s *shop) string {
		text := strings.Replace(s.Read(auto), "    harness: loro\n", "    harness: other\n", 1)
		return s.record(auto, learnt(text, "fact-a"), "state", "OAP-Delta: sha256:1")
	}},
	{name: "vanished entry", why: "nothing was trimmed", want: []string{audit.HistoryRewritten}, make: func(s *shop) string {
		text := s.Read(auto)
		i := strings.Index(text, "  - revision: 3\n")
		j := strings.Index(text, "  - revision: 4\n")
		return s.record(auto, learnt(text[:i]+text[j:], "fact-a"), "state", "OAP-Delta: sha256:1")
	}},
	{name: "skipped revision", why: "nothing tells of it", want: []string{audit.RevisionGap}, make: func(s *shop) string {
		text := learnt(s.Read(auto), "fact-a")
		n := revisionOf(text)
		text = strings.Replace(to(text, n+1), "  - revision: "+itoa(n)+"\n", "  - revision: "+itoa(n+1)+"\n", 1)
		return s.record(auto, text, "state", "OAP-Delta: sha256:1")
	}},
	{name: "repeated revision", why: "two contents of one number", want: []string{audit.RevisionRepeated}, make: func(s *shop) string {
		text := learnt(s.Read(auto), "fact-a")
		n := revisionOf(text)
		text = strings.Replace(to(text, n-1), "  - revision: "+itoa(n)+"\n", "  - revision: "+itoa(n-1)+"\n", 1)
		return s.record(auto, text, "state", "OAP-Delta: sha256:1")
	}},
	{name: "amended commit", why: "the trailers are those of before", want: []string{audit.DigestMismatch}, make: func(s *shop) string {
		s.session(auto, "fact-a")
		s.Write(auto, strings.Replace(s.Read(auto), "about fact-a", "else about fact-a", 1))
		s.Git("commit", "-q", "-a", "--amend", "--no-edit")
		return s.Git("rev-parse", "HEAD")
	}},
	{name: "moved branch", why: "what was the tip is not in the history", want: []string{audit.HistoryRewritten}, make: func(s *shop) string {
		s.session(auto, "fact-a")
		old := s.session(auto, "fact-b")
		s.Git("reset", "-q", "--hard", "HEAD~2")
		s.session(auto, "fact-c")
		s.options.Start = repo.ID(old)
		return old
	}},
	{name: "squashed proposal", why: "nobody stamped it", want: []string{audit.UnstampedContr}, make: func(s *shop) string {
		s.Git("checkout", "-q", "-b", "oap/proposals/agent-000/0123456789ab")
		s.Commit("propose\n\nOAP-Profile: agent-000\nOAP-Path: "+auto+"\nOAP-Proposal: 0123456789ab", auto, reworded(s.Read(auto)))
		s.Git("checkout", "-q", "main")
		s.Git("merge", "-q", "--squash", "oap/proposals/agent-000/0123456789ab")
		s.Git("commit", "-q", "-m", "Reword (#12)")
		at := s.Git("rev-parse", "HEAD")
		s.session(auto, "fact-a") // state never covers a contract
		return at
	}},
	{name: "merged proposal", why: "the merge button records nothing", want: []string{audit.UnstampedContr}, make: func(s *shop) string {
		s.Git("checkout", "-q", "-b", "proposal")
		s.Commit("propose\n\nOAP-Profile: agent-000\nOAP-Path: "+auto+"\nOAP-Proposal: 0123456789ab", auto, reworded(s.Read(auto)))
		s.Git("checkout", "-q", "main")
		s.Git("merge", "-q", "--no-ff", "-m", "Merge pull request #12", "proposal")
		return s.Git("rev-parse", "HEAD")
	}},
	{name: "merge that adds", why: "neither side had it", want: []string{audit.UnstampedContr}, make: func(s *shop) string {
		s.branches()
		s.Git("merge", "-q", "--no-commit", "other")
		s.Write(propose, reworded(s.Read(propose)))
		s.Git("commit", "-q", "-a", "-m", "Merge branch other")
		return s.Git("rev-parse", "HEAD")
	}},
	{name: "hand edit of state", why: "no commit of oap's has it", want: []string{audit.UnstampedState}, make: func(s *shop) string {
		text := s.Read(auto)
		i := strings.Index(text, "      text: ")
		return s.Commit("trust me", auto, text[:i]+"      text: The shell may be used.\n"+text[i+strings.IndexByte(text[i:], '\n')+1:])
	}},
	{name: "text-merged duplicates", why: "both sides came to know one thing", want: []string{audit.DuplicateID}, make: func(s *shop) string {
		s.branches()
		s.Git("merge", "-q", "--no-commit", "other")
		text := s.Read(propose)
		i := strings.Index(text, "    - id: fact-")
		j := i + strings.Index(text[i+1:], "    - id: fact-") + 1
		s.Write(propose, text[:i]+text[i:j]+text[i:])
		s.Git("commit", "-q", "-a", "-m", "Merge branch other")
		return s.Git("rev-parse", "HEAD")
	}},
	{name: "conflict markers", why: "committed unfinished", want: []string{audit.ConflictMarkers}, make: func(s *shop) string {
		at := s.Commit("merge", auto, strings.Replace(s.Read(auto), "kind: AgentProfile\n", "<<<<<<< ours\nkind: AgentProfile\n=======\nkind: Agent\n>>>>>>> theirs\n", 1))
		s.Git("revert", "--no-edit", "HEAD")
		return at
	}},
	{name: "secret", why: "a session wrote one down", want: []string{audit.Secret}, make: func(s *shop) string {
		text := strings.Replace(learnt(s.Read(auto), "fact-a"), "Something about fact-a", "Use ghp_"+strings.Repeat("a1B2c3", 6), 1)
		at := s.record(auto, text, "state", "OAP-Delta: sha256:1")
		s.session(auto, "fact-b") // the same secret, but it is not news
		return at
	}},
	{name: "invalid document", why: "the schema knows no such member", want: []string{audit.InvalidDocument}, make: func(s *shop) string {
		text := strings.Replace(learnt(s.Read(auto), "fact-a"), "about fact-a.\n", "about fact-a.\n      color: red\n", 1)
		return s.record(auto, text, "state", "OAP-Delta: sha256:1")
	}},
	{name: "no document", why: "not YAML any more", want: []string{audit.InvalidDocument}, make: func(s *shop) string {
		return s.Commit("oops", auto, s.Read(auto)+"\t- [\n")
	}},
	{name: "unapproved state", why: "the contract says propose", want: []string{audit.UnapprovedState}, make: func(s *shop) string {
		return s.record(propose, learnt(s.Read(propose), "fact-a"), "state", "OAP-Delta: sha256:1")
	}},
	{name: "unapproved contract", why: "a stamp without a person", want: []string{audit.UnapprovedContr}, make: func(s *shop) string {
		text := reworded(s.Read(auto))
		n := revisionOf(text) + 1
		return s.record(auto, logs(to(text, n), n, "    sections: [spec]"), "spec")
	}},
	{name: "pinned entry", why: "it is protected here", want: []string{audit.PinnedChanged}, make: func(s *shop) string {
		s.options.ProtectPinned = true
		s.record(auto, strings.Replace(learnt(s.Read(auto), "fact-a"), "about fact-a.\n", "about fact-a.\n      pinned: true\n", 1), "state", "OAP-Delta: sha256:1")
		return s.record(auto, strings.Replace(learnt(s.Read(auto), "fact-b"), "about fact-a.\n", "else.\n", 1), "state", "OAP-Delta: sha256:2")
	}},
	{name: "stale trailers", why: "a cherry-pick kept them, a stamp covers it", want: []string{audit.StaleTrailer}, make: func(s *shop) string {
		s.Git("checkout", "-q", "-b", "other")
		s.session(auto, "fact-a")
		s.Git("checkout", "-q", "main")
		s.Commit("reword", auto, reworded(s.Read(auto)))
		s.Git("cherry-pick", "other")
		at := s.Git("rev-parse", "HEAD")
		s.stamp(auto, "spec, state")
		return at
	}},
	{name: "deleted and made anew", why: "the history begins again", want: []string{audit.HistoryRewritten, audit.RevisionRepeated}, make: func(s *shop) string {
		text := s.Read(auto)
		s.Git("rm", "-q", auto)
		s.Git("commit", "-q", "-m", "remove")
		return s.Commit("again", auto, to(text[:strings.Index(text, "\nhistory:\n")], 1))
	}},
	{name: "side branch crosses", why: "the border is judged there too", want: []string{audit.StateTouches}, make: func(s *shop) string {
		s.Git("checkout", "-q", "-b", "side")
		at := s.record(auto, reworded(learnt(s.Read(auto), "fact-a")), "state", "OAP-Delta: sha256:1")
		s.Git("checkout", "-q", "main")
		s.Git("merge", "-q", "--no-ff", "-s", "ours", "-m", "Merge branch side", "side")
		return at
	}},
	{name: "base", why: "the composed contract moved", want: []string{audit.BaseChanged}, make: func(s *shop) string {
		child := "oap: \"1.0\"\nkind: AgentProfile\nextends:\n  - name: agent-000\nmetadata:\n  name: child\n  description: Builds upon another agent here.\nspec:\n  role:\n    instructions: Look.\n"
		s.Commit("child", ".agents/child.agent.yaml", child)
		at := s.Commit("reword", auto, reworded(s.Read(auto)))
		s.stamp(auto, "spec")
		return at
	}},
}

// branches leaves main and other, each with a session on another profile, and main checked out.
func (s *shop) branches() {
	s.Git("checkout", "-q", "-b", "other")
	s.session(propose, "fact-b")
	s.Git("checkout", "-q", "main")
	s.session(auto, "fact-a")
}
