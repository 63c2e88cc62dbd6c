package apply

import (
	"context"
	"errors"
	"fmt"
	"maps"

	"github.com/open-agent-profile/oap/canonical"
	"github.com/open-agent-profile/oap/delta"
	"github.com/open-agent-profile/oap/internal/textedit"
	"github.com/open-agent-profile/oap/profile"
	"github.com/open-agent-profile/oap/repo"
)

// planned is a request worked out against a view: the result, and the commit to make, nil where there is
// nothing to write.
type planned struct {
	result Result
	commit *repo.PlannedCommit
	same   int // the request of this run, counted from 1, that was the same; 0 for none
}

// planRequest follows the order of docs/format.md, "Applying a delta". It writes nothing. A refusal for
// which a person may be asked comes with what was worked out so far.
func planRequest(ctx context.Context, r *repo.Repo, v *view, seen *seen, o Options, req *Request) (*planned, error) {
	t, err := v.find(ctx, r, req.Delta)
	if err != nil {
		return nil, err
	}
	rc, err := newReceipt(o, req, t)
	if err != nil {
		return nil, err
	}
	out := &planned{result: Result{Receipt: rc, Contract: t.doc.Value}}
	if len(req.Delta.Operations) == 0 {
		// A delta of wishes only burns no revision; its proposals are opened all the same.
		rc.Outcome = Unchanged
		return out, nil
	}
	if at, ok := v.keys[req.Key]; ok {
		rc.Outcome, out.same = AlreadyApplied, at
		return out, nil
	}
	commit, err := seen.lookup(ctx, v.snapshot.ID(), t, req, o.Now)
	if err != nil {
		return nil, err
	}
	if commit != "" {
		rc.Outcome, rc.Commit = AlreadyApplied, commit
		return out, nil
	}
	applied, err := delta.Apply(t.doc.Value, req.Delta.Operations, delta.Options{LearnedAt: req.Delta.LearnedAt(o.Now)})
	known := inHistory(t.doc, req.Delta.Session.ID)
	if err == nil && !applied.Changed && known {
		// A squash merge may have dropped the message, but the session is in the profile's own history
		// and there is nothing left to do.
		rc.Outcome = AlreadyApplied
		return out, nil
	}
	var w *worked
	switch {
	case !fits(req.Delta, rc):
		if w, err = rebase(ctx, r, v, seen, o, req, t, rc); err != nil {
			return out, err
		}
	case err != nil:
		return nil, refusedOperation(err, req, t)
	default:
		w = workedAt(applied)
	}
	rc.Warnings = append(rc.Warnings, warningsOf(w.warnings)...)
	if !w.changed {
		rc.Outcome = Unchanged
		return out, nil
	}
	if err := permit(t, o, rc, w); err != nil {
		return out, err
	}
	return out, write(v, o, req, t, w, out)
}

func newReceipt(o Options, req *Request, t *target) (*Receipt, error) {
	profileDigest, err := t.doc.Digest()
	if err != nil {
		return nil, err
	}
	specDigest, err := t.doc.SpecDigest()
	if err != nil {
		return nil, err
	}
	return &Receipt{
		Type: "apply", Source: req.Source, Profile: t.doc.Name(), Path: t.path, Branch: o.Branch,
		Revision: t.doc.Revision(), Previous: t.doc.Revision(),
		ProfileDigest: profileDigest, SpecDigest: specDigest, DeltaDigest: req.Key, Session: req.Delta.Session.ID,
		Warnings: []Warning{}, Evicted: []Evicted{}, Proposals: []Proposal{},
	}, nil
}

func refusedOperation(err error, req *Request, t *target) error {
	var op *delta.OperationError
	if errors.As(err, &op) {
		line, col := req.Document.Position(fmt.Sprintf("/operations/%d", op.Index))
		return &Error{Kind: Operation, Profile: t.doc.Name(), Path: t.path, Err: err,
			Msg: fmt.Sprintf("%s:%d:%d: %v", req.Source, line, col, err)}
	}
	return err
}

