package proposals

import (
	"slices"
	"strings"

	"github.com/open-agent-profile/oap/canonical"
	"github.com/open-agent-profile/oap/profile"
)

// widening names the places at which a merged contract grants what neither side grants (design section 9).
// Such a grant comes from two changes that widen one part of the contract together: one side lifts a
// denial, the other asks for what was denied. Tools are held against each other name by name; elsewhere
// two sides that both widen a part, at different places of it, are taken to add up.
func widening(base, merged, ours, theirs map[string]any) []string {
	var out []string
	if tools := grantedByNeither(merged, ours, theirs); tools {
		out = append(out, "/spec/tools/allow")
	}
	mine, yours := widened(base, ours), widened(base, theirs)
	for part, places := range mine {
		for _, x := range places {
			for _, y := range yours[part] {
				// Grants that meet in one list were each decided on; so were allow and deny, name by name.
				if x == y || isToolList(x) && isToolList(y) || slices.Contains(out, x) {
					continue
				}
				out = append(out, x)
			}
		}
	}
	slices.Sort(out)
	return out
}

func isToolList(pointer string) bool {
	return pointer == "/spec/tools/allow" || pointer == "/spec/tools/deny"
}

// widened gives the places at which a side grants more than base, by part of the contract ("/spec/tools").
func widened(base, side map[string]any) map[string][]string {
	out := map[string][]string{}
	_, reasons := Rate(base, side)
	for _, r := range reasons {
		tokens := strings.SplitN(r.Pointer, "/", 4)
		if r.Risk != High || len(tokens) < 3 {
			continue
		}
		part := strings.Join(tokens[:3], "/")
		if !slices.Contains(out[part], r.Pointer) {
			out[part] = append(out[part], r.Pointer)
		}
	}
	return out
}

// grantedByNeither reports a tool that the merged lists grant and the lists of neither side do.
func grantedByNeither(merged, ours, theirs map[string]any) bool {
	for _, name := range textsAt(merged, "spec", "tools", "allow") {
		if grants(merged, name) && !grants(ours, name) && !grants(theirs, name) {
			return true
		}
	}
	return false
}

// grants reports whether an allow list has a pattern and no deny pattern touches it.
func grants(doc map[string]any, name string) bool {
	if !slices.Contains(textsAt(doc, "spec", "tools", "allow"), name) {
		return false
	}
	return !slices.ContainsFunc(textsAt(doc, "spec", "tools", "deny"), func(deny string) bool {
		return deny == name || profile.Glob(deny).Match(name) || profile.Glob(name).Match(deny)
	})
}

func textsAt(doc map[string]any, path ...string) []string {
	v, ok := canonical.Get(doc, path)
	list, _ := part{v, ok}.texts()
	return list
}
