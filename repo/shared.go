package repo

import (
	"errors"
	"io/fs"
	"os"
	"strconv"
	"strings"
)

// sharedMode gives the mode that a file of the git directory gets under core.sharedRepository (git:
// path.c, calc_shared_perm). Files are made for the owner alone by CreateTemp, so the umask of the
// process is put back by hand.
func (r *Repo) sharedMode(mode fs.FileMode) fs.FileMode {
	v, _ := r.Setting("core.sharedrepository")
	var tweak fs.FileMode
	exact := false
	switch strings.ToLower(v) {
	case "", "umask", "false", "no", "off", "0":
		return mode &^ umask()
	case "group", "true", "yes", "on", "1":
		tweak = 0o660
	case "all", "world", "everybody", "2":
		tweak = 0o664
	default:
		n, err := strconv.ParseUint(v, 8, 32)
		if err != nil || n&0o600 != 0o600 {
			return mode &^ umask()
		}
		tweak, exact = fs.FileMode(n)&0o666, true
	}
	if mode&0o200 == 0 {
		tweak &^= 0o222
	}
	if mode&0o100 != 0 {
		tweak |= tweak & 0o444 >> 2
	}
	if exact {
		return mode&^0o777 | tweak
	}
	return mode&^umask() | tweak
}

// sharedDir makes a directory of the git directory. In a shared repository it hands its group on.
func (r *Repo) sharedDir(dir string) error {
	err := os.Mkdir(dir, 0o777)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if v, ok := r.Setting("core.sharedrepository"); ok && v != "umask" && v != "false" && v != "0" {
		return os.Chmod(dir, r.sharedMode(0o777)|fs.ModeSetgid)
	}
	return nil
}
