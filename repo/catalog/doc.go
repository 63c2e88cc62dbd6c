// Package catalog finds agent profiles: by name, by path, in a commit or in the working tree.
//
// A root is a folder that holds profiles, relative to the top of the tree; a [Source] is where files are
// read from; an [Entry] is one profile in it. [Find] answers "where is the profile named x?", [List]
// gives all of them, [Locate] understands NAME, ROOT:NAME, NAME@REVISION and NAME@COMMIT.
//
// Find reads no other profile where a profile lies in a file of its own name directly under its root; what
// else it reads is named there. A name that stands twice in one root is an error (OAP L1-D2).
// The package reads only.
package catalog
