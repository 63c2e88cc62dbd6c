package audit

import (
	"context"
	"fmt"
	"slices"

	"github.com/open-agent-profile/oap/repo"
)

// sideCommit takes down what a commit of a merged branch puts on record, before the first-parent line is
// judged that may rest on it.
func (b *bench) sideCommit(ctx context.Context, c *commit) error {
	for _, d := range c.files {
		now := b.walk.views.view(d.Path, d.New)
		if now == nil || now.broken {
			continue
		}
		s := &step{commit: c, path: d.Path, now: now, line: &line{name: now.name, path: d.Path}}
		if old := b.walk.views.view(d.Path, d.Old); old != nil && !old.broken {
			s.old = old
		}
		if err := b.furtherParents(ctx, s); err != nil {
			return err
		}
		b.bear(s)
		if s.borne && s.claim.contract() && (s.claim.approvedBy != "" || len(c.Parents) > 1) {
			b.recordedContract[now.contract] = true
		}
		if s.borne {
			b.recordedState[now.state] = true
		}
		b.sides = append(b.sides, s)
	}
	return nil
}

// sideClaims judges commits of merged branches for what they claim and for the border between contract and state.
// What they hold otherwise is judged in the merge that brings it.
func (b *bench) sideClaims(ctx context.Context) error {
	for _, s := range b.sides {
		if s.claim == nil {
			continue
		}
		if s.forged != "" {
			b.about(s, ForgedTrailer, Error, "", "the commit's trailers "+s.forged)
			continue
		}
		if s.old == nil {
			continue
		}
		stamped := b.stampedLater(s)
		if s.claim.stateOnly() && s.contractChanged() && !(s.mismatch && stamped) {
			at, err := b.contractPointer(ctx, s)
			if err != nil {
				return err
			}
			severity := Error
			if stamped {
				severity = Note
			}
			b.about(s, StateTouches, severity, at, "the commit says that it changes state only, and changes the contract")
			continue
		}
		switch {
		case s.mismatch && stamped:
			b.about(s, StaleTrailer, Note, "", "the trailers are those of another commit; a later stamp has the change on record")
		case s.mismatch:
			b.about(s, DigestMismatch, Error, "", fmt.Sprintf("the trailer names %s, and the document has %s", short(s.claim.digest), s.now.digest.Short()))
		default:
			b.permission(s, false)
		}
	}
	return nil
}

// stampedLater reports whether the first-parent line has a stamp of the profile that is not older.
func (b *bench) stampedLater(s *step) bool {
	return slices.ContainsFunc(b.all, func(l *line) bool {
		return l.name == s.line.name && slices.ContainsFunc(l.steps, func(t *step) bool {
			return t.borne && t.claim.stamp() && !t.commit.Committer.When.Before(s.commit.Committer.When)
		})
	})
}

// only holds a commit against the wish that nothing but state changes.
func (b *bench) only(ctx context.Context, c *commit) error {
	if !b.options.OnlyState {
		return nil
	}
	report := func(path, pointer, message string) {
		f := Finding{ID: OutsideState, Severity: Error, Path: path, Pointer: pointer, Message: message}
		b.add(c, f)
	}
	for _, path := range c.others {
		brought, err := b.takenOver(ctx, c, path)
		if err != nil {
			return err
		}
		if !brought {
			report(path, "", "the commit changes a file that is no profile")
		}
	}
	for _, d := range c.files {
		brought, err := b.takenOver(ctx, c, d.Path)
		if err != nil {
			return err
		}
		old, now := b.walk.views.view(d.Path, d.Old), b.walk.views.view(d.Path, d.New)
		switch {
		case brought:
		case now == nil:
			report(d.Path, "", "the commit removes a profile")
		case old == nil:
			report(d.Path, "", "the commit adds a profile")
		case now.broken || old.broken || now.contract == old.contract:
		case about(c.claims, d.Path, now.name) != nil && about(c.claims, d.Path, now.name).stateOnly():
			// Has a name of its own.
		default:
			s := &step{commit: c, path: d.Path}
			at, err := b.contractPointer(ctx, s)
			if err != nil {
				return err
			}
			report(d.Path, at, "the commit changes the contract")
		}
	}
	return nil
}

// takenOver reports whether a merge has a path as another parent had it.
func (b *bench) takenOver(ctx context.Context, c *commit, path string) (bool, error) {
	if len(c.Parents) < 2 {
		return false, nil
	}
	entry := func(id repo.ID) (repo.Entry, error) {
		s, err := b.repo.Snapshot(ctx, id)
		if err != nil {
			return repo.Entry{}, err
		}
		e, err := s.Entry(ctx, path)
		if k := repo.KindOf(err); k == repo.NotFound || k == repo.Refused {
			return repo.Entry{}, nil
		}
		return e, err
	}
	now, err := entry(c.ID)
	if err != nil {
		return false, err
	}
	for _, p := range c.Parents[1:] {
		had, err := entry(p)
		if err != nil {
			return false, err
		}
		if had.ID == now.ID && had.Mode == now.Mode {
			return true, nil
		}
	}
	return false, nil
}
