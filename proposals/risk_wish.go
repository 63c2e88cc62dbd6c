package proposals

import "slices"

// Wish reads a replaced list of texts as what it adds to and removes from the list it was written against,
// the one in the contract at the revision that the session started from (design section 3). Both are sorted
// and free of repetition, so that one wish has one form, whatever the list was at the time.
//
// It is false where either value is no list of texts, or repeats one: there the place of an entry carries
// meaning that a difference would lose. A missing list is nil. The arguments of a server are such a list
// even without repetition; leave them whole.
func Wish(base, wanted any) (added, removed []string, ok bool) {
	was, bok := part{base, base != nil}.texts()
	is, aok := part{wanted, true}.texts()
	if !bok || !aok || repeats(was) || repeats(is) {
		return nil, nil, false
	}
	added, removed = without(is, was), without(was, is)
	slices.Sort(added)
	slices.Sort(removed)
	return added, removed, true
}

// RebaseList puts a list that was written against base on the list that stands at the tip (design section 4,
// step 8). What the wish adds is appended, what it removes goes, and all else is as the tip has it: entries
// that others added meanwhile stay, and entries that others removed do not come back only because the wish
// repeats them. Those are reported as revived, so that whoever wants them back asks for it. An entry
// that the wish adds on its own may have been removed earlier all the same; three lists cannot tell.
//
// Where the tip still has the list of base, the result is the wish as written, order included. Entries
// that are no texts are kept if they are the tip's and added if they are the wish's, for the schema
// to refuse.
func RebaseList(base, wanted, tip []any) (result []any, added, removed, revived []string) {
	was, is, stands := textsOf(base), textsOf(wanted), textsOf(tip)
	added, removed = without(is, was), without(was, is)
	both := without(was, removed)
	revived = without(both, stands)
	if sameEntries(base, tip) {
		return append([]any{}, wanted...), added, removed, revived
	}
	result = make([]any, 0, len(tip)+len(added))
	gone := setOf(removed)
	for _, v := range tip {
		if s, isText := v.(string); !isText || !gone[s] {
			result = append(result, v)
		}
	}
	for _, s := range without(added, stands) {
		result = append(result, s)
	}
	for _, v := range wanted {
		if _, isText := v.(string); !isText {
			result = append(result, v)
		}
	}
	return result, added, removed, revived
}

// textsOf leaves out what is no text.
func textsOf(list []any) []string {
	var out []string
	for _, v := range list {
		if s, ok := v.(string); ok {
			out = append(out, s)
		}
	}
	return out
}

// sameEntries compares lists of texts in order; other entries are never the same.
func sameEntries(a, b []any) bool {
	x, xok := texts(a)
	y, yok := texts(b)
	return xok && yok && slices.Equal(x, y)
}

func repeats(list []string) bool { return len(setOf(list)) < len(list) }

func setOf(list []string) map[string]bool {
	out := make(map[string]bool, len(list))
	for _, s := range list {
		out[s] = true
	}
	return out
}
