package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/open-agent-profile/oap/internal/textedit"
	"github.com/open-agent-profile/oap/profile"
	"github.com/open-agent-profile/oap/repo"
	"github.com/open-agent-profile/oap/repo/apply"
)

// maxInput bounds what is read from a file or standard input; the parser's own limit is lower than
// one byte more.
const maxInput = 16 << 20

// deltaInput is the text of a delta, read once: what is checked is what is applied.
type deltaInput struct {
	name string
	data []byte
	err  error // of a file in the outbox that could not be read; the others are applied all the same
}

// readDeltas expands folders and reads every input. Names keep their order; "-" is standard input and
// may stand once.
func (a *app) readDeltas(args []string) ([]deltaInput, error) {
	var inputs []deltaInput
	stdin := false
	for _, arg := range args {
		if a.outbox != nil && a.outbox.taken[arg] != nil {
			data, err := a.outbox.read(arg)
			inputs = append(inputs, deltaInput{arg, data, err})
			continue
		}
		if arg == "-" {
			if stdin {
				return nil, usagef("standard input can be read once only")
			}
			stdin = true
			data, err := a.readInput()
			if err != nil {
				return nil, err
			}
			inputs = append(inputs, deltaInput{name: "-", data: data})
			continue
		}
		files, err := deltaFiles(a.resolve(arg))
		if err != nil {
			return nil, err
		}
		// A pipe that is named is waited for; one that lies in a folder is a mistake.
		read := a.readFile
		if !slices.Equal(files, []string{a.resolve(arg)}) {
			read = readRegular
		}
		for _, name := range files {
			data, err := read(name)
			if err != nil {
				return nil, err
			}
			inputs = append(inputs, deltaInput{name: name, data: data})
		}
	}
	return inputs, nil
}

// deltaFiles gives a file as it is and a folder's deltas in byte order of their names, so that a spool
// named by time is applied in time's order.
func deltaFiles(arg string) ([]string, error) {
	info, err := os.Stat(arg)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return []string{arg}, nil
	}
	entries, err := os.ReadDir(arg)
	if err != nil {
		return nil, err
	}
	var files []string
	for _, e := range entries {
		if !e.IsDir() && profile.IsDeltaPath(e.Name()) {
			files = append(files, filepath.Join(arg, e.Name()))
		}
	}
	if len(files) == 0 {
		return nil, &repo.Error{Kind: repo.NotFound, Reason: "file", Path: arg, Msg: fmt.Sprintf("the folder %s holds no delta (%s)", arg, strings.Join(profile.DeltaSuffixes, ", "))}
	}
	slices.Sort(files)
	return files, nil
}

// readInput reads standard input.
func (a *app) readInput() ([]byte, error) {
	data, err := a.interruptible(func() ([]byte, error) { return readLimited(a.in) })
	if err != nil {
		return nil, fmt.Errorf("standard input: %w", err)
	}
	return data, nil
}

// readFile reads a file that the command line names; it may be a pipe.
func (a *app) readFile(name string) ([]byte, error) {
	return a.interruptible(func() ([]byte, error) { return readFile(name) })
}

// interruptible ends when the run is interrupted, even where a pipe or a terminal says nothing. The reader
// then stays behind; the process is about to end.
func (a *app) interruptible(read func() ([]byte, error)) ([]byte, error) {
	type result struct {
		data []byte
		err  error
	}
	done := make(chan result, 1)
	go func() {
		data, err := read()
		done <- result{data, err}
	}()
	select {
	case r := <-done:
		return r.data, r.err
	case <-a.ctx.Done():
		return nil, a.ctx.Err()
	}
}

func readFile(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readLimited(f)
}

// readLimited reads at most one byte more than any document may have; the parser then refuses it with
// its own sentence.
func readLimited(r io.Reader) ([]byte, error) {
	return io.ReadAll(io.LimitReader(r, maxInput+1))
}

// request parses and checks a delta, and prints its warnings.
func (in deltaInput) request(a *app) (*apply.Request, error) {
	if in.err != nil {
		return nil, in.err
	}
	doc, err := in.parse()
	if err != nil {
		return nil, err
	}
	req, findings, err := apply.NewRequest(in.name, doc)
	if err != nil {
		return nil, err
	}
	for _, f := range findings {
		a.warnf("%s", f.Text())
	}
	return req, nil
}

// parse takes the encoding from the name; standard input is JSON if its first character opens an object.
func (in deltaInput) parse() (*profile.Document, error) {
	if in.name != "-" {
		return profile.Parse(in.name, in.data)
	}
	enc := textedit.YAML
	if bytes.HasPrefix(bytes.TrimLeft(bytes.TrimPrefix(in.data, []byte("\xef\xbb\xbf")), " \t\r\n"), []byte("{")) {
		enc = textedit.JSON
	}
	return profile.ParseAs(in.name, in.data, enc)
}

// cleanActor checks the name of a person that goes into a trailer and into history: one line of text, so
// that it can neither forge another trailer nor hide what it says. Nothing, as opposed to blanks, is nobody
// and is left to the caller.
func cleanActor(s string) (string, error) {
	name := strings.TrimSpace(s)
	unprintable := func(c rune) bool { return unicode.IsControl(c) || c == '\u2028' || c == '\u2029' }
	switch {
	case !utf8.ValidString(s):
		return "", usagef("the name of a person has to be UTF-8")
	case s != "" && name == "":
		return "", usagef("the name of a person cannot be blank")
	case strings.ContainsFunc(s, unprintable):
		return "", usagef("the name of a person is one line without control characters")
	}
	return name, nil
}
