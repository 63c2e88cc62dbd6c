package proposals

import (
	"context"
	"strings"

	"github.com/open-agent-profile/oap/delta"
	"github.com/open-agent-profile/oap/profile"
	"github.com/open-agent-profile/oap/repo"
)

// Edit puts a person's new text of a profile on the branch, stamped, in one commit. before is the text
// that the person edited; where the branch has another one by now, nothing is written. A text that
// says the same as before gives no commit.
func (b *Book) Edit(ctx context.Context, name string, before, after []byte, o StampOptions) (*Stamped, error) {
	var out *Stamped
	done, err := b.update(ctx, b.request(b.Branch, "", "edit"), func(ctx context.Context, main *repo.Snapshot) (*repo.Plan, error) {
		at, err := b.find(ctx, main, name)
		if err != nil {
			return nil, err
		}
		if string(at.doc.Bytes()) != string(before) {
			return nil, refuse(repo.Conflict, ReasonMoved, "%s changed on the branch while it was edited", name).about("", name)
		}
		r, err := b.record(ctx, main, at)
		if err != nil {
			return nil, err
		}
		if r.contractChanged() && !r.unknown {
			return nil, refuse(repo.Refused, "unstamped", "%s has a contract change on the branch that is not on record yet", name).about("", name)
		}
		var plan *repo.Plan
		out, plan, err = b.editing(at, after, o)
		return plan, err
	})
	if err != nil {
		return nil, err
	}
	if len(done.Commits) == 1 {
		out.Commit = done.Commits[0]
	}
	return out, nil
}

// editing works out the stamp of a text that a person wrote.
func (b *Book) editing(at *located, after []byte, o StampOptions) (*Stamped, *repo.Plan, error) {
	doc, err := profile.ParseAs(at.path, after, at.doc.Encoding)
	if err != nil {
		return nil, nil, err
	}
	if fs := doc.Check(); profile.HasErrors(fs) {
		return nil, nil, &profile.InvalidError{Findings: fs}
	}
	name := at.doc.Name()
	for _, path := range [][]string{{"history"}, {"metadata", "revision"}, {"metadata", "updated_at"}, {"state", "revision"}, {"state", "updated_at"}} {
		if !sameAt(at.doc.Value, doc.Value, path...) {
			return nil, nil, refuse(repo.Refused, ReasonBoundary, "/%s is written by oap, not by hand", strings.Join(path, "/")).about("", name)
		}
	}
	out := &Stamped{
		Profile: name, Path: at.path, Branch: b.Branch, Revision: at.doc.Revision(), Previous: at.doc.Revision(),
		Sections: sectionsOf(at.doc.Value, doc.Value), Proposals: []string{}, Reasons: []Reason{}, Changes: []Change{}, ApprovedBy: o.ApprovedBy,
	}
	if string(at.doc.Bytes()) == string(after) {
		out.Sections = []string{}
		return out, nil, nil
	}
	if doc.Name() != name {
		return nil, nil, refuse(repo.Refused, ReasonBoundary, "a profile is renamed by moving its file, not here: %s would become %s", name, quote(doc.Name())).about("", name)
	}
	change := o.Change
	if change == "" {
		change = "edited by hand"
	}
	if len(out.Sections) == 0 {
		// Comments and layout are no part of the document, so they are no revision of it.
		out.Before, out.After = at.doc.Bytes(), after
		return out, &repo.Plan{Commits: []repo.PlannedCommit{{
			Changes: []repo.Change{{Path: at.path, Data: after}},
			Message: repo.Message{Subject: name + ": edit comments", Body: change, Trailers: trailers(keyProfile, name, keyPath, at.path)},
		}}}, nil
	}
	out.Risk, out.Reasons = Rate(at.doc.Value, doc.Value)
	out.Changes = Describe(at.doc.Value, doc.Value)
	s, err := delta.Stamp(doc.Value, delta.Mark{Now: b.Now, By: o.By, Change: change, ApprovedBy: o.ApprovedBy, Sections: out.Sections})
	if err != nil {
		return nil, nil, err
	}
	edited, err := editExactly(doc, s.Doc)
	if err != nil {
		return nil, nil, err
	}
	if err := out.finish(at, edited, s.Revision); err != nil {
		return nil, nil, err
	}
	return out, &repo.Plan{Commits: []repo.PlannedCommit{{
		Changes: []repo.Change{{Path: at.path, Data: edited.Text}},
		Message: out.message("edit "+strings.Join(out.Sections, ", "), change),
	}}}, nil
}
