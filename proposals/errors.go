package proposals

import (
	"fmt"

	"github.com/open-agent-profile/oap/repo"
)

// Error is a refusal by this package; nothing was written. Unwrap gives it as a [*repo.Error] of the same
// kind, so that whoever sorts errors by kind needs no further case.
type Error struct {
	Kind    repo.Kind
	Reason  string // stable slug
	ID      string // of the proposal, "" where it is about none
	Profile string
	Msg     string
	Details any // data for machines, or nil
}

func (e *Error) Error() string { return e.Msg }

// Unwrap gives the kind and reason in the form of package repo.
func (e *Error) Unwrap() error { return &repo.Error{Kind: e.Kind, Reason: e.Reason, Msg: e.Msg} }

// Reasons of [Error].
const (
	ReasonUnknown    = "no-proposal"       // no open one of that id
	ReasonAmbiguous  = "ambiguous-id"      // the shortened id fits several
	ReasonBoundary   = "branch-boundary"   // the branch changes more than a decision may bring in
	ReasonMoved      = "branch-moved"      // the branch is not what was reviewed
	ReasonConflict   = "proposal-conflict" // the contract or state changed meanwhile in another way
	ReasonInvalid    = "proposal-invalid"  // the result would not be a valid profile
	ReasonEdit       = "edit"              // the text has no exact way to say it
	ReasonApprover   = "approver"          // who decides may not
	ReasonNoApprover = "no-approver"       // who approved cannot be told
	ReasonShallow    = "shallow"           // the answer lies beyond a shallow clone's history
	ReasonMerged     = "merged-already"    // the branch has the change
)

func refuse(kind repo.Kind, reason, format string, args ...any) *Error {
	return &Error{Kind: kind, Reason: reason, Msg: fmt.Sprintf(format, args...)}
}

func (e *Error) about(id, profile string) *Error {
	e.ID, e.Profile = id, profile
	return e
}
