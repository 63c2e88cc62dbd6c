package secrets

import (
	"maps"
	"slices"
	"strconv"

	"github.com/open-agent-profile/oap/canonical"
)

// Finding is one place that looks like a credential.
type Finding struct {
	// Pointer is the place (RFC 6901). For a key it is the object that has the key, since the pointer of
	// the member would spell the credential out.
	Pointer string
	// Kind says in a few words what it looks like, such as "GitHub token".
	Kind string
	// Key is true where a member's name is the credential and not its value.
	Key bool
}

// maxDepth bounds recursion over values that came through no reader; readers stop at 100 levels.
const maxDepth = 10_000

// Scan gives one finding for each text of v, value or key, that looks like a credential, members in
// sorted order. Besides what [ScanText] recognises, it judges a text by the member name it has and by
// the command-line flag in front of it: {"password": …} and ["--token", …]. Below a key that is itself a
// credential it does not look any further.
func Scan(v any) []Finding {
	var w walk
	w.value(v, "")
	return w.found
}

type walk struct {
	path  canonical.Pointer
	found []Finding
}

// value looks at v, which has the given name where it is a member or follows a flag.
func (w *walk) value(v any, name string) {
	if len(w.path) > maxDepth {
		return
	}
	switch x := v.(type) {
	case string:
		kind, found := ScanText(x)
		if !found && name != "" {
			kind, found = assigned(name, x, structured)
		}
		if found {
			w.note(kind, false)
		}
	case []any:
		flag := ""
		for i, e := range x {
			w.enter(strconv.Itoa(i), e, flag)
			flag = flagName(e)
		}
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(x)) {
			if kind, found := ScanText(key); found {
				w.note(kind, true)
				continue
			}
			w.enter(key, x[key], key)
		}
	}
}

func (w *walk) enter(token string, v any, name string) {
	w.path = append(w.path, token)
	w.value(v, name)
	w.path = w.path[:len(w.path)-1]
}

func (w *walk) note(kind string, key bool) {
	w.found = append(w.found, Finding{Pointer: w.path.String(), Kind: kind, Key: key})
}

// flagName gives the name of a command-line flag that stands alone, so that its value is the next entry.
func flagName(v any) string {
	s, ok := v.(string)
	if !ok || len(s) < 2 || s[0] != '-' || !nameChars.covers(s) {
		return ""
	}
	return s
}
