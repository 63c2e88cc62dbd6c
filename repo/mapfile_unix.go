//go:build unix

package repo

import (
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// mapFile gives the bytes of a file without copying it, as git reads its index: ten megabytes of fresh
// memory cost more than all that is done with them. Files that git replaces keep their bytes.
func mapFile(f *os.File, size int64) ([]byte, func(), error) {
	if size < 64<<10 || size > 1<<31 {
		data, err := io.ReadAll(f)
		return data, nil, err
	}
	data, err := unix.Mmap(int(f.Fd()), 0, int(size), unix.PROT_READ, unix.MAP_PRIVATE)
	if err != nil {
		data, err = io.ReadAll(f)
		return data, nil, err
	}
	willNeed(data)
	return data, func() { _ = unix.Munmap(data) }, nil
}
