package draft

import (
	"math"
	"time"

	"github.com/open-agent-profile/oap/canonical"
	"github.com/open-agent-profile/oap/delta"
)

// Bounds of OAP facts a.8.
const (
	maxSession        = 200
	maxHarness        = 120
	maxHarnessVersion = 60
	maxModel          = 200
)

// doc gives the member "session". What is not known is left out.
func (s Session) doc() (map[string]any, error) {
	const source = "session"
	doc := map[string]any{}
	for _, f := range []struct {
		member, value string
		limit         int
	}{
		{"id", s.ID, maxSession}, {"harness", s.Harness, maxHarness},
		{"harness_version", s.HarnessVersion, maxHarnessVersion}, {"model_used", s.Model, maxModel},
	} {
		v, err := name(source, f.member, f.value, f.limit)
		switch {
		case err != nil:
			return nil, err
		case v != "":
			doc[f.member] = v
		case f.member == "id":
			return nil, refuse(source, "the id is empty; without one nobody could tell where the delta came from")
		}
	}
	outcome, err := choice(source, "outcome", s.Outcome, outcomes)
	if err != nil {
		return nil, err
	}
	if outcome != "" {
		doc["outcome"] = outcome
	}
	err = first(
		putTime(doc, "started_at", s.StartedAt), putTime(doc, "ended_at", s.EndedAt),
		putCount(doc, "turns", s.Turns), putCount(doc, "tool_calls", s.ToolCalls),
	)
	if s.CostUSD != nil {
		if !(*s.CostUSD >= 0 && *s.CostUSD <= math.MaxFloat64) {
			err = first(err, refuse(source, "the cost is not a number from 0 up"))
		}
		doc["cost_usd"] = *s.CostUSD + 0 // a negative zero is a zero
	}
	return doc, err
}

func putCount(doc map[string]any, member string, n *int) error {
	if n == nil {
		return nil
	}
	if *n < 0 || int64(*n) > canonical.MaxSafeInteger {
		return refuse("session", "the number of %s is no whole number from 0 up", member)
	}
	doc[member] = float64(*n)
	return nil
}

func putTime(doc map[string]any, member string, t time.Time) error {
	if t.IsZero() {
		return nil
	}
	s, err := stamp("session", t)
	doc[member] = s
	return err
}

// stamp writes a time, if RFC 3339 can: years have four digits there.
func stamp(source string, t time.Time) (string, error) {
	t = t.UTC()
	if y := t.Year(); y < 0 || y > 9999 {
		return "", refuse(source, "the year %d cannot be written", y)
	}
	return delta.Timestamp(t), nil
}
