package profile

import (
	"github.com/open-agent-profile/oap/delta"
)

// delta runs the checks on a delta that no schema can express. What is wrong with an operation refuses
// the delta, since operations are all or none. What is wrong with a proposal refuses that proposal
// alone when it is to be opened, so here it is a warning: state must not be lost for a wish.
func (r *report) delta() {
	d, err := delta.Decode(r.doc.Value)
	if err != nil {
		if !HasErrors(r.fs) {
			r.add(Error, "schema", "", "%v", err)
		}
		return
	}
	for _, p := range delta.Check(d) {
		switch {
		case p.Field == "operations" && p.Severity == delta.SeverityError:
			r.add(Error, p.Rule, p.Pointer, "%s", p.Message)
		case p.Severity == delta.SeverityError:
			r.add(Warning, p.Rule, p.Pointer, "this proposal cannot be opened: %s", p.Message)
		default:
			r.add(Warning, p.Rule, p.Pointer, "%s", p.Message)
		}
	}
}
