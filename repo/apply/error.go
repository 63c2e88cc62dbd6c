package apply

import (
	"fmt"

	"github.com/open-agent-profile/oap/profile"
)

// Kind sorts refusals. The command line maps kinds to exit codes.
type Kind string

// The kinds of [Error].
const (
	Invalid     Kind = "invalid"     // the profile or the result is not valid
	NotFound    Kind = "not-found"   // no profile of that name on the branch
	Uncommitted Kind = "uncommitted" // the profile is only in the working tree
	Stale       Kind = "stale"       // made for another revision
	Conflict    Kind = "conflict"    // changed on the branch, too, in another way
	Digest      Kind = "digest"      // target.digest is not the digest of the profile
	WrongID     Kind = "wrong-id"    // target.id is another agent
	Off         Kind = "writeback"   // writeback is off
	Unapproved  Kind = "unapproved"  // a person has to approve
	Boundary    Kind = "boundary"    // would touch more than state
	Operation   Kind = "operation"   // an operation cannot be carried out
	Secret      Kind = "secret"      // a credential
	Stateless   Kind = "stateless"   // the profile takes no state
)

// Error is a refusal of one request; nothing was written for it.
type Error struct {
	Kind    Kind
	Profile string // target.name
	Path    string // of the profile, where it was found
	Msg     string
	Details any // data for machines, or nil
	Err     error
}

func (e *Error) Error() string { return e.Msg }

// Unwrap gives the cause, if there is one.
func (e *Error) Unwrap() error { return e.Err }

// StaleDetails says which revisions did not meet.
type StaleDetails struct {
	Profile string `json:"profile"`
	Target  int    `json:"target_revision"`
	Current int    `json:"current_revision"`
	// TargetDigest and CurrentDigest are set where the delta names a digest.
	TargetDigest  string `json:"target_digest,omitempty"`
	CurrentDigest string `json:"current_digest,omitempty"`
}

// invalid turns findings into a refusal. A credential is a refusal of its own, since the answer is not
// to mend the text but to take the credential out and revoke it.
func invalid(what, name, path string, findings []profile.Finding) error {
	cause := &profile.InvalidError{Findings: findings}
	kind := Invalid
	for _, f := range findings {
		if f.Severity == profile.Error && f.Rule == "secret" {
			kind = Secret
		}
	}
	return &Error{Kind: kind, Profile: name, Path: path, Details: findings, Err: cause,
		Msg: fmt.Sprintf("%s: %v", what, cause)}
}
