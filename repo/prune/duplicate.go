package prune

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"github.com/open-agent-profile/oap/repo/history"
)

// alike is the share of words that two texts have in common (the Jaccard index) from which on they are
// listed as near-duplicates.
const alike = 0.8

// said is a text as the set of its words.
type said struct {
	item  Item
	words []string // rarest first
	set   map[string]bool
}

// duplicates groups facts, and preferences, that say nearly the same. A group holds what is alike to its
// first member, directly or over another one.
func duplicates(state map[string]any) [][]Item {
	groups := [][]Item{}
	for _, collection := range []string{"facts", "preferences"} {
		var all []*said
		for _, m := range listOf(state, collection) {
			set := map[string]bool{}
			for _, w := range words(history.Words(m)) {
				set[w] = true
			}
			if len(set) > 0 {
				all = append(all, &said{item: itemOf(collection, m, ""), set: set})
			}
		}
		groups = append(groups, group(all)...)
	}
	return groups
}

// words splits a text into lower-case words. Scripts that put no spaces between words give one word a
// letter.
func words(text string) []string {
	var out []string
	var b strings.Builder
	flush := func() {
		if b.Len() > 0 {
			out = append(out, b.String())
		}
		b.Reset()
	}
	for _, r := range strings.ToLower(text) {
		switch {
		case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer):
			flush()
			out = append(out, string(r))
		case unicode.IsLetter(r), unicode.IsDigit(r), unicode.IsMark(r):
			b.WriteRune(r)
		default:
			flush()
		}
	}
	flush()
	return out
}

// group joins what is alike. Two sets that share enough have a word in common among the rarest few of
// each (prefix filtering), so that thousands of facts need no look at every pair.
func group(all []*said) [][]Item {
	count := map[string]int{}
	for _, s := range all {
		for w := range s.set {
			count[w]++
		}
	}
	parent := make([]int, len(all))
	for i := range parent {
		parent[i] = i
	}
	var root func(int) int
	root = func(i int) int {
		if parent[i] != i {
			parent[i] = root(parent[i])
		}
		return parent[i]
	}
	index := map[string][]int{}
	for i, s := range all {
		for w := range s.set {
			s.words = append(s.words, w)
		}
		slices.SortFunc(s.words, func(a, b string) int { return cmp.Or(count[a]-count[b], strings.Compare(a, b)) })
		// n*alike words have to be common, so one of the first n-n*alike+1 is.
		n := len(s.words)
		first := s.words[:min(n, n-int(float64(n)*alike)+1)]
		seen := map[int]bool{}
		for _, w := range first {
			for _, j := range index[w] {
				if !seen[j] && jaccard(s.set, all[j].set) >= alike {
					a, b := root(i), root(j)
					parent[max(a, b)] = min(a, b)
				}
				seen[j] = true
			}
			index[w] = append(index[w], i)
		}
	}
	members := map[int][]Item{}
	var out [][]Item
	for i := range all {
		members[root(i)] = append(members[root(i)], all[i].item)
	}
	for i := range all {
		if g := members[i]; len(g) > 1 {
			out = append(out, g)
		}
	}
	return out
}

func jaccard(a, b map[string]bool) float64 {
	if len(a) > len(b) {
		a, b = b, a
	}
	common := 0
	for w := range a {
		if b[w] {
			common++
		}
	}
	return float64(common) / float64(len(a)+len(b)-common)
}
