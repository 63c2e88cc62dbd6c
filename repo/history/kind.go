package history

import (
	"slices"
	"strconv"
	"strings"

	"github.com/open-agent-profile/oap/canonical"
	"github.com/open-agent-profile/oap/profile"
	"github.com/open-agent-profile/oap/repo"
)

// Kind says how a version came about. Kinds are printed, so they only ever grow in number.
type Kind string

// The kinds of versions.
const (
	Created    Kind = "create"   // the profile begins here
	State      Kind = "state"    // a session's delta
	Accepted   Kind = "accept"   // a proposal that a person accepted
	Stamped    Kind = "stamp"    // a revision for what reached the branch without one
	Pruned     Kind = "prune"    //
	Restored   Kind = "restore"  // an entry brought back
	RolledBack Kind = "rollback" // an older state or contract brought back
	Merged     Kind = "merge"    // two lines of history met, and git or a driver joined them
	Edited     Kind = "edit"     // by hand, or by something that leaves no word of ours
	Deleted    Kind = "delete"
)

// ActionTrailer tells commits apart that are alike in everything else: its value is a [Kind].
const ActionTrailer = "OAP-Action"

// Claim is what a commit's trailers say of it.
type Claim struct {
	// Borne is set where the document in the commit is the one that the trailers speak of: same name,
	// revision and digest. The rest is empty where it is not, since then it belongs to another commit (a
	// rebase or squash carried it here) or is made up.
	Borne      bool
	Session    string
	Harness    string
	ApprovedBy string
	Proposal   string
	Delta      string
	Action     string
	Decision   string
}

// describe fills in what follows from the commit and the documents.
func (v *Version) describe() {
	if v.Document != nil {
		v.Claim = claimOf(v.Commit, v.Document)
	}
	v.Sections = sectionsOf(v.Previous(), v.Document)
	v.Kind = v.kind()
}

func (v *Version) kind() Kind {
	c := v.Claim
	switch {
	case v.Removed:
		return Deleted
	case !c.Borne && !slices.ContainsFunc(v.Before, func(d *profile.Document) bool { return d != nil }):
		return Created
	case !c.Borne && len(v.Before) > 1:
		return Merged
	case !c.Borne:
		return Edited
	case slices.Contains([]Kind{Pruned, Restored, RolledBack}, Kind(c.Action)):
		return Kind(c.Action)
	case c.Decision == "accepted":
		return Accepted
	case c.Delta != "":
		return State
	}
	return Stamped
}

// claimOf reads the trailers of a commit about a document in it. Of a key that stands there twice, as
// after a squash, the last counts.
func claimOf(c *repo.Commit, doc *profile.Document) Claim {
	said := map[string]string{}
	for _, t := range repo.ParseTrailers(c.Message) {
		said[t.Key] = t.Value
	}
	if said["OAP-Profile"] != doc.Name() || said["OAP-Revision"] != strconv.Itoa(doc.Revision()) {
		return Claim{}
	}
	if want, err := canonical.ParseDigest(said["OAP-Profile-Digest"]); err == nil {
		if got, err := doc.Digest(); err != nil || got != want {
			return Claim{}
		}
	}
	return Claim{
		Borne: true, Session: said["OAP-Session"], Harness: said["OAP-Harness"], ApprovedBy: said["OAP-Approved-By"],
		Proposal: said["OAP-Proposal"], Delta: said["OAP-Delta"], Action: said[ActionTrailer], Decision: said["OAP-Decision"],
	}
}

// Summary is the commit's subject without the part that every line of a log repeats: "scout: r8 ".
func (v *Version) Summary() string {
	s := v.Commit.Subject()
	if v.Document == nil {
		return s
	}
	rest, ok := strings.CutPrefix(s, v.Document.Name()+": ")
	if !ok {
		return s
	}
	if short, ok := strings.CutPrefix(rest, "r"+strconv.Itoa(v.Document.Revision())+" "); ok {
		return short
	}
	return rest
}

// sectionsOf names the parts in which two documents differ, beside the applicator's own fields.
func sectionsOf(before, after *profile.Document) []string {
	var a, b map[string]any
	if before != nil {
		a = before.Value
	}
	if after != nil {
		b = after.Value
	}
	out := []string{}
	for _, s := range []struct {
		name string
		part func(map[string]any) any
	}{
		{"metadata", func(v map[string]any) any { return profile.Contract(v)["metadata"] }},
		{"spec", func(v map[string]any) any { return v["spec"] }},
		{"extends", func(v map[string]any) any { return v["extends"] }},
		{"state", stateOf},
	} {
		if !canonical.Equal(s.part(a), s.part(b)) {
			out = append(out, s.name)
		}
	}
	return out
}

// stateOf is a state without the applicator's fields; no state is an empty one.
func stateOf(v map[string]any) any {
	state, _ := v["state"].(map[string]any)
	part := map[string]any{}
	for name, x := range state {
		if name != "revision" && name != "updated_at" {
			part[name] = x
		}
	}
	return part
}
