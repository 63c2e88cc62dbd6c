package repo

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strconv"
	"strings"

	"github.com/open-agent-profile/oap/internal/term"
)

// maxObject bounds what is read into memory. Nothing that oap works on comes near it.
const maxObject = 64 << 20

// object is one answer of git cat-file --batch.
type object struct {
	id   ID
	typ  string
	data []byte
}

// errMissing is the answer "missing": there is no such object.
var errMissing = errors.New("no such object")

// catFile is a running git cat-file --batch. Git itself knows packs, alternates, replaced objects,
// partial clones and what gc moves meanwhile, for sha1 and sha256 alike.
type catFile struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
	err tail
}

// tail keeps the last bytes that a child wrote to its standard error.
type tail struct{ b []byte }

func (t *tail) Write(p []byte) (int, error) {
	t.b = append(t.b, p...)
	if n := len(t.b) - 4096; n > 0 {
		t.b = t.b[n:]
	}
	return len(p), nil
}

func (r *Repo) startCat() (*catFile, error) {
	c := &catFile{}
	// Not bound to a context: the child outlives the call that happened to need it first.
	c.cmd = r.command(context.Background(), invocation{}, "cat-file", "--batch")
	c.cmd.Stderr = &c.err
	in, err := c.cmd.StdinPipe()
	if err != nil {
		return nil, ioError("pipe to git cat-file", err)
	}
	out, err := c.cmd.StdoutPipe()
	if err != nil {
		return nil, ioError("pipe from git cat-file", err)
	}
	if err := c.cmd.Start(); err != nil {
		return nil, childError(context.Background(), c.cmd.Args[1:], err, "")
	}
	c.in, c.out = in, bufio.NewReaderSize(out, 64<<10)
	return c, nil
}

func (c *catFile) stop() {
	if c == nil {
		return
	}
	_ = c.in.Close()
	_ = c.cmd.Process.Kill()
	go func() { _ = c.cmd.Wait() }() // it has nothing more to say
}

// warm starts the reader ahead of its first use.
func (r *Repo) warm() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.cat == nil {
		r.cat, _ = r.startCat() // a failure shows at the first read
	}
}

// objects asks for many objects in one go and calls each with the answers in order. Names must have no
// line end. A missing object is errMissing; the reading goes on as long as each returns nil.
func (r *Repo) objects(ctx context.Context, names []string, each func(i int, o object, err error) error) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("reading objects: %w", context.Cause(ctx))
	}
	if r.cat == nil {
		c, err := r.startCat()
		if err != nil {
			return err
		}
		r.cat = c
	}
	c := r.cat
	stop := context.AfterFunc(ctx, func() { _ = c.cmd.Process.Kill() })
	err := c.ask(names, each)
	if !stop() || err != nil {
		// Whatever is left in the pipe belongs to questions that nobody waits for any more.
		c.stop()
		r.cat = nil
		if ctx.Err() != nil {
			return fmt.Errorf("reading objects: %w", context.Cause(ctx))
		}
	}
	return err
}

func (c *catFile) ask(names []string, each func(int, object, error) error) error {
	// A single question fits into any pipe; many are written beside the reading, or both sides would
	// wait on full pipes.
	wrote := make(chan error, 1)
	write := func() {
		_, err := io.WriteString(c.in, strings.Join(names, "\n")+"\n")
		wrote <- err
	}
	if len(names) == 1 {
		write()
	} else {
		go write()
	}
	for i := range names {
		o, err := c.read()
		if err != nil && !errors.Is(err, errMissing) && !errors.Is(err, errTooLarge) {
			return &Error{Kind: IO, Reason: "object-read", Path: names[i], Msg: "git cat-file gave no answer" + c.said(), Err: err}
		}
		if err := each(i, o, err); err != nil {
			return err
		}
	}
	return <-wrote
}

func (c *catFile) said() string {
	if len(c.err.b) == 0 {
		return ""
	}
	return " (" + firstLine(string(c.err.b)) + ")"
}

var errTooLarge = fmt.Errorf("larger than %d bytes", maxObject)

// read takes "<id> SP <type> SP <size> LF <data> LF" or "<name> missing LF".
func (c *catFile) read() (object, error) {
	line, err := c.out.ReadString('\n')
	if err != nil {
		return object{}, err
	}
	line = strings.TrimSuffix(line, "\n")
	if strings.HasSuffix(line, " missing") || strings.HasSuffix(line, " ambiguous") {
		return object{}, errMissing
	}
	f := strings.Fields(line)
	if len(f) != 3 {
		return object{}, fmt.Errorf("unexpected answer %q", term.Escape(line))
	}
	size, err := strconv.ParseInt(f[2], 10, 64)
	if err != nil || size < 0 || !ID(f[0]).valid() {
		return object{}, fmt.Errorf("unexpected answer %q", term.Escape(line))
	}
	o := object{id: ID(f[0]), typ: f[1]}
	if size > maxObject {
		if _, err := io.CopyN(io.Discard, c.out, size+1); err != nil {
			return o, err
		}
		return o, errTooLarge
	}
	o.data = make([]byte, size)
	if _, err := io.ReadFull(c.out, o.data); err != nil {
		return o, err
	}
	_, err = c.out.Discard(1)
	return o, err
}

// object asks for one object.
func (r *Repo) object(ctx context.Context, name string) (o object, err error) {
	askErr := r.objects(ctx, []string{name}, func(_ int, got object, e error) error {
		o, err = got, e
		return nil
	})
	if askErr != nil {
		return object{}, askErr
	}
	return o, err
}

// typed asks for one object by id and insists on its type.
func (r *Repo) typed(ctx context.Context, id ID, typ string) ([]byte, error) {
	if !id.valid() {
		return nil, invalid("bad-id", term.Escape(string(id)), "not an object name")
	}
	o, err := r.object(ctx, string(id))
	switch {
	case errors.Is(err, errMissing):
		return nil, &Error{Kind: NotFound, Reason: "no-object", Path: string(id), Msg: "no such " + typ, Err: err}
	case errors.Is(err, errTooLarge):
		return nil, &Error{Kind: Invalid, Reason: "too-large", Path: string(id), Msg: typ + " cannot be read", Err: err}
	case err != nil:
		return nil, err
	case o.typ != typ:
		return nil, invalid("wrong-type", string(id), "is a %s, not a %s", o.typ, typ)
	}
	return o.data, nil
}
