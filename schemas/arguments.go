package schemas

import (
	"fmt"
	"math"
)

// The values that keywords take, each read strictly: an embedded schema with a slip in it must not
// compile into one that checks less.

func as[T any](v any) (T, error) {
	t, ok := v.(T)
	if !ok {
		return t, fmt.Errorf("%T is of the wrong type", v)
	}
	return t, nil
}

func count(v any) (int, error) {
	f, err := as[float64](v)
	if err == nil && (f < 0 || f != math.Trunc(f) || f > 1<<31) {
		err = fmt.Errorf("%v is no count", f)
	}
	return int(f), err
}

func texts(v any) ([]string, error) {
	list, err := as[[]any](v)
	if err != nil {
		return nil, err
	}
	out := make([]string, len(list))
	for i := range list {
		if out[i], err = as[string](list[i]); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// scalars reads the values of enum and const. Lists and objects would need words of their own in
// messages, and no schema here has them.
func scalars(v any) ([]any, error) {
	list, err := as[[]any](v)
	if err != nil {
		return nil, err
	}
	for _, e := range list {
		switch e.(type) {
		case []any, *object:
			return nil, fmt.Errorf("only scalars are interpreted")
		}
	}
	return list, nil
}

var kindsByName = map[string]kinds{
	"null": kNull, "boolean": kBool, "number": kNumber, "integer": kInteger,
	"string": kText, "array": kList, "object": kObject,
}

func typeSet(v any) (kinds, error) {
	if _, one := v.(string); one {
		v = []any{v}
	}
	names, err := texts(v)
	if err != nil {
		return 0, err
	}
	var set kinds
	for _, name := range names {
		k, ok := kindsByName[name]
		if !ok {
			return 0, fmt.Errorf("no type has the name %q", name)
		}
		set |= k
	}
	return set, nil
}
