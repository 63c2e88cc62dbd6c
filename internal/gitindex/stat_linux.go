package gitindex

import (
	"os"
	"syscall"
)

// StatOf returns the stat data of a file as git records them (git: statinfo.c, fill_stat_data); false where
// the system has no such data, in which case Replace is called without.
func StatOf(fi os.FileInfo) (Stat, bool) {
	s, ok := fi.Sys().(*syscall.Stat_t)
	if !ok {
		return Stat{}, false
	}
	return Stat{
		CTimeSec: uint32(s.Ctim.Sec), CTimeNsec: uint32(s.Ctim.Nsec),
		MTimeSec: uint32(s.Mtim.Sec), MTimeNsec: uint32(s.Mtim.Nsec),
		Dev: uint32(s.Dev), Ino: uint32(s.Ino), Mode: uint32(s.Mode),
		UID: s.Uid, GID: s.Gid, Size: uint32(s.Size),
	}, true
}
