package repo

import (
	"strings"
	"unicode/utf8"

	"github.com/open-agent-profile/oap/internal/term"
)

// maxSubject is the widest subject, in columns of a terminal.
const maxSubject = 72

// Message is the text of a commit in parts. Subject and values are text on one line; Body may have
// several lines and paragraphs.
type Message struct {
	Subject  string
	Body     string
	Trailers []Trailer // in this order; those with an empty value are left out
}

// Text joins the parts into a message that says nothing but what its author meant, whatever the parts
// contain: the trailers of the text (as git and [ParseTrailers] read them) are exactly Trailers; no
// line of the body starts a trailer, a patch, a comment or a mail; control and invisible characters are
// shown, not obeyed.
func (m Message) Text() string {
	subject := cut(safeLine(m.Subject), maxSubject)
	if subject == "" {
		subject = "(no subject)"
	}
	parts := []string{guard(subject, false)}
	if body := safeBody(m.Body); body != "" {
		parts = append(parts, body)
	}
	var block []string
	for _, t := range m.Trailers {
		key, value := safeKey(t.Key), safeLine(t.Value)
		if key != "" && value != "" {
			block = append(block, key+": "+value)
		}
	}
	if len(block) > 0 {
		parts = append(parts, strings.Join(block, "\n"))
	}
	return strings.Join(parts, "\n\n") + "\n"
}

// safeLine makes one line of printable text.
func safeLine(s string) string {
	s = strings.ToValidUTF8(s, "\ufffd")
	s = strings.NewReplacer("\r\n", " ", "\n", " ", "\r", " ", "\t", " ", "\u2028", " ", "\u2029", " ", "\u0085", " ").Replace(s)
	return strings.Join(strings.Fields(term.Escape(s)), " ")
}

// safeKey keeps what a token may consist of.
func safeKey(s string) string {
	return strings.Map(func(c rune) rune {
		if c < utf8.RuneSelf && (c == '-' || separator(string(c)+":") == 1) {
			return c
		}
		return -1
	}, s)
}

func safeBody(s string) string {
	s = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\u2028", "\n", "\u2029", "\n", "\u0085", "\n").Replace(strings.ToValidUTF8(s, "\ufffd"))
	var out []string
	blank := 0
	for l := range strings.SplitSeq(s, "\n") {
		l = strings.TrimRight(term.Escape(strings.ReplaceAll(l, "\t", "    ")), " ")
		if l == "" {
			blank++
			continue
		}
		if blank > 0 && len(out) > 0 {
			out = append(out, "")
		}
		blank = 0
		out = append(out, guard(l, true))
	}
	return strings.Join(out, "\n")
}

// guard puts a space before a line whose start means something to a program that reads messages:
// trailers (also with the other separators that git can be told to use), patches and mails (git:
// mailinfo.c, mailsplit.c), comments of any character that core.commentChar offers, and the list of
// conflicts. With a space in front it is text to all of them. The subject cannot be a trailer, as the
// first paragraph never counts, so there only the rest matters.
func guard(l string, trailers bool) string {
	risky := strings.ContainsRune("#;@!$%^&|:<>", rune(l[0])) ||
		strings.HasPrefix(l, "---") || strings.HasPrefix(l, "-- ") || l == "--" ||
		strings.HasPrefix(l, "diff -") || strings.HasPrefix(l, "Index: ") ||
		strings.HasPrefix(l, "From ") || strings.HasPrefix(l, "(cherry picked from")
	if trailers {
		token := strings.TrimLeft(l, "-0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
		token = strings.TrimLeft(token, " ")
		risky = risky || token != "" && token != l && strings.ContainsRune(":=#", rune(token[0]))
	}
	if risky {
		return " " + l
	}
	return l
}
