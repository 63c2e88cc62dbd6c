package repo

import (
	"bytes"
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/open-agent-profile/oap/internal/term"
)

// Signature is who and when in a commit.
type Signature struct {
	Name, Mail string
	When       time.Time // to the second, in the zone of the signer
}

// String gives "Name <mail>".
func (s Signature) String() string { return s.Name + " <" + s.Mail + ">" }

// Commit is a parsed commit. Treat it as read-only: it may be shared.
type Commit struct {
	ID        ID
	Tree      ID
	Parents   []ID
	Author    Signature
	Committer Signature
	Signed    bool // has a signature header; whether it is good is for git verify-commit to say
	Message   string
}

// Trailers gives the trailers of the message.
func (c *Commit) Trailers() []Trailer { return ParseTrailers(c.Message) }

// Subject gives the first line of the message.
func (c *Commit) Subject() string {
	line, _, _ := strings.Cut(strings.TrimLeft(c.Message, "\n"), "\n")
	return line
}

// maxCommits bounds the cache of parsed commits.
const maxCommits = 256

// ReadCommit reads one commit. A missing one is NotFound; in a shallow clone that is where history
// ends.
func (r *Repo) ReadCommit(ctx context.Context, id ID) (*Commit, error) {
	r.mu.Lock()
	c := r.commits[id]
	r.mu.Unlock()
	if c != nil {
		return c, nil
	}
	data, err := r.typed(ctx, id, "commit")
	if err != nil {
		return nil, err
	}
	return r.keepCommit(id, data)
}

func (r *Repo) keepCommit(id ID, data []byte) (*Commit, error) {
	c, err := parseCommit(id, data)
	if err != nil {
		return nil, &Error{Kind: Invalid, Reason: "bad-commit", Path: string(id), Msg: "commit cannot be read", Err: err}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.commits) >= maxCommits {
		clear(r.commits)
	}
	r.commits[id] = c
	return c, nil
}

// parseCommit reads headers up to the empty line. A header that goes on over several lines has a space
// before each further line (git: commit.c); of those only the signature is noticed.
func parseCommit(id ID, data []byte) (*Commit, error) {
	c := &Commit{ID: id}
	head, message, _ := bytes.Cut(data, []byte("\n\n"))
	if bytes.HasPrefix(data, []byte("\n")) {
		head, message = nil, data[1:]
	}
	c.Message = string(message)
	var err error
	for line := range bytes.SplitSeq(head, []byte{'\n'}) {
		key, value, _ := strings.Cut(string(line), " ")
		switch key {
		case "tree":
			c.Tree = ID(value)
		case "parent":
			c.Parents = append(c.Parents, ID(value))
		case "author":
			c.Author, err = parseSignature(value)
		case "committer":
			c.Committer, err = parseSignature(value)
		case "gpgsig", "gpgsig-sha256":
			c.Signed = true
		}
		if err != nil {
			return nil, err
		}
	}
	if !c.Tree.valid() {
		return nil, fmt.Errorf("no tree header")
	}
	return c, nil
}

// parseSignature reads "Name <mail> seconds zone". Old commits have odd names; only what cannot be
// taken apart at all is an error.
func parseSignature(s string) (Signature, error) {
	open, shut := strings.IndexByte(s, '<'), strings.LastIndexByte(s, '>')
	if open < 0 || shut < open {
		return Signature{}, fmt.Errorf("no mail address in %q", term.Escape(s))
	}
	sig := Signature{Name: strings.TrimSpace(s[:open]), Mail: s[open+1 : shut]}
	seconds, zone, _ := strings.Cut(strings.TrimSpace(s[shut+1:]), " ")
	n, err := strconv.ParseInt(seconds, 10, 64)
	if err != nil {
		return sig, nil // git shows such a commit with the epoch
	}
	sig.When = time.Unix(n, 0).In(parseZone(zone))
	return sig, nil
}

func parseZone(z string) *time.Location {
	n, err := strconv.Atoi(z)
	if err != nil || len(z) != 5 || n%100 >= 60 {
		return time.UTC
	}
	return time.FixedZone("", (n/100*60+n%100)*60)
}

// line gives the signature as a commit header has it.
func (s Signature) line() string {
	return fmt.Sprintf("%s <%s> %d %s", s.Name, s.Mail, s.When.Unix(), s.When.Format("-0700"))
}

// encodeCommit writes a commit object without a signature.
func encodeCommit(tree ID, parents []ID, author, committer Signature, message string) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "tree %s\n", tree)
	for _, p := range parents {
		fmt.Fprintf(&b, "parent %s\n", p)
	}
	fmt.Fprintf(&b, "author %s\ncommitter %s\n\n", author.line(), committer.line())
	b.WriteString(message)
	return b.Bytes()
}
