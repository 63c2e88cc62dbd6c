package proposals

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/open-agent-profile/oap/canonical"
	"github.com/open-agent-profile/oap/delta"
	"github.com/open-agent-profile/oap/profile"
	"github.com/open-agent-profile/oap/repo"
)

// StampOptions say who vouches for what is put on record.
type StampOptions struct {
	By         string   // who runs it
	ApprovedBy string   // who approved a contract change; "" finds it out where history can tell
	Approvers  []string // who may approve; empty is anybody
	Change     string   // for the history; "" is taken from proposals and commits
}

// Stamped is what Stamp did with one profile.
type Stamped struct {
	Profile       string           `json:"profile"`
	Path          string           `json:"path"`
	Branch        string           `json:"branch"`
	Commit        repo.ID          `json:"commit"` // "" where nothing was to be stamped
	Revision      int              `json:"revision"`
	Previous      int              `json:"previous_revision"`
	Sections      []string         `json:"sections"`
	ProfileDigest canonical.Digest `json:"profile_digest"`
	SpecDigest    canonical.Digest `json:"spec_digest"`
	ApprovedBy    string           `json:"approved_by,omitempty"`
	Proposals     []string         `json:"proposals"`
	Risk          Risk             `json:"risk"`
	Reasons       []Reason         `json:"reasons"`
	Changes       []Change         `json:"changes"`
	Before, After []byte           `json:"-"`

	closed []*Item // open items that the change is that of
}

// Stamp puts on record what reached the branch without oap: revision, history and digests, in a commit of
// its own (design section 3). Nothing to stamp is no error, and Commit is then empty. Errors: [*Error] with
// ReasonNoApprover, ReasonApprover or ReasonShallow; [*profile.InvalidError].
func (b *Book) Stamp(ctx context.Context, name string, o StampOptions) (*Stamped, error) {
	out, err := b.stamp(ctx, name, o, true)
	if repo.ReasonOf(err) == "checked-out" {
		// Somebody stands on the proposal's branch: it stays, and a later sync closes it.
		out, err = b.stamp(ctx, name, o, false)
	}
	return out, err
}

func (b *Book) stamp(ctx context.Context, name string, o StampOptions, closing bool) (*Stamped, error) {
	var out *Stamped
	done, err := b.update(ctx, b.request(b.Branch, "", "stamp"), func(ctx context.Context, main *repo.Snapshot) (*repo.Plan, error) {
		at, err := b.find(ctx, main, name)
		if err != nil {
			return nil, err
		}
		var plan *repo.Plan
		out, plan, err = b.stamping(ctx, main, at, o)
		if err != nil || plan == nil || !closing || len(out.closed) != 1 {
			return plan, err
		}
		return b.closeWith(ctx, main, out, o, plan)
	})
	if err != nil {
		return nil, err
	}
	if n := len(done.Commits); n > 0 {
		out.Commit = done.Commits[n-1]
	}
	return out, nil
}

// closeWith archives the item that the stamped change is that of, in the same move of refs.
func (b *Book) closeWith(ctx context.Context, main *repo.Snapshot, out *Stamped, o StampOptions, plan *repo.Plan) (*repo.Plan, error) {
	decision, refs, err := b.archive(ctx, out.closed[0], Accepted, out.ApprovedBy, "")
	if err != nil {
		return nil, err
	}
	stamp := plan.Commits[0]
	stamp.FirstParent = main.ID()
	return &repo.Plan{Commits: []repo.PlannedCommit{*decision, stamp}, Refs: refs}, nil
}

// stamping works out the stamp of one profile; the plan is nil where there is nothing to do.
func (b *Book) stamping(ctx context.Context, main *repo.Snapshot, at *located, o StampOptions) (*Stamped, *repo.Plan, error) {
	name := at.doc.Name()
	if fs := at.doc.Check(); profile.HasErrors(fs) {
		return nil, nil, &profile.InvalidError{Findings: fs}
	}
	r, err := b.record(ctx, main, at)
	if err != nil {
		return nil, nil, err
	}
	if r.unknown {
		return nil, nil, refuse(repo.Invalid, ReasonShallow, "the last stamped commit of %s lies beyond this shallow clone", name).about("", name)
	}
	out := &Stamped{
		Profile: name, Path: at.path, Branch: b.Branch, Revision: at.doc.Revision(), Previous: at.doc.Revision(),
		Sections: r.sections, Proposals: []string{}, Reasons: []Reason{}, Changes: []Change{},
	}
	if len(r.sections) == 0 {
		out.Sections = []string{}
		return out, nil, nil
	}
	if err := b.recognise(ctx, main, r, out); err != nil {
		return nil, nil, err
	}
	if r.contractChanged() {
		out.Risk, out.Reasons = Rate(r.contract.Value, at.doc.Value)
		out.Changes = Describe(r.contract.Value, at.doc.Value)
		if out.ApprovedBy, err = b.approver(ctx, main, r, o); err != nil {
			return nil, nil, err
		}
	} else {
		out.ApprovedBy = o.ApprovedBy
	}
	plan, err := b.stampPlan(r, out, o)
	return out, plan, err
}

