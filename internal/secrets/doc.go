// Package secrets finds text that looks like a credential, so that none is written into a repository.
//
// [Scan] walks a whole document and gives one [Finding] for each place, [ScanText] judges a single text.
// A finding has a pointer and the kind of credential and never the text itself, so it can be shown to
// anybody.
//
// The package promises the same findings in the same order for the same document, time that grows in
// proportion to the text, and that it never panics. It recognises forms, not secrets: a password in a
// sentence passes, and so does a credential of a service whose tokens look like any other word.
package secrets
