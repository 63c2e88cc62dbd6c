// Package remote brings a branch and its remote counterpart together, through the git program.
//
// A [Request] says which branch meets which remote, a [Result] what came of it. [Sync] fetches, joins by meaning and
// pushes; [Push] does the same for commits just made, and asks the remote only once where nobody else was at work.
//
// What it promises: nothing is forced, so that a remote never loses a commit through it; what git refuses is told in
// one sentence and leaves the local commits standing. Where the remote has moved, our unpublished state commits are
// rebuilt on its tip by identity, as apply-delta does with a stale delta; anything else is merged, with the remote's
// tip as first parent; the local branch follows with its index and files. A remote whose history lost commits that it
// had is refused, and so is publishing commits that oap did not make.
//
// It knows nothing of flags, does not print, and resolves no conflict.
package remote
