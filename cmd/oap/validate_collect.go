package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"

	"github.com/open-agent-profile/oap/interop/agentmanifest"
	"github.com/open-agent-profile/oap/profile"
	"github.com/open-agent-profile/oap/repo"
	"github.com/open-agent-profile/oap/repo/catalog"
)

// validation is one run: what was checked, in the order of the arguments, folders in byte order of paths.
type validation struct {
	app       *app
	digests   bool
	resolve   bool // bases count for every profile
	whole     bool // everything under the roots is checked
	roots     []string
	seen      map[string]bool // paths, so that a file which two arguments name is checked once
	checked   []*checked
	documents int
	unread    []error // what could not be read or found
}

// checked is one document, or, without a document, findings about a path.
type checked struct {
	path     string
	root     string
	name     string // empty unless the document is a profile
	line     int    // of the name
	column   int
	findings []profile.Finding
	digest   *digested
	heir     *profile.Document // set where what it extends counts
	commit   string            // that it was read at
}

func (v *validation) findings() []profile.Finding {
	var all []profile.Finding
	for _, c := range v.checked {
		all = append(all, c.findings...)
	}
	return all
}

func (v *validation) collect(ctx context.Context, args []string) error {
	if len(args) == 0 {
		v.whole = true
		if err := v.underRoots(ctx); err != nil {
			return err
		}
		return v.heirs(ctx)
	}
	for _, arg := range args {
		err := v.argument(ctx, arg)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			v.unread = append(v.unread, err)
		}
	}
	return v.heirs(ctx)
}

// argument checks what one word of the command line names.
func (v *validation) argument(ctx context.Context, arg string) error {
	full := v.app.resolve(arg)
	switch {
	case arg == "-":
		return v.standardInput()
	case !looksLikePath(arg) && !exists(full):
		return v.named(ctx, arg)
	}
	info, err := os.Stat(full)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		// Whatever can be read once will do, also a pipe such as /dev/fd/63.
		return v.file(filepath.ToSlash(filepath.Clean(arg)), "", func() ([]byte, error) { return v.app.readFile(full) })
	}
	found, err := v.documentsBelow(ctx, full)
	if err != nil {
		return err
	}
	if len(found) == 0 {
		return &notFoundError{fmt.Sprintf("the folder %s holds no profile and no delta", arg)}
	}
	var paths []string
	for _, rel := range found {
		p := path.Join(filepath.ToSlash(arg), rel)
		if err := v.file(p, "", func() ([]byte, error) { return readRegular(filepath.Join(full, filepath.FromSlash(rel))) }); err != nil {
			v.unread = append(v.unread, err)
		}
		paths = append(paths, p)
	}
	v.folders(paths)
	return nil
}

func (v *validation) standardInput() error {
	if v.seen["-"] {
		return usagef("standard input can be read once only")
	}
	v.seen["-"] = true
	data, err := v.app.readInput()
	if err != nil {
		return err
	}
	v.documents++
	doc, err := deltaInput{name: "-", data: data}.parse()
	return v.document("-", "", data, doc, err)
}

// named checks a profile of the repository.
func (v *validation) named(ctx context.Context, spec string) error {
	at, err := v.app.target(ctx, spec)
	if se, ok := errors.AsType[*profile.SyntaxError](err); ok {
		v.documents++
		return v.document(se.Path, "", nil, nil, err)
	}
	if repo.ReasonOf(err) == "not-a-repository" {
		return &notFoundError{fmt.Sprintf("there is no file or folder %s, and no repository to look for a profile of that name", spec)}
	}
	if err != nil {
		return err
	}
	v.documents++
	err = v.document(at.Path, "", at.Document.Bytes(), at.Document, nil)
	c := v.checked[len(v.checked)-1]
	c.root, c.commit = at.Root, string(at.Commit)
	return err
}

// underRoots checks everything under the profile roots.
func (v *validation) underRoots(ctx context.Context) error {
	src, roots, err := v.app.source(ctx)
	if err != nil {
		return err
	}
	v.roots = roots
	var paths []string
	for _, root := range roots {
		found, err := v.documentsUnder(ctx, src, root)
		if err != nil {
			return err
		}
		for _, p := range found {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if v.seen[p] {
				continue // one root may lie inside another
			}
			paths = append(paths, p)
			if err := v.file(p, root, func() ([]byte, error) { return src.Read(ctx, p) }); err != nil {
				v.unread = append(v.unread, err)
			}
		}
	}
	v.duplicates()
	v.folders(paths)
	return v.personas(ctx)
}

// documentsUnder lists the documents of a source, as [catalog.Source] lists profiles.
func (v *validation) documentsUnder(ctx context.Context, src catalog.Source, root string) ([]string, error) {
	switch s := src.(type) {
	case catalog.Commit:
		return s.Files(ctx, root, isDocument)
	case catalog.Worktree:
		rels, err := v.documentsBelow(ctx, filepath.Join(s.Top, filepath.FromSlash(root)))
		if errors.Is(err, fs.ErrNotExist) {
			return nil, nil
		}
		for i, rel := range rels {
			rels[i] = path.Join(root, rel)
		}
		return rels, err
	}
	return src.Profiles(ctx, root)
}

