// Package audit judges the history of profiles: whether every commit that touched one did what it says and
// what it may.
//
// A [Finding] is one thing that is wrong, with a stable id, a commit and a place. An [Approval] says who
// approved a commit and what that rests on. [Run] gives both in a [Report]; [Find] tells which profile,
// revision and commit a digest belongs to.
//
// The commits of the first-parent line are judged in full; those that came in by merges only for what their
// trailers claim and for the border between contract and state. What a commit claims counts only where the
// document in it bears the claim out. Nothing outside the range is judged, and the commit that brings a profile
// in is its baseline. A change that a later stamp puts on record is no fault.
//
// The package promises that a history which only oap wrote, or people whose changes were stamped, gives no
// finding above a note; and that each blob is decoded once. It reads only: it writes no ref and no object. It
// cannot see what is not in the history it is given: a branch that somebody moved back shows where an earlier
// tip is named as the start of the range, or not at all.
package audit
