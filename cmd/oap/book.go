package main

import (
	"github.com/open-agent-profile/oap/proposals"
	"github.com/open-agent-profile/oap/repo"
	"github.com/open-agent-profile/oap/repo/apply"
)

// book gives the proposals of the branch that deltas are applied to, with the same settings.
func (a *app) book(r *repo.Repo, o apply.Options) (*proposals.Book, error) {
	prefix := a.setting(r, "refPrefix")
	if prefix != "" {
		// A prefix that makes no legal branch name would fail late, after the state is written.
		if _, err := r.Branch(prefix + "proposals/x/000000000000"); err != nil {
			return nil, usagef("the setting refPrefix is %q, with which no branch can be named", prefix)
		}
	}
	return &proposals.Book{
		Store: r, Branch: o.Branch, Roots: o.Roots, Prefix: prefix,
		Now: o.Now, CommitTime: o.CommitTime, Signoff: o.Signoff, Hooks: o.Hooks,
	}, nil
}
