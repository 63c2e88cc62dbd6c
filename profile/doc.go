// Package profile reads, checks and edits Open Agent Profile documents.
//
// A [Document] is one file: an agent profile or a state delta, in YAML, JSON or Markdown with
// frontmatter. It keeps the bytes it was read from beside the value they spell. [Parse] makes one,
// [Document.Check] lists everything that is wrong with it as [Finding]s with positions, and
// [Document.Edit] gives the text that says a wanted value while every other byte stays.
//
// Most callers want Parse and Check. A document with an error among its findings must not be run,
// applied to or written (OAP L1-P2).
//
// The package promises that reading never changes a file and that an edited text, read again, is
// exactly the wanted value. It knows no repository: who may change what, and when, is decided above.
package profile
