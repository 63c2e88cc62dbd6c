package audit

import (
	"cmp"
	"slices"

	"github.com/open-agent-profile/oap/repo"
)

// Severity grades a finding.
type Severity string

// A note says what a reader of the history should know; it is no fault.
const (
	Error   Severity = "error"
	Warning Severity = "warning"
	Note    Severity = "note"
)

// Ids of findings. They are printed, so they only ever grow in number.
const (
	InvalidDocument  = "invalid-document"
	DigestMismatch   = "digest-mismatch"
	StaleTrailer     = "stale-trailer"
	RevisionGap      = "revision-gap"
	RevisionRepeated = "revision-repeated"
	HistoryRewritten = "history-rewritten"
	StateTouches     = "state-commit-touches-contract"
	UnstampedContr   = "unstamped-contract-change"
	UnstampedState   = "unstamped-state-change"
	UnapprovedState  = "unapproved-state"
	UnapprovedContr  = "unapproved-contract"
	ForgedTrailer    = "forged-trailer"
	PinnedChanged    = "pinned-changed"
	Secret           = "secret"
	ConflictMarkers  = "conflict-markers"
	DuplicateID      = "duplicate-id"
	BaseChanged      = "base-changed"
	HistoryShallow   = "history-shallow"
	Unsigned         = "unsigned"
	BadSignature     = "bad-signature"
	Rebaselined      = "rebaselined"
	OutsideState     = "outside-state"
	ManifestGate     = "manifest-gate"
)

// Rules says of each id, in a sentence, what holds where there is no such finding.
var Rules = map[string]string{
	InvalidDocument:  "Every committed profile is a valid document.",
	DigestMismatch:   "A commit's digest trailer is the digest of the document in it.",
	StaleTrailer:     "Trailers belong to the commit they stand in; these were carried here, and a later stamp covers the change.",
	RevisionGap:      "Every revision has a commit or an entry in the profile's history.",
	RevisionRepeated: "Revisions rise: a commit's is above those of all its parents.",
	HistoryRewritten: "Entries of the profile's history stay as they are until they are trimmed from the old end.",
	StateTouches:     "A commit that says it changes state changes nothing else.",
	UnstampedContr:   "Every change of a contract is put on record by an accept or a stamp.",
	UnstampedState:   "Every change of state is put on record by a commit of oap's.",
	UnapprovedState:  "State is approved by a person where the contract says so.",
	UnapprovedContr:  "A contract on record names who approved it.",
	ForgedTrailer:    "A commit's trailers say nothing that its tree disproves.",
	PinnedChanged:    "Pinned entries change only where a person approved it.",
	Secret:           "No credential stands in a profile.",
	ConflictMarkers:  "No merge was committed unfinished.",
	DuplicateID:      "Entries of state have ids of their own.",
	BaseChanged:      "The composed contract stays the one that was approved; here a base of it changed.",
	HistoryShallow:   "The history to be judged is all there.",
	Unsigned:         "Commits are signed.",
	BadSignature:     "Signatures are good and by a known key.",
	Rebaselined:      "History was purged and begun anew, which a signed commit says.",
	OutsideState:     "Nothing but state is changed.",
	ManifestGate:     "A profile is what its annotations for OpenWOP say, a skill above all.",
}

// Finding is one thing that the history shows.
type Finding struct {
	ID       string   `json:"id"`
	Severity Severity `json:"severity"`
	Profile  string   `json:"profile,omitempty"`
	Path     string   `json:"path,omitempty"`
	Commit   repo.ID  `json:"commit,omitempty"`
	Revision int      `json:"revision,omitempty"` // of the document in the commit; 0 where there is none
	Pointer  string   `json:"pointer"`
	Message  string   `json:"message"`

	order int // place of the commit in the walk, oldest first
}

// Faulty reports whether a list holds more than notes.
func Faulty(fs []Finding) bool {
	return slices.ContainsFunc(fs, func(f Finding) bool { return f.Severity != Note })
}

// sortFindings orders by commit, oldest first, then by place and id.
func sortFindings(fs []Finding) {
	slices.SortStableFunc(fs, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.order, b.order), cmp.Compare(a.Path, b.Path), cmp.Compare(a.Pointer, b.Pointer), cmp.Compare(a.ID, b.ID))
	})
}

// Grades of an [Approval].
const (
	Asserted      = "asserted"       // the trailer says so, and nothing else does
	Signed        = "signed"         // the commit has a good signature of a known key
	ForgeReviewed = "forge-reviewed" // the signature is that of a forge, which merged under its own rules
)

// Approval is a commit that names who approved it.
type Approval struct {
	Profile   string  `json:"profile"`
	Revision  int     `json:"revision"`
	Commit    repo.ID `json:"commit"`
	By        string  `json:"approved_by"`
	Of        string  `json:"of"`        // "state" or "contract"
	Grade     string  `json:"grade"`     //
	Signature string  `json:"signature"` // good, bad, unknown-key, none or unchecked
	Signer    string  `json:"signer,omitempty"`
}
