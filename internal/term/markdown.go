package term

import "strings"

// longestRun bounds runs of backticks in quoted text. Markdown implementations stop looking for the end of
// a code span at 80 of them and store the length of a fence in one byte (cmark: inlines.c, blocks.c), so
// a fence that outgrows a hostile run would at some length be no fence any more.
const longestRun = 16

// Markdown shows text inside a line of Markdown, as a code span. Nothing in it is live: no link, image,
// mention, issue number, HTML, emphasis, short code or command of a forge. Escaping by backslash or entity
// would not do, since forges look for mentions and numbers in what is rendered. Line ends and everything
// else that [Escape] treats show escaped; runs of more than 16 backticks are broken by blanks. Empty text
// gives empty text. Inside a table, a "|" in the text still ends the cell.
func Markdown(s string) string {
	if s == "" {
		return ""
	}
	s = breakRuns(Escape(s))
	fence := strings.Repeat("`", longest(s, '`')+1)
	// A blank on both sides is taken off again when rendered (CommonMark §6.1), unless all is blank.
	if strings.HasPrefix(s, "`") || strings.HasSuffix(s, "`") ||
		strings.HasPrefix(s, " ") && strings.HasSuffix(s, " ") && strings.Trim(s, " ") != "" {
		s = " " + s + " "
	}
	return fence + s + fence
}

// Fence shows text of several lines as a fenced code block that the text cannot close, with a line end
// behind it. It belongs at the start of a line, and neither in a list nor in a quotation, whose lines
// would need a prefix. Control and invisible characters are escaped as by [EscapeLines].
func Fence(s string) string {
	s = breakRuns(EscapeLines(s))
	fence := strings.Repeat("`", max(3, longest(s, '`')+1))
	if s != "" && !strings.HasSuffix(s, "\n") {
		s += "\n"
	}
	return fence + "\n" + s + fence + "\n"
}

func breakRuns(s string) string {
	run := strings.Repeat("`", longestRun)
	return strings.ReplaceAll(s, run, run+" ")
}

// longest is the length of the longest run of c in s.
func longest(s string, c byte) int {
	most, n := 0, 0
	for i := range len(s) {
		if n++; s[i] != c {
			n = 0
		}
		most = max(most, n)
	}
	return most
}
