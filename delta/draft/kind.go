package draft

import "fmt"

// kind is one collection of state as evidence speaks of it. Facts, preferences, threads and terms take
// the same way into a delta and differ in these points alone.
type kind struct {
	collection string
	label      string   // of a piece of evidence, in messages
	prefix     string   // of new ids; "" where the identity is given
	identity   string   // the member that names an entry
	words      string   // the member that is the entry's statement
	wordsLimit int      // of new statements
	byWords    bool     // whether a statement finds its entry
	rest       []string // further members that evidence may give, in the order of operations
	vouch      []string // those of rest that say how far the words can be trusted
	created    []string // times of a new entry
	mentioned  string   // the time that moves with a known entry, "" where there is none
	always     bool     // whether being mentioned moves it, or only a change
}

var (
	facts = kind{
		collection: "facts", label: "fact", prefix: "fact", identity: "id",
		words: "text", wordsLimit: maxText, byWords: true,
		rest: []string{"confidence", "source", "scope"}, vouch: []string{"confidence", "source"},
		created: []string{"learned_at"}, mentioned: "last_used_at", always: true,
	}
	preferences = func() kind {
		k := facts
		k.collection, k.label, k.prefix = "preferences", "preference", "pref"
		return k
	}()
	threads = kind{
		collection: "open_threads", label: "thread", prefix: "thread", identity: "id",
		words: "title", wordsLimit: maxTitle, byWords: true,
		rest:    []string{"status", "detail"},
		created: []string{"opened_at", "updated_at"}, mentioned: "updated_at",
	}
	// Two terms may share a definition, so it finds none.
	terms = kind{
		collection: "glossary", label: "term", identity: "term",
		words: "definition", wordsLimit: maxDefinition,
		rest: []string{"source"}, vouch: []string{"source"},
	}
)

// kinds holds them all, in the order of operations.
var kinds = []kind{facts, preferences, terms, threads}

// piece is one piece of evidence about an entry, checked and trimmed.
type piece struct {
	source string // for messages
	id     string
	words  string
	rest   map[string]any // by member; what is not given is not there
	tags   []string
}

// give notes a member, unless it is empty.
func (p *piece) give(member, value string) {
	if value != "" {
		p.rest[member] = value
	}
}

// fromEntry checks a fact or a preference.
func (k kind) fromEntry(i int, e Entry) (*piece, error) {
	p, err := k.piece(i, e.ID, e.Text)
	if err != nil {
		return nil, err
	}
	source, err1 := text(p.source, "source", e.Source, maxSource)
	scope, err2 := name(p.source, "scope", e.Scope, maxScope)
	if err := first(err1, err2, checkConfidence(p.source, e.Confidence)); err != nil {
		return nil, err
	}
	p.give("source", source)
	p.give("scope", scope)
	if e.Confidence != nil {
		p.rest["confidence"] = *e.Confidence + 0 // a negative zero is a zero
	}
	for _, tag := range e.Tags {
		t, err := name(p.source, "tag", tag, maxTag)
		if err != nil {
			return nil, err
		}
		if t != "" {
			p.tags = append(p.tags, t)
		}
	}
	return p, nil
}

// fromThread checks a thread.
func (k kind) fromThread(i int, t Thread) (*piece, error) {
	p, err := k.piece(i, t.ID, t.Title)
	if err != nil {
		return nil, err
	}
	status, err1 := choice(p.source, "status", t.Status, statuses)
	detail, err2 := text(p.source, "detail", t.Detail, maxDetail)
	if err := first(err1, err2); err != nil {
		return nil, err
	}
	p.give("status", status)
	p.give("detail", detail)
	return p, nil
}

// fromTerm checks a term.
func (k kind) fromTerm(i int, t Term) (*piece, error) {
	p, err := k.piece(i, t.Term, t.Definition)
	if err != nil {
		return nil, err
	}
	source, err := text(p.source, "source", t.Source, maxSource)
	p.give("source", source)
	return p, err
}

// piece checks what the kinds have in common. A piece has to say which entry it is about.
func (k kind) piece(i int, id, words string) (*piece, error) {
	p := &piece{source: fmt.Sprintf("%s %d", k.label, i+1), rest: map[string]any{}}
	limit := maxID
	if k.prefix == "" {
		limit = maxTerm
	}
	var err1, err2 error
	p.id, err1 = name(p.source, k.identity, id, limit)
	p.words, err2 = text(p.source, k.words, words, k.wordsLimit)
	switch err := first(err1, err2); {
	case err != nil:
		return nil, err
	case p.id == "" && k.prefix == "":
		return nil, refuse(p.source, "the %s is empty", k.identity)
	case p.id == "" && p.words == "":
		return nil, refuse(p.source, "the %s is empty", k.words)
	}
	return p, nil
}
