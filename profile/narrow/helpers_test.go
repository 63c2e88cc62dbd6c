package narrow

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/open-agent-profile/oap/profile"
	"github.com/open-agent-profile/oap/profile/resolve"
)

// doc reads a profile's spec from YAML, under a document that has the rest.
func doc(t testing.TB, name, spec string) map[string]any {
	t.Helper()
	text := "oap: \"1.0\"\nkind: AgentProfile\nmetadata: {name: " + name + ", description: An agent of a test.}\n" +
		"spec:\n  role: {instructions: Do it.}\n" + indent(spec)
	d, err := profile.Parse(name+".agent.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.Validate(); err != nil {
		t.Fatal(err)
	}
	return d.Value
}

func indent(s string) string {
	var b strings.Builder
	for line := range strings.Lines(s) {
		b.WriteString("  " + line)
	}
	return b.String()
}

func policy(t testing.TB, text string) *Policy {
	t.Helper()
	p, err := ParsePolicy("policy.yaml", []byte("oap: \"1.0\"\nkind: LocalPolicy\n"+text))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// effective narrows a profile of the user by a policy and by bases, all of them given as YAML.
func effective(t testing.TB, spec, pol string, bases ...string) *Effective {
	t.Helper()
	in := Input{Value: doc(t, "scout", spec), Trust: resolve.User}
	for _, b := range bases {
		in.Bases = append(in.Bases, Contract{Name: "base", Value: doc(t, "base", b)})
	}
	return must(t, in, policy(t, pol), Options{})
}

func must(t testing.TB, in Input, p *Policy, o Options) *Effective {
	t.Helper()
	e, err := Narrow(in, p, o)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// at gives a place of the effective contract as JSON; "" where there is none.
func (e *Effective) at(path ...string) string {
	s := Side{Limits: e.Spec}
	v, ok := s.get(path...)
	if !ok {
		return ""
	}
	b, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(b)
}

// about lists the adjustments of a field and what lies below, as "field source".
func (e *Effective) about(field string) (out []string) {
	for _, a := range e.Adjustments {
		if a.Field == field || strings.HasPrefix(a.Field, field+"/") {
			out = append(out, a.Field+" by "+a.Source)
		}
	}
	return out
}

func writeback(s string) profile.Writeback { return profile.Writeback(s) }
