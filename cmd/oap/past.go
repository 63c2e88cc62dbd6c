package main

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/open-agent-profile/oap/repo"
	"github.com/open-agent-profile/oap/repo/catalog"
	"github.com/open-agent-profile/oap/repo/history"
)

// past is a profile with a history: where it lies at the commit from which that is read.
type past struct {
	repo  *repo.Repo
	roots []string
	from  repo.ID
	at    *catalog.Entry
	path  string
}

// past finds NAME, NAME@REV, ROOT:NAME or the path of a profile in the branch.
func (a *app) past(ctx context.Context, spec string) (*past, error) {
	r, err := a.repo(ctx)
	if err != nil {
		return nil, err
	}
	p := &past{repo: r}
	if p.roots, err = a.profileRoots(r); err != nil {
		return nil, err
	}
	s, err := a.tip(ctx, r)
	if err != nil {
		return nil, err
	}
	p.from = s.ID()
	if looksLikePath(spec) {
		if p.path, err = r.PathOf(a.resolve(spec)); err != nil {
			return nil, err
		}
		p.at, err = catalog.Load(ctx, catalog.Commit{Snapshot: s}, "", p.path)
		return p, err
	}
	name, rev := catalog.SplitRevision(spec)
	if rev != "" {
		at, err := history.At(ctx, r, s.ID(), p.roots, name, rev)
		if err != nil {
			return nil, err
		}
		p.at, p.path, p.from = at.Entry, at.Path, at.Commit
		return p, nil
	}
	if p.at, err = catalog.Find(ctx, catalog.Commit{Snapshot: s}, p.roots, name); err != nil {
		return nil, err
	}
	p.path, err = s.Follow(ctx, p.at.Path)
	return p, err
}

// readable is past for those who need the document, too. A log can be read although the file is broken now.
func (a *app) readable(ctx context.Context, spec string) (*past, error) {
	p, err := a.past(ctx, spec)
	if err == nil {
		err = p.at.Err
	}
	return p, err
}

// versions walks the profile's history, newest first.
func (p *past) versions(ctx context.Context, o history.Options) func(func(*history.Version, error) bool) {
	return history.Walk(ctx, p.repo, p.from, p.roots, p.path, o)
}

// noteShallow says that what was printed may not be all.
func (a *app) noteShallow(r *repo.Repo) {
	if r.Shallow {
		a.notef("this clone is shallow: older history is missing (git fetch --unshallow)")
	}
}

// parseAge reads a length of time as people write it: 180d, 26w, 12h.
func parseAge(s string) (time.Duration, error) {
	units := map[byte]time.Duration{'d': 24 * time.Hour, 'w': 7 * 24 * time.Hour}
	if s != "" {
		if unit, ok := units[s[len(s)-1]]; ok {
			n, err := strconv.ParseUint(s[:len(s)-1], 10, 16)
			if err != nil {
				return 0, errors.New("an age is a number of days or weeks such as 180d or 26w")
			}
			return time.Duration(n) * unit, nil
		}
	}
	d, err := time.ParseDuration(s)
	if err != nil || d < 0 {
		return 0, errors.New("an age is a number of days, weeks or hours such as 180d, 26w or 12h")
	}
	return d, nil
}

// parseSince reads a moment: a date, an RFC 3339 time, or an age before now.
func parseSince(s string, now time.Time) (time.Time, error) {
	for _, form := range []string{time.DateOnly, time.RFC3339} {
		if t, err := time.Parse(form, strings.ToUpper(s)); err == nil {
			return t, nil
		}
	}
	age, err := parseAge(s)
	if err != nil {
		return time.Time{}, usagef("%q is no date, RFC 3339 time or age such as 2026-05-01 or 30d", s)
	}
	return now.Add(-age), nil
}
