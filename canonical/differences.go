package canonical

import (
	"slices"
	"strconv"
)

// Differences gives the pointers at which two values differ, sorted, each as high as it can be and as
// low as it has to be: a member that only one side has, a list of another length, a scalar of another
// value. Equal values give none.
func Differences(a, b any) []string {
	var out []string
	differences(a, b, nil, &out)
	slices.Sort(out)
	return out
}

func differences(a, b any, at Pointer, out *[]string) {
	switch x := a.(type) {
	case map[string]any:
		y, ok := b.(map[string]any)
		if !ok {
			break
		}
		for k, v := range x {
			if w, ok := y[k]; ok {
				differences(v, w, at.Append(k), out)
			} else {
				*out = append(*out, at.Append(k).String())
			}
		}
		for k := range y {
			if _, ok := x[k]; !ok {
				*out = append(*out, at.Append(k).String())
			}
		}
		return
	case []any:
		y, ok := b.([]any)
		if !ok || len(x) != len(y) {
			break
		}
		for i := range x {
			differences(x[i], y[i], at.Append(strconv.Itoa(i)), out)
		}
		return
	}
	if !Equal(a, b) {
		*out = append(*out, at.String())
	}
}
