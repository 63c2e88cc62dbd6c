package main

import (
	"context"
	"errors"
	"fmt"
	"path"

	"github.com/spf13/cobra"

	"github.com/open-agent-profile/oap/profile"
	"github.com/open-agent-profile/oap/repo"
	"github.com/open-agent-profile/oap/repo/catalog"
)

type newOptions struct {
	description string
	format      string
	commit      bool
	signoff     bool
}

func (a *app) newNewCommand() *cobra.Command {
	var o newOptions
	cmd := &cobra.Command{
		Use:   "new NAME --description TEXT",
		Short: "Write a starter profile",
		Long: `Write a commented starter profile with the least rights under the profile root. It is
valid, and not committed: the git commands are printed, or --commit does it.`,
		Example: `  oap new scout --description 'Finds where a feature lives in this code base.'
  oap new scout --description 'Finds where a feature lives.' --commit`,
		Args: takes(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error { return a.runNew(cmd.Context(), args[0], o) },
	}
	f := cmd.Flags()
	f.StringVar(&o.description, "description", "", "when to use this agent (required)")
	f.StringVar(&o.format, "format", "yaml", "write in `FORMAT`: yaml, json or md")
	f.BoolVar(&o.commit, "commit", false, "commit the new file")
	f.BoolVar(&o.signoff, "signoff", false, "add Signed-off-by to the commit")
	return cmd
}

// created is the JSON answer.
type created struct {
	Type          string `json:"type"` // "new"
	Name          string `json:"name"`
	Path          string `json:"path"`
	Commit        string `json:"commit,omitempty"`
	ProfileDigest string `json:"profile_digest"`
	SpecDigest    string `json:"spec_digest"`
}

func (a *app) runNew(ctx context.Context, name string, o newOptions) error {
	enc, known := encodings[o.format]
	if !known {
		return usagef("--format is yaml, json or md, not %q", o.format)
	}
	if o.description == "" {
		return usagef("say with --description when to use this agent")
	}
	now, err := a.time()
	if err != nil {
		return err
	}
	r, roots, dir, err := a.newPlace(ctx, o.commit)
	if err != nil {
		return err
	}
	rel := path.Join(dir, name+".agent."+o.format)
	text, err := profile.Starter(name, o.description, now, enc)
	if err != nil {
		return err
	}
	doc, err := a.checkNew(rel, text)
	if err != nil {
		return err
	}
	if err := a.freeName(ctx, r, roots, name); err != nil {
		return err
	}
	c := created{Type: "new", Name: name, Path: rel}
	if c.ProfileDigest, c.SpecDigest, err = bothDigests(doc); err != nil {
		return err
	}
	if o.commit {
		c.Commit, err = a.commitNew(ctx, r, rel, text, c, o)
	} else {
		if _, err = makeFolder(r, dir); err == nil {
			err = makeFile(r, rel, text)
		}
	}
	if err != nil {
		return err
	}
	return a.printNew(c)
}

// newPlace gives the folder that a new profile goes to, under the one root that is meant.
func (a *app) newPlace(ctx context.Context, commit bool) (r *repo.Repo, roots []string, dir string, err error) {
	if r, err = a.repo(ctx); err != nil {
		return nil, nil, "", err
	}
	if roots, err = a.profileRoots(r); err != nil {
		return nil, nil, "", err
	}
	if len(roots) > 1 {
		return nil, nil, "", usagef("there are several profile roots; choose one with --root")
	}
	dir, err = a.folderOf(ctx, r, roots[0], commit)
	return r, roots, dir, err
}

// checkNew refuses a name or description that would make an invalid profile, before anything is written.
func (a *app) checkNew(rel string, text []byte) (*profile.Document, error) {
	doc, err := profile.Parse(rel, text)
	if err != nil {
		return nil, err
	}
	findings, err := doc.Validate()
	if err != nil {
		return nil, err
	}
	for _, f := range findings {
		a.warnf("%s", f.Text())
	}
	return doc, nil
}

// freeName refuses a name that a profile of the working tree or of the branch has.
func (a *app) freeName(ctx context.Context, r *repo.Repo, roots []string, name string) error {
	src, _, err := a.source(ctx)
	if err != nil {
		return err
	}
	e, err := catalog.Find(ctx, src, roots, name)
	var missing *catalog.Error
	switch {
	case errors.As(err, &missing) && missing.Kind == catalog.NotFound:
		return nil
	case err != nil:
		return err
	}
	return &repo.Error{Kind: repo.Refused, Reason: "exists", Path: e.Path, Msg: fmt.Sprintf("a profile named %s is there already", name)}
}

// folderOf gives the folder that the profile comes to lie in, where the root's links lead, in the commit or in
// the working tree.
func (a *app) folderOf(ctx context.Context, r *repo.Repo, root string, commit bool) (string, error) {
	if !commit {
		if r.Root == "" {
			return "", &repo.Error{Kind: repo.Refused, Reason: "bare", Msg: "a bare repository has no working tree; use --commit"}
		}
		return workFolder(ctx, r, root)
	}
	s, err := a.tip(ctx, r) // which refuses a branch that is not there
	if err != nil {
		return "", err
	}
	ref, err := a.branchRef(ctx, r)
	if err != nil {
		return "", err
	}
	dir, err := treeFolder(ctx, s, root)
	if err != nil {
		return "", err
	}
	// A branch that is checked out here brings its file along.
	if head, err := r.Head(ctx); err != nil || r.Root == "" || head.Ref != ref {
		return dir, err
	}
	_, err = workFolder(ctx, r, dir)
	return dir, err
}

func (a *app) commitNew(ctx context.Context, r *repo.Repo, rel string, text []byte, c created, o newOptions) (string, error) {
	ref, err := a.branchRef(ctx, r)
	if err != nil {
		return "", err
	}
	fixed, err := a.fixedTime()
	if err != nil {
		return "", err
	}
	m := repo.Message{
		Subject: c.Name + ": r1 add the profile",
		Body:    o.description,
		Trailers: []repo.Trailer{
			{Key: "OAP-Profile", Value: c.Name}, {Key: "OAP-Path", Value: rel}, {Key: "OAP-Revision", Value: "1"},
			{Key: "OAP-Sections", Value: "metadata, spec, state"},
			{Key: "OAP-Profile-Digest", Value: c.ProfileDigest}, {Key: "OAP-Spec-Digest", Value: c.SpecDigest},
		},
	}
	done, err := r.Update(ctx, repo.UpdateRequest{Ref: ref, Log: "oap: new " + c.Name, Signoff: o.signoff, Now: fixed},
		func(ctx context.Context, s *repo.Snapshot) (*repo.Plan, error) {
			if _, err := s.File(ctx, rel); err == nil {
				return nil, &repo.Error{Kind: repo.Refused, Reason: "exists", Path: rel, Msg: "the branch has this file already"}
			}
			return &repo.Plan{Commits: []repo.PlannedCommit{{Changes: []repo.Change{{Path: rel, Data: text}}, Message: m}}}, nil
		})
	if err != nil {
		return "", err
	}
	return string(done.After), nil
}

func (a *app) printNew(c created) error {
	if a.json {
		return a.emit(c)
	}
	if c.Commit != "" {
		a.printf("committed %s as %s\n", c.Path, c.Commit[:7])
		return nil
	}
	a.printf("wrote %s\n", c.Path)
	a.notef("next: edit it, then\n  oap validate %s\n  git add %s\n  git commit -m 'Add the profile %s'", c.Path, c.Path, c.Name)
	return nil
}

// bothDigests gives profile and spec digest as text.
func bothDigests(d *profile.Document) (string, string, error) {
	p, err := d.Digest()
	if err != nil {
		return "", "", err
	}
	s, err := d.SpecDigest()
	return p.String(), s.String(), err
}
