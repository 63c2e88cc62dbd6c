package textedit

import (
	"slices"

	"github.com/open-agent-profile/oap/canonical"
)

// Schema tells what a text cannot: how members are ordered and what identifies an entry of a list.
// A nil Schema knows nothing.
type Schema interface {
	// Order gives the known members of the mapping at parent in the order to write them; nil if unknown.
	Order(parent canonical.Pointer) []string
	// Identity gives the member that tells the entries of the list apart ("id"); "" means their place.
	Identity(list canonical.Pointer) string
}

// order gives the members of m as they are written: those the schema knows in its order, then the
// others by name. It also gives the number of the former.
func order(s Schema, parent canonical.Pointer, m map[string]any) (keys []string, ranked int) {
	keys = make([]string, 0, len(m))
	var known []string
	if s != nil {
		known = s.Order(parent)
	}
	for _, k := range known {
		if _, ok := m[k]; ok && !slices.Contains(keys, k) {
			keys = append(keys, k)
		}
	}
	ranked = len(keys)
	for k := range m {
		if !slices.Contains(keys[:ranked], k) {
			keys = append(keys, k)
		}
	}
	slices.Sort(keys[ranked:])
	return keys, ranked
}

func identity(s Schema, list canonical.Pointer) string {
	if s == nil {
		return ""
	}
	return s.Identity(list)
}
