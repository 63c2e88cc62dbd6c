package draft

import (
	"fmt"

	"github.com/open-agent-profile/oap/canonical"
)

// known is a collection of the profile, ready to be asked.
type known struct {
	entries map[string]map[string]any // by identity; of two with one, the first, which "id:" means too
	ids     []string                  // in the order of the profile
	byWords map[string]string         // identity of the first entry with these words on one line
}

// knownOf reads a collection. Entries that cannot be addressed, for want of an identity, are left out:
// nothing can be said of them in a delta.
func knownOf(profile map[string]any, k kind) (*known, error) {
	c := &known{entries: map[string]map[string]any{}, byWords: map[string]string{}}
	state, ok := profile["state"].(map[string]any)
	if !ok && profile["state"] != nil {
		return nil, fmt.Errorf("%w: /state is no object", ErrNotProfile)
	}
	list, ok := state[k.collection].([]any)
	if !ok && state[k.collection] != nil {
		return nil, fmt.Errorf("%w: /state/%s is no list", ErrNotProfile, k.collection)
	}
	for _, v := range list {
		entry, _ := v.(map[string]any)
		id, _ := entry[k.identity].(string)
		if id == "" || c.entries[id] != nil {
			continue
		}
		c.entries[id] = entry
		c.ids = append(c.ids, id)
		words, _ := entry[k.words].(string)
		if key := oneLine(words); key != "" && k.byWords && c.byWords[key] == "" {
			c.byWords[key] = id
		}
	}
	return c, nil
}

// at gives the address of an entry.
func (k kind) at(id string) canonical.Pointer {
	return canonical.Pointer{"state", k.collection, k.identity + ":" + id}
}

// subject is what one or several pieces are about: a known entry, or a new one.
type subject struct {
	piece
	old map[string]any // nil where it is new
}

// gather sorts pieces by subject, in the order of their first mention.
func (c *known) gather(k kind, pieces []*piece) ([]*subject, []Warning, error) {
	var (
		out      []*subject
		warnings []Warning
		byID     = map[string]*subject{}
		byWords  = map[string]*subject{}
	)
	for _, p := range pieces {
		// A known id says which entry is meant. Failing that, the words do, whatever id they were given:
		// one text under two ids would be two facts that age apart.
		id, key := p.id, oneLine(p.words)
		if c.entries[id] == nil && c.byWords[key] != "" {
			if id = c.byWords[key]; p.id != "" {
				warnings = append(warnings, Warning{p.source, fmt.Sprintf("this is known as %q, which is updated instead of %q", id, p.id)})
			}
		}
		// Within the evidence likewise: first by id, then by words, so that the order of pieces is free.
		s := byID[id]
		if s == nil && k.byWords {
			s = byWords[key]
		}
		if s == nil {
			s = &subject{piece: *p}
			s.id = id
			out = append(out, s)
		} else if err := s.join(k, p, id); err != nil {
			return nil, nil, err
		}
		// The piece may have named what had no id, or worded what had no words, until now.
		s.old = c.entries[s.id]
		if err := claim(byID, s.id, s, p); err != nil {
			return nil, nil, err
		}
		if k.byWords {
			if err := claim(byWords, key, s, p); err != nil {
				return nil, nil, err
			}
		}
	}
	return out, warnings, nil
}

// claim notes whose id or words these are. Nothing can be those of two.
func claim(owners map[string]*subject, key string, s *subject, p *piece) error {
	if key == "" {
		return nil
	}
	if other := owners[key]; other != nil && other != s {
		return refuse(p.source, "%s and %s cannot be told apart", other.source, s.source)
	}
	owners[key] = s
	return nil
}

// join adds a piece about the same subject. What it gives takes the place of what was given before.
func (s *subject) join(k kind, p *piece, id string) error {
	switch {
	case s.words != "" && p.words != "" && oneLine(s.words) != oneLine(p.words):
		return refuse(p.source, "%s says it in other words, and only one %s can be right", s.source, k.words)
	case s.id != "" && id != "" && s.id != id:
		return refuse(p.source, "%s has the same %s and another id", s.source, k.words)
	}
	if s.id == "" {
		s.id = id
	}
	if p.words != "" {
		s.words = p.words
	}
	for member, v := range p.rest {
		s.rest[member] = v
	}
	s.tags = append(s.tags, p.tags...)
	return nil
}
