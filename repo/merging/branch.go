package merging

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/open-agent-profile/oap/delta"
	"github.com/open-agent-profile/oap/profile"
	"github.com/open-agent-profile/oap/repo"
)

// Kind says what merging a commit comes to.
type Kind uint8

// The kinds of a [Branch].
const (
	UpToDate    Kind = iota // ours has all of theirs
	FastForward             // theirs has all of ours: the branch only moves
	Merged                  // a commit with two parents
)

// Branch is the merge of one commit into another, worked out.
type Branch struct {
	Kind         Kind
	Ours, Theirs repo.ID
	Bases        []repo.ID
	Files        []File   // profiles that both sides changed
	Taken        []string // paths taken from theirs as they are
	Changes      []repo.Change
}

// File is a profile that both sides changed.
type File struct {
	Path   string
	Result *Result
}

// FileConflict is a place in a profile that a person has to settle.
type FileConflict struct {
	Profile, Path string
	delta.Conflict
}

// ConflictError says that the branches do not merge by themselves.
type ConflictError struct{ Conflicts []FileConflict }

func (e *ConflictError) Error() string {
	c := e.Conflicts[0]
	s := fmt.Sprintf("%s: %s: %s", c.Path, c.Pointer, c.Reason)
	if n := len(e.Conflicts) - 1; n > 0 {
		s += fmt.Sprintf(" (and %d more)", n)
	}
	return s
}

// Branches works out the merge of a commit into the tip that ours is a snapshot of. Profiles merge by meaning;
// other files, of which a side may have changed each, are never merged. Errors: [*ConflictError]; Refused with the
// reason "other-files", "unrelated", "not-a-file" or "duplicate-name".
func Branches(ctx context.Context, r *repo.Repo, ours *repo.Snapshot, theirs repo.ID, o Options) (*Branch, error) {
	b := &Branch{Ours: ours.ID(), Theirs: theirs}
	if b.Ours == "" || b.Ours == theirs {
		if b.Ours == "" {
			b.Kind = FastForward
		}
		return b, nil
	}
	var err error
	if b.Bases, err = Bases(ctx, r, b.Ours, theirs); err != nil {
		return nil, err
	}
	switch {
	case len(b.Bases) == 0:
		return nil, refuse("unrelated", "", "%s and %s have no common history", b.Ours.Short(), theirs.Short())
	case b.Bases[0] == theirs:
		return b, nil
	case b.Bases[0] == b.Ours:
		b.Kind = FastForward
		return b, nil
	}
	b.Kind = Merged
	m := &joiner{r: r, b: b, o: o, ours: ours, base: ancestor{r, b.Bases, 0}}
	return b, m.run(ctx)
}

// Plan makes the commit, or the move where there is nothing to commit. The first parent is ours.
func (b *Branch) Plan(m repo.Message) *repo.Plan {
	switch b.Kind {
	case UpToDate:
		return nil
	case FastForward:
		// A commit without changes is left out, and what stays is the step to its parent.
		return &repo.Plan{Commits: []repo.PlannedCommit{{FirstParent: b.Theirs}}}
	}
	return &repo.Plan{Commits: []repo.PlannedCommit{{
		FirstParent: b.Ours, ExtraParents: []repo.ID{b.Theirs}, Changes: b.Changes, Message: m,
	}}}
}

func refuse(reason, path, format string, args ...any) error {
	return &repo.Error{Kind: repo.Refused, Reason: reason, Path: path, Msg: fmt.Sprintf(format, args...)}
}

// joiner merges two trees.
type joiner struct {
	r           *repo.Repo
	b           *Branch
	o           Options
	ours        *repo.Snapshot
	theirs      *repo.Snapshot
	base        ancestor
	mine, yours map[string]repo.Diff // what each side changed
	conflicts   []FileConflict
	other       []string // files of other kinds that both sides changed
	done        map[string]bool
}

func (j *joiner) run(ctx context.Context) (err error) {
	if j.theirs, err = j.r.Snapshot(ctx, j.b.Theirs); err != nil {
		return err
	}
	if j.mine, err = changes(ctx, j.r, j.b.Bases[0], j.b.Ours); err != nil {
		return err
	}
	if j.yours, err = changes(ctx, j.r, j.b.Bases[0], j.b.Theirs); err != nil {
		return err
	}
	j.done = map[string]bool{}
	if err := j.renamed(ctx); err != nil {
		return err
	}
	for _, p := range slices.Sorted(maps.Keys(j.yours)) {
		if j.done[p] {
			continue
		}
		if err := j.path(ctx, p); err != nil {
			return err
		}
	}
	// Removals first, so that a folder that both loses and gains a file is made anew rather than removed.
	slices.SortStableFunc(j.b.Changes, func(a, b repo.Change) int {
		switch {
		case a.Delete == b.Delete:
			return 0
		case a.Delete:
			return -1
		}
		return 1
	})
	switch {
	case len(j.other) > 0:
		return refuse("other-files", j.other[0], "changed on both sides and is no profile, so git has to merge it (%s)", counted(len(j.other), "such file"))
	case len(j.conflicts) > 0:
		return &ConflictError{j.conflicts}
	}
	return nil
}

