package draft

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/open-agent-profile/oap/canonical"
)

// The pools are small, so that evidence often speaks of what is there, twice, or at cross purposes.
var (
	genText   = rapid.SampledFrom([]string{"One", "one", "one!", "two  words", "two words", "two-words", "修复 CI", "CI", strings.Repeat("long ", 20) + "a", strings.Repeat("long ", 20) + "b"})
	genSource = rapid.SampledFrom([]string{"", "", "ci", "user"})
	genTags   = rapid.SliceOfN(rapid.SampledFrom([]string{"p", "q", "r"}), 0, 3)
	genStatus = rapid.SampledFrom([]string{"", "open", "blocked", "done"})
	genTime   = rapid.SampledFrom([]string{"2026-01-01T00:00:00Z", "2026-09-01t12:00:00.5z", "2027-01-01T00:00:00-05:00"})
)

// genID draws an id that is known, that a text would get, or neither.
func genID(prefix string, known []string) *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		pool := append([]string{"", "", "", "x", prefix + "-one", prefix + "-two-words", "a/b~c"}, known...)
		return rapid.SampledFrom(pool).Draw(t, "id")
	})
}

// genKnown draws the entries of a collection, and gives their ids.
func genKnown(t *rapid.T, k kind) (entries []any, ids []string) {
	pool := genID(k.prefix, nil)
	if k.prefix == "" {
		pool = genText
	}
	for _, id := range rapid.SliceOfNDistinct(pool, 0, 4, rapid.ID[string]).Draw(t, k.collection) {
		if id == "" {
			continue
		}
		e := map[string]any{k.identity: id, k.words: genText.Draw(t, k.words)}
		for _, member := range append([]string{k.mentioned}, k.rest...) {
			if member == "" || member == "scope" || rapid.Bool().Draw(t, "without "+member) {
				continue
			}
			switch member {
			case "confidence":
				e[member] = 0.5
			case "status":
				e[member] = "blocked"
			case k.mentioned:
				e[member] = genTime.Draw(t, member)
			default:
				e[member] = "ci"
			}
		}
		if k.prefix == "fact" && rapid.Bool().Draw(t, "pinned") {
			e["pinned"], e["tags"], e["learned_at"] = true, []any{"p"}, "2020-01-01T00:00:00Z"
		}
		entries, ids = append(entries, e), append(ids, id)
	}
	return entries, ids
}

// genCase draws a profile and evidence about it.
func genCase(t *rapid.T) (map[string]any, Evidence) {
	state, known := map[string]any{}, map[string][]string{}
	for _, k := range kinds {
		var entries []any
		if entries, known[k.collection] = genKnown(t, k); entries != nil {
			state[k.collection] = entries
		}
	}
	entry := func(k kind) *rapid.Generator[Entry] {
		return rapid.Custom(func(t *rapid.T) Entry {
			return Entry{
				ID: genID(k.prefix, known[k.collection]).Draw(t, "id"), Text: genText.Draw(t, "text"), Source: genSource.Draw(t, "source"),
				Confidence: rapid.SampledFrom([]*float64{nil, ptr(0.5), ptr(0.9)}).Draw(t, "confidence"), Tags: genTags.Draw(t, "tags"),
			}
		})
	}
	thread := rapid.Custom(func(t *rapid.T) Thread {
		return Thread{ID: genID("thread", known["open_threads"]).Draw(t, "id"), Title: genText.Draw(t, "title"), Status: genStatus.Draw(t, "status"), Detail: genSource.Draw(t, "detail")}
	})
	term := rapid.Custom(func(t *rapid.T) Term {
		return Term{Term: genText.Draw(t, "term"), Definition: genText.Draw(t, "definition"), Source: genSource.Draw(t, "source")}
	})
	e := Evidence{
		Facts:       rapid.SliceOfN(entry(facts), 0, 4).Draw(t, "facts"),
		Preferences: rapid.SliceOfN(entry(preferences), 0, 2).Draw(t, "preferences"),
		Threads:     rapid.SliceOfN(thread, 0, 3).Draw(t, "threads"),
		Terms:       rapid.SliceOfN(term, 0, 2).Draw(t, "terms"),
		Session:     sess,
	}
	for _, k := range kinds {
		if ids := known[k.collection]; len(ids) > 0 && rapid.IntRange(0, 5).Draw(t, "forget") == 0 {
			e.Forget = append(e.Forget, Ref{k.collection, rapid.SampledFrom(ids).Draw(t, "ref")})
		} else if len(ids) > 0 && k.always && rapid.Bool().Draw(t, "use") {
			e.Used = append(e.Used, rapid.SampledFrom(ids).Draw(t, "used"))
		}
	}
	if rapid.Bool().Draw(t, "tool") {
		e.Tools = []ToolRequest{{rapid.SampledFrom([]string{"read", "git"}).Draw(t, "tool name"), "r"}}
	}
	profile := map[string]any{
		"oap": "1.0", "kind": "AgentProfile",
		"metadata": map[string]any{"name": "a", "description": "Does things."},
		"spec":     map[string]any{"role": map[string]any{"instructions": "x"}, "tools": map[string]any{"allow": []any{"read"}}},
		"state":    state,
	}
	return profile, e
}