// permit holds the delta against writeback: the contract at the tip, lowered by the machine's cap. An
// older revision's word, or the working file's, does not count.
func permit(t *target, o Options, rc *Receipt, w *worked) error {
	refuse := func(kind Kind, format string, args ...any) error {
		return &Error{Kind: kind, Profile: t.doc.Name(), Path: t.path, Msg: fmt.Sprintf(format, args...)}
	}
	mode := t.doc.Writeback()
	if o.Cap != "" {
		mode = mode.Lesser(o.Cap)
	}
	name := t.doc.Name()
	if o.Gate != nil {
		if kind, why := o.Gate(t.doc); why != "" {
			return refuse(kind, "%s", why)
		}
	}
	switch {
	case mode == profile.WritebackOff && t.doc.Writeback() != profile.WritebackOff:
		return refuse(Off, "writeback of %s is %s in its contract but off on this machine (oap.writeback)", name, t.doc.Writeback())
	case mode == profile.WritebackOff:
		return refuse(Off, "writeback of %s is off: its state is not written", name)
	case mode == profile.WritebackPropose && !o.Approve:
		return refuse(Unapproved, "writeback of %s is propose: a person has to approve this state", name)
	case o.ProtectPinned && len(w.pinned) > 0 && !o.Approve:
		return refuse(Unapproved, "the delta touches the pinned entry %s, which a person has to approve here (oap.protectPinned)", w.pinned[0].Pointer)
	}
	if o.Approve {
		rc.ApprovedBy = o.Actor
	}
	return nil
}

// write works out retention, the stamp, the new text and the commit, and holds the result against the
// schema and against the contract before it.
func write(v *view, o Options, req *Request, t *target, w *worked, out *planned) error {
	rc := out.result.Receipt
	want, evicted, err := finish(o, req, rc, w.doc)
	if err != nil {
		return err
	}
	edited, err := t.doc.Edit(want)
	if err != nil {
		var refused *textedit.RefusedError
		if errors.As(err, &refused) {
			return &Error{Kind: Operation, Profile: t.doc.Name(), Path: t.path, Err: err,
				Msg: fmt.Sprintf("%s cannot be edited exactly: %v", t.path, refused)}
		}
		return err
	}
	for _, p := range edited.Rerendered {
		rc.Warnings = append(rc.Warnings, Warning{Rule: "rerendered", Pointer: p, Message: "this part had to be written anew; comments inside it are lost"})
	}
	if fs := edited.Document.Check(); profile.HasErrors(fs) {
		return invalid("the result would not be valid", t.doc.Name(), t.path, fs)
	}
	if !canonical.Equal(profile.Contract(t.doc.Value), profile.Contract(edited.Document.Value)) {
		return &Error{Kind: Boundary, Profile: t.doc.Name(), Path: t.path, Msg: "the delta would change more than state"}
	}
	if rc.ProfileDigest, err = edited.Document.Digest(); err != nil {
		return err
	}
	if rc.SpecDigest, err = edited.Document.SpecDigest(); err != nil {
		return err
	}
	rc.Outcome, rc.Revision = Applied, edited.Document.Revision()
	rc.before, rc.after = t.doc.Bytes(), edited.Text
	v.put(t.path, edited.Document)
	out.commit = &repo.PlannedCommit{
		Changes: []repo.Change{{Path: t.path, Data: edited.Text}},
		Message: message(o, req, rc, evicted, w.summaryLost),
	}
	return nil
}

// finish ages and caps the state that the operations left, and stamps the revision.
func finish(o Options, req *Request, rc *Receipt, doc map[string]any) (map[string]any, []delta.Eviction, error) {
	state, _ := doc["state"].(map[string]any)
	kept, evicted, warnings := delta.Retain(state, delta.PolicyOf(doc), o.Now)
	doc = maps.Clone(doc)
	doc["state"] = kept
	stamped, err := delta.Stamp(doc, req.Delta.Mark(o.Now, rc.ApprovedBy, rc.ApprovedBy != ""))
	if err != nil {
		return nil, nil, &Error{Kind: Invalid, Profile: rc.Profile, Path: rc.Path, Err: err, Msg: fmt.Sprintf("%s: %v", rc.Path, err)}
	}
	rc.Warnings = append(rc.Warnings, warningsOf(append(warnings, stamped.Warnings...))...)
	for _, e := range evicted {
		rc.Evicted = append(rc.Evicted, Evicted{Collection: e.Collection, ID: e.ID, Rule: e.Rule})
	}
	return stamped.Doc, evicted, nil
}
