package repo

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"iter"
	"strconv"
	"strings"
	"time"

	"github.com/open-agent-profile/oap/internal/term"
)

// LogOptions choose commits of the history.
type LogOptions struct {
	From        []string  // revisions to start at; none is HEAD
	Not         []string  // revisions whose history is left out
	Paths       []string  // only commits that change one of these, taken literally
	Since       time.Time // only commits of that time or later; zero is all
	Max         int       // at most so many; 0 is all
	FirstParent bool
	FullHistory bool // with Paths: do not leave out side branches that came to the same content
	Reverse     bool // oldest first; the whole walk is done before the first commit comes
	Changes     bool // fill LogEntry.Changes
}

// LogEntry is a commit of the history. Its Commit has no Signed.
type LogEntry struct {
	Commit
	Changes []Diff // against the first parent, within Paths
}

// Diff is one path in two trees; an id "" (mode 0) is absence.
type Diff struct {
	Path             string
	OldMode, NewMode uint32
	Old, New         ID
}

// logFormat gives the fields of one commit, each ended by NUL. Git puts a NUL of its own after them.
const logFormat = "--format=tformat:%H%x00%T%x00%P%x00%an%x00%ae%x00%ad%x00%cn%x00%ce%x00%cd%x00%B%x00"

const logFields = 10

// Log yields commits newest first, parents after children, as git log walks them. It stops git when
// the loop ends early. A revision that does not exist is NotFound. In a shallow clone history ends
// early, without an error: see Repo.Shallow.
func (r *Repo) Log(ctx context.Context, o LogOptions) iter.Seq2[*LogEntry, error] {
	return func(yield func(*LogEntry, error) bool) {
		args, err := logArgs(o)
		if err != nil {
			yield(nil, err)
			return
		}
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		inv := invocation{}
		if r.Prefix != "" && len(o.Paths) > 0 {
			inv.dir = r.Root // git takes paths from where it stands; ours are from the top
		}
		cmd := r.command(ctx, inv, args...)
		var stderr tail
		cmd.Stderr = &stderr
		out, err := cmd.StdoutPipe()
		if err != nil {
			yield(nil, ioError("pipe from git log", err))
			return
		}
		if err := cmd.Start(); err != nil {
			yield(nil, childError(ctx, args, err, ""))
			return
		}
		in := bufio.NewReaderSize(out, 64<<10)
		var readErr error
		for {
			var e *LogEntry
			if e, readErr = readLogEntry(in, o.Changes); readErr != nil {
				break
			}
			if !yield(e, nil) {
				cancel()
				_ = cmd.Wait()
				return
			}
		}
		err = childError(ctx, args, cmd.Wait(), string(stderr.b))
		if err == nil && readErr != io.EOF {
			err = &Error{Kind: IO, Reason: "log", Msg: "git log cannot be understood", Err: readErr}
		}
		if err != nil {
			yield(nil, logError(err))
		}
	}
}

func logError(err error) error {
	ge, ok := err.(*gitError)
	if !ok {
		return err
	}
	for _, s := range []string{"unknown revision", "bad revision", "bad object", "does not have any commits"} {
		if strings.Contains(ge.stderr, s) {
			return &Error{Kind: NotFound, Reason: "no-revision", Msg: "history cannot be read", Err: ge}
		}
	}
	return &Error{Kind: IO, Reason: "log", Msg: "history cannot be read", Err: ge}
}

