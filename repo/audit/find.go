package audit

import (
	"context"
	"strings"
	"time"

	"github.com/open-agent-profile/oap/canonical"
	"github.com/open-agent-profile/oap/repo"
)

// Match says what a digest is the digest of.
type Match struct {
	Kind       string // "profile" or "spec"
	Profile    string
	Path       string
	Revision   int
	Commit     repo.ID // the newest that holds it
	When       time.Time
	ApprovedBy string // by the commit's trailer, where the document bears it out
	Grade      string // of the approval, "" where there is none
	Current    bool   // the tip holds it still
}

// Find gives the newest commit up to the tip whose document has a digest, as a whole or of its contract; nil
// where none has. A commit that names the digest in its trailers is looked at first, but only its document
// counts. Of the options, roots, tip and signatures matter.
func Find(ctx context.Context, r *repo.Repo, o Options, d canonical.Digest) (*Match, error) {
	if o.Tip == "" {
		return nil, nil
	}
	b := newBench(r, o)
	m, err := b.byTrailer(ctx, d)
	if m != nil || err != nil {
		return m, err
	}
	w := &walk{repo: r, options: o, views: newReader(ctx, r, o.Gate, o.Progress)}
	if err := w.run(ctx); err != nil {
		w.views.cancel()
		return nil, err
	}
	b.walk = w
	for i := len(w.commits) - 1; i >= 0; i-- {
		if m, err := b.matchIn(ctx, w.commits[i], d); m != nil || err != nil {
			return m, err
		}
	}
	return nil, nil
}

// byTrailer reads only the commits that name the digest.
func (b *bench) byTrailer(ctx context.Context, d canonical.Digest) (*Match, error) {
	args := []string{"--literal-pathspecs", "log", "--full-history", "--fixed-strings", "--grep=-Digest: " + d.String(), "--format=%H", string(b.options.Tip), "--"}
	out, err := b.repo.Git(ctx, append(args, b.options.paths()...)...)
	if err != nil {
		return nil, err
	}
	for _, id := range strings.Fields(string(out)) {
		w := &walk{repo: b.repo, options: b.options, views: newReader(ctx, b.repo, b.options.Gate, nil)}
		b.walk = w
		log := repo.LogOptions{From: []string{id}, Max: 1, Changes: true}
		for e, err := range b.repo.Log(ctx, log) {
			if err != nil {
				w.views.cancel()
				return nil, err
			}
			c := &commit{LogEntry: e}
			w.take(c)
			w.commits = append(w.commits, c)
		}
		if err := w.views.wait(); err != nil {
			return nil, err
		}
		for _, c := range w.commits {
			if m, err := b.matchIn(ctx, c, d); m != nil || err != nil {
				return m, err
			}
		}
	}
	return nil, nil
}

// matchIn holds the documents that a commit brought against the digest.
func (b *bench) matchIn(ctx context.Context, c *commit, d canonical.Digest) (*Match, error) {
	for _, f := range c.files {
		v := b.walk.views.view(f.Path, f.New)
		if v == nil || v.broken || v.digest != d && v.spec != d {
			continue
		}
		m := &Match{Kind: "profile", Profile: v.name, Path: f.Path, Revision: v.revision, Commit: c.ID, When: c.Committer.When}
		if v.digest != d {
			m.Kind = "spec"
		}
		s := &step{commit: c, path: f.Path, now: v}
		if b.bear(s); s.borne && s.claim.approvedBy != "" {
			if b.options.Signatures.Check {
				if err := b.verifyAll(ctx, []string{string(c.ID)}); err != nil {
					return nil, err
				}
			}
			m.ApprovedBy, m.Grade = s.claim.approvedBy, b.grade(b.signatureOf(c.ID))
		}
		tip, err := b.viewAt(ctx, b.options.Tip, f.Path)
		if err != nil {
			return nil, err
		}
		m.Current = tip != nil && !tip.broken && (tip.digest == d || tip.spec == d)
		return m, nil
	}
	return nil, nil
}
