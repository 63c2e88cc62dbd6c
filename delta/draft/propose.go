package draft

import (
	"fmt"
	"slices"
	"strings"

	"github.com/open-agent-profile/oap/canonical"
	"github.com/open-agent-profile/oap/delta"
)

func (w *writer) wish(wishes []Wish) error {
	for i, wish := range wishes {
		if err := w.wishFor(fmt.Sprintf("proposal %d", i+1), wish); err != nil {
			return err
		}
	}
	return nil
}

// wishFor checks one wish and adds it.
func (w *writer) wishFor(source string, wish Wish) error {
	path, err := contract(source, wish.Path)
	if err != nil {
		return err
	}
	risk, err := choice(source, "risk", wish.Risk, risks)
	if err != nil {
		return err
	}
	op := wish.Op
	if op == "" {
		op = delta.OpAdd
		if _, there := canonical.Get(w.profile, path); there {
			op = delta.OpReplace
		}
	}
	value := wish.Value
	if op == delta.OpRemove {
		value = nil
	}
	if err := checkValue(source, value); err != nil {
		return err
	}
	return w.propose(source, delta.Proposal{
		Op: op, Path: path.String(), Pointer: path, Value: value, HasValue: op != delta.OpRemove,
		Rationale: wish.Rationale, Risk: risk,
	})
}

// propose adds a proposal, unless the contract says so already or the same was wished for before.
func (w *writer) propose(source string, p delta.Proposal) (err error) {
	if p.Rationale, err = text(source, "rationale", p.Rationale, maxRationale); err != nil {
		return err
	}
	if p.Rationale == "" {
		return refuse(source, "a rationale is needed, for the person who decides")
	}
	for _, problem := range delta.Check(&delta.Delta{Proposals: []delta.Proposal{p}}) {
		switch {
		case problem.Severity == delta.SeverityError:
			return refuse(source, "%s", problem.Message)
		case problem.Rule == delta.RuleRisk && p.Risk == "":
			p.Risk = "high"
		default:
			w.warn(source, "this %s", problem.Message)
		}
	}
	if w.granted(p) {
		w.warn(source, "the profile says so already, so nothing is proposed")
		return nil
	}
	doc := map[string]any{"op": p.Op, "path": p.Path, "rationale": p.Rationale}
	if p.HasValue {
		doc["value"] = canonical.Clone(p.Value)
	}
	if p.Risk != "" {
		doc["risk"] = p.Risk
	}
	key, err := canonical.JCS([]any{p.Op, p.Path, p.HasValue, p.Value})
	if err != nil {
		return refuse(source, "%v", err)
	}
	if same := w.wishes[string(key)]; same != nil {
		return same.join(source, doc)
	}
	w.wishes[string(key)] = &wished{doc, source}
	w.proposals = append(w.proposals, doc)
	return nil
}

// join adds the reasons of an equal wish; the higher risk counts, as everywhere.
func (s *wished) join(source string, other map[string]any) error {
	reason, more := s.doc["rationale"].(string), other["rationale"].(string)
	if !strings.Contains(reason, more) {
		joined, err := text(source, "rationale joined with that of "+s.source, reason+"\n\n"+more, maxRationale)
		if err != nil {
			return err
		}
		s.doc["rationale"] = joined
	}
	claimed, _ := s.doc["risk"].(string)
	risk, _ := other["risk"].(string)
	if slices.Index(risks, risk) > slices.Index(risks, claimed) {
		s.doc["risk"] = risk
	}
	return nil
}

// granted reports whether the contract says already what p would make it say. It judges only what it
// can see without carrying p out; whoever opens the proposal compares again.
func (w *writer) granted(p delta.Proposal) bool {
	if p.Op == delta.OpRemove {
		return false
	}
	last := len(p.Pointer) - 1
	parent, _ := canonical.Get(w.profile, p.Pointer[:last])
	if list, ok := parent.([]any); ok && p.Op == delta.OpAdd {
		return contains(list, p.Value)
	}
	was, there := canonical.Get(w.profile, p.Pointer)
	return there && canonical.Equal(was, p.Value)
}

func contains(list []any, v any) bool {
	for _, e := range list {
		if canonical.Equal(e, v) {
			return true
		}
	}
	return false
}

// checkValue holds the texts in a value to what texts of evidence are held to.
func checkValue(source string, v any) error {
	if err := canonical.Check(v); err != nil {
		return refuse(source, "the value cannot be written down: %v", err)
	}
	bad := false
	eachText(v, func(s string) {
		_, c := control(s, "\n\t")
		bad = bad || c
	})
	if bad {
		return refuse(source, "the value contains a control character")
	}
	return nil
}

func eachText(v any, f func(string)) {
	switch v := v.(type) {
	case string:
		f(v)
	case []any:
		for _, e := range v {
			eachText(e, f)
		}
	case map[string]any:
		for k, e := range v {
			f(k)
			eachText(e, f)
		}
	}
}
