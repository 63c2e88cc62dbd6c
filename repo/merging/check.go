package merging

import (
	"context"
	"fmt"
	"slices"

	"github.com/open-agent-profile/oap/canonical"
	"github.com/open-agent-profile/oap/profile"
	"github.com/open-agent-profile/oap/repo"
	"github.com/open-agent-profile/oap/repo/catalog"
)

// Rules of findings beyond those of [profile.Document.Check].
const (
	RuleMarkers  = "conflict-markers"
	RuleSyntax   = "syntax"
	RuleUnmerged = "unmerged"        // git's index holds several versions
	RuleFell     = "revision-fell"   // lower than in a parent
	RuleKept     = "revision-kept"   // state differs from every parent, the revision does not rise
	RuleShared   = "revision-shared" // two revisions of history have the document's number
	RuleLost     = "entry-lost"      // a merge dropped what only one side had
	RuleTwice    = "duplicate-profile"
)

// Checked is one profile of a tree with what is wrong with it.
type Checked struct {
	Path     string
	Findings []profile.Finding

	text   []byte
	doc    *profile.Document // nil where it cannot be read
	origin *origin
}

// Bad reports whether there is anything to repair.
func (c *Checked) Bad() bool { return profile.HasErrors(c.Findings) }

// origin is the commit that gave a profile its present text.
type origin struct {
	commit  *repo.LogEntry
	parents []*profile.Document // of those parents that have it
	base    *profile.Document   // of a merge: in the common ancestor
}

// Check looks at every profile under the roots of a tree for what text merges get wrong: markers, entries that stand
// twice or got lost, revisions that do not rise, history out of order, and documents that are not valid for any other
// reason. A profile is held against the commit that gave it its present text, however long ago that was.
func Check(ctx context.Context, r *repo.Repo, s *repo.Snapshot, roots []string) ([]*Checked, error) {
	var all []*Checked
	byPath := map[string]*Checked{}
	var entries []*catalog.Entry
	for _, root := range roots {
		files, err := s.List(ctx, root, profile.IsProfilePath)
		if err != nil {
			return nil, err
		}
		for _, f := range files {
			if byPath[f.Path] != nil || !isFile(f.Mode) {
				continue // one root may lie inside another; links are looked at where they lead
			}
			c := &Checked{Path: f.Path}
			if c.text, err = s.Blob(ctx, f.ID); err != nil {
				return nil, err
			}
			c.read()
			byPath[c.Path] = c
			all = append(all, c)
			entries = append(entries, &catalog.Entry{Root: root, Path: c.Path, Document: c.doc})
		}
	}
	for _, d := range catalog.Duplicates(entries) {
		c := byPath[d.Paths[len(d.Paths)-1]]
		c.add(RuleTwice, "/metadata/name", "%s", d.Msg)
	}
	if err := origins(ctx, r, s.ID(), roots, byPath); err != nil {
		return nil, err
	}
	for _, c := range all {
		c.history()
		c.revision()
		c.lost()
	}
	return all, nil
}

func (c *Checked) add(rule, pointer, format string, args ...any) {
	f := profile.Finding{Path: c.Path, Line: 1, Column: 1, Severity: profile.Error, Rule: rule, Pointer: pointer, Message: fmt.Sprintf(format, args...)}
	if c.doc != nil {
		f.Line, f.Column = c.doc.Position(pointer)
	}
	c.Findings = append(c.Findings, f)
}

// read parses the text. With markers in it, what the parser has to say about them is of no use.
func (c *Checked) read() {
	if line := Markers(c.text); line > 0 {
		c.add(RuleMarkers, "", "git left a conflict here that nobody has settled")
		c.Findings[0].Line = line
		return
	}
	doc, err := profile.Parse(c.Path, c.text)
	if err != nil {
		c.add(RuleSyntax, "", "%v", err)
		return
	}
	c.doc = doc
	for _, f := range doc.Check() {
		if f.Severity == profile.Error {
			c.Findings = append(c.Findings, f)
		}
	}
}

// history looks for signs of a text merge that the document itself bears.
func (c *Checked) history() {
	if c.doc == nil {
		return
	}
	now, same := c.doc.Revision(), 0
	entries, _ := c.doc.Value["history"].([]any)
	for _, e := range entries {
		m, _ := e.(map[string]any)
		if n, ok := m["revision"].(float64); ok && int(n) == now {
			same++
		}
	}
	if same > 1 {
		c.add(RuleShared, "/metadata/revision", "%d entries of the history call themselves revision %d, so that this document is none of them", same, now)
	}
}

// revision holds the number against the parents of the commit that made the document.
func (c *Checked) revision() {
	if c.doc == nil || c.origin == nil {
		return
	}
	highest, equal := 0, false
	for _, p := range c.origin.parents {
		highest = max(highest, p.Revision())
		equal = equal || canonical.Equal(p.Value["state"], c.doc.Value["state"])
	}
	switch now := c.doc.Revision(); {
	case now < highest:
		c.add(RuleFell, "/metadata/revision", "revision %d follows revision %d", now, highest)
	case now == highest && !equal && !c.oneMoved():
		c.add(RuleKept, "/metadata/revision", "the state is another one than before, but the revision is still %d", now)
	}
}

