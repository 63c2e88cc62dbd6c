package delta

import (
	"errors"
	"fmt"
	"maps"
	"time"

	"github.com/open-agent-profile/oap/canonical"
)

// Kind is the document kind that this package reads.
const Kind = "AgentStateDelta"

// Delta is one session's request, as [Decode] reads it.
type Delta struct {
	Version    string // member "oap"; whether it is supported is for the validator to say
	Target     Target
	Session    Session
	Summary    string
	Operations []Operation
	Proposals  []Proposal

	raw map[string]any
}

// Target names the profile and the revision that the session started from.
type Target struct {
	Name     string
	Revision int              // 1 or more
	ID       string           // "" where the delta does not say
	Digest   canonical.Digest // of the profile as loaded
	// HasDigest tells a delta that names no digest from one that names sixty-four zeros, which is
	// no profile's.
	HasDigest bool
}

// Session says who asks. Times are kept as written; [Instant] reads them.
type Session struct {
	ID             string // may be empty, as the schema has it
	Harness        string
	HarnessVersion string
	StartedAt      string
	EndedAt        string
	ModelUsed      string
	Turns          int
	ToolCalls      int
	CostUSD        float64
	Outcome        string
}

// The three operations of format 1.0. "move", "copy" and "test" are reserved there.
const (
	OpAdd     = "add"     // sets a member; puts an entry before another or at the end
	OpReplace = "replace" // changes what is there
	OpRemove  = "remove"  // takes away what is there; warns where nothing is
)

// Operation is one change of a value. Path counts; Pointer is its parsed form for readers.
type Operation struct {
	Op         string
	Path       string
	Pointer    canonical.Pointer // nil where Path is no JSON pointer, which [Check] reports
	Value      any
	HasValue   bool // a null value is a value
	Reason     string
	Confidence *float64 // of the operation; it is not copied into the entry
}

// Proposal is one wish about the contract.
type Proposal struct {
	Path      string
	Pointer   canonical.Pointer
	Op        string // "replace" where the delta does not say
	Value     any
	HasValue  bool
	Rationale string
	Risk      string // as claimed, "" where not; it can only raise the computed risk
}

// Value is the document that d was read from. Treat it as read-only.
func (d *Delta) Value() map[string]any { return d.raw }

// Key is the idempotency key: the digest of the delta without "target.revision" and "target.digest".
// Aiming the same request at a newer revision leaves the key as it is, so a request that was already
// carried out is recognised.
func (d *Delta) Key() (canonical.Digest, error) {
	if d.raw == nil {
		return canonical.Digest{}, errors.New("a delta that was not decoded has no key")
	}
	doc := maps.Clone(d.raw)
	if target, ok := doc["target"].(map[string]any); ok {
		target = maps.Clone(target)
		delete(target, "revision")
		delete(target, "digest")
		doc["target"] = target
	}
	return canonical.Sum(doc)
}

// LearnedAt is the stamp for what this session learned: the end of the session where it says so in a
// form that can be read, else now.
func (d *Delta) LearnedAt(now time.Time) string {
	if _, ok := Instant(d.Session.EndedAt); ok {
		return d.Session.EndedAt
	}
	return Timestamp(now)
}

// Severity grades a problem or a warning.
type Severity string

const (
	SeverityError   Severity = "error"   // the delta, or this proposal, cannot be carried out
	SeverityWarning Severity = "warning" // it can, and a person may want to know
)

// noIndex stands where a warning does not come from one operation.
const noIndex = -1

// Warning tells of something that was done otherwise than it was written, or that deserves a look.
type Warning struct {
	Index   int    // the operation, or -1
	Pointer string // place in the profile, entries by identity
	Message string // one sentence without the pointer
	Rule    string // stable name of the rule
}

// OperationError says which operation was refused. The delta was refused with it.
type OperationError struct {
	Index  int // in the list of operations, from 0
	Op     string
	Path   string // as written
	Reason string // one sentence; entries are named in it, values never
}

func (e *OperationError) Error() string {
	return fmt.Sprintf("/operations/%d: %s %s: %s", e.Index, e.Op, e.Path, e.Reason)
}
