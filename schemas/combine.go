package schemas

import "strings"

// combine checks the keywords that hold other schemas about the same value.
func (r *run) combine(n *node, v any) {
	for _, sub := range n.allOf {
		r.visit(sub, v)
	}
	if n.anyOf != nil {
		r.choose("anyOf", n.anyOf, v)
	}
	if n.oneOf != nil {
		r.choose("oneOf", n.oneOf, v)
	}
	if n.not != nil && r.matches(n.not, v) {
		r.forbidden(n.not, v)
	}
	if n.cond == nil {
		return
	}
	branch, because := n.then, n.because
	if !r.matches(n.cond, v) {
		branch, because = n.orElse, ""
	}
	if branch != nil {
		outer := r.because
		if because != "" {
			r.because = because
		}
		r.visit(branch, v)
		r.because = outer
	}
}

// choose checks alternatives. When none fits, it reports what is wrong in the one that was met furthest,
// which is most often the one that was meant.
func (r *run) choose(keyword string, alternatives []*node, v any) {
	var best []Violation
	fit := 0
	for _, n := range alternatives {
		try := &run{limit: r.limit, path: r.path, depth: r.depth, hushed: r.hushed, because: r.because}
		try.visit(n, v)
		if try.out == nil {
			fit++
		} else if best == nil || reach(try.out) > reach(best) {
			best = try.out
		}
	}
	switch {
	case fit == 0:
		for _, b := range best {
			if len(r.out) < r.limit {
				r.out = append(r.out, b)
			}
		}
	case fit > 1 && keyword == "oneOf":
		r.add(keyword, "fits %d of the allowed forms, and only one may fit", fit)
	}
}

// reach is the depth of the deepest violation.
func reach(vs []Violation) int {
	deepest := 0
	for _, v := range vs {
		deepest = max(deepest, strings.Count(v.Pointer, "/"))
	}
	return deepest
}

// forbidden words a not. The usual one says that members must not stand there.
func (r *run) forbidden(n *node, v any) {
	names := n.object.required
	_, isObject := v.(map[string]any)
	switch {
	case isObject && len(names) == 1:
		r.addMember(names[0], "not", "member %s is not allowed")
	case isObject && len(names) > 1:
		r.add("not", "members %s must not stand together", strings.Join(names, ", "))
	default:
		r.add("not", "is a value that is excluded here")
	}
}
