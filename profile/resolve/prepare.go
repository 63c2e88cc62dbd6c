package resolve

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"sync"

	"github.com/open-agent-profile/oap/canonical"
	"github.com/open-agent-profile/oap/profile"
)

var (
	// A reference in the env or the headers of an MCP server. It is looked at, never replaced.
	reference = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(?:Bearer )?\$\{([A-Z][A-Z0-9_]{0,63})\}$`)
	})
)

// preparer turns the merged document into what a session on this machine can use.
type preparer struct {
	resolved *Resolved
	options  Options
	findings []profile.Finding
}

// fail notes what stops the profile from being used.
func (p *preparer) fail(rule string, at canonical.Pointer, format string, args ...any) {
	f := profile.Finding{Severity: profile.Error, Rule: rule, Pointer: at.String(), Message: fmt.Sprintf(format, args...)}
	p.resolved.place(&f)
	p.findings = append(p.findings, f)
}

// object gives the object at a place of the value; nil where there is none, which reads as empty.
func (p *preparer) object(path ...string) map[string]any {
	v, _ := canonical.Get(p.resolved.Value, path)
	m, _ := v.(map[string]any)
	return m
}

// filter keeps those entries of a list of objects about which keep has no complaint.
func (p *preparer) filter(of map[string]any, list canonical.Pointer, keep func(at canonical.Pointer, e map[string]any) (complaint string)) {
	name := list[len(list)-1]
	entries, ok := of[name].([]any)
	if !ok {
		return
	}
	kept := make([]any, 0, len(entries))
	for i, v := range entries {
		at := list.Append(strconv.Itoa(i))
		e, _ := v.(map[string]any)
		if complaint := keep(at, e); complaint != "" {
			p.resolved.Dropped = append(p.resolved.Dropped, Dropped{Pointer: at.String(), Value: canonical.Clone(v), Reason: complaint})
			continue
		}
		kept = append(kept, v)
	}
	of[name] = kept
}

// variables fills ${{ vars.NAME }} in, once, in the three places where the specification wants it and in
// no other: state above all stays as it is (OAP L2-S5). Undefined ones were found by the check.
func (p *preparer) variables() {
	vars := p.object("spec", "context", "variables")
	fill := func(v any) any {
		s, ok := v.(string)
		if !ok {
			return v
		}
		return profile.FillIn(s, func(name string) (string, bool) {
			with, ok := vars[name].(string)
			return with, ok
		})
	}
	role := p.object("spec", "role")
	if v, ok := role["instructions"]; ok {
		role["instructions"] = fill(v)
	}
	for _, list := range []string{"objectives", "constraints"} {
		entries, _ := role[list].([]any)
		for i := range entries {
			entries[i] = fill(entries[i])
		}
	}
}

// servers drops MCP servers that need a variable which is not set. The format has no mark for a server
// that is required, so none is.
func (p *preparer) servers() {
	if p.options.Env == nil {
		return
	}
	at := canonical.Pointer{"spec", "tools", "mcp_servers"}
	p.filter(p.object("spec", "tools"), at, func(_ canonical.Pointer, e map[string]any) string {
		for _, part := range []string{"env", "headers"} {
			refs, _ := e[part].(map[string]any)
			for _, k := range slices.Sorted(maps.Keys(refs)) {
				s, _ := refs[k].(string)
				if m := reference().FindStringSubmatch(s); m != nil && !p.options.Env(m[1]) {
					return fmt.Sprintf("the environment variable %s is not set", m[1])
				}
			}
		}
		return ""
	})
}

// skills verifies what is pinned. Nothing is installed (OAP L3-K1). A required skill that is missing or
// is not the pinned one stops the profile (OAP L1-I7); another is left out.
func (p *preparer) skills() {
	if p.options.Skill == nil {
		return
	}
	at := canonical.Pointer{"spec", "tools", "skills"}
	p.filter(p.object("spec", "tools"), at, func(at canonical.Pointer, e map[string]any) string {
		name, source := text(e["name"]), text(e["source"])
		have, err := p.options.Skill(name, source)
		complaint := held(fmt.Sprintf("skill %q", name), have, err, e["digest"])
		if complaint != "" && e["required"] == true {
			p.fail("required-skill", at, "%s, and it is required", complaint)
			return ""
		}
		return complaint
	})
}

// documents verifies pinned documents. One that is not at hand is left for the harness to fetch and to
// hold against the pin.
func (p *preparer) documents() {
	if p.options.Document == nil {
		return
	}
	at := canonical.Pointer{"spec", "context", "documents"}
	p.filter(p.object("spec", "context"), at, func(_ canonical.Pointer, e map[string]any) string {
		have, err := p.options.Document(text(e["uri"]))
		if e["digest"] == nil || errors.Is(err, fs.ErrNotExist) {
			return ""
		}
		return held("the document", have, err, e["digest"])
	})
}

// held compares what is there with the pin, if there is one.
func held(what string, have canonical.Digest, err error, pin any) string {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return what + " is not there"
	case err != nil:
		return fmt.Sprintf("%s cannot be read: %v", what, err)
	case pin != nil && pin != any(have.String()):
		return fmt.Sprintf("%s has the digest %s and not the pinned %s", what, have, text(pin))
	}
	return ""
}

// stores asks for the memory stores outside of the document (OAP L1-I7).
func (p *preparer) stores() {
	if p.options.Store == nil {
		return
	}
	at := canonical.Pointer{"spec", "memory", "stores"}
	p.filter(p.object("spec", "memory"), at, func(at canonical.Pointer, e map[string]any) string {
		kind := text(e["kind"])
		if kind == "oap-state" {
			return ""
		}
		err := p.options.Store(text(e["name"]), kind, text(e["uri"]))
		switch {
		case err == nil:
			return ""
		case e["required"] == true:
			p.fail("required-store", at, "the memory store %q cannot be used, and it is required: %v", text(e["name"]), err)
			return ""
		}
		return err.Error()
	})
}

func text(v any) string {
	s, _ := v.(string)
	return s
}
