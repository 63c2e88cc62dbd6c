// Package gitindex replaces entries in the bytes of a git index file.
//
// git rewrites an index by decoding and encoding all of it, which is what a commit in a repository of
// 100,000 files spends its time on. An entry whose path stays has a fixed length, so a new object id and
// new stat data can be laid over the old ones and everything else may stay where it is. [Find] says what
// the index holds for a path; [Replace] gives a [Patch] with other object ids there, which is written without a
// copy of the rest in memory; [FileTime] gives the modification time which a file so written must get.
//
// The package is pure: callers hold index.lock, read, open the new file and rename. It follows git's own
// reader (git: read-cache.c, gitformat-index) for versions 2, 3 and 4, SHA-1 and SHA-256, and promises that git,
// reading the result, takes no changed file for a clean one and no cached tree for one that it is not.
// Bytes that are no index give an error and never a panic. What cannot be done by replacing bytes (a
// split index, a path inside a collapsed folder of a sparse index, unknown formats) is [ErrUnsupported],
// and the caller lets git do it.
//
// It does not insert or remove entries, change modes or resolve conflicts.
package gitindex
