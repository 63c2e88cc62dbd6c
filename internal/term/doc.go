// Package term shows hostile text safely: on terminals, in Markdown, in colour.
//
// Text comes from profiles, deltas, rationales and branch names, all of which somebody else may have
// written. [Escape] makes one line of it safe for a terminal, [EscapeLines] a whole block, [Markdown]
// and [Fence] do the same for the body of a pull request, and [Invisible] finds what a reader could not
// see. A [When] decides about colour from facts that the caller passes in, and a [Palette] applies it.
//
// Most callers want [Escape] and [Fence]. The package promises that no output of the escaping functions
// holds a control, bidirectional, private-use or other invisible character, nor a byte that is not
// UTF-8, and that escaping twice changes nothing. It does not make text true, does not shorten it and
// does not reverse an escape: a backslash in the text stays as it is, so "\x1b" on the screen is either
// an escape character or somebody who typed those four characters, and both are harmless.
package term
