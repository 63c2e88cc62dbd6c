// Package merging joins versions of profiles by meaning: in a merge driver, for whole branches, for commits
// that move to another base, and for files that a text merge has left in a mess.
//
// [Versions] are the three texts of one profile, and [Merge] gives a [Result]: the text that says the merged
// value, or git's own text with markers around what a person has to choose. A [Branch] is the merge of two
// commits, [Branches] works it out; [Rebuild] puts state commits on another tip. [Check] looks for what text
// merges get wrong, [Fix] and [SettleStages] repair it.
//
// What is merged and what is a conflict is for the package delta to say (design section 9). This package keeps
// the promise about text: the result is the text of one side, edited where it must be; comments that only the
// other side has come along where git can place them. A result that is not valid is no result. Nothing here
// moves a ref: plans go to [repo.Repo.Update].
//
// It does not speak to remotes, print, or read the clock.
package merging
