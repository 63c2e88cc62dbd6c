// Package prune forgets what a profile no longer needs, and brings back what was forgotten.
//
// [Select] works out, as a pure function, what goes: the profile's own retention at a given time, and
// [Thresholds] that a person sets for the job. [Review] adds what a person should look at once a month: what
// is near the edge, weak, said twice or left lying. [Run] makes the commit, [Restore] brings an entry back
// from git, [Rollback] a whole state or contract; each is a new revision, never a rewritten one, and each
// gives a [Receipt].
//
// Most callers want [Run] with [Options].
//
// The package promises that pruning twice is pruning once, that nothing pinned and no active thread ever
// goes, that everything that goes is named in the commit with its rule, and that a restored entry survives
// the next write. A pruning commit touches only state, history, metadata.revision and updated_at, which is
// checked again on the finished text. Refusals are errors of the packages repo/apply and repo.
//
// It knows no schedule, and it does not decide who may approve: the caller names the person.
package prune
