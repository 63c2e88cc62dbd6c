package proposals

import (
	"context"

	"github.com/open-agent-profile/oap/repo/apply"
)

// OpenAll opens every proposal of a delta, in order (design section 4, step 8). Each is read against the
// contract of the revision that the delta was made for and put on the tip of the branch. A wish that
// cannot be carried out is refused alone; an error is one of the repository's.
func (b *Book) OpenAll(ctx context.Context, req *apply.Request, again bool) ([]*Opened, error) {
	out := []*Opened{}
	d := req.Delta
	if len(d.Proposals) == 0 {
		return out, nil
	}
	tip, err := b.tip(ctx)
	if err != nil {
		return nil, err
	}
	at, err := b.find(ctx, tip, d.Target.Name)
	if err != nil {
		return nil, err
	}
	base, err := b.baseOf(ctx, tip, at, d.Target)
	if err != nil {
		return nil, err
	}
	for _, p := range d.Proposals {
		ask := Ask{Proposal: p, Session: d.Session.ID, Harness: d.Session.Harness, Delta: req.Key, Again: again}
		contract := at.doc.Value
		if base != nil {
			contract = base.doc.Value
		} else if needsBase(p) {
			o := newOpening(at, ask)
			o.Status, o.Message = StatusRefused, "the history here has no document that the delta was made for, so what it would change cannot be told"
			out = append(out, o.Opened)
			continue
		}
		o, err := b.open(ctx, tip, at, contract, ask)
		if err != nil {
			return out, err
		}
		out = append(out, o)
	}
	return out, nil
}

// Receipt is the form in which the receipt of a delta lists a proposal.
func (o *Opened) Receipt() apply.Proposal {
	p := apply.Proposal{
		ID: o.ID, Branch: o.Branch,
		Pointer: o.Pointer, Op: o.Op, Risk: o.Risk.String(), Declared: o.Declared, Reasons: []string{},
		Rationale: o.Rationale, Status: string(o.Status), Message: o.Message,
	}
	for _, r := range o.Reasons {
		p.Reasons = append(p.Reasons, r.Pointer+": "+r.Message)
	}
	return p
}
