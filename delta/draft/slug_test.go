package draft

import (
	"regexp"
	"strings"
	"testing"
	"unicode"
)

func TestEntryID(t *testing.T) {
	tests := []struct {
		name, why, text, want string
		taken                 []string
	}{
		{name: "plain", why: "readable", text: "Tests live beside the module.", want: "fact-tests-live-beside-the-module"},
		{name: "punctuation", why: "each run is one dash", text: "--A  (b): c_d/e~f!", want: "fact-a-b-c-d-e-f"},
		{name: "accents", why: "Latin letters have a plain spelling", text: "Größe in Łódź: ÇA İŞ", want: "fact-grosse-in-lodz-ca-is"},
		{name: "combining accents", why: "a mark parts no word", text: "Cafe\u0301s", want: "fact-cafes"},
		{name: "typographic", why: "quotes and dashes are no loss", text: "“a” – b… ×c", want: "fact-a-b-c"},
		{name: "forty", why: "just fits", text: strings.Repeat("a", 40), want: "fact-" + strings.Repeat("a", 40)},
		{name: "cut", why: "at the end of a word, and the hash tells the rest", text: "Authorization must compare against the server-side session record", want: "fact-authorization-must-compare-against-the-cd8a5ba4"},
		{name: "cut at forty", why: "the word ends just there", text: "b " + strings.Repeat("a", 38) + " c", want: "fact-b-" + strings.Repeat("a", 38) + "-8408dbc1"},
		{name: "one long word", why: "there is no better place", text: strings.Repeat("a", 41), want: "fact-" + strings.Repeat("a", 40) + "-c0f8bd4d"},
		{name: "other script", why: "a hash where nothing is readable", text: "テストは並んでいる", want: "fact-5816721b"},
		{name: "mixed scripts", why: "the rest would stand for many texts", text: "修复 CI", want: "fact-ci-cd9f886f"},
		{name: "emoji", why: "a hash likewise", text: "🎉", want: "fact-6146299c"},
		{name: "empty", why: "no panic", text: "", want: "fact-e3b0c442"},
		{name: "taken", why: "another text has it", text: "C++", taken: []string{"fact-c"}, want: "fact-c-f1deb75f"},
		{name: "hash taken", why: "however that came", text: "C++", taken: []string{"fact-c", "fact-c-f1deb75f"}, want: "fact-c-f1deb75fa21d3c47"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			taken := map[string]bool{}
			for _, id := range tt.taken {
				taken[id] = true
			}
			if got := EntryID("fact", tt.text, func(id string) bool { return taken[id] }); got != tt.want {
				t.Errorf("got %q, want %q; %s", got, tt.want, tt.why)
			}
		})
	}
	if id := EntryID("fact", "a", func(string) bool { return true }); len(id) > maxID {
		t.Errorf("%q is too long", id)
	}
}

// TestLatinSpellings: a missing letter would only cost a hash, a wrong one a wrong word.
func TestLatinSpellings(t *testing.T) {
	for r := rune(0xC0); r < 0x180; r++ {
		plain, known := ascii(r)
		if unicode.IsLetter(r) && (plain == "" || !known) {
			t.Errorf("%q has no spelling", r)
		}
		if low, _ := ascii(unicode.ToLower(r)); low != plain {
			t.Errorf("%q is spelled %q, and small %q", r, plain, low)
		}
	}
}

func FuzzEntryID(f *testing.F) {
	for _, s := range []string{"", "a b", "Größe", "修复 CI", strings.Repeat("ab ", 50), "\xff", "K\u212a", "a\u0301\u0301", "\u30000", "a\u3000b\u00a0"} {
		f.Add(s)
	}
	form := regexp.MustCompile(`^fact(-[a-z0-9]+)+$`)
	f.Fuzz(func(t *testing.T, s string) {
		id := EntryID("fact", s, nil)
		if !form.MatchString(id) || len(id) > maxID {
			t.Fatalf("%q", id)
		}
		if again := EntryID("fact", " "+strings.Join(strings.Fields(s), "\n "), nil); again != id {
			t.Fatalf("%q, and laid out otherwise %q", id, again)
		}
		other := EntryID("fact", s, func(taken string) bool { return taken == id })
		if other == id || !form.MatchString(other) || len(other) > maxID {
			t.Fatalf("%q beside %q", other, id)
		}
	})
}