// byIdentity is the form of every path that New writes: never an index, never a whole known entry.
var byIdentity = regexp.MustCompile(`^/state/(` +
	`(facts|preferences|glossary|open_threads)/-|` +
	`(facts|preferences|open_threads)/id:[^/]+(/[a-z_]+(/-)?)?|` +
	`glossary/term:[^/]+(/[a-z]+)?)$`)

// TestLaws: New repeats itself, changes no argument, addresses by identity, and its delta applies without a
// warning to a profile that the schema passes. There, known entries are what they were but for what the
// delta names, no id stands twice, and every text that was learned is there.
func TestLaws(t *testing.T) {
	written := 0
	rapid.Check(t, func(rt *rapid.T) {
		p, e := genCase(rt)
		before := canonical.Clone(p)
		made, warnings, err := New(p, "", e, clock)
		again, warnings2, err2 := New(p, "", e, clock)
		if !cmp.Equal(made, again) || !cmp.Equal(warnings, warnings2) || fmt.Sprint(err) != fmt.Sprint(err2) {
			rt.Fatalf("two calls differ: %v %v / %v %v", made, err, again, err2)
		}
		if !canonical.Equal(before, p) {
			rt.Fatal("the profile was changed")
		}
		var input *InputError
		var unknown *UnknownError
		if err != nil {
			if made != nil || !errors.As(err, &input) && !errors.As(err, &unknown) && !errors.Is(err, ErrNothing) {
				rt.Fatalf("%v %v", made, err)
			}
			return
		}
		written++
		operations, _ := made["operations"].([]any)
		for _, v := range operations {
			op := v.(map[string]any)
			path := op["path"].(string)
			if !byIdentity.MatchString(path) || op["op"] == "replace" && strings.Count(path, "/") < 4 {
				rt.Fatalf("%v", op)
			}
		}
		after := carry(t, p, made)
		if t.Failed() {
			rt.Fatalf("see above: %v on %v", made, p)
		}
		checkState(rt, p, after, e)
	})
	if written == 0 {
		t.Error("no case gave a delta")
	}
}

func checkState(rt *rapid.T, before, after map[string]any, e Evidence) {
	for _, k := range kinds {
		old, err := knownOf(before, k)
		if err != nil {
			rt.Fatal(err)
		}
		now, err := knownOf(after, k)
		if err != nil {
			rt.Fatal(err)
		}
		state, _ := after["state"].(map[string]any)
		if list, _ := state[k.collection].([]any); len(list) != len(now.ids) {
			rt.Fatalf("an id stands twice in %v", list)
		}
		for id, was := range old.entries {
			entry := now.entries[id]
			for _, member := range []string{"pinned", "learned_at"} {
				if entry != nil && !canonical.Equal(entry[member], was[member]) {
					rt.Fatalf("%s of %s was %v and is %v", member, id, was[member], entry[member])
				}
			}
			if entry == nil && len(e.Forget) == 0 {
				rt.Fatalf("%s is gone", id)
			}
		}
		if k.collection != facts.collection {
			continue
		}
		for _, f := range e.Facts {
			if now.byWords[oneLine(f.Text)] == "" {
				rt.Fatalf("%q was not learned", f.Text)
			}
		}
	}
}
