package repo

import "golang.org/x/sys/unix"

// fileIDOf names a file for good: no two files of a device have the same inode and time of birth.
func fileIDOf(path string) (fileID, error) {
	var st unix.Stat_t
	if err := unix.Lstat(path, &st); err != nil {
		return fileID{}, err
	}
	return fileID{Dev: uint64(st.Dev), Ino: st.Ino, Born: st.Btim.Nano()}, nil
}
