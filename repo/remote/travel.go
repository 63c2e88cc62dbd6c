package remote

import (
	"context"
	"path"
	"slices"
	"strings"

	"github.com/open-agent-profile/oap/repo"
	"github.com/open-agent-profile/oap/repo/merging"
)

// decided is where decisions are kept (design section 3); the last part of a name is the id of the branch.
const decided = "refs/oap/decided/"

// decidedThere remembers the remote's decisions. They have no place below refs/remotes, which is for branches.
func (s *session) decidedThere() string { return "refs/oap/remotes/" + s.remote + "/decided/" }

// traveller is a ref here and at the remote; "" is absence.
type traveller struct {
	name        string
	here, there repo.ID
}

// travelling works out what has to happen to the refs of proposals, pending states and decisions, does the local part
// and gives the remote's. Decisions come first: what is decided is open no longer.
func (s *session) travelling(ctx context.Context) ([]spec, error) {
	s.out.Refs = nil
	t := &trip{session: s, decisions: map[string]repo.ID{}}
	refs, err := s.allRefs(ctx)
	if err != nil {
		return nil, err
	}
	for _, x := range s.travellers(refs, decided, s.decidedThere()) {
		if err := t.decision(ctx, x); err != nil {
			return nil, err
		}
	}
	for _, x := range s.travellers(refs, s.q.Prefix, s.tracking(s.q.Prefix)) {
		if err := t.branch(ctx, x); err != nil {
			return nil, err
		}
	}
	return t.specs, t.apply(ctx)
}

// travellers pairs refs below two prefixes, in order of their names.
func (s *session) travellers(refs []repo.Ref, here, there string) []traveller {
	byName := map[string]*traveller{}
	var names []string
	for i, prefix := range []string{here, there} {
		for _, ref := range refs {
			rest, below := strings.CutPrefix(ref.Name, prefix)
			name := here + rest
			if !below || here != decided && (!s.open(name) || s.q.Travels != nil && !s.q.Travels(name)) {
				continue
			}
			x := byName[name]
			if x == nil {
				x = &traveller{name: name}
				byName[name] = x
				names = append(names, name)
			}
			*[]*repo.ID{&x.here, &x.there}[i] = ref.ID
		}
	}
	slices.Sort(names)
	out := make([]traveller, len(names))
	for i, n := range names {
		out[i] = *byName[n]
	}
	return out
}

// allRefs lists what may travel, here and there, in one run of git.
func (s *session) allRefs(ctx context.Context) ([]repo.Ref, error) {
	args := []string{"for-each-ref", "--format=%(objectname) %(refname)"}
	for _, prefix := range []string{decided, s.decidedThere(), s.q.Prefix, s.tracking(s.q.Prefix)} {
		args = append(args, prefix+"**")
	}
	out, err := s.r.Git(ctx, args...)
	if err != nil {
		return nil, err
	}
	var refs []repo.Ref
	for line := range strings.Lines(string(out)) {
		if id, name, ok := strings.Cut(strings.TrimSuffix(line, "\n"), " "); ok {
			refs = append(refs, repo.Ref{Name: name, ID: repo.ID(id)})
		}
	}
	return refs, nil
}

// open reports whether a ref is the branch of a proposal or a pending state.
func (s *session) open(name string) bool {
	parts := strings.Split(strings.TrimPrefix(name, s.q.Prefix), "/")
	return len(parts) == 3 && (parts[0] == "proposals" || parts[0] == "pending")
}

// trip gathers what has to be done.
type trip struct {
	*session
	decisions map[string]repo.ID // by id
	local     []repo.RefUpdate
	specs     []spec
}

func (t *trip) note(x traveller, action, note string) {
	t.out.Refs = append(t.out.Refs, RefResult{Name: x.name, Action: action, Old: x.here, New: x.there, Note: note})
}

func (t *trip) fetchRef(x traveller) {
	t.local = append(t.local, repo.RefUpdate{Name: x.name, Old: x.here, New: x.there})
	t.note(x, "fetched", "")
}

func (t *trip) pushRef(x traveller) {
	t.specs = append(t.specs, spec{from: x.here, to: x.name})
	t.note(x, "pushed", "")
}

// decision brings both sides to the later decision. Two that do not know of each other are for a person.
func (t *trip) decision(ctx context.Context, x traveller) error {
	newest := x.here
	switch order, err := t.order(ctx, x); {
	case err != nil:
		return err
	case order == behind:
		t.fetchRef(x)
		newest = x.there
	case order == ahead:
		t.pushRef(x)
	case order == apart:
		t.note(x, "kept", "decided differently here and at the remote")
	}
	t.decisions[path.Base(x.name)] = newest
	return nil
}

