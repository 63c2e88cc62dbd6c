package oaptest

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// History says what [Repo.Grow] makes.
type History struct {
	Seed      uint64
	Revisions int // in all
	Profiles  int
	Facts     int // that stay in a profile; 0 is 12
	Linear    bool
}

// Grown is one profile at the end of its history.
type Grown struct {
	Name, Path string
	Revision   int
	Text       string
	Digest     string // of the document
}

// Grow puts a history of profiles under .agents on main, through git fast-import: state commits with facts that
// come, are used and go; hand edits of contracts with the stamp that records them; accepted proposals, which are
// merges unless Linear; prunes. Every message has the trailers that the format asks for. The same History gives
// the same commits. Texts, digests and trailers are made here from the format's own rules, so that a test does
// not ask the code under test what is right.
func (r *Repo) Grow(h History) []Grown {
	r.T.Helper()
	if h.Facts == 0 {
		h.Facts = 12
	}
	g := &grower{History: h, rand: rand.New(rand.NewPCG(h.Seed, 1)), now: 1767254400}
	for i := range h.Profiles {
		g.profiles = append(g.profiles, g.begin(i))
	}
	for g.made < h.Revisions {
		p := g.profiles[g.rand.IntN(len(g.profiles))]
		switch n := g.rand.IntN(100); {
		case n < 1:
			g.editAndStamp(p)
		case n < 2:
			g.acceptProposal(p)
		case n < 4 && len(p.facts) > 2:
			g.prune(p)
		default:
			g.learn(p)
		}
	}
	r.GitIn(g.out.String()+"done\n", "fast-import", "--quiet", "--done")
	if r.Git("rev-parse", "--is-bare-repository") == "false" {
		r.Git("reset", "-q", "--hard")
	}
	var all []Grown
	for _, p := range g.profiles {
		profile, _ := p.digests()
		all = append(all, Grown{Name: p.name, Path: p.path, Revision: p.revision, Text: p.text(), Digest: profile})
	}
	return all
}

// grower writes a stream for git fast-import.
type grower struct {
	History
	rand     *rand.Rand
	out      strings.Builder
	profiles []*grownProfile
	now      int64
	mark     int // of the last commit of main
	marks    int
	made     int
}

// commit writes a commit with one file. On another branch main stays where it is.
func (g *grower) commit(p *grownProfile, branch string, merge int, message string) int {
	g.now += 60
	g.marks++
	fmt.Fprintf(&g.out, "commit refs/heads/%s\nmark :%d\nauthor Ada <ada@example.org> %d +0000\ncommitter Carl <carl@example.org> %d +0000\ndata %d\n%s\n",
		branch, g.marks, g.now, g.now, len(message), message)
	if g.mark > 0 {
		fmt.Fprintf(&g.out, "from :%d\n", g.mark)
	}
	if merge > 0 {
		fmt.Fprintf(&g.out, "merge :%d\n", merge)
	}
	text := p.text()
	fmt.Fprintf(&g.out, "M 100644 inline %s\ndata %d\n%s\n", p.path, len(text), text)
	if branch == "main" {
		g.mark = g.marks
	}
	return g.marks
}

func (g *grower) begin(i int) *grownProfile {
	p := &grownProfile{
		name: fmt.Sprintf("agent-%03d", i), revision: 1, writeback: "auto", limit: 15, maxFacts: g.Facts,
		role: "You look things up and report what you found.",
	}
	if i%3 == 1 {
		p.writeback = "propose"
	}
	p.path = ".agents/" + p.name + ".agent.yaml"
	p.updated = g.time()
	g.commit(p, "main", 0, p.name+": begin")
	return p
}

// learn is a session's delta.
func (g *grower) learn(p *grownProfile) {
	g.made++
	session := fmt.Sprintf("sess_%06d", g.made)
	p.stamp(g.time())
	p.stateRevision++
	if len(p.facts) > 0 && g.rand.IntN(4) == 0 {
		p.facts[g.rand.IntN(len(p.facts))].used = g.time()
	} else {
		p.facts = append(p.facts, grownFact{
			id: fmt.Sprintf("fact-%06d", g.made), learned: g.time(), source: session,
			text:       fmt.Sprintf("The %s of part %d %s.", pick(g, "build", "test", "cache", "release"), g.rand.IntN(900), pick(g, "needs a flag", "lives in its own folder", "is slow: see the notes", "was moved")),
			confidence: float64(g.rand.IntN(19)+1) / 20,
		})
		if len(p.facts) > g.Facts {
			p.facts = p.facts[1:]
		}
	}
	e := grownEntry{revision: p.revision, at: g.time(), by: session, session: session, harness: "loro", change: "Learned about the build.", sections: []string{"state"}}
	if p.writeback == "propose" {
		e.approved = "Alex <alex@example.org>"
	}
	p.log(e)
	g.commit(p, "main", 0, p.message("Learned about the build.", e, "OAP-Delta: sha256:"+hash([]byte(session))))
}

func (g *grower) prune(p *grownProfile) {
	g.made++
	p.stamp(g.time())
	p.stateRevision++
	p.facts = p.facts[2:]
	e := grownEntry{revision: p.revision, at: g.time(), by: "Ada <ada@example.org>", change: "Pruned.", sections: []string{"state"}}
	p.log(e)
	g.commit(p, "main", 0, p.message("prune", e, "OAP-Action: prune"))
}

// editAndStamp is a person who changes the contract, and the stamp after it.
func (g *grower) editAndStamp(p *grownProfile) {
	p.role = fmt.Sprintf("You look things up, and report what you found in %d lines.", g.rand.IntN(90)+10)
	g.commit(p, "main", 0, "reword "+p.name)
	g.decide(p, "stamp spec", 0)
}

// acceptProposal is a branch with one contract change, and the merge that decides on it.
func (g *grower) acceptProposal(p *grownProfile) {
	id := hash(fmt.Append(nil, g.made))[:12]
	p.constraints = append(p.constraints[:min(len(p.constraints), 5)], fmt.Sprintf("Do not touch part %d.", g.made))
	branch := g.commit(p, "oap/proposals/"+p.name+"/"+id, 0, fmt.Sprintf("%s: propose add /spec/role/constraints/-\n\nOAP-Profile: %s\nOAP-Path: %s\nOAP-Proposal: %s\nOAP-Risk: low\n", p.name, p.name, p.path, id))
	fmt.Fprintf(&g.out, "reset refs/heads/oap/proposals/%s/%s\nfrom 0000000000000000000000000000000000000000\n\n", p.name, id)
	if g.Linear {
		branch = 0
	}
	g.decide(p, "accept add /spec/role/constraints/-", branch, "OAP-Proposal: "+id, "OAP-Decision: accepted")
}

func (g *grower) decide(p *grownProfile, what string, merge int, more ...string) {
	g.made++
	p.stamp(g.time())
	e := grownEntry{revision: p.revision, at: g.time(), by: "Alex <alex@example.org>", change: what, approved: "Alex <alex@example.org>", sections: []string{"spec"}}
	p.log(e)
	g.commit(p, "main", merge, p.message(what, e, more...))
}

func pick(g *grower, from ...string) string { return from[g.rand.IntN(len(from))] }
