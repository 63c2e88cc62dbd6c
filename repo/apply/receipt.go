package apply

import (
	"github.com/open-agent-profile/oap/canonical"
	"github.com/open-agent-profile/oap/delta"
)

// Receipt says what became of a delta, in terms that anyone with git and a SHA-256 can check. Its JSON
// form is described in docs/scripting.md; members are added, never changed.
type Receipt struct {
	Type          string           `json:"type"` // "apply"
	Outcome       Outcome          `json:"outcome"`
	Source        string           `json:"source"`
	Profile       string           `json:"profile"`
	Path          string           `json:"path"`
	Branch        string           `json:"branch"`
	Commit        string           `json:"commit"` // empty where nothing was committed
	Revision      int              `json:"revision"`
	Previous      int              `json:"previous_revision"`
	ProfileDigest canonical.Digest `json:"profile_digest"`
	SpecDigest    canonical.Digest `json:"spec_digest"`
	DeltaDigest   canonical.Digest `json:"delta_digest"`
	Session       string           `json:"session"`
	ApprovedBy    string           `json:"approved_by,omitempty"`
	Rebased       bool             `json:"rebased"`                // made for an older revision and merged
	RebasedFrom   int              `json:"rebased_from,omitempty"` // that revision
	Met           []string         `json:"met,omitempty"`          // places that both sides changed and that merged
	Pushed        bool             `json:"pushed,omitempty"`       // the remote has it
	Remote        string           `json:"remote,omitempty"`
	Pending       string           `json:"pending,omitempty"` // id of the branch on which the state waits
	Warnings      []Warning        `json:"warnings"`
	Evicted       []Evicted        `json:"evicted"`
	Proposals     []Proposal       `json:"proposals"`
	DryRun        bool             `json:"dry_run,omitempty"`
	Diff          string           `json:"diff,omitempty"`
	before, after []byte
}

// Before and After give the texts of the profile, for showing a difference. Both are empty where nothing
// changes.
func (r *Receipt) Before() []byte { return r.before }

// After is the text that was, or would be, committed.
func (r *Receipt) After() []byte { return r.after }

// Warning is something a person may want to know about an applied delta.
type Warning struct {
	Rule    string `json:"rule"`
	Pointer string `json:"pointer"`
	Message string `json:"message"`
}

// Evicted names an entry that retention dropped, and why.
type Evicted struct {
	Collection string `json:"collection"`
	ID         string `json:"id"`
	Rule       string `json:"rule"`
}

// Proposal is a wish of the delta and what became of it. It is filled in above this package.
type Proposal struct {
	ID        string   `json:"id"`     // empty where the wish cannot be read at all
	Branch    string   `json:"branch"` // full name; empty where there is none
	Pointer   string   `json:"pointer"`
	Op        string   `json:"op"`
	Risk      string   `json:"risk"`
	Declared  string   `json:"declared_risk,omitempty"`
	Reasons   []string `json:"reasons"`
	Rationale string   `json:"rationale"`
	Status    string   `json:"status"`
	Message   string   `json:"message,omitempty"`
}

func warningsOf(ws []delta.Warning) []Warning {
	out := make([]Warning, len(ws))
	for i, w := range ws {
		out[i] = Warning{Rule: w.Rule, Pointer: w.Pointer, Message: w.Message}
	}
	return out
}
