package draft

import "time"

// Evidence is what a session wants written down. The zero value says nothing. Mentioning one thing
// twice is fine: mentions are merged, and a later one that says more or other wins field by field.
type Evidence struct {
	Facts       []Entry
	Preferences []Entry
	Threads     []Thread
	Terms       []Term

	// Used are ids of facts and preferences that helped, which keeps them from being evicted.
	Used   []string
	Forget []Ref

	StateSummary string // the new "/state/summary"; "" leaves the old one
	Summary      string // what the session did, for the log; on its own it is nothing to write

	Proposals []Wish
	Tools     []ToolRequest
	Session   Session
}

// Entry is a fact or a preference. Empty members are not given: of a known entry they stay as they are.
type Entry struct {
	ID         string // of a known entry, or the wished id of a new one; "" makes one from the text
	Text       string // may be empty where ID is known
	Source     string
	Confidence *float64 // 0 to 1
	Scope      string
	Tags       []string // joined to those that are there
}

// Thread is a piece of open work.
type Thread struct {
	ID     string // "" makes one from the title, or finds the thread of that title
	Status string // open, blocked, done or abandoned; "" is open for a new thread
	Detail string
	Title  string // required for a new thread
}

// Term is an entry of the glossary.
type Term struct {
	Term       string
	Definition string // required for a new term
	Source     string
}

// Ref names an entry of state by its collection and its id; terms are the ids of the glossary.
type Ref struct {
	Collection string // facts, preferences, glossary or open_threads
	ID         string
}

func (r Ref) String() string { return r.Collection + "/" + r.ID }

// Wish is a change of the contract that a person is asked for.
type Wish struct {
	Op        string // add, replace or remove; "" is replace where the place is there, else add
	Path      string // pointer into "/metadata" or "/spec"
	Value     any    // ignored for remove; nil is a null
	Rationale string // required
	Risk      string // low, medium, high; "" leaves it to be worked out
}

// ToolRequest asks for one more tool. Granting it is up to a person.
type ToolRequest struct {
	Tool      string
	Rationale string // required
}

// Session says who asks.
type Session struct {
	ID             string // required
	Harness        string
	HarnessVersion string
	Model          string
	Outcome        string    // completed, aborted, error or timeout
	StartedAt      time.Time // zero: not known
	EndedAt        time.Time // zero: not known; else the time of what was learned
	Turns          *int
	ToolCalls      *int
	CostUSD        *float64
}

// Warning tells that a piece of evidence was taken otherwise than it may have been meant.
type Warning struct {
	Source  string // the piece, such as "fact 2"; pieces count from 1
	Message string // one sentence; it names ids and tools and never quotes texts
}
