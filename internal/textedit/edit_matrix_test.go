package textedit

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/open-agent-profile/oap/canonical"
)

// outcome counts what edits came to.
type outcome struct {
	same, exact, anew, refused int
}

func (o *outcome) add(p outcome) {
	o.same += p.same
	o.exact += p.exact
	o.anew += p.anew
	o.refused += p.refused
}

// checkEdit edits and holds the result against every promise of the package. It gives the new document.
func checkEdit(t testing.TB, d *Document, want any) (*Document, outcome) {
	t.Helper()
	old := bytes.Clone(d.Bytes())
	r, err := d.Edit(want, testSchema{})
	if !bytes.Equal(d.Bytes(), old) {
		t.Fatalf("the document was changed")
	}
	var refused *RefusedError
	if errors.As(err, &refused) {
		return nil, outcome{refused: 1}
	}
	if err != nil {
		t.Fatalf("error of another kind: %v", err)
	}
	if canonical.Equal(d.Value(), want) {
		if !bytes.Equal(r.Text, old) || len(r.Edits) > 0 {
			t.Fatalf("the value is the same, the text is not:\n%s", r.Text)
		}
		return d, outcome{same: 1}
	}
	spliced := []byte{}
	done := 0
	for _, e := range r.Edits {
		if e.Start < done || e.End < e.Start || e.End > len(old) {
			t.Fatalf("edits overlap or are not sorted: %+v", r.Edits)
		}
		spliced = append(append(spliced, old[done:e.Start]...), e.Text...)
		done = e.End
	}
	if spliced = append(spliced, old[done:]...); !bytes.Equal(spliced, r.Text) {
		t.Fatalf("the edits do not give the text")
	}
	again, err := Parse(r.Text, d.format, d.opts)
	if err != nil {
		t.Fatalf("result: %v\n%s", err, r.Text)
	}
	if !canonical.Equal(again.Value(), want) {
		t.Fatalf("the result holds another value:\n%s", r.Text)
	}
	if r2, err := again.Edit(want, testSchema{}); err != nil || !bytes.Equal(r2.Text, r.Text) {
		t.Fatalf("editing again: %v\n%s", err, r2.Text)
	}
	if len(r.Rerendered) > 0 {
		return again, outcome{anew: 1}
	}
	return again, outcome{exact: 1}
}

// lostComments gives the comments on lines of their own that b lacks.
func lostComments(a, b []byte) []string {
	var lost []string
	have := ownLineComments(b)
	for _, c := range ownLineComments(a) {
		if i := slices.Index(have, c); i >= 0 {
			have = slices.Delete(have, i, i+1)
		} else {
			lost = append(lost, c)
		}
	}
	return lost
}

func ownLineComments(text []byte) []string {
	var out []string
	for line := range strings.FieldsFuncSeq(string(text), func(r rune) bool { return r == '\n' || r == '\r' || r == 0x85 || r == 0x2028 }) {
		if line = strings.TrimLeft(line, "\ufeff \t"); strings.HasPrefix(line, "#") {
			out = append(out, line)
		}
	}
	return out
}

// adding are the operations that may not cost any comment.
var adding = []string{"change revision", "stamp", "append fact", "insert fact", "append history", "add preferences", "add field", "add unknown member"}

// mayResist are the files with edits that are refused, or cost a subtree: the anchor of a part that changes is
// used in a part that does not, or behind its new place.
var mayResist = []string{"alias across", "aliases inside"}

// Bounds on what may resist, so that a weaker editor shows.
const (
	matrixAnew, matrixRefused = 4, 56
	randomPercent             = 2
)

func TestEditMatrix(t *testing.T) {
	var total outcome
	for _, f := range nastyFiles {
		t.Run(f.name, func(t *testing.T) {
			for _, op := range operations {
				for seed := range uint64(4) {
					d := mustParse(t, f.text, f.format)
					want := applyOperation(d, op, rand.New(rand.NewPCG(seed, 1)))
					again, o := checkEdit(t, d, want)
					total.add(o)
					if o.refused+o.anew > 0 && !slices.Contains(mayResist, f.name) {
						t.Errorf("%s: %+v", op.name, o)
					}
					if o.exact > 0 && slices.Contains(adding, op.name) {
						if lost := lostComments(d.Bytes(), again.Bytes()); len(lost) > 0 {
							t.Errorf("%s lost %q:\n%s", op.name, lost, again.Bytes())
						}
					}
				}
			}
		})
	}
	t.Logf("%+v", total)
	if total.anew > matrixAnew || total.refused > matrixRefused {
		t.Errorf("%d subtrees written anew (at most %d), %d edits refused (at most %d)",
			total.anew, matrixAnew, total.refused, matrixRefused)
	}
}

// TestEditRandom edits each file several times in a row, with operations at random. OAP_TEXTEDIT_ROUNDS
// asks for more rounds than a plain test run affords.
func TestEditRandom(t *testing.T) {
	rounds := 4
	if s := os.Getenv("OAP_TEXTEDIT_ROUNDS"); s != "" {
		n, err := strconv.Atoi(s)
		if err != nil {
			t.Fatal(err)
		}
		rounds = n
	}
	var total outcome
	for round := range rounds {
		for i, f := range nastyFiles {
			r := rand.New(rand.NewPCG(uint64(round), uint64(i)))
			d := mustParse(t, f.text, f.format)
			for range 12 {
				op := operations[r.IntN(len(operations))]
				next, o := checkEdit(t, d, applyOperation(d, op, r))
				total.add(o)
				if o.refused+o.anew > 0 && !slices.Contains(mayResist, f.name) {
					t.Errorf("%s, round %d, %s: %+v\n%s", f.name, round, op.name, o, d.Bytes())
				}
				if next != nil {
					d = next
				}
			}
		}
	}
	t.Logf("%+v", total)
	if edits := total.exact + total.anew + total.refused; (total.anew+total.refused)*100 > edits*randomPercent {
		t.Errorf("more than %d %% of %d edits resist: %+v", randomPercent, edits, total)
	}
}
