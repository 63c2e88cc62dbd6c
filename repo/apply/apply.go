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
	"github.com/open-agent-profile/oap/repo/catalog"
)

// Options hold what is the same for all requests of a run.
type Options struct {
	Branch string   // full ref name of the branch to write
	Roots  []string // profile roots, cleaned

	Approve bool   // a person approves the state (writeback propose)
	Actor   string // who that is; recorded where Approve is set

	Cap           profile.Writeback // the machine's own limit; empty means none
	ProtectPinned bool              // touching a pinned entry needs approval
	// Gate says why a profile takes no state, whoever approves it, and of which kind the refusal is; "" where
	// nothing speaks against it. Nil asks nobody.
	Gate    func(*profile.Document) (Kind, string)
	Subject string // form of the commit subject; see message.go
	Signoff bool
	Hooks   bool

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

// The outcomes; all but Refused have exit code 0.
const (
	Applied        Outcome = "applied"
	AlreadyApplied Outcome = "already-applied"
	Unchanged      Outcome = "unchanged"
	Queued         Outcome = "queued"  // waits on a branch of its own for a person
	Refused        Outcome = "refused" // changes nothing; its proposals are opened all the same
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
// On an error of the machine's (disk, interruption), what was emitted is on the branch and nothing else is.
func Run(ctx context.Context, r *repo.Repo, o Options, reqs []*Request, emit func(Result) error) error {
	size, known := max(o.Batch, 1), &seen{repo: r}
	for start := 0; start < len(reqs); {
		results, err := runChunk(ctx, r, o, known, reqs[start:min(start+size, len(reqs))])
		if err != nil && size > 1 && !fatal(err) {
			// The move was refused for one of them: one by one, the others are not held up.
			size = 1
			continue
		}
		if err != nil && !fatal(err) {
			results, err = []Result{refused(reqs[start], nil, err)}, nil
		}
		if err != nil {
			return err
		}
		for _, res := range results {
			res.Index = start
			start++
			if err := emit(res); err != nil {
				return err
			}
		}
	}
	return nil
}

// runChunk applies requests up to and including the first that is refused.
func runChunk(ctx context.Context, r *repo.Repo, o Options, known *seen, chunk []*Request) ([]Result, error) {
	var results []Result
	var same []int
	plan := func(ctx context.Context, s *repo.Snapshot) (*repo.Plan, error) {
		// The branch may have moved since an earlier attempt: everything is worked out anew.
		results, same = results[:0], same[:0]
		v := newView(s, o.Roots)
		p := &repo.Plan{}
		for _, req := range chunk {
			one, err := planRequest(ctx, r, v, known, o, req)
			if err != nil {
				if fatal(err) {
					return nil, err
				}
				results, same = append(results, refused(req, one, err)), append(same, 0)
				break
			}
			if one.commit != nil {
				p.Commits = append(p.Commits, *one.commit)
				v.keys[req.Key] = len(p.Commits)
			}
			one.result.Request = req
			results, same = append(results, one.result), append(same, one.same)
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
	n, keys := 0, map[canonical.Digest]string{}
	for i := range results {
		rc := results[i].Receipt
		switch {
		case rc == nil || results[i].Err != nil:
		case same[i] > 0:
			rc.Commit = string(done.Commits[same[i]-1])
		case rc.Outcome == Applied && n == len(done.Commits):
			return nil, errors.New("git reports fewer commits than were planned")
		case rc.Outcome == Applied:
			rc.Commit = string(done.Commits[n])
			keys[results[i].Request.Key] = rc.Commit
			n++
		}
	}
	known.moved(done.Before, done.After, keys)
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

// fatal tells an error of the run from the refusal of one request. What git or the catalog refuses about a
// profile, a file with local edits for example, concerns the requests for that profile alone.
func fatal(err error) bool {
	var mine *Error
	var found *catalog.Error
	var git *repo.Error
	switch {
	case errors.As(err, &mine), errors.As(err, &found):
		return false
	case errors.As(err, &git):
		return git.Kind == repo.IO
	}
	return true
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
	v := newView(s, o.Roots)
	known, planned := &seen{repo: r}, 0
	for i, req := range reqs {
		one, err := planRequest(ctx, r, v, known, o, req)
		if err == nil && one.commit != nil {
			planned++
			v.keys[req.Key] = planned
			err = wouldMove(ctx, r, o.Branch, one.result.Receipt.Path)
		}
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

// wouldMove refuses, as the move itself would, a file with local edits where the branch is checked out here.
func wouldMove(ctx context.Context, r *repo.Repo, branch, path string) error {
	head, err := r.Head(ctx)
	if err != nil || r.Root == "" || head.Ref != branch {
		return err
	}
	status, err := r.StatusOf(ctx, path)
	if err != nil || status == repo.Clean {
		return err
	}
	return &repo.Error{Kind: repo.Refused, Reason: string(status), Path: path, Msg: "the file is " + string(status) + " in the working tree; applying would be refused"}
}
