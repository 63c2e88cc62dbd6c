// Package delta changes profile values: it applies a session's operations, ages and caps what they
// leave behind, stamps the revision, and compares and merges documents by meaning.
//
// A [Delta] is what a session asks for. Its operations may change "/state" and nothing else; its
// proposals are wishes about the contract, which are checked here and carried out elsewhere. Entries
// of state are addressed by what they are, "/state/facts/id:x" or "/state/glossary/term:x", so that
// a list may move under a delta without harm.
//
// Most callers want two functions: [Apply], for a delta whose base is at hand, and [Merge], for two
// versions that grew from one. [Retain] and [Stamp] finish what is about to be written, [Compare]
// goes the other way and finds the operations between two documents.
//
// Everything here is a pure function of its arguments: no files, no git, no clock, no randomness. The
// arguments are never changed, and no input makes it panic. What is refused is refused whole, with
// the operation named. Results may share parts with the arguments where a function says so.
//
// The package knows the shape of a profile just as far as identity and merging need it. It does not
// validate: whoever writes a result holds it against the schema first.
package delta
