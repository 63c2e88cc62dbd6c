package proposals

import (
	"errors"
	"fmt"
	"slices"

	"github.com/open-agent-profile/oap/canonical"
	"github.com/open-agent-profile/oap/delta"
	"github.com/open-agent-profile/oap/profile"
	"github.com/open-agent-profile/oap/schemas"
)

// ProposalError says why a wish cannot be carried out. It concerns this wish only, not the delta.
type ProposalError struct {
	Op, Path string // as written
	Reason   string // one sentence; values are never named in it
}

func (e *ProposalError) Error() string {
	return fmt.Sprintf("proposal %s %q: %s", e.Op, e.Path, e.Reason)
}

// owned are the fields of metadata that the applicator and, trust, the resolver write.
var owned = []string{"revision", "updated_at", "trust"}

// RateProposal carries a wish out on a copy of a profile and grades the difference. What the wish itself
// claims can only raise the grade, and then stands first among the reasons. A wish that changes nothing
// gives an equal document.
//
// It is as strict as RFC 6902: what is replaced or removed has to be there, and so has what something is
// added to. Entries of named lists can be addressed as "name:x". Adding a text that a list of the
// contract has already changes nothing. Refused with a [*ProposalError] are paths outside "/metadata" and
// "/spec", members that the format does not have, and the fields that no person writes; a new
// "/metadata" keeps those of the old. With an error the grade is High. The result still has to be validated.
func RateProposal(contract map[string]any, p delta.Proposal) (after map[string]any, risk Risk, reasons []Reason, err error) {
	after, err = carryOut(contract, p)
	if err != nil {
		return nil, High, nil, err
	}
	risk, reasons = Rate(contract, after)
	if declared, err := ParseRisk(p.Risk); err == nil && declared > risk {
		risk = Raise(risk, declared)
		claim := Reason{p.Path, declared, "whoever asks for it calls the risk " + declared.String()}
		reasons = append([]Reason{claim}, reasons...)
	}
	return after, risk, reasons, nil
}

func carryOut(contract map[string]any, p delta.Proposal) (map[string]any, error) {
	refuse := func(format string, args ...any) error {
		return &ProposalError{p.Op, p.Path, fmt.Sprintf(format, args...)}
	}
	// What a wish may be about is decided in one place for all who read deltas.
	for _, problem := range delta.Check(&delta.Delta{Proposals: []delta.Proposal{p}}) {
		if problem.Severity == delta.SeverityError {
			return nil, refuse("%s", problem.Message)
		}
	}
	path, err := canonical.ParsePointer(p.Path)
	if err != nil {
		return nil, refuse("%s", err)
	}
	if err := canonical.Check(p.Value); err != nil {
		return nil, refuse("the value cannot be kept: %s", err)
	}
	if msg := fits(contract, path, p); msg != "" {
		return nil, refuse("%s", msg)
	}
	// Patch is lenient about what fits has made sure of, and knows the named lists and sets of the contract.
	after, err := delta.Patch(contract, []delta.Operation{{Op: p.Op, Path: p.Path, Value: p.Value, HasValue: p.HasValue}})
	if err != nil {
		var refused *delta.OperationError
		if errors.As(err, &refused) {
			return nil, refuse("%s", refused.Reason)
		}
		return nil, refuse("%s", err)
	}
	if len(path) == 1 && path[0] == "metadata" {
		keepOwned(contract, after)
	}
	return after, nil
}

// fits gives what keeps a wish from being carried out as written, in words.
func fits(contract map[string]any, path canonical.Pointer, p delta.Proposal) string {
	if len(path) == 1 {
		switch _, isObject := p.Value.(map[string]any); {
		case p.Op == delta.OpRemove:
			return "a profile cannot be without it"
		case !isObject:
			return "it must be an object"
		}
	}
	// A missing parent is not made. It would be a second change that nobody asked for, and "/spec/tols/allow"
	// must not become a section.
	parent, last := path[:len(path)-1], path[len(path)-1]
	container, ok := profile.Lookup(contract, parent)
	if !ok {
		return fmt.Sprintf("there is no %s", parent)
	}
	switch container.(type) {
	case map[string]any:
		// Nil stands for an object that takes any member, such as annotations.
		if known := schemas.Order(parent); known != nil && !slices.Contains(known, last) {
			return fmt.Sprintf("%s has no member %q", parent, last)
		}
	case []any:
	default:
		return fmt.Sprintf("%s is neither an object nor a list", parent)
	}
	if _, there := profile.Lookup(contract, path); !there && p.Op != delta.OpAdd {
		return fmt.Sprintf("there is no %s to %s", path, p.Op)
	}
	return ""
}

// keepOwned puts the owned fields back into metadata that was replaced as a whole.
func keepOwned(contract, after map[string]any) {
	was, _ := contract["metadata"].(map[string]any)
	is, _ := after["metadata"].(map[string]any)
	for _, name := range owned {
		if v, had := was[name]; had && is != nil {
			is[name] = canonical.Clone(v)
		}
	}
}
