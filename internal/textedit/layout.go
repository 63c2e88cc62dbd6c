package textedit

import "bytes"

// layout is the way the author writes, found by counting; new text copies it.
type layout struct {
	eol        string
	step       int             // columns between a mapping and the mapping in it
	dash       int             // columns between a key and the "-" below it
	pad        int             // blanks behind "-"
	quote      byte            // the more frequent quote
	plainTimes bool            // timestamps stand without quotes
	flowLists  map[string]bool // member names whose lists stand in brackets
	json       jsonLayout
}

type jsonLayout struct {
	multi  bool   // one entry a line
	indent string // one level
	colon  string
	comma  string // between entries on one line
}

// defaultLayout is what a new document looks like.
func defaultLayout() layout {
	return layout{
		eol: "\n", step: 2, dash: 2, pad: 1, quote: '"',
		json: jsonLayout{multi: true, indent: "  ", colon: ": ", comma: ", "},
	}
}

// votes counts how often each small width occurs.
type votes [10]int

func (v *votes) add(n int) {
	if n >= 0 && n < len(v) {
		v[n]++
	}
}

// winner gives the most frequent width, the smaller of equals, or fallback without any vote.
func (v *votes) winner(fallback int) int {
	best := 0
	for n, count := range v {
		if count > best {
			best, fallback = count, n
		}
	}
	return fallback
}

// survey gathers the votes in one walk over the tree.
type survey struct {
	text            []byte
	step, dash, pad votes
	single, double  int // quotes
	plainT, quotedT int // timestamps
	flowLists       map[string]bool
}

// surveyLayout finds the layout of a document. Majorities are taken over the whole text, since the place of
// an edit may have no siblings to copy; where it has, templates come first.
func surveyLayout(text []byte, root *node) layout {
	l := defaultLayout()
	l.eol = lineEndOf(text)
	s := &survey{text: text, flowLists: map[string]bool{}}
	s.visit(root)
	l.step = s.step.winner(l.step)
	l.dash = s.dash.winner(l.step)
	l.pad = max(s.pad.winner(l.pad), 1)
	if s.single > s.double {
		l.quote = '\''
	}
	l.plainTimes = s.plainT > s.quotedT
	l.flowLists = s.flowLists
	if root.flow {
		l.json = surveyJSON(text, root)
	}
	return l
}

// lineEndOf gives the line end that most lines have. A file with mixed ends gets the frequent one in new
// lines; its old lines keep theirs.
func lineEndOf(text []byte) string {
	crlf := bytes.Count(text, []byte("\r\n"))
	lf := bytes.Count(text, []byte("\n")) - crlf
	cr := bytes.Count(text, []byte("\r")) - crlf
	switch {
	case crlf > lf && crlf >= cr:
		return "\r\n"
	case cr > lf:
		return "\r"
	}
	return "\n"
}

// visit does not follow aliases: what they stand for was counted where it is written.
func (s *survey) visit(n *node) {
	if n.target != nil {
		return
	}
	for i, v := range n.vals {
		// Compact forms ("- key:") say nothing about indentation; only values below a key do.
		if n.kind == mapNode && !n.flow && !v.flow && v.kind != scalarNode && v.target == nil {
			if v.kind == listNode {
				s.dash.add(v.col - n.col)
			} else {
				s.step.add(v.col - n.col)
			}
		}
		if n.kind == mapNode && v.kind == listNode && v.target == nil && len(v.vals) > 0 {
			if name, ok := n.keys[i].value.(string); ok {
				s.flowLists[name] = v.flow
			}
		}
		if n.kind == listNode && !n.flow && !v.empty() && lineEnd(s.text, n.marks[i]) >= v.start {
			s.pad.add(v.start - n.marks[i] - 1)
		}
		if v.kind == scalarNode {
			s.scalar(v)
		}
		s.visit(v)
	}
}

// scalar counts what texts look like. Other scalars have one spelling.
func (s *survey) scalar(v *node) {
	text, ok := v.value.(string)
	if !ok || v.target != nil {
		return
	}
	switch v.style {
	case singleStyle:
		s.single++
	case doubleStyle:
		s.double++
	}
	if isTimestamp(text) {
		if v.style == plainStyle {
			s.plainT++
		} else {
			s.quotedT++
		}
	}
}

// surveyJSON takes the layout of the outermost entries.
func surveyJSON(text []byte, root *node) jsonLayout {
	l := jsonLayout{colon: ": ", comma: ", "}
	if len(root.vals) == 0 {
		return l
	}
	l.multi = hasBreak(text[root.content:root.starts[0]])
	if l.multi {
		l.indent = lineIndent(text, root.starts[0])[len(lineIndent(text, root.start)):]
	}
	if mark := root.marks[0]; mark >= 0 {
		gap := text[mark:root.vals[0].start]
		before := text[root.keys[0].end:mark]
		if !hasBreak(gap) && !hasBreak(before) && bytes.IndexByte(gap, '#') < 0 {
			l.colon = string(before) + string(gap)
		}
	}
	// Whoever writes no blank behind ":" writes none behind ",".
	if l.colon == ":" {
		l.comma = ","
	}
	return l
}

// hasBreak looks for the breaks that structure a text; U+2028 and U+0085 inside a JSON string are none.
func hasBreak(text []byte) bool { return bytes.ContainsAny(text, "\n\r") }

// lineIndent gives the blanks that the line of offset begins with, at most up to offset.
func lineIndent(text []byte, offset int) string {
	begin := bytes.LastIndexAny(text[:offset], "\n\r") + 1
	end := begin
	for end < offset && isBlank(text[end]) {
		end++
	}
	return string(text[begin:end])
}
