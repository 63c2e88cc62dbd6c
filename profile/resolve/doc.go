// Package resolve makes one document of a profile and the profiles that it extends.
//
// A [Root] is a place where profiles are found and which gives them their [Trust]; a [Loader] reads what
// lies there, in a working tree or in a commit; a [Source] is one profile read. [Find] picks the profile
// that a name means and reports every [Collision]. [Resolve] merges it with its bases, fills in variables,
// checks pins, references and paths, and gives a [Resolved] that knows which layer every field came from.
//
// Most callers want Find and Resolve. The package promises that resolving has no effect on anything
// (OAP L1-I11): it reads through the Loader and the functions of [Options] alone, never runs, fetches or
// writes, and learns of an environment variable only whether it is set. What it gives is valid, or it is
// an error. It does not decide what a profile may do on this machine; that is package narrow.
package resolve
