// Package repo reads and writes git repositories for oap, through git's own programs and protocols.
//
// A [Repo] is an opened repository, a [Snapshot] is the tree of one commit, a [Commit] is a parsed
// commit, a [Plan] says what to commit on top of a snapshot and which refs to move with it. A [Message]
// becomes the text of a commit, with trailers that data cannot forge.
//
// Most callers want two calls: [Repo.Snapshot] to read files at a commit and [Repo.Update] to put
// commits on a branch.
//
// The package promises that an Update which returns an error has changed no ref, no index and no file;
// that one killed at any moment leaves the old or the new state, and that the next Update clears what
// it left behind, and nothing else; that a branch checked out anywhere never moves without its index
// and files; that edits people have made or staged are never overwritten. Objects are read by one
// long-running git cat-file, refs are moved by git update-ref (docs/decisions/0002).
//
// It knows nothing of profiles, deltas or YAML, does not print, does not scan working trees, and takes
// the time from its caller or from git. A Repo may be used from several goroutines.
package repo
