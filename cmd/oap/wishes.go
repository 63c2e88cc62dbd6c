package main

import "github.com/open-agent-profile/oap/delta/draft"

// wishList gathers --propose, --request-tool and --rationale in the order in which they stand on the
// command line, since a rationale belongs to the wish before it.
type wishList struct{ wishes []wish }

type wish struct {
	flag, text, rationale string
}

// flag gives one of the three flags of the list.
func (l *wishList) flag(name string) *wishFlag { return &wishFlag{list: l, name: name} }

// wishFlag implements pflag.Value.
type wishFlag struct {
	list *wishList
	name string
}

// Set takes one flag in.
func (f *wishFlag) Set(text string) error {
	l := f.list
	if f.name != "rationale" {
		l.wishes = append(l.wishes, wish{flag: f.name, text: text})
		return nil
	}
	if n := len(l.wishes); n > 0 && l.wishes[n-1].rationale == "" {
		l.wishes[n-1].rationale = text
		return nil
	}
	return usagef("--rationale follows the --propose or --request-tool that it explains")
}

// String is the default value: none.
func (f *wishFlag) String() string { return "" }

// Type is the word in the help.
func (f *wishFlag) Type() string { return "text" }

func (l *wishList) gather(e *draft.Evidence) error {
	for _, w := range l.wishes {
		if w.rationale == "" {
			return usagef("--%s %q needs a --rationale behind it", w.flag, w.text)
		}
		if w.flag == "request-tool" {
			e.Tools = append(e.Tools, draft.ToolRequest{Tool: w.text, Rationale: w.rationale})
			continue
		}
		path, value, err := draft.ParseWish(w.text)
		if err != nil {
			return usagef("--propose: %v", err)
		}
		e.Proposals = append(e.Proposals, draft.Wish{Path: path, Value: value, Rationale: w.rationale})
	}
	return nil
}
