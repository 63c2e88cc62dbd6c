// Package schemas holds the JSON Schemas of the documents that oap reads, and checks values by them.
//
// A schema is an embedded file with a short name. [Validate] lists what is wrong with a value as
// [Violation] records, each with a pointer and a sentence for people; [Profile] and [Delta] are that for
// the two kinds of the Open Agent Profile format. [Order] gives the members of a place in the order in
// which the schema declares them, for writers of new text.
//
// Most callers want [Profile] and [Delta]. The package promises the verdicts of a JSON Schema 2020-12
// validator that asserts the format date-time, never panics on any value, and never shows text that
// looks like a credential. Schemas are read on first use, so a command that needs none pays nothing.
//
// It knows no meaning: duplicate ids, paths that leave the workspace and versions beyond 1.0 are the
// business of package profile. It is no general validator either. It interprets the keywords that the
// embedded files use and refuses a file with any other, since a keyword that is silently ignored is a
// check that silently does not happen.
package schemas
