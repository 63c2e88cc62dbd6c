package repo

import "golang.org/x/sys/unix"

// willNeed maps all pages at once; kernels before 5.14 map them one by one.
func willNeed(b []byte) { _ = unix.Madvise(b, unix.MADV_POPULATE_READ) }