// documentsBelow walks a folder and gives the documents in it, slash-separated and in byte order. What belongs to
// git is left out, links to folders below are not followed, and a folder that cannot be read does not hide the others.
func (v *validation) documentsBelow(ctx context.Context, dir string) ([]string, error) {
	dir, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return nil, err
	}
	var rels []string
	err = filepath.WalkDir(dir, func(full string, e fs.DirEntry, err error) error {
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil && full == dir:
			return err
		case err != nil:
			v.unread = append(v.unread, err)
			return fs.SkipDir
		case e.IsDir() && e.Name() == ".git" && full != dir:
			return fs.SkipDir
		case e.IsDir() || !isDocument(e.Name()):
			return nil
		}
		rel, err := filepath.Rel(dir, full)
		rels = append(rels, filepath.ToSlash(rel))
		return err
	})
	slices.Sort(rels)
	return rels, err
}

func isDocument(p string) bool { return profile.IsProfilePath(p) || profile.IsDeltaPath(p) }

// readRegular refuses what would never end, such as a pipe or a device.
func readRegular(name string) ([]byte, error) {
	info, err := os.Stat(name)
	if err == nil && !info.Mode().IsRegular() {
		return nil, &repo.Error{Kind: repo.Refused, Reason: "not-a-file", Path: name, Msg: "is no regular file"}
	}
	return readFile(name)
}

// file reads and checks one file. A link that leads nowhere, or out of the repository, is a finding, since it is
// part of what was asked about; the error is of a file that could not be read.
func (v *validation) file(p, root string, read func() ([]byte, error)) error {
	if v.seen[p] {
		return nil
	}
	v.seen[p] = true
	v.documents++
	data, err := read()
	var refused *repo.Error
	switch {
	case errors.As(err, &refused) && refused.Kind == repo.Refused:
		v.about(p, profile.Error, refused.Reason, "%s", refused.Msg)
		return nil
	case errors.Is(err, fs.ErrNotExist):
		v.about(p, profile.Error, "symlink", "the link leads nowhere")
		return nil
	case err != nil:
		return err
	}
	doc, err := profile.Parse(p, data)
	return v.document(p, root, data, doc, err)
}

// document takes down the findings of a document, or why it is none.
func (v *validation) document(p, root string, data []byte, doc *profile.Document, err error) error {
	c := &checked{path: p, root: root, line: 1, column: 1}
	v.checked = append(v.checked, c)
	marker := profile.Finding{Path: p, Line: conflictLine(data), Column: 1, Severity: profile.Error, Rule: "conflict-marker", Message: "git's conflict markers stand in the file"}
	if err != nil {
		f := profile.Finding{Path: p, Line: 1, Column: 1, Severity: profile.Error, Rule: "syntax", Message: err.Error()}
		if se, ok := errors.AsType[*profile.SyntaxError](err); ok {
			f.Line, f.Column, f.Message = se.Line, se.Column, se.Msg
		}
		if marker.Line > 0 {
			f = marker // the syntax error follows from it
		}
		c.findings = []profile.Finding{f}
		if profile.IsProfilePath(p) {
			c.name = (&catalog.Entry{Path: p}).Name()
		}
		return nil
	}
	c.findings = doc.Check()
	if marker.Line > 0 {
		marker.Severity = profile.Warning // instructions about git may show markers
		c.findings = append(c.findings, marker)
	}
	if doc.Kind() == profile.KindDelta {
		return nil
	}
	c.findings = append(c.findings, agentmanifest.Gate(doc, spec(doc.Value))...)
	// One file is judged by itself: a base is looked for where everything is checked, or where that is asked for.
	if doc.Value["extends"] != nil && !profile.HasErrors(c.findings) && (v.resolve || v.whole && agentmanifest.Speaks(doc)) {
		c.heir = doc
	}
	c.name = doc.Name()
	c.line, c.column = doc.Position("/metadata/name")
	if !v.digests {
		return nil
	}
	d := &digested{Type: "digest", Target: p, Path: p, Name: doc.Name(), Revision: doc.Revision()}
	if d.ProfileDigest, err = doc.Digest(); err == nil {
		d.SpecDigest, err = doc.SpecDigest()
	}
	c.digest = d
	return err
}

// about takes down a finding that has a path and no place in a document.
func (v *validation) about(p string, sev profile.Severity, rule, format string, args ...any) {
	f := profile.Finding{Path: p, Severity: sev, Rule: rule, Message: fmt.Sprintf(format, args...)}
	v.checked = append(v.checked, &checked{path: p, findings: []profile.Finding{f}})
}
