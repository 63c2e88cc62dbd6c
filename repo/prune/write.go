package prune

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/open-agent-profile/oap/canonical"
	"github.com/open-agent-profile/oap/delta"
	"github.com/open-agent-profile/oap/internal/textedit"
	"github.com/open-agent-profile/oap/profile"
	"github.com/open-agent-profile/oap/repo"
	"github.com/open-agent-profile/oap/repo/apply"
	"github.com/open-agent-profile/oap/repo/history"
)

// Options hold what is the same for all calls of a job.
type Options struct {
	Branch string   // full ref name of the branch to write
	Roots  []string // profile roots, cleaned

	Person string            // who runs it; recorded as approver by Restore and Rollback
	Cap    profile.Writeback // the machine's own limit; empty means none

	Subject string // form of the commit subject, as in package apply; "" is its default
	Signoff bool
	Hooks   bool
	DryRun  bool // work everything out, write nothing

	Now        time.Time // for the document
	CommitTime time.Time // for the commit; zero is git's own time
}

// target is a profile at the tip of the branch.
type target struct {
	doc  *profile.Document
	path string // where the file really lies
}

// find reads the profile of a name. One that is not valid is refused: what is written from it would not
// be either.
func find(ctx context.Context, s *repo.Snapshot, o Options, name string) (*target, error) {
	e, path, err := history.Find(ctx, s, o.Roots, name)
	if err != nil {
		return nil, err
	}
	if fs := e.Document.Check(); profile.HasErrors(fs) {
		return nil, invalid("the profile on the branch is not valid", e.Document.Name(), path, fs)
	}
	return &target{doc: e.Document, path: path}, nil
}

func invalid(what, name, path string, fs []profile.Finding) error {
	cause := &profile.InvalidError{Findings: fs}
	kind := apply.Invalid
	if slices.ContainsFunc(fs, func(f profile.Finding) bool { return f.Severity == profile.Error && f.Rule == "secret" }) {
		kind = apply.Secret
	}
	return &apply.Error{Kind: kind, Profile: name, Path: path, Details: fs, Err: cause, Msg: fmt.Sprintf("%s: %v", what, cause)}
}

// writable refuses a profile whose state is not to be written at all (design section 7).
func (t *target) writable(o Options) error {
	mode := t.doc.Writeback()
	if o.Cap != "" {
		mode = mode.Lesser(o.Cap)
	}
	if mode != profile.WritebackOff {
		return nil
	}
	where := ""
	if t.doc.Writeback() != profile.WritebackOff {
		where = " on this machine (oap.writeback)"
	}
	return &apply.Error{Kind: apply.Off, Profile: t.doc.Name(), Path: t.path,
		Msg: fmt.Sprintf("writeback of %s is off%s: its state is not written", t.doc.Name(), where)}
}

// action is a change that is ready to be stamped.
type action struct {
	kind     history.Kind
	want     map[string]any // the document without the stamp
	sections []string
	approver string // "" where nobody was asked
	by       string
	summary  string // of the subject
	change   string // of the history entry
	body     string
}

// commit stamps the wanted document, edits the text towards it and holds the result against the schema and
// against what the action may touch.
func (t *target) commit(o Options, a action, rc *Receipt) (*repo.PlannedCommit, error) {
	stamped, err := delta.Stamp(a.want, delta.Mark{Now: o.Now, By: a.by, Change: a.change, ApprovedBy: a.approver, Sections: a.sections})
	if err != nil {
		return nil, &apply.Error{Kind: apply.Invalid, Profile: rc.Profile, Path: t.path, Err: err, Msg: fmt.Sprintf("%s: %v", t.path, err)}
	}
	rc.warn(stamped.Warnings)
	edited, err := t.doc.Edit(stamped.Doc)
	if refused := (*textedit.RefusedError)(nil); errors.As(err, &refused) {
		return nil, &apply.Error{Kind: apply.Operation, Profile: rc.Profile, Path: t.path, Err: err, Msg: fmt.Sprintf("%s cannot be edited exactly: %v", t.path, refused)}
	}
	if err != nil {
		return nil, err
	}
	for _, p := range edited.Rerendered {
		rc.warn([]delta.Warning{{Rule: "rerendered", Pointer: p, Message: "this part had to be written anew; comments inside it are lost"}})
	}
	if fs := edited.Document.Check(); profile.HasErrors(fs) {
		return nil, invalid("the result would not be valid", rc.Profile, t.path, fs)
	}
	contract := slices.ContainsFunc(a.sections, func(s string) bool { return s != "state" })
	if !contract && !canonical.Equal(profile.Contract(t.doc.Value), profile.Contract(edited.Document.Value)) {
		return nil, &apply.Error{Kind: apply.Boundary, Profile: rc.Profile, Path: t.path, Msg: "this would change more than state"}
	}
	if rc.ProfileDigest, err = edited.Document.Digest(); err != nil {
		return nil, err
	}
	if rc.SpecDigest, err = edited.Document.SpecDigest(); err != nil {
		return nil, err
	}
	rc.Outcome, rc.Revision, rc.ApprovedBy, rc.Sections = Applied, edited.Document.Revision(), a.approver, a.sections
	rc.before, rc.after = t.doc.Bytes(), edited.Text
	return &repo.PlannedCommit{Changes: []repo.Change{{Path: t.path, Data: edited.Text}}, Message: message(o, a, rc)}, nil
}

// run works a plan out on the tip of the branch and writes it, unless the options say to look only. plan
// gives no commit where there is nothing to do; it is called again where the branch moves meanwhile.
func run(ctx context.Context, r *repo.Repo, o Options, log string, plan func(context.Context, *repo.Snapshot) (*repo.PlannedCommit, error)) (repo.ID, error) {
	if o.DryRun {
		tip, err := r.RefTip(ctx, o.Branch)
		if err != nil {
			return "", err
		}
		s, err := r.Snapshot(ctx, tip)
		if err != nil {
			return "", err
		}
		_, err = plan(ctx, s)
		return "", err
	}
	q := repo.UpdateRequest{Ref: o.Branch, Log: "oap: " + log, Signoff: o.Signoff, Hooks: o.Hooks, Now: o.CommitTime}
	done, err := r.Update(ctx, q, func(ctx context.Context, s *repo.Snapshot) (*repo.Plan, error) {
		c, err := plan(ctx, s)
		if c == nil || err != nil {
			return nil, err
		}
		return &repo.Plan{Commits: []repo.PlannedCommit{*c}}, nil
	})
	if err != nil || len(done.Commits) == 0 {
		return "", err
	}
	return done.Commits[0], nil
}
