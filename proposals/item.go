package proposals

// Kind tells what a branch holds.
type Kind string

// The kinds of branches.
const (
	KindProposal Kind = "proposal" // a change of the contract
	KindPending  Kind = "pending"  // a delta's change of the state
)
