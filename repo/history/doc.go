// Package history reads what a profile has been: its versions in git, and what changed between them in
// meaning.
//
// A [Version] is a commit that gave the profile another content, found by [Walk] newest first and through
// renames of the file. A [Difference] holds the [Change]s between two documents, contract and state apart.
// [Life] follows one entry through the versions, [Blame] says which version brought each entry's present
// text, [Text] writes a document so that git's own line diff shows meaning.
//
// Most callers want [Walk] and [Compare].
//
// The package promises that walking one profile reads no file of another one, except for a file that a
// commit removes while this one's begins, which may be its former self. What a version is called (its
// [Kind]) rests on trailers only where the document in the commit bears them out. It writes nothing, and
// it judges nothing: whether a commit should have been made is for an audit to say.
package history
