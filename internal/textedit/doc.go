// Package textedit makes a YAML, JSON or Markdown text say a wanted value while changing as few of its
// bytes as possible.
//
// A [Document] is a text that was read once: its value (the model of package canonical), the place of
// every node in the bytes, and the layout that new text should copy. A [Schema] tells what the text
// cannot: the order of members and what identifies a list entry. [Parse] reads and [Document.Edit]
// writes; [Encode] starts a text from nothing.
//
// Promises:
//   - Bytes outside the reported edits are the old ones: comments, quoting, order, line ends, a byte
//     order mark, a missing final newline.
//   - Every result has been parsed again and holds exactly the wanted value; otherwise the answer is a
//     [*RefusedError] and no text.
//   - Where a subtree had to be written anew, so that comments inside it are lost, the result names it.
//     The whole document is never written anew.
//   - Reading accepts only what a value can hold exactly; every [*SyntaxError] has a line and a column.
//
// YAML is read with the core schema of YAML 1.2 (chapter 10.3); text that YAML 1.1 readers would take
// for something else is quoted when written. A comment inside an entry, or below it and indented deeper,
// goes with the entry; other comments on lines of their own stay, so one above an entry outlives it.
// The package knows nothing of profiles, files or git, and it does not format: layout that the author
// chose is copied, never improved.
//
// A Document is read-only after Parse and safe for concurrent use, except that callers must not change
// what Value and Bytes return.
package textedit
