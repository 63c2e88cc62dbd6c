package repo

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"
)

// Kind says what an error means for a caller; cmd/oap maps it to an exit code.
type Kind uint8

// The kinds. Numbers are not stable, names are.
const (
	NotFound Kind = iota + 1 // no such repository, branch, revision or path
	Refused                  // a rule forbids it; nothing was changed
	Busy                     // a lock or a race was lost after bounded tries; nothing was changed
	Conflict                 // a person has to choose
	Remote                   // the other side failed or refused
	IO                       // reading or writing failed (disk full, permission)
	Invalid                  // the caller's argument or the stored data makes no sense
)

var kindNames = [...]string{"", "not-found", "refused", "busy", "conflict", "remote", "io", "invalid"}

// String gives the stable name of the kind.
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return "unknown"
}

// Error is the error type of this package. Reason is a stable slug ("dirty", "no-identity"); Path is a
// path in the repository, a ref or a file, whichever the message is about.
type Error struct {
	Kind   Kind
	Reason string
	Path   string
	Msg    string
	Err    error
}

// Error gives one sentence: the path, the message and the cause.
func (e *Error) Error() string {
	var b strings.Builder
	if e.Path != "" {
		b.WriteString(e.Path)
		b.WriteString(": ")
	}
	b.WriteString(e.Msg)
	if e.Err != nil {
		b.WriteString(": ")
		b.WriteString(e.Err.Error())
	}
	return b.String()
}

// Unwrap gives the cause.
func (e *Error) Unwrap() error { return e.Err }

// KindOf gives the kind of the first [*Error] in err's chain, or 0.
func KindOf(err error) Kind {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Kind
	}
	return 0
}

// ReasonOf gives the reason of the first [*Error] in err's chain, or "".
func ReasonOf(err error) string {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Reason
	}
	return ""
}

func refuse(reason, path, format string, args ...any) *Error {
	return &Error{Kind: Refused, Reason: reason, Path: path, Msg: fmt.Sprintf(format, args...)}
}

func notFound(reason, path, format string, args ...any) *Error {
	return &Error{Kind: NotFound, Reason: reason, Path: path, Msg: fmt.Sprintf(format, args...)}
}

func invalid(reason, path, format string, args ...any) *Error {
	return &Error{Kind: Invalid, Reason: reason, Path: path, Msg: fmt.Sprintf(format, args...)}
}

// ioError wraps a failure of the operating system and gives the two that people can act on a reason of
// their own. An error of this package passes unchanged.
func ioError(what string, err error) error {
	if err == nil {
		return nil
	}
	if e, ok := errors.AsType[*Error](err); ok {
		return e
	}
	reason := "io"
	switch {
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		reason = "disk-full"
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		reason = "permission"
	}
	return &Error{Kind: IO, Reason: reason, Msg: what, Err: err}
}
