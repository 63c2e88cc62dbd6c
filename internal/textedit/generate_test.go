package textedit

import (
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// generator writes random documents in random notations. It aims at texts that people write, plus comments and
// blank lines where none would put them; what a text means is what Parse says.
type generator struct {
	r               *rand.Rand
	b               strings.Builder
	step, dash, pad int
	eol             string
	comments, flow  int // percent
	anchors         int
	last            bool // the line so far ends in a block text, where comments would be text
}

func generate(r *rand.Rand) string {
	step := []int{2, 2, 2, 4, 3, 1}[r.IntN(6)]
	g := &generator{
		r: r, step: step, dash: []int{0, step, 2}[r.IntN(3)], pad: []int{1, 1, 1, 3}[r.IntN(4)],
		eol: []string{"\n", "\n", "\n", "\r\n", "\r"}[r.IntN(5)], comments: []int{0, 10, 40}[r.IntN(3)], flow: []int{0, 20, 60}[r.IntN(3)],
	}
	doc := object{"metadata": object{"revision": 7.0, "name": pick(r), "tags": []any{pick(r), "b"}}}
	if r.IntN(4) > 0 {
		doc["state"] = g.state()
	}
	if r.IntN(3) > 0 {
		history := []any{}
		for i := range r.IntN(4) {
			history = append(history, object{"revision": float64(i), "change": pick(r)})
		}
		doc["history"] = history
	}
	if r.IntN(3) == 0 {
		doc["spec"] = object{"role": object{"tone": pick(r), "examples": []any{[]any{pick(r), []any{}}, nil}}}
	}
	g.mapping(doc, 0)
	text := g.b.String()
	if r.IntN(4) == 0 {
		text = strings.TrimRight(text, "\r\n")
	}
	switch r.IntN(10) {
	case 0:
		text = "\ufeff" + text
	case 1:
		text = "--- # start" + g.eol + text
	case 2:
		text += g.eol + "..." + g.eol
	}
	return text
}

func (g *generator) state() any {
	if g.r.IntN(6) == 0 {
		return nil
	}
	facts := []any{}
	for i := range g.r.IntN(5) {
		f := newFact(g.r)
		f["id"] = "f" + strconv.Itoa(i)
		facts = append(facts, f)
	}
	return object{"summary": pick(g.r), "facts": facts, "metrics": object{"n": 1.0}}
}

func (g *generator) chance(percent int) bool { return g.r.IntN(100) < percent }

// newLine ends a line, perhaps with a comment, and begins one at a column, perhaps after others.
func (g *generator) newLine(col int) {
	if g.chance(g.comments/2) && !g.last {
		g.b.WriteString(" # trailing")
	}
	for g.b.WriteString(g.eol); g.chance(g.comments); g.b.WriteString(g.eol) {
		if g.chance(50) {
			at := []int{col, col, col + 2, 0}[g.r.IntN(4)]
			g.b.WriteString(strings.Repeat(" ", at) + "# line " + strconv.Itoa(g.r.IntN(1000)))
		}
	}
	g.last = false
	g.b.WriteString(strings.Repeat(" ", col))
}

func (g *generator) mapping(m object, col int) {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	g.r.Shuffle(len(keys), func(i, j int) { keys[i], keys[j] = keys[j], keys[i] })
	for i, k := range keys {
		if i > 0 {
			g.newLine(col)
		}
		switch g.r.IntN(12) {
		case 0:
			g.b.WriteString("'" + k + "'")
		case 1:
			g.b.WriteString("\"" + k + "\"")
		default:
			g.b.WriteString(k)
		}
		g.b.WriteByte(':')
		g.value(m[k], col, g.step, g.dash)
	}
	if col == 0 {
		g.b.WriteString(g.eol)
	}
}

// value writes what follows a mark; nested and list are the columns that collections are indented by.
func (g *generator) value(v any, col, nested, list int) {
	switch x := v.(type) {
	case object:
		if len(x) > 0 && !g.chance(g.flow) {
			g.newLine(col + nested)
			g.mapping(x, col+nested)
			return
		}
	case []any:
		if len(x) > 0 && !g.chance(g.flow) {
			for _, e := range x {
				g.newLine(col + list)
				g.b.WriteByte('-')
				g.item(e, col+list)
			}
			return
		}
	case string:
		g.text(x, col+max(nested, 1))
		return
	}
	w := yamlWriter{layout: defaultLayout()}
	if g.chance(30) {
		g.anchors++
		g.b.WriteString(" &a" + strconv.Itoa(g.anchors))
	}
	g.b.WriteString(" " + string(w.flow(nil, v, nil, nil)))
}

func (g *generator) item(v any, col int) {
	inner := col + 1 + g.pad
	if m, ok := v.(object); ok && len(m) > 0 && g.chance(80) {
		g.b.WriteString(strings.Repeat(" ", g.pad))
		g.mapping(m, inner)
		return
	}
	g.value(v, col, 1+g.pad, 1+g.pad)
}

func (g *generator) text(s string, column int) {
	w := yamlWriter{layout: layout{eol: g.eol}}
	styles := []style{doubleStyle}
	if plainSafe(s, false) && !readsOtherwise(s) {
		styles = append(styles, plainStyle, plainStyle, plainStyle)
	}
	if !containsEscape(s) {
		styles = append(styles, singleStyle)
	}
	if literalSafe(s) {
		styles = append(styles, literalStyle, literalStyle)
	}
	if foldedSafe(s) {
		styles = append(styles, foldedStyle)
	}
	st := styles[g.r.IntN(len(styles))]
	g.last = st.block()
	g.b.WriteString(" " + string(w.appendText(nil, s, st, column)))
}

// TestEditGenerated edits generated files, each a few times in a row. OAP_TEXTEDIT_FILES asks for more files than
// a plain test run affords.
func TestEditGenerated(t *testing.T) {
	files := 400
	if s := os.Getenv("OAP_TEXTEDIT_FILES"); s != "" {
		n, err := strconv.Atoi(s)
		if err != nil {
			t.Fatal(err)
		}
		files = n
	}
	var total outcome
	unread := 0
	for i := range files {
		r := rand.New(rand.NewPCG(uint64(i), 7))
		text := generate(r)
		d, err := Parse([]byte(text), YAML, testOptions)
		if err != nil {
			unread++
			continue
		}
		for range 5 {
			op := operations[r.IntN(len(operations))]
			before := d.Bytes()
			want := applyOperation(d, op, r)
			// Changes that touch meet in one edit only when they are wanted at once.
			if r.IntN(2) == 0 {
				more := operations[r.IntN(len(operations)-1)] // without the body's
				more.do(want.(object), r)
				op.name += " and " + more.name
			}
			next, o := checkEdit(t, d, want)
			total.add(o)
			if next == nil {
				t.Errorf("file %d, %s was refused:\n%s", i, op.name, before)
				break
			}
			if o.exact > 0 && slices.Contains(adding, op.name) {
				lost := lostComments(before, next.Bytes())
				lost = slices.DeleteFunc(lost, func(c string) bool { return !strings.HasPrefix(c, "# line") })
				if len(lost) > 0 {
					t.Errorf("file %d, %s lost %q:\n%s\n---\n%s", i, op.name, lost, before, next.Bytes())
				}
			}
			d = next
		}
	}
	t.Logf("%+v, %d files not readable", total, unread)
	if unread*10 > files {
		t.Errorf("%d of %d generated files are not readable", unread, files)
	}
	if edits := total.exact + total.anew; total.anew*1000 > edits {
		t.Errorf("%d of %d edits wrote a subtree anew; at most one in a thousand may", total.anew, edits)
	}
}
