package main

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/open-agent-profile/oap/interop/agentcard"
	"github.com/open-agent-profile/oap/profile"
	"github.com/open-agent-profile/oap/profile/narrow"
	"github.com/open-agent-profile/oap/profile/resolve"
	"github.com/open-agent-profile/oap/repo/catalog"
)

// cast is what a profile root says about personas, all of it read at one moment.
type cast struct {
	root      string
	skills    *agentcard.SkillMap // nil where the root has no map, or a bad one
	publish   *agentcard.Publish
	findings  []profile.Finding // of the two files
	discovery *discovery
}

// casts reads the persona files of every profile root; a root without any is left out.
func (a *app) casts(ctx context.Context, at string) ([]*cast, error) {
	d, err := a.discover(ctx, at)
	if err != nil {
		return nil, err
	}
	return d.casts(ctx)
}

func (d *discovery) casts(ctx context.Context) (all []*cast, err error) {
	if d.source == nil {
		_, err := d.entries(ctx) // which says so
		return nil, err
	}
	for _, r := range d.roots {
		if r.Name != "project" {
			continue
		}
		c := &cast{root: r.Path, discovery: d}
		some, err := c.read(ctx)
		if err != nil {
			return nil, err
		}
		if some {
			all = append(all, c)
		}
	}
	return all, nil
}

// read gives false where the root has neither file.
func (c *cast) read(ctx context.Context) (some bool, err error) {
	take := func(name string, parse func(p string, data []byte) error) error {
		p := path.Join(c.root, name)
		data, err := c.discovery.source.Read(ctx, p)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		some = true
		if err == nil {
			err = parse(p, data)
		}
		var syntax *profile.SyntaxError
		var invalid *profile.InvalidError
		switch {
		case errors.As(err, &syntax):
			c.findings = append(c.findings, profile.Finding{Path: syntax.Path, Line: syntax.Line, Column: syntax.Column, Severity: profile.Error, Rule: "syntax", Message: syntax.Msg})
		case errors.As(err, &invalid):
			c.findings = append(c.findings, invalid.Findings...)
		default:
			return err
		}
		return nil
	}
	err = take(agentcard.SkillsFile, func(p string, data []byte) (err error) {
		c.skills, err = agentcard.ParseSkills(p, data)
		return err
	})
	if err == nil {
		err = take(agentcard.PublishFile, func(p string, data []byte) (err error) {
			c.publish, err = agentcard.ParsePublish(p, data)
			return err
		})
	}
	return some, err
}

// worn is one persona with what is wrong about it.
type worn struct {
	*agentcard.Persona
	cast     *cast
	entry    *catalog.Entry
	base     string
	findings []profile.Finding
}

func (w *worn) bad() bool { return profile.HasErrors(w.findings) }

// wear composes a persona with its base. What is wrong with its documents is a finding; Persona is nil where it
// cannot be composed.
func (c *cast) wear(ctx context.Context, e *catalog.Entry) (*worn, error) {
	w := &worn{cast: c, entry: e, base: agentcard.BaseName(e.Document)}
	if w.findings = agentcard.CheckContent(e.Document); w.bad() {
		return w, nil
	}
	d := c.discovery
	src, err := d.place(ctx, resolve.Root{Name: "project", Path: e.Root, Trust: resolve.Project}, e.Document)
	if err != nil {
		return nil, err
	}
	r, err := resolve.Resolve(ctx, d, d.roots, src, resolve.Options{})
	if err == nil {
		w.Persona, err = persona(e.Document, r)
	}
	if err != nil {
		if ctx.Err() != nil {
			return nil, err
		}
		w.findings = append(w.findings, baseFinding(e.Document, err)...)
		return w, nil
	}
	w.findings = agentcard.Check(w.Persona, c.skills)
	return w, nil
}

// baseFinding turns what keeps a profile from being composed into findings of the persona.
func baseFinding(doc *profile.Document, err error) []profile.Finding {
	var invalid *profile.InvalidError
	if errors.As(err, &invalid) {
		return invalid.Findings
	}
	return []profile.Finding{doc.Finding(profile.Error, "base", "/extends/0", err.Error())}
}

