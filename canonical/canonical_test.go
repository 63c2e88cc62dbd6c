package canonical

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/gowebpki/jcs"
)

func readVectors(t testing.TB, name string, into any) {
	t.Helper()
	b, err := os.ReadFile("../testdata/vectors/jcs/" + name)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, into); err != nil {
		t.Fatal(err)
	}
}

func decode(t testing.TB, text string) any {
	t.Helper()
	var v any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatal(err)
	}
	return v
}

func TestJCSVectors(t *testing.T) {
	var file struct {
		Cases []struct{ Name, Input, Canonical, SHA256 string }
	}
	readVectors(t, "values.json", &file)
	if len(file.Cases) == 0 {
		t.Fatal("no vectors")
	}
	for _, c := range file.Cases {
		t.Run(c.Name, func(t *testing.T) {
			v := decode(t, c.Input)
			got, err := JCS(v)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.Canonical, string(got)); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			sum, err := Sum(v)
			if err != nil {
				t.Fatal(err)
			}
			if sum.String() != "sha256:"+c.SHA256 {
				t.Errorf("digest %s, want sha256:%s", sum, c.SHA256)
			}
			lib, err := jcs.Transform([]byte(c.Input))
			if err != nil {
				t.Fatal(err)
			}
			if string(lib) != string(got) {
				t.Errorf("library says %s", lib)
			}
		})
	}
}

func TestJCSNumbers(t *testing.T) {
	var file struct {
		Cases []struct{ Bits, Text string }
	}
	readVectors(t, "numbers.json", &file)
	for _, c := range file.Cases {
		bits, err := strconv.ParseUint(c.Bits, 16, 64)
		if err != nil {
			t.Fatal(err)
		}
		got, err := JCS(math.Float64frombits(bits))
		if (err != nil) != (c.Text == "") {
			t.Errorf("%s: error %v", c.Bits, err)
		}
		if string(got) != c.Text {
			t.Errorf("%s: got %s, want %s", c.Bits, got, c.Text)
		}
	}
}

func TestCheckNamesThePlace(t *testing.T) {
	cases := []struct {
		name, why string
		v         any
		want      *ValueError
	}{
		{"not a number", "JCS has no spelling for it", map[string]any{"a": []any{1.0, math.NaN()}}, &ValueError{"/a/1", "not a finite number"}},
		{"infinity", "JCS has no spelling for it", map[string]any{"a~b": math.Inf(-1)}, &ValueError{"/a~0b", "not a finite number"}},
		{"bad text", "Go's encoder would replace the byte and two documents would share a digest", map[string]any{"a/b": "x\xff"}, &ValueError{"/a~1b", "text is not valid UTF-8"}},
		{"bad key", "keys are text too", map[string]any{"a": map[string]any{"\xed\xa0\x80": nil}}, &ValueError{"/a", "text is not valid UTF-8"}},
		{"foreign type", "an int is not of the model, so 2^53+1 cannot slip in", []any{int64(9007199254740993)}, &ValueError{"/0", "int64 is not a JSON value"}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			_, err := JCS(c.v)
			if diff := cmp.Diff(error(c.want), err); diff != "" {
				t.Errorf("%s (-want +got)\n%s", c.why, diff)
			}
			if _, err := Sum(c.v); err == nil {
				t.Error("Sum gave a digest")
			}
		})
	}
}

func TestEqualDigestsMeanEqualValues(t *testing.T) {
	cases := []struct {
		name string
		a, b any
		want bool
	}{
		{"number spelling", decode(t, "[1]"), decode(t, "[1.0]"), true},
		{"negative zero", decode(t, "[0]"), decode(t, "[-0.0]"), true},
		{"text is not a number", decode(t, `["1"]`), decode(t, "[1]"), false},
		{"null is not absence", decode(t, `{"a":null}`), decode(t, `{}`), false},
		{"empty list is not null", decode(t, `{"a":[]}`), decode(t, `{"a":null}`), false},
		{"order of a list", decode(t, `[1,2]`), decode(t, `[2,1]`), false},
		{"no normalisation", "é", "e\u0301", false},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			a, errA := Sum(c.a)
			b, errB := Sum(c.b)
			if errA != nil || errB != nil {
				t.Fatal(errA, errB)
			}
			if (a == b) != c.want || Equal(c.a, c.b) != c.want || Equal(c.b, c.a) != c.want {
				t.Errorf("digests %s %s, Equal %v, want %v", a.Short(), b.Short(), Equal(c.a, c.b), c.want)
			}
		})
	}
}

