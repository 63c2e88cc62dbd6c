// Package narrow computes what a profile may do on this machine.
//
// A [Policy] is what the machine allows at most. [Narrow] intersects a profile with it, with every
// profile that it extends, with what its trust allows and, for a subagent, with everything that limits
// its parent. The result is an [Effective] profile: a document whose every limit is in force, the
// [Adjustment] records of what was taken away and why, and the [Side] values that were intersected.
// [Effective.Decide] answers whether one call is allowed, and which line says so.
//
// Most callers want Narrow and Decide. The package promises one law: for no input is the effective
// profile wider than any of its sides. Decide asks every side anew for the tool, action and target at
// hand, and the strictest answer counts; lists in the document hold only what all sides surely share.
// Where a pattern can be read in two ways, one that allows is read as less and one that denies as more.
//
// It is pure: values in, values out. It does not find or merge profiles and does not enforce anything
// while a session runs; a harness does that with what it gets from here.
package narrow
