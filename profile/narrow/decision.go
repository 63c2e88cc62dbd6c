package narrow

// Decision is the answer to whether something may be done.
type Decision string

// The decisions, strictest first.
const (
	Deny  Decision = "deny"
	Ask   Decision = "ask"
	Allow Decision = "allow"
)

func (d Decision) rank() int {
	switch d {
	case Allow:
		return 2
	case Ask:
		return 1
	default:
		return 0 // a word that nobody knows allows nothing
	}
}

// Lesser gives the stricter of two decisions. A word that is none counts as deny.
func (d Decision) Lesser(o Decision) Decision {
	if o.rank() < d.rank() {
		d = o
	}
	if d.rank() == 0 {
		return Deny
	}
	return d
}

// Verdict is a decision about one call and the line that made it.
type Verdict struct {
	Decision Decision `json:"decision"`
	Source   string   `json:"source"`  // which side: "policy", "profile scout", …
	Pointer  string   `json:"pointer"` // of the line in that side's document; "" where no line speaks
	Reason   string   `json:"reason"`
}

// lesser keeps the stricter verdict, and of two equal ones the first.
func (v Verdict) lesser(o Verdict) Verdict {
	if o.Decision.rank() < v.Decision.rank() {
		return o
	}
	return v
}

// Adjustment is one way in which the effective profile differs from what the document asks for
// (OAP L1-I9).
type Adjustment struct {
	Field     string `json:"field"` // pointer in the document that was asked for
	Requested any    `json:"requested"`
	Effective any    `json:"effective"` // nil: dropped
	Reason    string `json:"reason"`
	Source    string `json:"source"` // the side that asked for it
}

// access orders the modes of memory.
func access(mode string) int {
	switch mode {
	case "read_write":
		return 2
	case "read_only":
		return 1
	default:
		return 0
	}
}

// lesserAccess gives the stricter of two modes; a word that is none counts as off.
func lesserAccess(a, b string) string {
	if access(b) < access(a) {
		a = b
	}
	if access(a) == 0 {
		return "off"
	}
	return a
}
