package render

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/open-agent-profile/oap/delta"
)

// budget is how much state may take, marks, label and note included; negative is without a limit.
type budget struct{ bytes, tokens int }

func budgetOf(doc map[string]any, o Options) budget {
	least := func(member string, extra *int) int {
		n := -1
		if f, ok := lookup(doc, "spec", "context", "budget", member).(float64); ok && f >= 0 {
			n = int(min(f, 1<<40))
		}
		if extra != nil && (n < 0 || *extra < n) {
			n = max(0, *extra)
		}
		return n
	}
	return budget{bytes: least("max_state_bytes", o.MaxStateBytes), tokens: least("max_state_tokens", o.MaxStateTokens)}
}

func (b budget) fits(bytes int) bool {
	return (b.bytes < 0 || bytes <= b.bytes) && (b.tokens < 0 || (bytes+2)/3 <= b.tokens)
}

// rank numbers entries in the order in which retention would let them go: what goes first has rank 0
// (OAP facts f.4). All collections are one pool. The order is that of delta.Retain, which tests hold
// this to; times are read once and not for every comparison.
func rank(items []*item, entries []map[string]any, strategy string) {
	type key struct {
		at         time.Time
		confidence float64
		item       *item
	}
	keys := make([]key, 0, len(items))
	for i, it := range items {
		if it.pinned {
			continue
		}
		k := key{item: it, confidence: 1}
		e := entries[i]
		switch strategy {
		case delta.EvictLeast:
			if f, ok := e["confidence"].(float64); ok {
				k.confidence = f
			}
		case delta.EvictOldest:
			k.at = instant(e, "learned_at", "opened_at")
		default:
			k.at = instant(e, "last_used_at", "updated_at", "learned_at")
		}
		keys = append(keys, k)
	}
	slices.SortStableFunc(keys, func(a, b key) int {
		return cmp.Or(a.at.Compare(b.at), cmp.Compare(a.confidence, b.confidence))
	})
	for i, k := range keys {
		k.item.rank = i
	}
}

func instant(e map[string]any, names ...string) time.Time {
	for _, n := range names {
		if s, ok := e[n].(string); ok {
			t, _ := delta.Instant(s)
			return t
		}
	}
	return time.Time{}
}

// selection is what goes into a block.
type selection struct {
	items   []*item
	frame   frame
	expired int
}

// choose leaves out entries, those first that go first, until the rest fits.
func (s *selection) choose(limits budget) {
	left := map[string]int{} // shown entries by collection, for the titles
	size := len(s.frame.open) + len(s.frame.close) + len(label) + 1
	var going []*item
	for _, it := range s.items {
		size += len(it.line)
		if left[it.collection]++; left[it.collection] == 1 {
			size += len(titleOf(it.collection))
		}
		if !it.pinned {
			going = append(going, it)
		}
	}
	slices.SortFunc(going, func(a, b *item) int { return a.rank - b.rank })
	for i, it := range going {
		if limits.fits(size + len(note(s.expired+i))) {
			return
		}
		it.out = true
		size -= len(it.line)
		if left[it.collection]--; left[it.collection] == 0 {
			size -= len(titleOf(it.collection))
		}
	}
}

// text writes the block.
func (s *selection) text() string {
	omitted := s.expired
	var body strings.Builder
	last := ""
	for _, it := range s.items {
		if it.out {
			omitted++
			continue
		}
		if it.collection != last {
			body.WriteString(titleOf(it.collection))
			last = it.collection
		}
		body.WriteString(it.line)
	}
	return label + note(omitted) + "\n" + s.frame.open + body.String() + s.frame.close
}

// titleOf gives the line above the entries of a collection; the summary has none.
func titleOf(collection string) string {
	for _, c := range collections {
		if c.name == collection {
			return c.title + "\n"
		}
	}
	return ""
}

// merge lists what is not shown: what did not fit, then what has expired.
func merge(items []*item, expired []Omitted) []Omitted {
	var out []Omitted
	for _, it := range items {
		if it.out {
			out = append(out, Omitted{Collection: it.collection, ID: it.id, Reason: "budget"})
		}
	}
	return append(out, expired...)
}