// randomValue makes values with awkward keys, texts and numbers, from a seed so that a failure repeats.
func randomValue(r *rand.Rand, depth int) any {
	text := func() string {
		pool := []rune("ab\"\\/<>&\u2028\u0000\u001f\u007fé€\ufb33\ue000\uffff\U0001f600\U0010ffff\t\n")
		s := make([]rune, r.IntN(6))
		for i := range s {
			s[i] = pool[r.IntN(len(pool))]
		}
		return string(s)
	}
	switch n := r.IntN(8); {
	case n == 0:
		return nil
	case n == 1:
		return r.IntN(2) == 0
	case n == 2:
		return text()
	case n == 3:
		return float64(r.IntN(2000) - 1000)
	case n == 4:
		for {
			if f := math.Float64frombits(r.Uint64()); !math.IsNaN(f) && !math.IsInf(f, 0) {
				return f
			}
		}
	case depth == 0:
		return text()
	case n == 5:
		s := make([]any, r.IntN(4))
		for i := range s {
			s[i] = randomValue(r, depth-1)
		}
		return s
	default:
		m := map[string]any{}
		for range r.IntN(6) {
			m[text()] = randomValue(r, depth-1)
		}
		return m
	}
}

func TestJCSEqualsTheLibrary(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for i := range 20_000 {
		v := map[string]any{"v": randomValue(r, 4)}
		got, err := JCS(v)
		if err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		want, err := jcs.Transform(text)
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != string(want) {
			t.Fatalf("value %d:\n got %s\nwant %s", i, got, want)
		}
		if c := Clone(v); !Equal(c, v) {
			t.Fatalf("value %d: clone differs", i)
		}
	}
}