// branch brings an open branch to both sides, or away from both where it is decided.
func (t *trip) branch(ctx context.Context, x traveller) error {
	closed, err := t.closed(ctx, x)
	if err != nil {
		return err
	}
	if closed {
		if x.here != "" {
			t.local = append(t.local, repo.RefUpdate{Name: x.name, Old: x.here})
		}
		if x.there != "" {
			t.specs = append(t.specs, spec{to: x.name, old: x.there})
		}
		t.note(x, "removed", "it is decided")
		return nil
	}
	order, err := t.order(ctx, x)
	if err != nil {
		return err
	}
	if order == ahead && !t.q.PushAll {
		ours, err := t.onlyOurs(ctx, x)
		if err != nil {
			return err
		}
		if !ours {
			t.note(x, "kept", "it holds commits that oap did not make")
			return nil
		}
	}
	switch order {
	case behind:
		t.fetchRef(x)
	case ahead:
		t.pushRef(x)
	case apart:
		return t.join(ctx, x)
	}
	return nil
}

// closed reports whether a decision holds all that the branch has, here and there.
func (t *trip) closed(ctx context.Context, x traveller) (bool, error) {
	decision := t.decisions[path.Base(x.name)]
	if decision == "" {
		return false, nil
	}
	for _, tip := range []repo.ID{x.here, x.there} {
		in, err := merging.Ancestor(ctx, t.r, tip, decision)
		if err != nil || !in {
			return false, err
		}
	}
	return true, nil
}

// onlyOurs looks at what a push of the branch would publish.
func (t *trip) onlyOurs(ctx context.Context, x traveller) (bool, error) {
	o := repo.LogOptions{From: []string{string(x.here)}, Changes: true}
	for _, id := range []repo.ID{x.there, t.tip, t.out.After} {
		if id != "" {
			o.Not = append(o.Not, string(id))
		}
	}
	for c, err := range t.r.Log(ctx, o) {
		if err != nil {
			return false, err
		}
		if !merging.Ours(c) {
			return false, nil
		}
	}
	return true, nil
}

// join merges two branches of one wish: opened on two machines, they have one name and two histories. The remote's
// goes first, so that both sides can move forward.
func (t *trip) join(ctx context.Context, x traveller) error {
	var ours *repo.Snapshot
	ours, err := t.r.Snapshot(ctx, x.there)
	if err != nil {
		return err
	}
	b, err := merging.Branches(ctx, t.r, ours, x.here, merging.Options{Widening: t.q.Widening, Unstamped: true})
	if err != nil {
		if ctx.Err() != nil {
			return err
		}
		t.note(x, "kept", "here and at the remote it says different things")
		return nil
	}
	q := repo.UpdateRequest{Ref: x.name, Log: "oap: meet " + t.remote, Signoff: t.q.Signoff, Now: t.q.CommitTime}
	done, err := t.r.Update(ctx, q, func(_ context.Context, at *repo.Snapshot) (*repo.Plan, error) {
		if at.ID() != x.here {
			return nil, nil // it moved; the next meeting will see
		}
		return b.Plan(b.Message(short(x.name))), nil
	})
	if err != nil {
		return err
	}
	if done.After != done.Before {
		x.here = done.After
		t.specs = append(t.specs, spec{from: x.here, to: x.name})
		t.note(x, "joined", "")
	}
	return nil
}

// apply moves the local refs. One that is checked out somewhere stays, and the rest does not wait for it.
func (t *trip) apply(ctx context.Context) error {
	if len(t.local) == 0 {
		return nil
	}
	err := t.move(ctx, t.local)
	if repo.ReasonOf(err) != "checked-out" {
		return err
	}
	for _, u := range t.local {
		err := t.move(ctx, []repo.RefUpdate{u})
		if repo.ReasonOf(err) == "checked-out" {
			t.out.Notes = append(t.out.Notes, err.Error())
		} else if err != nil {
			return err
		}
	}
	return nil
}

func (t *trip) move(ctx context.Context, refs []repo.RefUpdate) error {
	q := repo.UpdateRequest{Ref: t.q.Branch, Log: "oap: meet " + t.remote}
	_, err := t.r.Update(ctx, q, func(context.Context, *repo.Snapshot) (*repo.Plan, error) {
		return &repo.Plan{Refs: refs}, nil
	})
	return err
}

// order says how the two sides of a ref stand to each other.
type order uint8

const (
	same order = iota
	behind
	ahead
	apart
)

func (t *trip) order(ctx context.Context, x traveller) (order, error) {
	switch {
	case x.here == x.there:
		return same, nil
	case x.here == "":
		return behind, nil
	case x.there == "":
		return ahead, nil
	}
	if in, err := merging.Ancestor(ctx, t.r, x.here, x.there); err != nil || in {
		return behind, err
	}
	if in, err := merging.Ancestor(ctx, t.r, x.there, x.here); err != nil || in {
		return ahead, err
	}
	return apart, nil
}
