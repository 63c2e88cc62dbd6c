package history

import (
	"iter"

	"github.com/open-agent-profile/oap/profile"
)

// Origin says which version brought the present text of an entry.
type Origin struct {
	Collection string // "" for the summary
	ID         string
	Text       string
	Source     string   // as the entry says
	Version    *Version // nil where history ends before it is found
}

// Blame finds the origin of every entry of doc, in the order of the document, and of its summary.
// versions are those of [Walk]; they are read only as far as needed. Of a text that went and came back,
// the version that brought it back counts.
func Blame(doc *profile.Document, versions iter.Seq2[*Version, error]) ([]Origin, error) {
	all := origins(doc)
	open := len(all)
	for v, err := range versions {
		if err != nil {
			return nil, err
		}
		if v.Document == nil {
			continue
		}
		now := wordsOf(v.Document)
		var before []map[[2]string]string
		for _, d := range v.Before {
			before = append(before, wordsOf(d))
		}
		for i := range all {
			o := &all[i]
			key := [2]string{o.Collection, o.ID}
			if o.Version != nil || now[key] != o.Text || inAny(before, key, o.Text) {
				continue
			}
			o.Version = v
			open--
		}
		if open == 0 {
			break
		}
	}
	return all, nil
}

func inAny(docs []map[[2]string]string, key [2]string, text string) bool {
	for _, d := range docs {
		if t, ok := d[key]; ok && t == text {
			return true
		}
	}
	return false
}

// origins lists what is to be found.
func origins(doc *profile.Document) []Origin {
	var out []Origin
	state, _ := doc.Value["state"].(map[string]any)
	if s, ok := state["summary"].(string); ok && s != "" {
		out = append(out, Origin{Text: s})
	}
	for _, c := range collections {
		list, _ := state[c.name].([]any)
		for _, v := range list {
			m, _ := v.(map[string]any)
			id, _ := m[c.member].(string)
			if id == "" {
				continue
			}
			source, _ := m["source"].(string)
			out = append(out, Origin{Collection: c.name, ID: id, Text: Words(m), Source: source})
		}
	}
	return out
}

// wordsOf gives the text of every entry by collection and id.
func wordsOf(doc *profile.Document) map[[2]string]string {
	if doc == nil {
		return nil
	}
	out := map[[2]string]string{}
	for _, o := range origins(doc) {
		key := [2]string{o.Collection, o.ID}
		if _, twin := out[key]; !twin {
			out[key] = o.Text
		}
	}
	return out
}

// Words is what an entry says: the text of a fact or preference, the definition of a term, title and
// detail of a thread.
func Words(entry map[string]any) string {
	for _, name := range []string{"text", "definition"} {
		if s, ok := entry[name].(string); ok {
			return s
		}
	}
	title, _ := entry["title"].(string)
	if detail, _ := entry["detail"].(string); detail != "" {
		return title + "\n" + detail
	}
	return title
}