func FuzzCanonical(f *testing.F) {
	for _, s := range []string{`{"b":2,"a":[1.0,null,"\u20ac"]}`, `[1e30,-0,5e-324]`, `"\ud83d\ude00"`, `{"":{"":[]}}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var v any
		if json.Unmarshal(text, &v) != nil {
			t.Skip()
		}
		once, err := JCS(v)
		if err != nil {
			t.Fatalf("a value from valid JSON was refused: %v", err)
		}
		var again any
		if err := json.Unmarshal(once, &again); err != nil {
			t.Fatalf("canonical form is not JSON: %v", err)
		}
		if !Equal(v, again) {
			t.Fatalf("canonical form says something else: %s", once)
		}
		twice, err := JCS(again)
		if err != nil || string(twice) != string(once) {
			t.Fatalf("not idempotent: %s then %s (%v)", once, twice, err)
		}
	})
}

func FuzzPointer(f *testing.F) {
	for _, s := range []string{"", "/", "/a~1b/~0", "/~2", "a", "//", "/~", "/state/facts/id:x/-"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		p, err := ParsePointer(s)
		if err != nil {
			return
		}
		if p.String() != s {
			t.Fatalf("%q reads as %q and is written %q", s, []string(p), p.String())
		}
		Get(map[string]any{"a": []any{1.0}}, p)
	})
}

func TestParsePointer(t *testing.T) {
	cases := []struct {
		text string
		want Pointer
		ok   bool
	}{
		{"", nil, true},
		{"/", Pointer{""}, true},
		{"/a/b", Pointer{"a", "b"}, true},
		{"/a~1b/m~0n", Pointer{"a/b", "m~n"}, true},
		{"/~01", Pointer{"~1"}, true},
		{"/state/", Pointer{"state", ""}, true},
		{"a", nil, false},
		{"/~2", nil, false},
		{"/~", nil, false},
		{"/a~", nil, false},
		{"#/a", nil, false},
	}
	for _, c := range cases {
		got, err := ParsePointer(c.text)
		if (err == nil) != c.ok {
			t.Errorf("%q: error %v", c.text, err)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%q (-want +got)\n%s", c.text, diff)
		}
	}
}

func TestIndexIsStrict(t *testing.T) {
	for text, want := range map[string]int{"0": 0, "10": 10, "999999999": 999999999} {
		if got, ok := Index(text); !ok || got != want {
			t.Errorf("%q: %d %v", text, got, ok)
		}
	}
	for _, text := range []string{"", "-", "-1", "+1", "01", "00", " 1", "1 ", "1e0", "٣", "9999999999"} {
		if got, ok := Index(text); ok {
			t.Errorf("%q read as %d", text, got)
		}
	}
}

func TestGet(t *testing.T) {
	v := decode(t, `{"a":[{"b":null}],"":1}`)
	for text, want := range map[string]any{"": v, "/a/0": map[string]any{"b": nil}, "/a/0/b": nil, "/": 1.0} {
		p, err := ParsePointer(text)
		if err != nil {
			t.Fatal(err)
		}
		if got, ok := Get(v, p); !ok || !Equal(got, want) {
			t.Errorf("%q: %v %v", text, got, ok)
		}
	}
	for _, text := range []string{"/b", "/a/1", "/a/-", "/a/00", "/a/0/b/c", "//"} {
		p, err := ParsePointer(text)
		if err != nil {
			t.Fatal(err)
		}
		if got, ok := Get(v, p); ok {
			t.Errorf("%q: found %v", text, got)
		}
	}
}

func TestDigestText(t *testing.T) {
	d, err := Sum("x")
	if err != nil {
		t.Fatal(err)
	}
	back, err := ParseDigest(d.String())
	if err != nil || back != d {
		t.Fatalf("%v %v", back, err)
	}
	h := hex.EncodeToString(d[:])
	for _, s := range []string{"", h, "sha256:", "sha256:" + h[1:], "SHA256:" + h, "sha512:" + h, "sha256:" + h + "0", "sha256:G" + h[1:], "sha256:" + "ABCDEF" + h[6:]} {
		if _, err := ParseDigest(s); err == nil {
			t.Errorf("%q was read", s)
		}
	}
	type receipt struct{ D, None Digest }
	b, err := json.Marshal(receipt{D: d})
	if err != nil {
		t.Fatal(err)
	}
	var r receipt
	if err := json.Unmarshal(b, &r); err != nil || r.D != d || !r.None.IsZero() {
		t.Fatalf("%s: %v", b, err)
	}
}

// bigValue is about the shape and size of a profile with n facts.
func bigValue(n int) map[string]any {
	facts := make([]any, n)
	for i := range facts {
		facts[i] = map[string]any{
			"id": "fact-" + strconv.Itoa(i), "text": "Tests live beside the module as test_<module>.py, not in a tests tree.",
			"confidence": 0.95, "source": "user statement, session sess_01J8ZQ", "learned_at": "2026-05-11T16:20:00Z",
			"tags": []any{"conventions"}, "pinned": i%7 == 0,
		}
	}
	return map[string]any{"state": map[string]any{"facts": facts}}
}

func BenchmarkJCS(b *testing.B) {
	for _, n := range []int{10, 1_000, 10_000} {
		v := bigValue(n)
		out, err := JCS(v)
		if err != nil {
			b.Fatal(err)
		}
		b.Run("direct/"+strconv.Itoa(n), func(b *testing.B) {
			b.SetBytes(int64(len(out)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := JCS(v); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run("library/"+strconv.Itoa(n), func(b *testing.B) {
			b.SetBytes(int64(len(out)))
			b.ReportAllocs()
			for b.Loop() {
				text, err := json.Marshal(v)
				if err != nil {
					b.Fatal(err)
				}
				if _, err := jcs.Transform(text); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run("digest/"+strconv.Itoa(n), func(b *testing.B) {
			b.SetBytes(int64(len(out)))
			for b.Loop() {
				if _, err := Sum(v); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run("sha256/"+strconv.Itoa(n), func(b *testing.B) {
			b.SetBytes(int64(len(out)))
			for b.Loop() {
				sha256.Sum256(out)
			}
		})
	}
}

func TestDifferences(t *testing.T) {
	cases := []struct {
		name, a, b string
		want       []string
	}{
		{"equal in another spelling", `{"a":[1,{"b":null}]}`, `{"a":[1.0,{"b":null}]}`, nil},
		{"member on one side", `{"a":1,"b":2}`, `{"b":2,"c":3}`, []string{"/a", "/c"}},
		{"deep scalar", `{"a":[{"b":1}]}`, `{"a":[{"b":2}]}`, []string{"/a/0/b"}},
		{"length", `{"a":[1]}`, `{"a":[1,2]}`, []string{"/a"}},
		{"kind", `{"a":[]}`, `{"a":{}}`, []string{"/a"}},
		{"escaped", `{"a/b":1}`, `{"a/b":2}`, []string{"/a~1b"}},
		{"whole document", `1`, `2`, []string{""}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got := Differences(decode(t, c.a), decode(t, c.b))
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}
