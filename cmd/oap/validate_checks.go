package main

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/open-agent-profile/oap/interop/agentmanifest"
	"github.com/open-agent-profile/oap/profile"
	"github.com/open-agent-profile/oap/profile/resolve"
	"github.com/open-agent-profile/oap/repo/catalog"
)

// crowded is the number of profiles in one folder beyond which every commit rewrites a large tree.
const crowded = 1000

// duplicates adds an error to every profile that shares its name with another in its root (OAP L1-D2): whichever
// of them a person looks at has to say so.
func (v *validation) duplicates() {
	type key struct{ root, name string }
	same := map[key][]*checked{}
	for _, c := range v.checked {
		if c.name != "" {
			same[key{c.root, c.name}] = append(same[key{c.root, c.name}], c)
		}
	}
	for k, cs := range same {
		for _, c := range cs {
			var others []string
			for _, o := range cs {
				if o != c {
					others = append(others, o.path)
				}
			}
			if len(others) > 0 {
				c.findings = append(c.findings, profile.Finding{
					Path: c.path, Line: c.line, Column: c.column, Severity: profile.Error, Rule: "duplicate-profile", Pointer: "/metadata/name",
					Message: fmt.Sprintf("the name %q stands in %s too; names are unique under %s", k.name, strings.Join(others, ", "), k.root),
				})
			}
		}
	}
}

// personas holds the public personas of the profile roots against their bases. What was said of a document
// already is not said again.
func (v *validation) personas(ctx context.Context) error {
	casts, err := v.app.casts(ctx, "")
	if err != nil {
		return err
	}
	known := map[profile.Finding]bool{}
	for _, f := range v.findings() {
		known[f] = true
	}
	for _, c := range casts {
		_, findings, err := c.judge(ctx)
		if err != nil {
			return err
		}
		for _, f := range findings {
			if !known[f] {
				known[f] = true
				v.checked = append(v.checked, &checked{path: f.Path, findings: []profile.Finding{f}})
			}
		}
	}
	return nil
}

// heirs composes profiles that extend others, and holds them to what their manifests say with what they inherit: a
// skill may get its memory from a base.
func (v *validation) heirs(ctx context.Context) error {
	found := map[string]*discovery{}
	for _, c := range v.checked {
		if c.heir == nil {
			continue
		}
		d := found[c.commit]
		if d == nil {
			var err error
			if d, err = v.app.discover(ctx, c.commit); err != nil {
				return err
			}
			found[c.commit] = d
		}
		r, err := v.resolved(ctx, d, c)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			c.findings = append(c.findings, baseFinding(c.heir, err)...)
			continue
		}
		value, err := granted(r)
		if err != nil {
			return err
		}
		c.findings = append(c.findings, agentmanifest.Gate(c.heir, spec(value))...)
		slices.SortStableFunc(c.findings, func(a, b profile.Finding) int {
			return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
		})
	}
	return nil
}

// resolved composes a document that was read already.
func (v *validation) resolved(ctx context.Context, d *discovery, c *checked) (*resolve.Resolved, error) {
	src := &resolve.Source{Path: c.path, Document: c.heir}
	if c.root != "" {
		var err error
		if src, err = d.place(ctx, resolve.Root{Name: "project", Path: c.root, Trust: resolve.Project}, c.heir); err != nil {
			return nil, err
		}
	} else {
		file := v.app.resolve(c.path)
		src.Root, src.ID = d.rootOf(file), realPath(absolute(file))
	}
	return resolve.Resolve(ctx, d, d.roots, src, resolve.Options{})
}

// folders looks at paths beside each other.
func (v *validation) folders(paths []string) {
	for _, c := range catalog.Collisions(paths) {
		for _, p := range c.Paths {
			v.about(p, profile.Error, "letter-case", "%s", c.Msg)
		}
	}
	v.crowds(paths)
}

// crowds advises sub-folders where very many profiles lie in one (docs/format.md).
func (v *validation) crowds(paths []string) {
	in := map[string]int{}
	for _, p := range paths {
		if profile.IsProfilePath(p) {
			in[path.Dir(p)]++
		}
	}
	for _, dir := range slices.Sorted(maps.Keys(in)) {
		if in[dir] > crowded {
			v.about(dir, profile.Warning, "crowded-folder", "%d profiles lie in one folder, which every commit to one of them writes anew; sub-folders keep commits small", in[dir])
		}
	}
}

// conflictLine finds what an unfinished merge leaves: the three markers in their order, each at the start of a line. It
// gives the line of the first, or 0 (git: xdiff/xmerge.c, default marker size).
func conflictLine(data []byte) int {
	first, line := 0, 0
	middle := false
	for text := range bytes.Lines(data) {
		line++
		switch {
		case bytes.HasPrefix(text, []byte("<<<<<<< ")):
			first, middle = line, false
		case first > 0 && bytes.HasPrefix(text, []byte("=======")):
			middle = true
		case middle && bytes.HasPrefix(text, []byte(">>>>>>> ")):
			return first
		}
	}
	return 0
}
