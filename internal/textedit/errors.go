package textedit

import "fmt"

// SyntaxError says where and why a text cannot be read as a value.
type SyntaxError struct {
	Line   int // 1-based, counting LF as editors do
	Column int // 1-based, in code points; a byte order mark does not count
	Msg    string
}

func (e *SyntaxError) Error() string {
	return fmt.Sprintf("%d:%d: %s", e.Line, e.Column, e.Msg)
}

// RefusedError says which part of a document could not be made to say the wanted value without
// touching text that does not belong to it. Nothing was changed.
type RefusedError struct {
	Pointer string // RFC 6901; the smallest part known to resist
	Reason  string
}

func (e *RefusedError) Error() string {
	if e.Pointer == "" {
		return "cannot edit the document exactly: " + e.Reason
	}
	return fmt.Sprintf("cannot edit %s exactly: %s", e.Pointer, e.Reason)
}

// fault is a problem at a byte offset; it becomes a SyntaxError where the whole text is at hand.
type fault struct {
	offset int
	msg    string
}

func (f *fault) Error() string { return f.msg }

func faultAt(offset int, format string, args ...any) *fault {
	return &fault{offset, fmt.Sprintf(format, args...)}
}
