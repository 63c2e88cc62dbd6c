package audit

import (
	"context"
	"slices"

	"github.com/open-agent-profile/oap/canonical"
	"github.com/open-agent-profile/oap/repo"
)

// line is the life of one profile on the first-parent line, through renames.
type line struct {
	name  string // the latest
	path  string
	last  *view // the latest that could be read
	steps []*step
}

// step is a commit in the life of a profile.
type step struct {
	line   *line
	commit *commit
	path   string
	old    *view   // what the first parent had, or what could last be read before; nil at the baseline
	now    *view   // not nil
	others []*view // what further parents had; nil where they had none

	claim    *claim
	borne    bool // the claim puts a revision on record, and the document is that revision
	mismatch bool // the claim speaks of another document
	forged   string
	faulty   bool // the document itself has a fault that is new
}

// follow takes a commit of the first-parent line into the lines of its profiles.
func (b *bench) follow(ctx context.Context, c *commit) error {
	gone := map[*line]bool{}
	for _, d := range c.files {
		if d.New != "" {
			continue
		}
		if l := b.at(d); l != nil {
			gone[l] = true
			delete(b.lines, d.Path)
		}
	}
	for _, d := range c.files {
		if d.New == "" {
			continue
		}
		s := &step{commit: c, path: d.Path, now: b.walk.views.view(d.Path, d.New)}
		l := b.at(d)
		if l == nil {
			l = b.comesBack(s.now, gone)
		}
		if l == nil {
			l = &line{}
			b.all = append(b.all, l)
		}
		if old := b.walk.views.view(d.Path, d.Old); old != nil && !old.broken {
			s.old = old
		} else if !c.cut {
			s.old = l.last
		}
		if err := b.furtherParents(ctx, s); err != nil {
			return err
		}
		b.append(l, s)
	}
	for l := range gone {
		b.lost = append(b.lost, l)
	}
	b.bases(c)
	return nil
}

// at gives the line at the path of a change. A profile that was there before the range begins a line there.
func (b *bench) at(d repo.Diff) *line {
	if l := b.lines[d.Path]; l != nil || d.Old == "" {
		return l
	}
	l := &line{path: d.Path}
	if v := b.walk.views.view(d.Path, d.Old); !v.broken {
		l.last, l.name = v, v.name
		b.recordedContract[v.contract], b.recordedState[v.state] = true, true
	}
	b.lines[d.Path] = l
	b.all = append(b.all, l)
	return l
}

// comesBack finds the line of which a new file is the continuation: one whose file the same commit removed, or
// one that an earlier commit did.
func (b *bench) comesBack(now *view, gone map[*line]bool) *line {
	if now.broken {
		return nil
	}
	for l := range gone {
		if l.last != nil && l.last.same(now) {
			delete(gone, l)
			return l
		}
	}
	for i, l := range b.lost {
		if l.last != nil && l.last.same(now) {
			b.lost = slices.Delete(b.lost, i, i+1)
			return l
		}
	}
	return nil
}

func (b *bench) append(l *line, s *step) {
	s.line, l.path = l, s.path
	b.lines[s.path] = l
	l.steps = append(l.steps, s)
	if s.now.broken {
		if l.name == "" {
			l.name = nameOf(s.path)
		}
		return
	}
	l.last, l.name = s.now, s.now.name
	b.extending = b.extending || len(s.now.bases) > 0
	b.bear(s)
	if s.old == nil || s.borne && s.claim.contract() {
		b.recordedContract[s.now.contract] = true
	}
	if s.old == nil || s.borne {
		b.recordedState[s.now.state] = true
	}
}

// furtherParents reads what the other parents of a merge have at the path.
func (b *bench) furtherParents(ctx context.Context, s *step) error {
	for _, p := range s.commit.Parents[min(1, len(s.commit.Parents)):] {
		v, err := b.viewAt(ctx, p, s.path)
		if err != nil {
			return err
		}
		if v != nil && v.broken {
			v = nil
		}
		if v != nil && b.outside(ctx, p) {
			// What came from there was judged where it belongs.
			b.recordedContract[v.contract], b.recordedState[v.state] = true, true
		}
		s.others = append(s.others, v)
	}
	return nil
}

// outside reports whether a commit lies before the range.
func (b *bench) outside(ctx context.Context, id repo.ID) bool {
	if b.options.Start == "" {
		return false
	}
	_, err := b.repo.Git(ctx, "merge-base", "--is-ancestor", string(id), string(b.options.Start))
	return err == nil
}

// viewAt reads the document at a path of any commit; nil where there is none.
func (b *bench) viewAt(ctx context.Context, id repo.ID, path string) (*view, error) {
	s, err := b.repo.Snapshot(ctx, id)
	if repo.KindOf(err) == repo.NotFound {
		return nil, nil // beyond the boundary of a shallow clone
	}
	if err != nil {
		return nil, err
	}
	e, err := s.Entry(ctx, path)
	if k := repo.KindOf(err); k == repo.NotFound || k == repo.Refused {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return b.walk.views.now(ctx, path, regular(repo.Diff{New: e.ID, NewMode: e.Mode}).New)
}

// bear holds the claim of a step against its document.
func (b *bench) bear(s *step) {
	s.claim = about(s.commit.claims, s.path, s.now.name)
	if s.claim == nil || !s.claim.records() {
		return
	}
	if want, err := canonical.ParseDigest(s.claim.digest); s.claim.digest != "" && (err != nil || want != s.now.digest) {
		s.mismatch = true
		return
	}
	s.forged = s.disproved()
	s.borne = s.forged == "" && s.claim.digest != "" && s.claim.revision != ""
}

// bases notes profiles whose composed contract moved because the commit changed a base. The resolved digest
// covers the spec digests of all bases (package resolve), so it moves exactly then.
func (b *bench) bases(c *commit) {
	if !b.extending {
		return
	}
	moved := map[string]bool{}
	for _, d := range c.files {
		if l := b.lines[d.Path]; l != nil && len(l.steps) > 0 {
			s := l.steps[len(l.steps)-1]
			if s.commit == c && s.old != nil && !s.now.broken && s.old.spec != s.now.spec {
				moved[s.now.name] = true
			}
		}
	}
	if len(moved) == 0 {
		return
	}
	for _, l := range b.all {
		if l.last == nil || b.lines[l.path] != l {
			continue
		}
		if base := b.reaches(l.last, moved, 0); base != "" {
			b.add(c, Finding{ID: BaseChanged, Severity: Note, Profile: l.name, Path: l.path, Revision: l.last.revision, Pointer: "/extends",
				Message: "the composed contract moved, because the base " + quote(base) + " changed"})
		}
	}
}

// deepest is how far bases of bases are followed (OAP SPEC, extends).
const deepest = 8

// reaches gives the moved base that a profile builds on, "" for none.
func (b *bench) reaches(v *view, moved map[string]bool, depth int) string {
	if depth == deepest {
		return ""
	}
	for _, name := range v.bases {
		if moved[name] {
			return name
		}
		for _, l := range b.lines {
			if l.last != nil && l.last != v && l.last.name == name {
				if found := b.reaches(l.last, moved, depth+1); found != "" {
					return found
				}
			}
		}
	}
	return ""
}
