package apply

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/open-agent-profile/oap/canonical"
	"github.com/open-agent-profile/oap/delta"
	"github.com/open-agent-profile/oap/profile"
	"github.com/open-agent-profile/oap/repo"
)

// Options hold what is the same for all requests of a run.
type Options struct {
	Branch string   // full ref name of the branch to write
	Roots  []string // profile roots, cleaned

	Approve bool   // a person approves the state (writeback propose)
	Actor   string // who that is; recorded where Approve is set

	Cap           profile.Writeback // the machine's own limit; empty means none
	ProtectPinned bool              // touching a pinned entry needs approval
	Subject       string            // form of the commit subject; see message.go
	Signoff       bool
	Hooks         bool

	Now time.Time // for the document: revision, history, retention
	// CommitTime is for the commit; zero is git's own time.
	CommitTime time.Time
	// Batch is the number of commits that one move of the branch brings; receipts follow the move.
	// Below 1 means 1.
	Batch int
}

// Request is one delta that was read and checked: Document is valid and of kind AgentStateDelta.
type Request struct {
	Source   string // file name, or "-"
	Document *profile.Document
	Delta    *delta.Delta
	Key      canonical.Digest
}

// NewRequest checks a document and makes a request of it. Errors: [*Error] of kind Invalid, Secret or
// Boundary.
func NewRequest(source string, doc *profile.Document) (*Request, []profile.Finding, error) {
	if doc.Kind() == profile.KindProfile {
		return nil, nil, &Error{Kind: Invalid, Path: source, Msg: fmt.Sprintf("%s is an agent profile, not a delta", source)}
	}
	findings := doc.Check()
	if profile.HasErrors(findings) {
		for _, f := range findings {
			if f.Severity == profile.Error && boundaryRules[f.Rule] {
				return nil, findings, &Error{Kind: Boundary, Path: source, Details: findings,
					Err: &profile.InvalidError{Findings: findings}, Msg: f.Text()}
			}
		}
		return nil, findings, invalid("the delta is refused", doc.Name(), source, findings)
	}
	d, err := delta.Decode(doc.Value)
	if err != nil {
		return nil, findings, &Error{Kind: Invalid, Path: source, Err: err, Msg: fmt.Sprintf("%s: %v", source, err)}
	}
	key, err := d.Key()
	if err != nil {
		return nil, findings, err
	}
	return &Request{Source: source, Document: doc, Delta: d, Key: key}, findings, nil
}

// boundaryRules are the findings that mean "outside what a session may write".
var boundaryRules = map[string]bool{delta.RulePointer: true, delta.RuleScope: true, delta.RuleOwned: true}

// Outcome says what became of a request.
type Outcome string

// The outcomes of exit code 0.
const (
	Applied        Outcome = "applied"
	AlreadyApplied Outcome = "already-applied"
	Unchanged      Outcome = "unchanged"
	Queued         Outcome = "queued"  // waits on a branch of its own for a person
	Decided        Outcome = "decided" // waited before, and a person has decided
)

// Result is what became of one request: a receipt, or the error that refused it. A refusal that a person
// may lift, Unapproved or Conflict, has both.
type Result struct {
	Index   int
	Request *Request
	Receipt *Receipt
	// Contract is the profile document that the request met on the branch, for rating its proposals.
	Contract map[string]any
	Err      error
}

// Run applies requests in order and calls emit for each, in order, after the branch holds its commit. A
// refused request does not stop the run by itself: emit decides by its return value, an error of which
// ends the run and is returned. Requests after that were not written.
//
// On an error of git's, what was emitted is on the branch and nothing else is.
func Run(ctx context.Context, r *repo.Repo, o Options, reqs []*Request, emit func(Result) error) error {
	size := max(o.Batch, 1)
	seen := &seen{repo: r}
	for start := 0; start < len(reqs); start += size {
		chunk := reqs[start:min(start+size, len(reqs))]
		results, err := runChunk(ctx, r, o, seen, chunk)
		if err != nil {
			return err
		}
		for i, res := range results {
			res.Index = start + i
			if err := emit(res); err != nil {
				return err
			}
		}
		if len(results) < len(chunk) {
			// A refusal ended the chunk early, so that emit can say whether to go on behind it.
			rest := append([]*Request(nil), reqs[start+len(results):]...)
			offset := start + len(results)
			return Run(ctx, r, o, rest, func(res Result) error {
				res.Index += offset
				return emit(res)
			})
		}
	}
	return nil
}

// runChunk applies requests up to and including the first that is refused.
func runChunk(ctx context.Context, r *repo.Repo, o Options, seen *seen, chunk []*Request) ([]Result, error) {
	var results []Result
	plan := func(ctx context.Context, s *repo.Snapshot) (*repo.Plan, error) {
		// The branch may have moved since an earlier attempt: everything is worked out anew.
		results = results[:0]
		v := newView(s, o.Roots)
		p := &repo.Plan{}
		for _, req := range chunk {
			one, err := planRequest(ctx, r, v, seen, o, req)
			if err != nil {
				if fatal(err) {
					return nil, err
				}
				results = append(results, refused(req, one, err))
				break
			}
			if one.commit != nil {
				p.Commits = append(p.Commits, *one.commit)
			}
			one.result.Request = req
			results = append(results, one.result)
		}
		return p, nil
	}
	done, err := r.Update(ctx, repo.UpdateRequest{
		Ref: o.Branch, Log: "oap: apply-delta", Signoff: o.Signoff, Hooks: o.Hooks, Now: o.CommitTime,
	}, plan)
	if err != nil {
		return nil, err
	}
	// Commits come back in the order in which they were planned.
	n := 0
	for i := range results {
		if rc := results[i].Receipt; rc != nil && rc.Outcome == Applied {
			if n >= len(done.Commits) {
				return nil, errors.New("git reports fewer commits than were planned")
			}
			rc.Commit = string(done.Commits[n])
			seen.add(results[i].Request.Key, rc.Commit)
			n++
		}
	}
	return results, nil
}

// refused is the result of a request that was not carried out. Its receipt, where there is one, says what
// was found.
func refused(req *Request, one *planned, err error) Result {
	res := Result{Request: req, Err: err}
	if one != nil {
		res.Receipt, res.Contract = one.result.Receipt, one.result.Contract
	}
	return res
}

// fatal tells an error of the run from the refusal of one request.
func fatal(err error) bool {
	var refused *Error
	return !errors.As(err, &refused)
}

// Preview works requests out as [Run] does, each on top of the ones before it, and writes nothing. The
// receipts carry no commit.
func Preview(ctx context.Context, r *repo.Repo, o Options, reqs []*Request, emit func(Result) error) error {
	tip, err := r.RefTip(ctx, o.Branch)
	if err != nil {
		return err
	}
	s, err := r.Snapshot(ctx, tip)
	if err != nil {
		return err
	}
	v, known := newView(s, o.Roots), &seen{repo: r}
	for i, req := range reqs {
		one, err := planRequest(ctx, r, v, known, o, req)
		var res Result
		switch {
		case err == nil:
			res = one.result
			res.Request = req
		case fatal(err):
			return err
		default:
			res = refused(req, one, err)
		}
		res.Index = i
		if err := emit(res); err != nil {
			return err
		}
	}
	return nil
}
