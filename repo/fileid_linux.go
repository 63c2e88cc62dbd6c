package repo

import "golang.org/x/sys/unix"

// fileIDOf names a file for good: no two files of a device have the same inode and time of birth.
func fileIDOf(path string) (fileID, error) {
	var st unix.Statx_t
	err := unix.Statx(unix.AT_FDCWD, path, unix.AT_SYMLINK_NOFOLLOW, unix.STATX_INO|unix.STATX_BTIME, &st)
	if err != nil {
		return fileID{}, err
	}
	id := fileID{Dev: uint64(st.Dev_major)<<32 | uint64(st.Dev_minor), Ino: st.Ino}
	if st.Mask&unix.STATX_BTIME != 0 {
		id.Born = st.Btime.Sec*1e9 + int64(st.Btime.Nsec)
	}
	return id, nil
}
