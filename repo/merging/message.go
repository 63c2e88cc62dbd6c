package merging

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/open-agent-profile/oap/delta"
	"github.com/open-agent-profile/oap/profile"
	"github.com/open-agent-profile/oap/repo"
)

// TrailerMerged names the commit that a merge of ours took in. It marks the merge as ours also where no profile
// had to be merged.
const TrailerMerged = "OAP-Merged"

// Message says what a merge commit does. label is what was merged, in the user's words. A merge of several profiles
// repeats the group of trailers that starts with OAP-Profile for each.
func (b *Branch) Message(label string) repo.Message {
	var m repo.Message
	switch {
	case len(b.Files) == 1:
		d := b.Files[0].Result.Document
		m.Subject = fmt.Sprintf("%s: r%d merge %s", d.Name(), d.Revision(), label)
	case len(b.Files) == 0:
		m.Subject = "merge " + label
	default:
		m.Subject = fmt.Sprintf("merge %s: %d profiles", label, len(b.Files))
	}
	var body strings.Builder
	for _, f := range b.Files {
		describe(&body, f)
		m.Trailers = append(m.Trailers, Trailers(f.Path, f.Result.Document, f.Result.Sections)...)
	}
	m.Body = body.String()
	m.Trailers = append(m.Trailers, repo.Trailer{Key: TrailerMerged, Value: string(b.Theirs)})
	return m
}

func describe(b *strings.Builder, f File) {
	r := f.Result
	fmt.Fprintf(b, "%s r%d\n", r.Document.Name(), r.Document.Revision())
	for _, p := range r.Met {
		fmt.Fprintf(b, "- both sides: %s\n", p)
	}
	for _, w := range r.Warnings {
		fmt.Fprintf(b, "- %s: %s\n", w.Pointer, w.Message)
	}
	if r.Lost != "" {
		fmt.Fprintf(b, "\n%s\n%s\n", summaryGone, indented(r.Lost))
	}
	b.WriteString("\n")
}

// summaryGone stands before the text of a summary that lost, also in commits of package apply.
const summaryGone = "The summary that gave way:"

func indented(s string) string {
	return "  " + strings.Join(strings.Fields(s), " ")
}

// Trailers are those of a commit that leaves a profile at path as doc (docs/format.md).
func Trailers(path string, doc *profile.Document, sections []string) []repo.Trailer {
	list := []repo.Trailer{
		{Key: "OAP-Profile", Value: doc.Name()},
		{Key: "OAP-Path", Value: path},
		{Key: "OAP-Revision", Value: strconv.Itoa(doc.Revision())},
		{Key: "OAP-Sections", Value: strings.Join(sections, ", ")},
	}
	if d, err := doc.Digest(); err == nil {
		list = append(list, repo.Trailer{Key: "OAP-Profile-Digest", Value: d.String()})
	}
	if d, err := doc.SpecDigest(); err == nil {
		list = append(list, repo.Trailer{Key: "OAP-Spec-Digest", Value: d.String()})
	}
	return list
}

// evictedLines list what retention dropped, as package apply writes them.
func evictedLines(evicted []delta.Eviction) string {
	var b strings.Builder
	for _, e := range evicted {
		fmt.Fprintf(&b, "- %s/%s (%s)\n", e.Collection, e.ID, e.Rule)
	}
	return b.String()
}

// FixMessage says what a commit of repairs does.
func FixMessage(fixed []*Fixed) repo.Message {
	var m repo.Message
	m.Subject = fmt.Sprintf("repair %d profiles after a text merge", len(fixed))
	if len(fixed) == 1 {
		d := fixed[0].Document
		m.Subject = fmt.Sprintf("%s: r%d repair a text merge", d.Name(), d.Revision())
	}
	var body strings.Builder
	for _, f := range fixed {
		fmt.Fprintf(&body, "%s r%d\n", f.Document.Name(), f.Document.Revision())
		for _, done := range f.Done {
			fmt.Fprintf(&body, "- %s\n", done)
		}
		body.WriteString("\n")
		m.Trailers = append(m.Trailers, Trailers(f.Path, f.Document, f.Sections)...)
	}
	m.Body = body.String()
	return m
}
