// Package apply turns a session's delta into one commit that touches only state.
//
// A [Request] is a delta with its origin; [Run] applies requests in order, each as a commit of its own,
// and gives a [Receipt] for each once the branch has moved. [Preview] does the same up to the point of
// writing.
//
// What it promises: a request is carried out whole or refused whole. Between the profile before and
// after, nothing differs but state, history, metadata.revision and metadata.updated_at, which is checked
// again on the finished text, whatever the delta, the settings and the flags say. The same request again
// changes nothing. A refusal is an [*Error] with a kind.
//
// It does not open proposals, speak to remotes or print.
package apply