// persona asks narrowing what the two contracts grant, and where the persona is wider.
func persona(doc *profile.Document, r *resolve.Resolved) (*agentcard.Persona, error) {
	base := r.Bases[0]
	p := &agentcard.Persona{Document: doc, Base: spec(base.Value), Merged: spec(r.Value)}
	in := narrow.From(r)
	granted, err := narrow.Grant(in, "")
	if err != nil {
		return nil, err
	}
	of := narrow.Input{Value: base.Value, Trust: in.Trust, Bases: in.Bases[1:]}
	backed, err := narrow.Grant(of, "")
	if err != nil {
		return nil, err
	}
	p.Granted, p.Backed = granted, backed
	excess, odd := narrow.Subset(p.Base, p.Merged)
	for _, e := range excess {
		p.Excess = append(p.Excess, agentcard.Excess(e))
	}
	for _, e := range odd {
		p.Odd = append(p.Odd, agentcard.Excess(e))
	}
	return p, nil
}

func spec(document map[string]any) map[string]any {
	m, _ := document["spec"].(map[string]any)
	return m
}

// find gives a profile of the cast's root by name.
func (c *cast) find(ctx context.Context, name string) (*catalog.Entry, error) {
	e, err := catalog.Find(ctx, c.discovery.source, []string{c.root}, name)
	if err == nil && e.Err != nil {
		err = e.Err
	}
	return e, err
}

// public composes every persona that the publish file lists. One that is not there is a finding about the file,
// and no matter of the others.
func (c *cast) public(ctx context.Context) (all []*worn, missing []profile.Finding, err error) {
	if c.publish == nil {
		return nil, nil, nil
	}
	for i, p := range c.publish.Personas {
		e, err := c.find(ctx, p.Name)
		if err != nil {
			if ctx.Err() != nil {
				return nil, nil, err
			}
			missing = append(missing, c.publish.Finding(i, "base", err.Error()))
			continue
		}
		w, err := c.wear(ctx, e)
		if err != nil {
			return nil, nil, err
		}
		all = append(all, w)
	}
	return all, missing, nil
}

// card builds the card of a public persona. Its error is an InvalidError with everything that stands against it.
func (w *worn) card() (*agentcard.Card, error) {
	var against []profile.Finding
	for _, f := range slices.Concat(w.cast.findings, w.findings) {
		if f.Severity == profile.Error {
			against = append(against, f)
		}
	}
	if against != nil {
		return nil, &profile.InvalidError{Findings: against}
	}
	if w.cast.skills == nil || w.cast.publish == nil {
		return nil, &notFoundError{"there is no " + path.Join(w.cast.root, missingFile(w.cast)) + ", so no card can be made"}
	}
	return agentcard.Build(w.Persona, w.cast.skills, w.cast.publish)
}

func missingFile(c *cast) string {
	if c.skills == nil {
		return agentcard.SkillsFile
	}
	return agentcard.PublishFile
}

// judge finds everything that is wrong with the personas of a root: the files, each public persona, and whether it
// has a card.
func (c *cast) judge(ctx context.Context) (all []*worn, findings []profile.Finding, err error) {
	all, missing, err := c.public(ctx)
	if err != nil {
		return nil, nil, err
	}
	findings = slices.Concat(c.findings, missing)
	var composed []*agentcard.Persona
	for _, w := range all {
		findings = append(findings, w.findings...)
		if w.Persona != nil {
			composed = append(composed, w.Persona)
		}
		if !w.bad() && !profile.HasErrors(c.findings) {
			_, err := w.card()
			var invalid *profile.InvalidError
			switch {
			case errors.As(err, &invalid):
				w.findings = append(w.findings, invalid.Findings...)
				findings = append(findings, invalid.Findings...)
			case err != nil:
				line := profile.Finding{Path: path.Join(c.root, agentcard.PublishFile), Line: 1, Column: 1, Severity: profile.Error, Rule: "publish-file", Message: err.Error()}
				findings = append(findings, line)
			}
		}
	}
	if c.skills != nil {
		findings = append(findings, agentcard.CheckMap(c.skills, composed)...)
	}
	return all, findings, nil
}

// rooted splits ROOT:NAME.
func rooted(spec string) (root, name string) {
	if root, name, ok := strings.Cut(spec, ":"); ok {
		return path.Clean(root), name
	}
	return "", spec
}
