//go:build unix && !linux

package repo

import "golang.org/x/sys/unix"

func willNeed(b []byte) { _ = unix.Madvise(b, unix.MADV_WILLNEED) }
