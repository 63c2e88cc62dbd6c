package resolve

import (
	"context"
	"fmt"
	"strings"
)

// Collision reports that one name stands in two roots (OAP L1-D3).
type Collision struct {
	Name     string `json:"name"`
	Used     string `json:"used"`     // path of the profile that the name means
	Shadowed string `json:"shadowed"` // path of the one that it hides
	Reason   string `json:"reason"`
}

// NotFoundError says that no root holds a profile of the name.
type NotFoundError struct {
	Name  string
	Roots []Root
	URI   string // where a reference says the profile may be had; it is never fetched
}

func (e *NotFoundError) Error() string {
	var paths []string
	for _, r := range e.Roots {
		paths = append(paths, r.Path)
	}
	msg := fmt.Sprintf("no profile named %q in %s", e.Name, strings.Join(paths, ", "))
	if e.URI != "" {
		msg += fmt.Sprintf("; the reference names %q, and nothing is fetched while resolving", e.URI)
	}
	return msg
}

// DuplicateError says that one root holds a name twice, so that nothing decides between the two
// (OAP L1-D2).
type DuplicateError struct {
	Name  string
	Root  Root
	Paths []string
}

func (e *DuplicateError) Error() string {
	return fmt.Sprintf("the name %q stands %d times in %s: %s", e.Name, len(e.Paths), e.Root.Path, strings.Join(e.Paths, ", "))
}

// Find gives the profile that a name means. Of several roots that hold it the later one wins, except that
// a managed profile is never shadowed: else anybody who can write into a project could replace what an
// administrator set up. Every other one that has the name is reported.
func Find(ctx context.Context, l Loader, roots []Root, name string) (*Source, []Collision, error) {
	found, err := candidates(ctx, l, roots, name)
	if err != nil {
		return nil, nil, err
	}
	if len(found) == 0 {
		return nil, nil, &NotFoundError{Name: name, Roots: roots}
	}
	used, collisions := prefer(name, found)
	return used, collisions, nil
}

// candidates gives the profiles of a name, at most one of each root, in the order of the roots.
func candidates(ctx context.Context, l Loader, roots []Root, name string) ([]*Source, error) {
	var all []*Source
	for _, root := range roots {
		found, err := l.Load(ctx, root, name)
		if err != nil {
			return nil, err
		}
		if len(found) > 1 {
			e := &DuplicateError{Name: name, Root: root}
			for _, f := range found {
				e.Paths = append(e.Paths, f.Path)
			}
			return nil, e
		}
		all = append(all, found...)
	}
	return all, nil
}

// prefer picks from what is there, which is not empty.
func prefer(name string, found []*Source) (*Source, []Collision) {
	at, reason := len(found)-1, "a later root wins"
	for i, f := range found {
		if f.Root.Trust == Managed {
			at, reason = i, "a managed profile is never shadowed"
			break
		}
	}
	var collisions []Collision
	for i, f := range found {
		if i != at && f.identity() != found[at].identity() {
			collisions = append(collisions, Collision{Name: name, Used: found[at].Path, Shadowed: f.Path, Reason: reason})
		}
	}
	return found[at], collisions
}
