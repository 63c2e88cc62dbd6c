package audit

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/open-agent-profile/oap/internal/term"
	"github.com/open-agent-profile/oap/profile"
)

func quote(s string) string { return strconv.Quote(term.Escape(s)) }

// nameOf is what a profile is called whose document cannot be read.
func nameOf(path string) string {
	base := path[strings.LastIndexByte(path, '/')+1:]
	for _, s := range profile.ProfileSuffixes {
		if stem, ok := strings.CutSuffix(base, s); ok {
			return stem
		}
	}
	return base
}

// step judges one commit of a profile. Where one fault explains another, only the first is named.
func (b *bench) step(ctx context.Context, l *line, i int) error {
	s := l.steps[i]
	s.faulty = b.document(s)
	if s.now.broken {
		return nil
	}
	if s.forged != "" {
		b.about(s, ForgedTrailer, Error, "", "the commit's trailers "+s.forged)
	}
	if s.old == nil {
		if s.mismatch && !s.faulty {
			b.about(s, DigestMismatch, Error, "", "the digest in the commit's trailer is not that of the document")
		}
		b.approval(s, "contract")
		return nil
	}
	numbers := b.numbers(l, i)
	crossed, err := b.boundary(ctx, l, i)
	if err != nil {
		return err
	}
	b.permission(s, crossed)
	if crossed || s.faulty || s.forged != "" {
		return nil
	}
	return b.record(ctx, l, i, numbers)
}

// document reports the faults of a document that the version before did not have.
func (b *bench) document(s *step) bool {
	found := false
	for _, f := range s.now.faults {
		had := func(o fault) bool { return o.id == f.id && (o.pointer == f.pointer || o.message == f.message) }
		if s.old != nil && slices.ContainsFunc(s.old.faults, had) || s.inherits(had) {
			continue
		}
		found = true
		b.about(s, f.id, Error, f.pointer, f.message)
	}
	return found
}

// inherits reports whether another parent of a merge had a fault. It is then reported where it came in, if
// that is on the first-parent line; a merge brings it there.
func (s *step) inherits(had func(fault) bool) bool {
	return len(s.others) > 0 && s.old != nil && slices.ContainsFunc(s.old.faults, had)
}

// boundary reports a commit of state that changes the contract.
func (b *bench) boundary(ctx context.Context, l *line, i int) (bool, error) {
	s := l.steps[i]
	if s.claim == nil || !s.claim.stateOnly() || !s.contractChanged() || s.faulty && !s.borne {
		return false, nil
	}
	if !s.borne && s.forged != "" {
		return true, nil
	}
	if s.mismatch && b.covered(l, i, true) {
		return false, nil // a stamp has it on record by now; the trailers are stale
	}
	at, err := b.contractPointer(ctx, s)
	if err != nil {
		return false, err
	}
	severity := Error
	if b.covered(l, i, true) {
		severity = Note
	}
	b.about(s, StateTouches, severity, at, "the commit says that it changes state only, and changes the contract")
	return true, nil
}

// contractChanged reports whether a contract is none that a parent had.
func (s *step) contractChanged() bool {
	if s.old == nil || s.now.contract == s.old.contract {
		return false
	}
	return !slices.ContainsFunc(s.others, func(o *view) bool { return o != nil && o.contract == s.now.contract })
}

// record asks whether what changed is on record, here or by a later stamp.
func (b *bench) record(ctx context.Context, l *line, i int, numbers bool) error {
	s := l.steps[i]
	contract, state, err := b.unrecorded(ctx, s)
	if err != nil {
		return err
	}
	if s.mismatch {
		if (contract || state) && b.covered(l, i, contract) {
			b.about(s, StaleTrailer, Note, "", "the trailers are those of another commit; a later stamp has the change on record")
		} else {
			b.about(s, DigestMismatch, Error, "", fmt.Sprintf("the trailer names %s, and the document has %s", short(s.claim.digest), s.now.digest.Short()))
		}
		return nil
	}
	if contract && !b.covered(l, i, true) {
		at, err := b.contractPointer(ctx, s)
		if err != nil {
			return err
		}
		if b.undone(l, i) {
			b.about(s, UnstampedContr, Note, at, "the contract was changed without a record, and changed back")
		} else {
			b.about(s, UnstampedContr, Error, at, "the contract changes here, and no accept or stamp has it on record")
		}
	}
	if !state || b.covered(l, i, false) || numbers && s.now.state == s.old.state {
		return nil
	}
	at := s.statePointer()
	if later := b.taken(l, i); later != nil {
		b.about(s, UnstampedState, Note, at, fmt.Sprintf("state changes here without a record; revision %d took it over", later.now.revision))
		return nil
	}
	b.about(s, UnstampedState, Error, at, "state changes here, and no commit of oap's has it on record")
	return nil
}

// unrecorded says what of a step's change no claim of its own stands for.
func (b *bench) unrecorded(ctx context.Context, s *step) (contract, state bool, err error) {
	contract = s.now.contract != s.old.contract && !(s.borne && s.claim.contract())
	state = s.now.recordable(&view{contract: s.now.contract, state: s.old.state, revision: s.old.revision, history: s.old.history}) && !s.borne
	if len(s.others) == 0 || !contract && !state {
		return contract, state, nil
	}
	return b.merged(ctx, s, contract, state)
}

// covered reports whether a later stamp has the change of a step on record: for a contract one of the contract,
// for state one of state.
func (b *bench) covered(l *line, i int, contract bool) bool {
	return slices.ContainsFunc(l.steps[i+1:], func(s *step) bool {
		return s.borne && s.claim.stamp() && (contract && s.claim.contract() || !contract && (s.claim.state() || s.claim.contract()))
	})
}

// undone reports whether a contract came back to what it was before a step.
func (b *bench) undone(l *line, i int) bool {
	return slices.ContainsFunc(l.steps[i+1:], func(s *step) bool {
		return !s.now.broken && s.now.contract == l.steps[i].old.contract
	})
}

// taken gives the later revision whose digest covers the state of a step.
func (b *bench) taken(l *line, i int) *step {
	for _, s := range l.steps[i+1:] {
		if s.borne {
			return s
		}
	}
	return nil
}

// statePointer names the first entry of state that differs.
func (s *step) statePointer() string {
	if s.now.state == s.old.state {
		return "/metadata/revision"
	}
	was := map[string]sum{}
	for _, e := range s.old.entries {
		was[e.place] = e.sum
	}
	for _, e := range s.now.entries {
		if was[e.place] != e.sum {
			return "/state/" + e.place
		}
		delete(was, e.place)
	}
	for _, e := range s.old.entries {
		if _, left := was[e.place]; left {
			return "/state/" + e.place
		}
	}
	return "/state"
}

func short(digest string) string {
	if len(digest) > 19 {
		return digest[:19]
	}
	return term.Escape(digest)
}