// recognise finds the proposals that the change is made of: those that its commits name, and those that
// are open and have nothing left to bring.
func (b *Book) recognise(ctx context.Context, main *repo.Snapshot, r *record, out *Stamped) error {
	out.Proposals = append(out.Proposals, proposalsIn(r.since)...)
	refs, err := b.Names(ctx)
	if err != nil {
		return err
	}
	for _, ref := range refs {
		if _, name, _, _ := b.parseRef(ref.Name); name != out.Profile {
			continue
		}
		i, err := b.load(ctx, main, ref)
		if err != nil {
			return err
		}
		if i.Standing != Merged || i.Path != "" && i.Path != out.Path {
			continue
		}
		if i.Kind == KindProposal && !slices.Contains(out.Proposals, i.ID) {
			out.Proposals = append(out.Proposals, i.ID)
		}
		out.closed = append(out.closed, i)
	}
	more, err := b.recogniseDecided(ctx, main, r, out.Proposals)
	out.Proposals = append(out.Proposals, more...)
	return err
}

// stampPlan writes the document and the commit.
func (b *Book) stampPlan(r *record, out *Stamped, o StampOptions) (*repo.Plan, error) {
	want := r.at.doc.Value
	if r.revision > r.at.doc.Revision() {
		// A text merge or a revert brought an old number back; revisions only rise.
		want = maps.Clone(want)
		metadata, _ := want["metadata"].(map[string]any)
		metadata = maps.Clone(metadata)
		metadata["revision"] = float64(r.revision)
		want["metadata"] = metadata
	}
	change := o.Change
	if change == "" {
		change = changeOf(r, out)
	}
	s, err := delta.Stamp(want, delta.Mark{Now: b.Now, By: o.By, Change: change, ApprovedBy: out.ApprovedBy, Sections: out.Sections})
	if err != nil {
		return nil, err
	}
	edited, err := editExactly(r.at.doc, s.Doc)
	if err != nil {
		return nil, err
	}
	if err := out.finish(r.at, edited, s.Revision); err != nil {
		return nil, err
	}
	return &repo.Plan{Commits: []repo.PlannedCommit{{
		Changes: []repo.Change{{Path: out.Path, Data: edited.Text}},
		Message: out.message("stamp "+strings.Join(out.Sections, ", "), change),
	}}}, nil
}

// finish takes the stamped document in.
func (s *Stamped) finish(at *located, edited profile.Edited, revision int) (err error) {
	s.Revision, s.Before, s.After = revision, at.doc.Bytes(), edited.Text
	if s.ProfileDigest, err = edited.Document.Digest(); err != nil {
		return err
	}
	s.SpecDigest, err = edited.Document.SpecDigest()
	return err
}

// changeOf says what happened: what the proposals were for, else what the last commit is called.
func changeOf(r *record, out *Stamped) string {
	for _, c := range r.since {
		if s := section(c.Message, headRationale); s != "" {
			return s
		}
	}
	for _, i := range out.closed {
		if len(i.Asked) > 0 {
			return i.Asked[0].Rationale
		}
	}
	for _, c := range r.since {
		if s := strings.TrimSpace(c.Subject()); s != "" {
			return s
		}
	}
	return "changed by hand"
}

func (s *Stamped) message(what, change string) repo.Message {
	m := &body{}
	m.text("Change", change)
	m.changes(s.Changes)
	if s.Risk != 0 {
		m.risk(s.Risk, s.Reasons)
	}
	t := trailers(
		keyProfile, s.Profile, keyPath, s.Path, keyRevision, strconv.Itoa(s.Revision), keySections, strings.Join(s.Sections, ", "),
		keyDigest, s.ProfileDigest.String(), keySpec, s.SpecDigest.String(), keyApproved, s.ApprovedBy,
	)
	for _, id := range s.Proposals {
		t = append(t, trailers(keyProposal, id)...)
	}
	if s.Risk != 0 {
		t = append(t, trailers(keyRisk, s.Risk.String())...)
	}
	return repo.Message{Subject: fmt.Sprintf("%s: r%d %s", s.Profile, s.Revision, what), Body: m.String(), Trailers: t}
}
