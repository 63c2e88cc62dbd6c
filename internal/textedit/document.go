package textedit

import (
	"bytes"
	"errors"

	"github.com/open-agent-profile/oap/canonical"
)

// Format is the notation of a document.
type Format uint8

// The notations. Markdown means YAML frontmatter between two lines "---" and a body.
const (
	YAML Format = iota + 1
	JSON
	Markdown
)

func (f Format) String() string {
	switch f {
	case YAML:
		return "YAML"
	case JSON:
		return "JSON"
	case Markdown:
		return "Markdown"
	}
	return "unknown format"
}

// Options bound what is read. The zero value has the defaults.
type Options struct {
	// Body is the pointer of the member that a Markdown body stands for; other formats ignore it.
	Body string
	// MaxBytes, MaxDepth and MaxNodes default to 16 MiB, 100 levels and 2,000,000 nodes. Depth and
	// nodes count every use of an alias as a copy of what it stands for.
	MaxBytes, MaxDepth, MaxNodes int
}

func (o Options) withDefaults() Options {
	if o.MaxBytes <= 0 {
		o.MaxBytes = 16 << 20
	}
	if o.MaxDepth <= 0 {
		o.MaxDepth = 100
	}
	if o.MaxNodes <= 0 {
		o.MaxNodes = 2_000_000
	}
	return o
}

// Document is a text with its value and the place of every node.
type Document struct {
	src    []byte
	format Format
	opts   Options
	base   int    // where text begins in src: behind a byte order mark and the opening fence
	text   []byte // the part that holds the tree; all node offsets count from its start
	root   *node
	value  any
	body   *body // Markdown only
	lines  *lineIndex
}

var utf8BOM = []byte("\xef\xbb\xbf")

// Parse reads a whole document. The document keeps src, which must not be changed afterwards.
// Every error is a [*SyntaxError].
func Parse(src []byte, f Format, o Options) (*Document, error) {
	d := &Document{src: src, format: f, opts: o.withDefaults()}
	if bytes.HasPrefix(src, utf8BOM) {
		d.base = len(utf8BOM)
	}
	d.text = src[d.base:]
	d.lines = newLineIndex(src, d.base)
	err := d.read()
	if err == nil {
		return d, nil
	}
	var at *fault
	if !errors.As(err, &at) {
		at = &fault{0, err.Error()}
	}
	line, col := d.lines.position(d.base + at.offset)
	return nil, &SyntaxError{Line: line, Column: col, Msg: at.msg}
}

func (d *Document) read() error {
	if len(d.src) > d.opts.MaxBytes {
		return faultAt(0, "the file has %d bytes; the limit is %d", len(d.src), d.opts.MaxBytes)
	}
	if err := checkEncoding(d.text); err != nil {
		return err
	}
	var err error
	switch d.format {
	case YAML:
		d.root, err = parseYAML(d.text, d.opts)
	case JSON:
		d.root, err = parseJSON(d.text, d.opts)
	case Markdown:
		err = d.readMarkdown()
	default:
		return faultAt(0, "unknown document format")
	}
	if err != nil {
		return err
	}
	d.value = d.root.value
	if d.body != nil && d.body.present {
		d.value = d.body.addTo(d.root.value)
	}
	return nil
}

// Value gives the document in the model of package canonical. It shares structure with the document
// (and, in YAML, with itself where aliases are used): treat it as read-only.
func (d *Document) Value() any { return d.value }

// Bytes gives the text exactly as it was read.
func (d *Document) Bytes() []byte { return d.src }

// Position gives line and column (1-based) of what p addresses: the key of a member, the first byte of
// an entry. Where p does not exist it gives the nearest ancestor that does.
func (d *Document) Position(p canonical.Pointer) (line, col int) {
	if d.body != nil && d.body.present && p.HasPrefix(d.body.pointer) {
		return d.lines.position(d.body.start)
	}
	n, at := d.root, d.root.start
	for _, token := range p {
		n = n.resolved()
		i := n.child(token)
		if i < 0 {
			break
		}
		if n.kind == mapNode {
			at = n.keys[i].start
		} else {
			at = n.vals[i].start
		}
		n = n.vals[i]
	}
	return d.lines.position(d.base + at)
}
