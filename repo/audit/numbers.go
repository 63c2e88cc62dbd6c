package audit

import (
	"fmt"
	"slices"
)

// parents gives what the parents of a step had, where they had something.
func (s *step) parents() []*view {
	all := []*view{s.old}
	for _, o := range s.others {
		if o != nil {
			all = append(all, o)
		}
	}
	return all
}

// highest is the highest revision of all parents.
func (s *step) highest() int {
	n := 0
	for _, p := range s.parents() {
		n = max(n, p.revision)
	}
	return n
}

// numbers judges the revision and the history of a document. It reports whether it found something.
func (b *bench) numbers(l *line, i int) bool {
	s := l.steps[i]
	if !s.now.recordable(s.old) || s.faulty {
		return false
	}
	// What a stamp has on record was looked at by a person; before it, numbers may have been anything.
	excused := !s.borne && (b.covered(l, i, true) || b.covered(l, i, false))
	if b.revision(s, excused) {
		b.gone(s)
		return true
	}
	return b.gone(s) || !excused && !s.mismatch && b.inserted(s)
}

func (b *bench) revision(s *step, excused bool) bool {
	have, most := s.now.revision, s.highest()
	switch {
	case have > most+1:
		if r := s.missing(most+1, have); r > 0 {
			b.about(s, RevisionGap, Error, "/metadata/revision", fmt.Sprintf("revision %d follows on %d, and nothing tells of revision %d", have, most, r))
			return true
		}
	case s.mismatch || excused || s.forged != "":
	case have < most:
		b.about(s, RevisionRepeated, Error, "/metadata/revision", fmt.Sprintf("revision %d comes after revision %d", have, most))
		return true
	case have == most && (s.borne && len(s.commit.Parents) == 1 || s.twice(have)):
		b.about(s, RevisionRepeated, Error, "/metadata/revision", fmt.Sprintf("revision %d was there before with another content", have))
		return true
	}
	return false
}

// missing gives the first revision of a span that has no entry in the history, 0 for none. What trimming
// may have taken is not missed.
func (s *step) missing(from, before int) int {
	oldest := before
	if len(s.now.history) > 0 {
		oldest = s.now.history[0].revision
	}
	trimmed := len(s.now.history) >= s.now.limit
	for r := from; r < before; r++ {
		if trimmed && r < oldest {
			continue
		}
		if _, ok := s.now.entryFor(r); !ok {
			return r
		}
	}
	return 0
}

// twice reports whether the history holds two entries of a revision that no parent alone had.
func (s *step) twice(revision int) bool {
	count := func(v *view) (n int) {
		for _, l := range v.history {
			if l.revision == revision {
				n++
			}
		}
		return n
	}
	have := count(s.now)
	return have > 1 && !slices.ContainsFunc(s.parents(), func(p *view) bool { return count(p) >= have })
}

// gone reports an entry of the history that a parent had and that trimming did not take.
func (b *bench) gone(s *step) bool {
	for _, p := range s.parents() {
		if r, ok := vanished(p, s.now); ok {
			b.about(s, HistoryRewritten, Error, "/history", fmt.Sprintf("the history's entry of revision %d changed or vanished", r))
			return true
		}
	}
	return false
}

// inserted reports an entry that is new and yet of an old revision.
func (b *bench) inserted(s *step) bool {
	most := s.highest()
	for _, l := range s.now.history {
		old := slices.ContainsFunc(s.parents(), func(p *view) bool {
			return slices.ContainsFunc(p.history, func(o logged) bool { return o.sum == l.sum })
		})
		if !old && l.revision <= most {
			b.about(s, HistoryRewritten, Error, "/history", fmt.Sprintf("an entry of revision %d was put into the history after revision %d", l.revision, most))
			return true
		}
	}
	return false
}

// vanished gives the revision of an entry that should still be there. Entries may go from the old end, as many as
// there are too many.
func vanished(old, now *view) (int, bool) {
	if n := len(old.history); n <= len(now.history) && slices.EqualFunc(old.history, now.history[:n], func(a, b logged) bool { return a.sum == b.sum }) {
		return 0, false
	}
	have := make(map[sum]int, len(now.history))
	for _, l := range now.history {
		have[l.sum]++
	}
	var gone []int // places in the old history
	added := len(now.history)
	for i, l := range old.history {
		if have[l.sum] > 0 {
			have[l.sum]--
			added--
			continue
		}
		gone = append(gone, i)
	}
	if len(gone) == 0 {
		return 0, false
	}
	tooMany := max(0, len(old.history)+added-now.limit)
	if gone[len(gone)-1] == len(gone)-1 && len(gone) <= tooMany {
		return 0, false
	}
	return old.history[gone[len(gone)-1]].revision, true
}
