package schemas

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/open-agent-profile/oap/canonical"
	"github.com/open-agent-profile/oap/internal/secrets"
)

// MaxViolations is how many violations are listed at most. Nobody reads more, and a hostile document
// could have millions.
const MaxViolations = 1000

// maxDepth bounds the recursion where a schema and a value could both go on for ever. Readers of text
// stop at 100 levels, each of which takes a few steps here.
const maxDepth = 2000

// Violation is one place where a value breaks a schema.
type Violation struct {
	// Pointer is the place (RFC 6901). For a member that must not be there it is that member, for a
	// missing one the object that lacks it.
	Pointer string
	// Parent is the object around a member that must not be there, and empty in all other cases. Reports
	// that name the object, as other tools of the format do, use it.
	Parent string
	// Keyword is the schema keyword that failed.
	Keyword string
	// Message is a sentence for people that does not repeat the pointer.
	Message string
}

// run is one walk over a value.
type run struct {
	out     []Violation
	limit   int
	path    []step
	depth   int
	hushed  int    // > 0 below a schema that is writeOnly
	because string // why a conditional rule applies
}

// step is a member name, or a list index if name is empty and isIndex. Pointers are spelled out only for
// violations, so that a valid document allocates nothing.
type step struct {
	name    string
	index   int
	isIndex bool
}

func validate(n *node, v any) []Violation {
	r := &run{limit: MaxViolations}
	r.visit(n, v)
	slices.SortStableFunc(r.out, func(a, b Violation) int { return comparePointers(a.Pointer, b.Pointer) })
	return slices.Compact(r.out)
}

// matches reports whether v satisfies n, without keeping a list.
func (r *run) matches(n *node, v any) bool {
	probe := &run{limit: 1, depth: r.depth}
	probe.visit(n, v)
	return probe.out == nil
}

func (r *run) visit(n *node, v any) {
	if len(r.out) >= r.limit {
		return
	}
	if r.depth++; r.depth > maxDepth {
		r.add("", "nested too deeply")
		r.depth--
		return
	}
	if n.hush {
		r.hushed++
	}
	r.assert(n, v)
	if n.hush {
		r.hushed--
	}
	r.depth--
}

func (r *run) assert(n *node, v any) {
	kind := kindOf(v)
	switch {
	case n.never:
		r.add("false", "nothing is allowed here")
		return
	case kind == 0:
		r.add("type", "not a value that JSON can hold")
		return
	case n.types != 0 && n.types&kind == 0:
		// The other rules would only say the same again.
		r.add("type", "must be %s, not %s", n.types, r.describe(v))
		return
	}
	if n.ref != nil {
		r.visit(n.ref, v)
	}
	if n.consts != nil {
		r.oneOfValues(n, v)
	}
	switch x := v.(type) {
	case map[string]any:
		r.mapping(&n.object, x)
	case []any:
		r.list(&n.list, x)
	case string:
		r.text(n, x)
	case float64:
		r.number(&n.number, x)
	}
	r.combine(n, v)
}

func (r *run) oneOfValues(n *node, v any) {
	if slices.ContainsFunc(n.consts, func(c any) bool { return canonical.Equal(c, v) }) {
		return
	}
	if n.single {
		r.add("const", "%s is not %s", r.show(v), join(n.consts, ""))
	} else {
		r.add("enum", "%s is not one of %s", r.show(v), join(n.consts, ", "))
	}
}

func (r *run) number(n *numberRules, x float64) {
	if x >= n.min && x <= n.max && x > n.aboveMin && x < n.belowMax {
		return
	}
	have := number(x)
	if r.hushed > 0 {
		have = "this"
	}
	switch {
	case x < n.min:
		r.add("minimum", "must be at least %s, not %s", number(n.min), have)
	case x > n.max:
		r.add("maximum", "must be at most %s, not %s", number(n.max), have)
	case x <= n.aboveMin:
		r.add("exclusiveMinimum", "must be more than %s, not %s", number(n.aboveMin), have)
	case x >= n.belowMax:
		r.add("exclusiveMaximum", "must be less than %s, not %s", number(n.belowMax), have)
	}
}

// add notes a violation at the current place.
func (r *run) add(keyword, format string, args ...any) {
	r.report(Violation{Pointer: r.pointer(), Keyword: keyword, Message: fmt.Sprintf(format, args...)})
}

// addMember notes that a member of the current object must not be there.
func (r *run) addMember(name, keyword, format string) {
	v := Violation{Parent: r.pointer(), Keyword: keyword, Message: fmt.Sprintf(format, quote(name))}
	r.path = append(r.path, step{name: name})
	v.Pointer = r.pointer()
	r.path = r.path[:len(r.path)-1]
	r.report(v)
}

func (r *run) report(v Violation) {
	if len(r.out) < r.limit {
		v.Message += r.because
		r.out = append(r.out, v)
	}
}

// pointer spells out the current place. It ends in front of a name that looks like a credential.
func (r *run) pointer() string {
	var b strings.Builder
	for _, s := range r.path {
		if s.isIndex {
			b.WriteByte('/')
			b.WriteString(strconv.Itoa(s.index))
			continue
		}
		if _, found := secrets.ScanText(s.name); found {
			break
		}
		b.WriteByte('/')
		b.WriteString(canonical.Escape(s.name))
	}
	return b.String()
}

func kindOf(v any) kinds {
	switch x := v.(type) {
	case nil:
		return kNull
	case bool:
		return kBool
	case float64:
		switch {
		case math.IsNaN(x) || math.IsInf(x, 0):
			return 0
		case x == math.Trunc(x):
			return kNumber | kInteger
		}
		return kNumber
	case string:
		return kText
	case []any:
		return kList
	case map[string]any:
		return kObject
	default:
		return 0
	}
}

// comparePointers orders list entries by number and everything else by bytes, parents first.
func comparePointers(a, b string) int {
	for a != "" && b != "" {
		var x, y string
		x, a = cutToken(a)
		y, b = cutToken(b)
		i, isIndex := canonical.Index(x)
		j, alsoIndex := canonical.Index(y)
		if isIndex && alsoIndex && i != j {
			return cmp.Compare(i, j)
		}
		if x != y {
			return strings.Compare(x, y)
		}
	}
	return cmp.Compare(len(a), len(b))
}

func cutToken(p string) (token, rest string) {
	p = p[1:]
	if i := strings.IndexByte(p, '/'); i >= 0 {
		return p[:i], p[i:]
	}
	return p, ""
}
