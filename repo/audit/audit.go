package audit

import (
	"context"
	"slices"

	"github.com/open-agent-profile/oap/profile"
	"github.com/open-agent-profile/oap/repo"
)

// Options say what is judged, and how strictly.
type Options struct {
	Roots []string // cleaned by [catalog.CleanRoots]
	Names []string // profiles to report on; none is all
	Tip   repo.ID  // newest commit
	Start repo.ID  // what it reaches is not judged; "" is nothing

	// OnlyState wants commits that change state and nothing else in the whole repository.
	OnlyState bool
	// RequireApproval wants an approver also where the contract does not ask for one.
	RequireApproval bool
	// RequireSignatures wants good signatures by known keys.
	RequireSignatures bool
	// Signatures says how signatures are verified; the zero value does not look at them.
	Signatures Signatures
	// ProtectPinned makes an unapproved change of a pinned entry a fault (the setting oap.protectPinned).
	ProtectPinned bool
	// Gate holds contracts to the rules of another format ([ManifestGate]); nil is none. It must look at nothing
	// but what people own, and is called from several goroutines.
	Gate func(*profile.Document) []profile.Finding
	// Progress is called now and then with the number of documents read, from one goroutine.
	Progress func(documents int)
}

// paths are the roots as git log wants them; none where the whole tree is one.
func (o *Options) paths() []string {
	if slices.Contains(o.Roots, ".") {
		return nil
	}
	return o.Roots
}

// Report is the answer.
type Report struct {
	Findings  []Finding
	Approvals []Approval // oldest first
	Commits   int        // judged
	Names     []string   // of the profiles that they were about, sorted
	Documents int        // distinct ones
	Shallow   bool
}

// Run judges the history of the profiles. Errors are of reading: what is wrong with the history is a finding.
func Run(ctx context.Context, r *repo.Repo, o Options) (*Report, error) {
	out := &Report{Findings: []Finding{}, Approvals: []Approval{}, Names: []string{}, Shallow: r.Shallow}
	if o.Tip == "" {
		return out, nil
	}
	b := newBench(r, o)
	if err := b.begin(ctx); err != nil {
		return nil, err
	}
	w := &walk{repo: r, options: b.options, views: newReader(ctx, r, o.Gate, o.Progress)}
	if err := w.run(ctx); err != nil {
		w.views.cancel()
		return nil, err
	}
	b.walk = w
	if err := b.judge(ctx); err != nil {
		return nil, err
	}
	out.Findings = append(out.Findings, b.reported()...)
	out.Approvals = append(out.Approvals, b.approved()...)
	out.Commits, out.Documents = len(w.commits), len(w.views.views)
	out.Names = b.names()
	sortFindings(out.Findings)
	return out, nil
}

// bench is a court at work: the lines of the profiles, and what was found.
type bench struct {
	repo    *repo.Repo
	options Options
	walk    *walk
	before  []Finding // about the range itself

	lines     map[string]*line // by path, as they stand at the commit in hand
	lost      []*line          // removed, and not come back
	all       []*line
	sides     []*step // commits of merged branches
	findings  []Finding
	approvals []Approval
	extending bool // some profile has bases

	recordedContract map[sum]bool
	recordedState    map[sum]bool
	signatures       map[repo.ID]signature
}

func newBench(r *repo.Repo, o Options) *bench {
	return &bench{
		repo: r, options: o, lines: map[string]*line{},
		recordedContract: map[sum]bool{}, recordedState: map[sum]bool{}, signatures: map[repo.ID]signature{},
	}
}

// judge goes over the commits once to see what became of each profile, and then over each profile.
func (b *bench) judge(ctx context.Context) error {
	if err := b.verify(ctx); err != nil {
		return err
	}
	for _, c := range b.walk.commits {
		if c.cut {
			b.add(c, Finding{ID: HistoryShallow, Severity: Error, Message: "this clone is shallow: what came before this commit cannot be judged"})
		}
		b.signed(c)
		if c.side {
			if err := b.sideCommit(ctx, c); err != nil {
				return err
			}
		}
	}
	for _, c := range b.walk.commits {
		if !c.side {
			if err := b.follow(ctx, c); err != nil {
				return err
			}
		}
		if err := b.only(ctx, c); err != nil {
			return err
		}
	}
	for _, l := range b.all {
		for i := range l.steps {
			if err := b.step(ctx, l, i); err != nil {
				return err
			}
		}
	}
	return b.sideClaims(ctx)
}

// add takes down a finding about a commit.
func (b *bench) add(c *commit, f Finding) {
	f.Commit, f.order = c.ID, c.order
	b.findings = append(b.findings, f)
}

// about is [bench.add] for a step of a profile.
func (b *bench) about(s *step, id string, severity Severity, pointer, message string) {
	f := Finding{ID: id, Severity: severity, Path: s.path, Pointer: pointer, Message: message, Profile: s.line.name}
	if !s.now.broken {
		f.Revision = s.now.revision
	}
	b.add(s.commit, f)
}

func (b *bench) names() []string {
	var all []string
	for _, l := range b.all {
		all = append(all, l.name)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// reported gives the findings on the profiles that were asked for; one about no profile is about all.
func (b *bench) reported() []Finding {
	all := append(slices.Clone(b.before), b.findings...)
	if len(b.options.Names) == 0 {
		return all
	}
	return slices.DeleteFunc(all, func(f Finding) bool { return f.Profile != "" && !slices.Contains(b.options.Names, f.Profile) })
}

func (b *bench) approved() []Approval {
	if len(b.options.Names) > 0 {
		return slices.DeleteFunc(b.approvals, func(a Approval) bool { return !slices.Contains(b.options.Names, a.Profile) })
	}
	return b.approvals
}
