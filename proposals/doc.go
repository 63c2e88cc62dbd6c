// Package proposals turns wishes about a contract into something a person can decide on: it says what a
// wish changes, how much is at stake, and how it stands to a contract that has moved on meanwhile.
//
// A contract is the "extends", "metadata" and "spec" of a profile. A wish is one operation on it, which a
// session asked for in a delta. [Risk] grades a change of the contract, a [Reason] is one place that made
// it so, and a [Change] is one line of what a reviewer reads.
//
// Most callers want two functions: [RateProposal], which carries a wish out on a copy and grades it, and
// [Describe], which lists the difference. [Rate] grades any two versions of a contract; [Wish] and
// [RebaseList] read a list that was written against an older contract.
//
// The grade is computed from the contract before and after, never from the path or the claim of whoever
// asks, so that replacing all of "/spec" is graded as what it does. It fails closed: what is not known to be
// harmless is high. Text in reasons and changes is quoted where it could break a line or hide, but it is
// the words of a session all the same: escape it for where it is shown.
//
// What is documented above is pure: no files, no git, no clock. Nothing here validates a document; hold the
// result against the schema before it is written.
//
// A [Book] keeps wishes in a repository: a branch each, with the rationale of everybody who asked. [Book.OpenAll]
// opens those of a delta, [Book.Queue] puts state that needs a person on a branch of its own, [Book.List] and
// [Book.Show] say how an [Item] stands to the contract now, [Book.Accept] and [Book.Reject] decide, and
// [Book.Stamp] puts on record what reached the branch without oap. A Book promises that nothing of a wish reaches the
// branch but by Accept; that a branch only goes forward; and that what was decided, with its commits, stays
// reachable under [DecidedPrefix]. It writes through a [Store] and reads neither clock nor environment: who
// may decide is for its caller to say.
package proposals
