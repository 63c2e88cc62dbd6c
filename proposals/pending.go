package proposals

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/open-agent-profile/oap/canonical"
	"github.com/open-agent-profile/oap/delta"
	"github.com/open-agent-profile/oap/internal/textedit"
	"github.com/open-agent-profile/oap/profile"
	"github.com/open-agent-profile/oap/repo"
	"github.com/open-agent-profile/oap/repo/apply"
)

// Queued is what became of a delta's state that waits for a person.
type Queued struct {
	ID        string           `json:"id"`
	Profile   string           `json:"profile"`
	Path      string           `json:"path"`
	Branch    string           `json:"branch"` // full name; "" where it was decided before
	Commit    repo.ID          `json:"commit,omitempty"`
	Known     bool             `json:"known"` // it waited already
	Conflicts []delta.Conflict `json:"-"`
	Warnings  []delta.Warning  `json:"-"`
	Decision  *Decision        `json:"decision,omitempty"`
}

// Queue puts the state changes of a delta on a branch of their own, where a person can accept them
// (design section 3): on the tip where they fit it, else on the revision that they were made for. why
// says for what the person is needed. The same delta again changes nothing. What cannot be applied at all
// is refused with an [*Error] or the error of the operation.
func (b *Book) Queue(ctx context.Context, req *apply.Request, why string) (*Queued, error) {
	tip, err := b.tip(ctx)
	if err != nil {
		return nil, err
	}
	at, err := b.find(ctx, tip, req.Delta.Target.Name)
	if err != nil {
		return nil, err
	}
	w, err := b.waiting(ctx, tip, at, req)
	if err != nil {
		return nil, err
	}
	q := &Queued{ID: pendingID(req.Key), Profile: at.doc.Name(), Path: at.path, Conflicts: w.conflicts, Warnings: w.warnings}
	ref := b.PendingRef(q.Profile, q.ID)
	done, err := b.update(ctx, b.request(ref, w.start, "queue"), func(ctx context.Context, _ *repo.Snapshot) (*repo.Plan, error) {
		exists, err := b.Store.RefTip(ctx, ref)
		if err != nil {
			return nil, err
		}
		if q.Known = exists != ""; q.Known {
			return nil, nil
		}
		if q.Decision, err = b.decision(ctx, q.ID); err != nil || q.Decision != nil {
			return nil, err
		}
		return &repo.Plan{Commits: []repo.PlannedCommit{{
			Changes: []repo.Change{{Path: at.path, Data: w.text}},
			Message: pendingMessage(req, q, why),
		}}}, nil
	})
	if err != nil {
		return nil, fmt.Errorf("pending state %s of %s: %w", q.ID, q.Profile, err)
	}
	if done.After != "" {
		q.Branch, q.Commit = ref, done.After
	}
	return q, nil
}

// waiting is a delta's state worked out for its branch.
type waiting struct {
	start     repo.ID // where the branch begins
	text      []byte
	conflicts []delta.Conflict
	warnings  []delta.Warning
}

// waiting applies a delta to what it was made for and, if that is no conflict, carries it to the tip.
func (b *Book) waiting(ctx context.Context, tip *repo.Snapshot, at *located, req *apply.Request) (*waiting, error) {
	d := req.Delta
	base, err := b.baseOf(ctx, tip, at, d.Target)
	if err != nil {
		return nil, err
	}
	if base == nil {
		return nil, refuse(repo.Conflict, "stale", "the history here holds no revision %d of %s that the delta can have been made for", d.Target.Revision, at.doc.Name()).about("", at.doc.Name())
	}
	applied, err := delta.Apply(base.doc.Value, d.Operations, delta.Options{LearnedAt: d.LearnedAt(b.Now)})
	if err != nil {
		return nil, err
	}
	w := &waiting{start: base.commit, warnings: applied.Warnings}
	doc, want := base.doc, applied.Doc
	if base.doc != at.doc {
		m := delta.Merge(base.doc.Value, at.doc.Value, applied.Doc, delta.MergeOptions{TheirsEnded: d.Session.EndedAt})
		if w.conflicts = m.Conflicts; len(m.Conflicts) == 0 {
			doc, want, w.start = at.doc, m.Value, tip.ID()
			w.warnings = append(w.warnings, m.Warnings...)
		}
	}
	w.text, err = stateText(doc, want)
	return w, err
}

// stateText writes a document in which nothing but state differs, and checks that.
func stateText(doc *profile.Document, want map[string]any) ([]byte, error) {
	edited, err := doc.Edit(want)
	var unable *textedit.RefusedError
	if errors.As(err, &unable) {
		return nil, refuse(repo.Refused, ReasonEdit, "%s cannot be edited exactly: %v", doc.Path, unable).about("", doc.Name())
	}
	if err != nil {
		return nil, err
	}
	if fs := edited.Document.Check(); profile.HasErrors(fs) {
		return nil, &profile.InvalidError{Findings: fs}
	}
	if why := beyondState(doc.Value, edited.Document.Value); why != "" {
		return nil, refuse(repo.Refused, ReasonBoundary, "the delta would change %s", why).about("", doc.Name())
	}
	return edited.Text, nil
}

// beyondState names what two documents differ in beside the state that sessions write; "" for nothing.
func beyondState(before, after map[string]any) string {
	switch {
	case !canonical.Equal(profile.Contract(before), profile.Contract(after)):
		return "the contract"
	case !sameAt(before, after, "history"):
		return "history"
	case !sameAt(before, after, "metadata", "revision"), !sameAt(before, after, "metadata", "updated_at"):
		return "the revision"
	case !sameAt(before, after, "state", "revision"), !sameAt(before, after, "state", "updated_at"):
		return "the counters of state"
	}
	return ""
}

func sameAt(a, b map[string]any, path ...string) bool {
	x, xok := canonical.Get(a, path)
	y, yok := canonical.Get(b, path)
	return part{x, xok}.equal(part{y, yok})
}

func pendingMessage(req *apply.Request, q *Queued, why string) repo.Message {
	d := req.Delta
	summary := strings.TrimSpace(d.Summary)
	if summary == "" {
		summary = fmt.Sprintf("%d state operations", len(d.Operations))
	}
	m := &body{}
	m.text(headSummary, summary)
	m.text(headReason, why)
	m.gap()
	m.line("Operations")
	for _, op := range d.Operations {
		m.line("  %s %s", op.Op, op.Path)
		if op.Reason != "" {
			m.b.WriteString(fold(op.Reason, "      ") + "\n")
		}
	}
	for i, c := range q.Conflicts {
		if i == 0 {
			m.gap()
			m.line("Conflicts")
		}
		m.line("  %s %s", c.Pointer, c.Reason)
	}
	return repo.Message{
		Subject: fmt.Sprintf("%s: pending %s", q.Profile, summary),
		Body:    m.String(),
		Trailers: trailers(keyProfile, q.Profile, keyPath, q.Path, keyDelta, req.Key.String(),
			keySession, d.Session.ID, keyHarness, d.Session.Harness),
	}
}