// oneMoved reports a merge to which one side brought no revision of its own: it keeps that of the other.
func (c *Checked) oneMoved() bool {
	o := c.origin
	if len(o.parents) < 2 || o.base == nil {
		return false
	}
	return slices.ContainsFunc(o.parents, func(p *profile.Document) bool { return p.Revision() == o.base.Revision() })
}

// lost looks for entries of state that one parent of a merge had added and that are in the merge no longer.
func (c *Checked) lost() {
	if c.doc == nil || c.origin == nil || len(c.origin.parents) < 2 {
		return
	}
	base, now := entryIDs(valueOf(c.origin.base)), entryIDs(c.doc.Value)
	var told []string
	for _, p := range c.origin.parents {
		for id := range entryIDs(p.Value) {
			if !base[id] && !now[id] && !slices.Contains(told, id) {
				told = append(told, id)
			}
		}
	}
	slices.Sort(told)
	for _, id := range told {
		c.add(RuleLost, "/state", "the merge %s dropped %s, which one side had added", c.origin.commit.ID.Short(), id)
	}
}

// entryIDs gives the pointers of all named entries of state.
func entryIDs(v map[string]any) map[string]bool {
	ids := map[string]bool{}
	state, _ := v["state"].(map[string]any)
	for name, list := range state {
		entries, _ := list.([]any)
		at := canonical.Pointer{"state", name}
		key := profile.Identity(at)
		for _, e := range entries {
			m, _ := e.(map[string]any)
			if id, ok := m[key].(string); ok && key != "" {
				ids[at.Append(key+":"+id).String()] = true
			}
		}
	}
	return ids
}

// maxMerges bounds how many merges are looked at from all sides; each costs some runs of git.
const maxMerges = 100

// origins finds, for every profile, the newest commit that decided about its text: one that changed it, or a merge
// that left it as the first parent had it although the other side had changed it.
func origins(ctx context.Context, r *repo.Repo, tip repo.ID, roots []string, byPath map[string]*Checked) error {
	if tip == "" || len(byPath) == 0 {
		return nil
	}
	o := repo.LogOptions{From: []string{string(tip)}, FullHistory: true, Changes: true}
	if !slices.Contains(roots, ".") {
		o.Paths = roots
	}
	left, merges := len(byPath), 0
	for e, err := range r.Log(ctx, o) {
		if err != nil {
			return err
		}
		paths := changedPaths(e)
		if len(e.Parents) == 2 && merges < maxMerges {
			merges++
			dropped, err := droppedPaths(ctx, r, e)
			if err != nil {
				return err
			}
			paths = append(paths, dropped...)
		}
		for _, p := range paths {
			c := byPath[p]
			if c == nil || c.origin != nil {
				continue
			}
			c.origin = &origin{commit: e}
			if err := c.origin.read(ctx, r, p); err != nil {
				return err
			}
			left--
		}
		if left == 0 {
			break
		}
	}
	return nil
}

func changedPaths(e *repo.LogEntry) (paths []string) {
	for _, d := range e.Changes {
		if d.New != "" {
			paths = append(paths, d.Path)
		}
	}
	return paths
}

// droppedPaths gives what the second parent of a merge had changed and the merge does not have as it had it.
func droppedPaths(ctx context.Context, r *repo.Repo, e *repo.LogEntry) ([]string, error) {
	bases, err := Bases(ctx, r, e.Parents[0], e.Parents[1])
	if err != nil || len(bases) == 0 {
		return nil, err
	}
	theirs, err := changes(ctx, r, bases[0], e.Parents[1])
	if err != nil {
		return nil, err
	}
	now, err := changes(ctx, r, e.Parents[1], e.ID)
	if err != nil {
		return nil, err
	}
	var paths []string
	for p := range theirs {
		if _, differs := now[p]; differs && profile.IsProfilePath(p) {
			paths = append(paths, p)
		}
	}
	return paths, nil
}

func (o *origin) read(ctx context.Context, r *repo.Repo, path string) error {
	for _, p := range o.commit.Parents {
		d, err := documentAt(ctx, r, p, path)
		if repo.KindOf(err) == repo.NotFound {
			continue // beyond the boundary of a shallow clone
		}
		if err != nil {
			return err
		}
		if d != nil {
			o.parents = append(o.parents, d)
		}
	}
	if len(o.commit.Parents) != 2 {
		return nil
	}
	bases, err := Bases(ctx, r, o.commit.Parents[0], o.commit.Parents[1])
	if err != nil {
		return err
	}
	o.base, err = ancestor{r, bases, 0}.read(ctx, path)
	return err
}
