package repo

import (
	"bytes"
	"strings"
	"time"
)

// settings are the values of one git config --list, in git's order: later files and later lines last.
type settings map[string][]string

// parseSettings reads "key LF value NUL" records; a key without a value is true (git: config.c). Section
// and variable come in lower case from git, the subsection as it is written.
func parseSettings(out []byte) settings {
	s := settings{}
	for rec := range bytes.SplitSeq(out, []byte{0}) {
		if len(rec) == 0 {
			continue
		}
		key, value, ok := strings.Cut(string(rec), "\n")
		if !ok {
			value = "true"
		}
		s[key] = append(s[key], value)
	}
	return s
}

// foldKey lowers section and variable and leaves a subsection alone.
func foldKey(key string) string {
	first, last := strings.IndexByte(key, '.'), strings.LastIndexByte(key, '.')
	if first < 0 {
		return strings.ToLower(key)
	}
	return strings.ToLower(key[:first]) + key[first:last] + strings.ToLower(key[last:])
}

// Setting gives the effective value of a git setting ("oap.branch"): the last one, as git reads it.
func (r *Repo) Setting(key string) (string, bool) {
	v := r.settings[foldKey(key)]
	if len(v) == 0 {
		return "", false
	}
	return v[len(v)-1], true
}

// Settings gives all values of a setting that may be given several times, in git's order.
func (r *Repo) Settings(key string) []string { return r.settings[foldKey(key)] }

// BoolSetting reads a setting by git's rules for booleans; what is no boolean, or not set, is fallback.
func (r *Repo) BoolSetting(key string, fallback bool) bool {
	v, ok := r.Setting(key)
	if !ok {
		return fallback
	}
	switch strings.ToLower(v) {
	case "true", "yes", "on", "1":
		return true
	case "false", "no", "off", "0", "":
		return false
	}
	return fallback
}

// lockTimeout is how long a busy lock is waited for: the option, the setting, ten seconds. A setting that
// says nothing is an error, because whoever made it believes that it counts.
func (r *Repo) lockTimeout(option time.Duration) (time.Duration, error) {
	if option > 0 {
		return option, nil
	}
	v, ok := r.Setting("oap.lockTimeout")
	if !ok {
		return 10 * time.Second, nil
	}
	d, err := time.ParseDuration(v)
	if err != nil || d < 0 {
		return 0, invalid("bad-setting", "oap.lockTimeout", "%q is not a duration such as 2s", v)
	}
	return d, nil
}
