package gitindex

import (
	"errors"
	"fmt"
)

var (
	// ErrUnsupported says that the index is sound as far as it was read, but that only git can make the change.
	ErrUnsupported = errors.New("index needs git itself")

	// ErrNotFound says that the index has no entry for the path.
	ErrNotFound = errors.New("path is not in the index")

	// ErrUnmerged says that the path is in conflict: it has entries at other stages than 0.
	ErrUnmerged = errors.New("path is unmerged in the index")
)

// FormatError says where and why bytes are not a git index.
type FormatError struct {
	Offset int    // byte at which the reader stood
	Reason string // what is wrong there
}

func (e *FormatError) Error() string {
	return fmt.Sprintf("damaged index at byte %d: %s", e.Offset, e.Reason)
}

func unsupported(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrUnsupported, fmt.Sprintf(format, args...))
}
