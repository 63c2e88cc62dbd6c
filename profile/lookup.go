package profile

import (
	"strconv"
	"strings"

	"github.com/open-agent-profile/oap/canonical"
)

// Lookup finds what a pointer addresses; beside indexes, "id:x", "term:x" and "name:x" address the first
// entry of a list whose member of that name is x (OAP L2-A14).
func Lookup(v any, p canonical.Pointer) (any, bool) {
	for _, token := range p {
		list, isList := v.([]any)
		if key, want, named := strings.Cut(token, ":"); isList && named {
			i := indexOf(list, key, want)
			if i < 0 {
				return nil, false
			}
			token = strconv.Itoa(i)
		}
		next, ok := canonical.Get(v, canonical.Pointer{token})
		if !ok {
			return nil, false
		}
		v = next
	}
	return v, true
}

func indexOf(list []any, key, want string) int {
	for i, e := range list {
		if m, ok := e.(map[string]any); ok && m[key] == any(want) {
			return i
		}
	}
	return -1
}

// Facts counts the learned facts.
func (d *Document) Facts() int {
	list, _ := lookup(d.Value, "state", "facts").([]any)
	return len(list)
}

// ActiveThreads counts open threads that are neither done nor abandoned (OAP SPEC, open_threads).
func (d *Document) ActiveThreads() int {
	n := 0
	each(d.Value, []string{"state", "open_threads"}, func(_ canonical.Pointer, t map[string]any) {
		if s := t["status"]; s != "done" && s != "abandoned" {
			n++
		}
	})
	return n
}
