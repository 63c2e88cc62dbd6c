package gitindex

import (
	"encoding/binary"
	"time"
)

// FileTime returns the modification time to give to the file which holds the replaced index, before it is
// renamed into place. index and old are the bytes and the time of the index that was read, now the time
// that the new file got by itself, st the stat data given to [Replace].
//
// git takes a file for unchanged if its stat data are those in the index, and looks inside only if the
// index file is not younger than the file ("racy git"; git: read-cache.c, is_racy_stat), in whole seconds,
// for most builds. A new index that is younger than the old one would end that for all files which were
// written in the second of the old index, and a change made in that second would never be seen again. git
// reads those files when it writes an index. Here the time stays instead:
//   - it is never later than the time of the file just written, so that an edit in the same second shows;
//   - where another entry, or the cache of untracked files, relies on the old index's time, it is a
//     microsecond before that one. Earlier only means that git looks more often, and a new time tells programs
//     that hold the index in memory to read it again.
func FileTime(index []byte, idLen int, path string, st *Stat, old, now time.Time) (time.Time, error) {
	racy, sec := false, old.Unix()
	end, err := scan(index, idLen, func(e *raw) {
		// Times are stored cut to 32 bits; both sides are compared so.
		mtime := binary.BigEndian.Uint32(index[e.at+atMTime:])
		if mtime >= uint32(sec) && e.mode&modeType != modeLink && string(e.name) != path {
			racy = true
		}
	})
	if err != nil {
		return time.Time{}, err
	}
	extensions, err := readExtensions(index[:len(index)-idLen], end)
	if err != nil {
		return time.Time{}, err
	}
	for _, x := range extensions {
		racy = racy || x.name == "UNTR"
	}
	if racy {
		return old.Add(-time.Microsecond), nil
	}
	if st != nil {
		if file := time.Unix(int64(st.MTimeSec), int64(st.MTimeNsec)); file.Before(now) {
			return file, nil
		}
	}
	return now, nil
}