func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// path merges what stands at one path, which theirs changed.
func (j *joiner) path(ctx context.Context, p string) error {
	y := j.yours[p]
	m, both := j.mine[p]
	switch {
	case !both:
		return j.take(ctx, p, y)
	case m.New == y.New && m.NewMode == y.NewMode:
		return nil
	case !profile.IsProfilePath(p) || !isFile(m.NewMode) || !isFile(y.NewMode):
		if profile.IsProfilePath(p) && (m.New == "" || y.New == "") {
			return j.removed(ctx, p, m)
		}
		j.other = append(j.other, p)
		return nil
	}
	base, err := j.base.read(ctx, p)
	if err != nil {
		return err
	}
	mode := uint32(0)
	if m.NewMode == m.OldMode && y.NewMode != y.OldMode {
		mode = y.NewMode
	}
	return j.merge(ctx, merging{base: base, ours: p, theirs: p, into: p, mode: mode})
}

func isFile(mode uint32) bool { return mode&0o170000 == repo.ModeFile&0o170000 }

// take brings an entry of theirs over as it is.
func (j *joiner) take(ctx context.Context, p string, y repo.Diff) error {
	for _, mode := range []uint32{y.OldMode, y.NewMode} {
		if mode != 0 && !isFile(mode) {
			return refuse("not-a-file", p, "is a symbolic link or gitlink that the branch changed, so git has to merge it")
		}
	}
	j.b.Taken = append(j.b.Taken, p)
	if y.New == "" {
		j.b.Changes = append(j.b.Changes, repo.Change{Path: p, Delete: true})
		return nil
	}
	data, err := j.theirs.Blob(ctx, y.New)
	if err != nil {
		return err
	}
	mode := repo.ModeFile
	if y.NewMode&0o100 != 0 {
		mode = repo.ModeExecutable
	}
	j.b.Changes = append(j.b.Changes, repo.Change{Path: p, Data: data, Mode: mode})
	return nil
}

// removed is a profile that one side removed and the other changed.
func (j *joiner) removed(ctx context.Context, p string, m repo.Diff) error {
	base, err := j.base.read(ctx, p)
	if err != nil {
		return err
	}
	side := j.b.Theirs
	c := delta.Conflict{Base: valueAny(base), Reason: "ours removed the profile, theirs changed it"}
	if m.New != "" {
		side, c.Reason = j.b.Ours, "theirs removed the profile, ours changed it"
	}
	doc, err := documentAt(ctx, j.r, side, p)
	if err != nil {
		return err
	}
	if m.New == "" {
		c.Theirs = valueAny(doc)
	} else {
		c.Ours = valueAny(doc)
	}
	j.conflicts = append(j.conflicts, FileConflict{nameOf(doc), p, c})
	return nil
}

// valueAny is the document's value, or a true nil.
func valueAny(d *profile.Document) any {
	if d == nil {
		return nil
	}
	return d.Value
}

func nameOf(d *profile.Document) string {
	if d == nil {
		return ""
	}
	return d.Name()
}

// merging is one profile under way: where each side has it, and where the result goes.
type merging struct {
	base               *profile.Document
	ours, theirs, into string
	mode               uint32
}

func (j *joiner) merge(ctx context.Context, g merging) error {
	v := Versions{Path: g.into}
	for _, side := range []struct {
		s    *repo.Snapshot
		path string
		into *[]byte
	}{{j.ours, g.ours, &v.Ours}, {j.theirs, g.theirs, &v.Theirs}} {
		f, err := side.s.File(ctx, side.path)
		if err != nil {
			return err
		}
		*side.into = f.Data
	}
	if g.base != nil {
		v.Base = g.base.Bytes()
	}
	if g.into == g.theirs && g.into != g.ours {
		// Theirs moved the file, perhaps into another encoding: its text is the one to edit.
		v.Ours, v.Theirs = v.Theirs, v.Ours
	}
	r, err := Merge(v, j.o)
	if err != nil {
		var side *SideError
		if errors.As(err, &side) {
			j.other = append(j.other, g.into)
			return nil
		}
		return fmt.Errorf("%s: %w", g.into, err)
	}
	for _, c := range r.Conflicts {
		if v.Path == g.theirs && g.into != g.ours {
			c.Ours, c.Theirs = c.Theirs, c.Ours
		}
		name := strings.TrimSuffix(g.into, "/")
		if doc, err := Read(g.into, v.Ours); err == nil {
			name = doc.Name()
		}
		j.conflicts = append(j.conflicts, FileConflict{name, g.into, c})
	}
	if len(r.Conflicts) > 0 {
		return nil
	}
	j.b.Files = append(j.b.Files, File{g.into, r})
	j.b.Changes = append(j.b.Changes, repo.Change{Path: g.into, Data: r.Text, Mode: g.mode})
	if g.into != g.ours {
		j.b.Changes = append(j.b.Changes, repo.Change{Path: g.ours, Delete: true})
	}
	return nil
}
