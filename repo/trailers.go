package repo

import "strings"

// Trailer is one "Key: value" line at the end of a message.
type Trailer struct{ Key, Value string }

// ParseTrailers gives the trailers of a message exactly as git interpret-trailers --parse does with its
// default settings (git: trailer.c). The last paragraph counts if all its lines are trailers, or if one
// is of git's own making and at least a quarter are; the first paragraph never counts.
func ParseTrailers(message string) []Trailer {
	lines := messageLines(message)
	open := !strings.HasSuffix(message, "\n")
	for i, l := range lines {
		// Three dashes and white space, be it the line end, end the message: what follows is a patch.
		last := open && i == len(lines)-1
		if rest, ok := strings.CutPrefix(l, "---"); ok && (rest == "" && !last || rest != "" && isSpace(rest[0])) {
			lines, open = lines[:i], false
			break
		}
	}
	lines = lines[:endOfText(lines, open)]
	return parseBlock(lines[blockStart(lines):])
}

// messageLines splits into lines, without an empty one after a final line end.
func messageLines(s string) []string {
	if s == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(s, "\n"), "\n")
}

// endOfText leaves out comments, blank lines and an old-style list of conflicts at the end, and what
// follows git's scissors line (git: commit.c, ignore_non_trailer). Open tells that the last line has no end;
// git takes such a line for no head of conflicts.
func endOfText(lines []string, open bool) int {
	cutoff := len(lines)
	for i, l := range lines {
		if l == "# ------------------------ >8 ------------------------" {
			cutoff = i
			break
		}
	}
	begin, conflicts := -1, false
	for i, l := range lines[:cutoff] {
		switch {
		case l == "" || l[0] == '#':
			if begin < 0 {
				begin = i
			}
		case l == "Conflicts:" && !(open && i == len(lines)-1):
			conflicts = true
			if begin < 0 {
				begin = i
			}
		case conflicts && l[0] == '\t':
		case begin >= 0:
			begin, conflicts = -1, false
		}
	}
	if begin >= 0 {
		return begin
	}
	return cutoff
}

// blockStart gives the first line of the trailer block, len(lines) if there is none.
func blockStart(lines []string) int {
	title := 0
	for title < len(lines) && (strings.HasPrefix(lines[title], "#") || !isBlank(lines[title])) {
		title++
	}
	var trailers, others, continuations int
	onlySpaces, recognized := true, false
	for i := len(lines) - 1; i >= title; i-- {
		l := lines[i]
		switch {
		case strings.HasPrefix(l, "#"):
			others += continuations
			continuations = 0
		case isBlank(l):
			if onlySpaces {
				continue
			}
			others += continuations
			if recognized && trailers*3 >= others || trailers > 0 && others == 0 {
				return i + 1
			}
			return len(lines)
		default:
			onlySpaces = false
			switch {
			case strings.HasPrefix(l, "Signed-off-by: "), strings.HasPrefix(l, "(cherry picked from commit "):
				trailers++
				continuations, recognized = 0, true
			case separator(l) >= 1 && !isSpace(l[0]):
				trailers++
				continuations = 0
			case isSpace(l[0]):
				continuations++
			default:
				others += 1 + continuations
				continuations = 0
			}
		}
	}
	return len(lines)
}

// parseBlock takes a trailer block apart. A line that starts with a space continues the one before.
func parseBlock(lines []string) []Trailer {
	var out []Trailer
	open := false
	for _, l := range lines {
		if open && l != "" && isSpace(l[0]) {
			out[len(out)-1].Value += "\n" + l
			continue
		}
		at := separator(l)
		open = at >= 1
		if !open || l[0] == '#' {
			continue
		}
		out = append(out, Trailer{Key: strings.TrimFunc(l[:at], space), Value: l[at+1:]})
	}
	for i := range out {
		out[i].Value = unfold(out[i].Value)
	}
	return out
}

// separator gives the place of the colon after a token of letters, digits and dashes, or -1 (git:
// trailer.c, find_separator).
func separator(l string) int {
	blank := false
	for i := range len(l) {
		c := l[i]
		switch {
		case c == ':':
			return i
		case !blank && (c == '-' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'):
		case i > 0 && (c == ' ' || c == '\t'):
			blank = true
		default:
			return -1
		}
	}
	return -1
}

// unfold joins a value that goes on over several lines: a line end and the blanks after it are one
// space.
func unfold(v string) string {
	var b strings.Builder
	v = strings.TrimFunc(v, space)
	for i := 0; i < len(v); i++ {
		if v[i] != '\n' {
			b.WriteByte(v[i])
			continue
		}
		for i+1 < len(v) && isSpace(v[i+1]) {
			i++
		}
		b.WriteByte(' ')
	}
	return strings.TrimFunc(b.String(), space)
}

// isSpace is git's own idea of white space, which has no vertical tab or form feed (git: ctype.c).
func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

func space(c rune) bool { return c < 0x80 && isSpace(byte(c)) }

func isBlank(l string) bool { return strings.TrimFunc(l, space) == "" }