// logArgs overrules every setting that changes the output of git log.
func logArgs(o LogOptions) ([]string, error) {
	args := []string{"--literal-pathspecs", "-c", "i18n.logOutputEncoding=UTF-8", "-c", "log.follow=false",
		"log", "-z", "--date=raw", "--no-color", "--no-decorate", "--no-notes", "--no-show-signature", "--no-mailmap", logFormat}
	if o.Changes {
		args = append(args, "--raw", "--no-abbrev", "--no-renames", "--no-ext-diff", "--no-relative",
			"--diff-merges=first-parent", "--ignore-submodules=none")
	} else {
		args = append(args, "--no-patch")
	}
	add := func(on bool, arg string) {
		if on {
			args = append(args, arg)
		}
	}
	add(o.FirstParent, "--first-parent")
	add(o.FullHistory, "--full-history")
	add(o.Reverse, "--reverse")
	add(o.Max > 0, "--max-count="+strconv.Itoa(o.Max))
	add(!o.Since.IsZero(), fmt.Sprintf("--since=@%d", o.Since.Unix()))
	for _, rev := range append(append([]string{}, o.From...), o.Not...) {
		if rev == "" || strings.HasPrefix(rev, "-") || strings.HasPrefix(rev, "^") || strings.ContainsAny(rev, "\n\x00") {
			return nil, notFound("no-revision", term.Escape(rev), "names no commit")
		}
	}
	args = append(args, o.From...)
	if len(o.From) == 0 {
		args = append(args, "HEAD")
	}
	for _, rev := range o.Not {
		args = append(args, "^"+rev)
	}
	return append(append(args, "--"), o.Paths...), nil
}

// readLogEntry takes the fields of a commit, git's NUL after them, and with changes a line end and the
// raw records, if there are any. io.EOF is the end of the log.
func readLogEntry(in *bufio.Reader, changes bool) (*LogEntry, error) {
	if _, err := in.Peek(1); err != nil {
		return nil, err
	}
	var f [logFields + 1]string // the last one is what git's own NUL ends: nothing
	for i := range f {
		s, err := in.ReadString(0)
		if err != nil {
			return nil, fmt.Errorf("cut short: %w", noEOF(err))
		}
		f[i] = s[:len(s)-1]
	}
	e := &LogEntry{Commit: Commit{ID: ID(f[0]), Tree: ID(f[1]), Message: f[9]}}
	if !e.ID.valid() || f[logFields] != "" {
		return nil, fmt.Errorf("unexpected record %q", term.Escape(f[0]))
	}
	for p := range strings.FieldsSeq(f[2]) {
		e.Parents = append(e.Parents, ID(p))
	}
	e.Author, e.Committer = logSignature(f[3:6]), logSignature(f[6:9])
	if !changes {
		return e, nil
	}
	if b, err := in.Peek(1); err != nil || b[0] != '\n' {
		return e, nil
	}
	_, _ = in.Discard(1)
	for {
		if b, err := in.Peek(1); err != nil || b[0] != ':' {
			return e, nil
		}
		d, err := readRaw(in)
		if err != nil {
			return nil, err
		}
		e.Changes = append(e.Changes, d)
	}
}

func noEOF(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

func logSignature(f []string) Signature {
	s, _ := parseSignature(" <> " + f[2])
	s.Name, s.Mail = f[0], f[1]
	return s
}

// readRaw takes ":oldmode newmode oldid newid status NUL path NUL" (git: diff-format).
func readRaw(in *bufio.Reader) (Diff, error) {
	head, err := in.ReadBytes(0)
	if err != nil {
		return Diff{}, noEOF(err)
	}
	p, err := in.ReadString(0)
	if err != nil {
		return Diff{}, noEOF(err)
	}
	f := bytes.Fields(head[1 : len(head)-1])
	if len(f) != 5 {
		return Diff{}, fmt.Errorf("unexpected change %q", term.Escape(string(head)))
	}
	d := Diff{Path: p[:len(p)-1]}
	for i, to := range []*uint32{&d.OldMode, &d.NewMode} {
		m, err := strconv.ParseUint(string(f[i]), 8, 32)
		if err != nil {
			return Diff{}, fmt.Errorf("unexpected mode %q", term.Escape(string(f[i])))
		}
		*to = uint32(m)
	}
	if id := ID(f[2]); id.valid() {
		d.Old = id
	}
	if id := ID(f[3]); id.valid() {
		d.New = id
	}
	return d, nil
}
