package narrow

import (
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Choice is the model that a session uses, and by which rule (OAP SPEC, model choice; L1-I12). Where
// Model is empty, the harness picks one for Tier (rule 3) or its own default (rule 4), among those that
// [Effective.AllowsModel].
type Choice struct {
	Rule     int    `json:"rule"` // 1 exact, 2 a fallback, 3 by tier, 4 the harness's default
	Provider string `json:"provider,omitempty"`
	ID       string `json:"id,omitempty"`
	Tier     string `json:"tier,omitempty"`
	Reason   string `json:"reason"`
}

// AllowsModel reports whether every side lets a model be used, and if not, which does not.
func (e *Effective) AllowsModel(provider, id string) (bool, string) {
	for i := range e.Sides {
		s := &e.Sides[i]
		// A contract has no such list; only a policy does.
		if patterns, limited := s.names("model", "allow"); limited {
			if !slices.ContainsFunc(patterns, func(p string) bool { return allows(p, provider+"/"+id) }) {
				return false, s.Source
			}
		}
	}
	return true, ""
}

// narrowModel picks the model by rules 1 to 4 and writes it into Spec.
func (e *Effective) narrowModel() {
	model, has := e.Spec["model"].(map[string]any)
	e.Model = e.choose(model)
	if !has {
		return
	}
	c := e.Model
	if wanted := modelName(model); wanted != "" && c.Rule != 1 {
		now := any(nil)
		if c.ID != "" {
			now = c.Provider + "/" + c.ID
		}
		e.adjust("/spec/model", wanted, now, "rule "+strconv.Itoa(c.Rule)+": "+c.Reason, e.refuser(model))
		delete(model, "provider")
		delete(model, "id")
	}
	if c.ID != "" {
		model["provider"], model["id"] = c.Provider, c.ID
	}
	e.narrowFallbacks(model)
	params, _ := model["parameters"].(map[string]any)
	for _, k := range slices.Sorted(maps.Keys(params)) {
		if e.options.Parameter != nil && !e.options.Parameter(k) {
			e.adjust("/spec/model/parameters/"+k, params[k], nil, "the harness does not know the parameter", "harness")
			delete(params, k)
		}
	}
}

// narrowFallbacks keeps the fallbacks that are allowed.
func (e *Effective) narrowFallbacks(model map[string]any) {
	entries, ok := model["fallbacks"].([]any)
	if !ok {
		return
	}
	kept := []any{}
	for i, v := range entries {
		m, _ := v.(map[string]any)
		provider, _ := m["provider"].(string)
		id, _ := m["id"].(string)
		if ok, by := e.AllowsModel(provider, id); !ok {
			e.adjust("/spec/model/fallbacks/"+strconv.Itoa(i), provider+"/"+id, nil, by+" does not allow the model", by)
			continue
		}
		kept = append(kept, v)
	}
	model["fallbacks"] = kept
}

// modelName gives the exact model that is asked for, "" where none is.
func modelName(m map[string]any) string {
	provider, _ := m["provider"].(string)
	id, _ := m["id"].(string)
	if provider == "" || id == "" {
		return ""
	}
	return provider + "/" + id
}

// usable says why a model cannot be used; "" if it can.
func (e *Effective) usable(name string) string {
	provider, id, _ := strings.Cut(name, "/")
	if ok, by := e.AllowsModel(provider, id); !ok {
		return by + " does not allow " + name
	}
	if e.options.Servable != nil && !e.options.Servable(provider, id) {
		return "the harness cannot use " + name
	}
	return ""
}

// refuser names who stands against the exact model.
func (e *Effective) refuser(model map[string]any) string {
	provider, id, _ := strings.Cut(modelName(model), "/")
	if ok, by := e.AllowsModel(provider, id); !ok {
		return by
	}
	return "harness"
}

func (e *Effective) choose(model map[string]any) Choice {
	why := "the profile names no model"
	pick := func(rule int, name, reason string) Choice {
		provider, id, _ := strings.Cut(name, "/")
		return Choice{Rule: rule, Provider: provider, ID: id, Reason: reason}
	}
	if wanted := modelName(model); wanted != "" {
		if why = e.usable(wanted); why == "" {
			return pick(1, wanted, "the profile names it")
		}
	}
	fallbacks, _ := model["fallbacks"].([]any)
	for _, v := range fallbacks {
		m, _ := v.(map[string]any)
		if name := modelName(m); name != "" && e.usable(name) == "" {
			return pick(2, name, why)
		}
	}
	if tier, _ := model["tier"].(string); tier != "" {
		if name := e.policyWord("model", "tiers", tier); name != "" && e.usable(name) == "" {
			c := pick(3, name, why)
			c.Tier = tier
			return c
		} else if name == "" {
			return Choice{Rule: 3, Tier: tier, Reason: why}
		}
	}
	if name := e.policyWord("model", "default"); name != "" && e.usable(name) == "" {
		return pick(4, name, why)
	}
	return Choice{Rule: 4, Reason: why}
}

// policyWord gives what the first policy says that says it.
func (e *Effective) policyWord(path ...string) string {
	for i := range e.Sides {
		if e.Sides[i].Silence == GrantsNothing {
			continue
		}
		if w, _ := e.Sides[i].word(path...); w != "" {
			return w
		}
	}
	return ""
}
