package delta

import (
	"fmt"
	"slices"

	"github.com/open-agent-profile/oap/canonical"
)

// Problem is one thing that is wrong with a delta beyond its schema.
type Problem struct {
	Index    int    // of the operation or proposal
	Field    string // "operations" or "proposals"
	Pointer  string // place in the delta
	Message  string // one sentence without the pointer
	Severity Severity
	Rule     string
}

// Names of the rules. They are printed, so they only ever grow in number.
const (
	RulePointer   = "pointer-syntax"       // a path is no pointer, or one that is never meant
	RuleScope     = "operation-scope"      // an operation outside /state
	RuleOwned     = "owned-field"          // an operation on what the applicator writes
	RuleValue     = "operation-value"      // an operation with a value too many or too few
	RuleOp        = "operation-kind"       // neither add, replace nor remove
	RuleProposal  = "proposal-scope"       // a proposal outside the contract
	RulePropOwned = "proposal-owned-field" // a proposal about what no person writes
	RulePropValue = "proposal-value"       // a proposal with a value too many or too few
	RuleRisk      = "forced-risk"          // a proposal that declares less risk than it has
)

// Check reports what is wrong with the operations and proposals of d, in their order. A problem of an
// operation concerns the delta as a whole; one of a proposal concerns that proposal only.
func Check(d *Delta) []Problem {
	var out []Problem
	for i, op := range d.Operations {
		if rule, field, msg := checkOperation(op); rule != "" {
			at := fmt.Sprintf("/operations/%d%s", i, field)
			out = append(out, Problem{i, "operations", at, msg, SeverityError, rule})
		}
	}
	for i, p := range d.Proposals {
		at := fmt.Sprintf("/proposals/%d", i)
		if rule, field, msg := checkProposal(p); rule != "" {
			out = append(out, Problem{i, "proposals", at + field, msg, SeverityError, rule})
		} else if p.Risk != "high" && forcedHigh(p) {
			out = append(out, Problem{i, "proposals", at,
				"counts as high risk, whatever it declares", SeverityWarning, RuleRisk})
		}
	}
	return out
}

// checkOperation holds the boundary of design section 1: a session only writes state. [Apply] calls it
// too, so that an operation which nobody checked cannot pass.
func checkOperation(op Operation) (rule, field, message string) {
	p, msg := parsePath(op.Path)
	switch {
	case msg != "":
		return RulePointer, "/path", msg
	case len(p) == 0 || p[0] != "state":
		return RuleScope, "/path", "an operation can only change /state; a change of the contract is a proposal"
	case len(p) > 1 && owned(p[1]):
		return RuleOwned, "/path", "/state/" + p[1] + " belongs to the applicator"
	}
	if msg := checkOp(op.Op); msg != "" {
		return RuleOp, "/op", msg
	}
	if msg := checkValue(op.Op, op.HasValue); msg != "" {
		return RuleValue, "/value", msg
	}
	return "", "", ""
}

// ownedMetadata belongs to the applicator and, trust, to the resolver.
var ownedMetadata = []string{"revision", "updated_at", "trust"}

// owned names the members of state that only the applicator writes.
func owned(member string) bool { return member == "revision" || member == "updated_at" }

// checkProposal holds what a wish may be about. What it would do is judged where it is carried out.
func checkProposal(p Proposal) (rule, field, message string) {
	path, msg := parsePath(p.Path)
	switch {
	case msg != "":
		return RulePointer, "/path", msg
	case len(path) == 0 || path[0] != "metadata" && path[0] != "spec":
		return RuleProposal, "/path", "a proposal can only concern /metadata or /spec"
	case path[0] == "metadata" && len(path) > 1 && slices.Contains(ownedMetadata, path[1]):
		return RulePropOwned, "/path", p.Path + " is not a person's to set, so it cannot be proposed"
	}
	if msg := checkOp(p.Op); msg != "" {
		return RuleOp, "/op", msg
	}
	if msg := checkValue(p.Op, p.HasValue); msg != "" {
		return RulePropValue, "/value", msg
	}
	// A proposal of all metadata may repeat everything but what nobody may propose.
	if m, ok := p.Value.(map[string]any); ok && path[0] == "metadata" && len(path) == 1 {
		for _, name := range ownedMetadata {
			if _, has := m[name]; has {
				return RulePropOwned, "/value/" + name, "/metadata/" + name + " is not a person's to set"
			}
		}
	}
	return "", "", ""
}

// checkOp gives what is wrong with the name of an operation, in words.
func checkOp(op string) string {
	switch op {
	case OpAdd, OpReplace, OpRemove:
		return ""
	case "move", "copy", "test":
		return fmt.Sprintf("%q is reserved and not in use", op)
	}
	return fmt.Sprintf("%q is not one of add, replace, remove", op)
}

// checkValue holds that a value comes with what sets one and with nothing else.
func checkValue(op string, has bool) string {
	switch {
	case op == OpRemove && has:
		return "remove takes no value"
	case op != OpRemove && !has:
		return op + " needs a value"
	}
	return ""
}

// parsePath reads a path strictly. Empty tokens are legal in RFC 6901 and never meant here: a reader
// that drops them makes "/state/" all of state. Tokens of a file system's kind are refused with them,
// since somebody may join them to a path.
func parsePath(path string) (canonical.Pointer, string) {
	p, err := canonical.ParsePointer(path)
	if err != nil {
		return nil, err.Error()
	}
	for _, t := range p {
		switch {
		case t == "":
			return nil, fmt.Sprintf("%q has an empty part", path)
		case t == "." || t == "..":
			return nil, fmt.Sprintf("%q is not a path of files; %q means nothing here", path, t)
		}
	}
	return p, ""
}

// guarded are the parts of the contract that grant something (OAP facts f.6).
var guarded = []canonical.Pointer{
	{"spec", "tools"}, {"spec", "permissions"}, {"spec", "memory"}, {"spec", "runtime", "subagents"},
}

// forcedHigh reports a proposal at, under or over a guarded part: what replaces the whole runtime
// replaces the subagents with it, be it by leaving them out.
func forcedHigh(p Proposal) bool {
	path, _ := parsePath(p.Path)
	return slices.ContainsFunc(guarded, func(g canonical.Pointer) bool {
		return path.HasPrefix(g) || g.HasPrefix(path)
	})
}
