package proposals

import (
	"context"
	"net/mail"
	"slices"
	"strings"

	"github.com/open-agent-profile/oap/canonical"
	"github.com/open-agent-profile/oap/profile"
	"github.com/open-agent-profile/oap/repo"
)

// approver tells who approved a contract change (design section 3): who is named; else the author of the
// true merge that brought it, if that is not who wrote it. The author of a change that was squashed, rebased
// or fast-forwarded may be the agent, and never counts.
func (b *Book) approver(ctx context.Context, main *repo.Snapshot, r *record, o StampOptions) (string, error) {
	name := r.at.doc.Name()
	if o.ApprovedBy != "" {
		if !Listed(o.ApprovedBy, o.Approvers) {
			return "", refuse(repo.Refused, ReasonApprover, "%s is not among those who may approve a contract (oap.approvers)", o.ApprovedBy).about("", name)
		}
		return o.ApprovedBy, nil
	}
	unknown := func(why string) (string, error) {
		return "", refuse(repo.Refused, ReasonNoApprover, "who approved the contract change of %s cannot be told: %s", name, why).about("", name)
	}
	merges, err := b.bringing(ctx, main, r)
	if err != nil {
		return "", err
	}
	if len(merges) == 0 {
		return unknown("no commit of the branch itself brought it")
	}
	for _, c := range merges {
		if len(c.Parents) != 2 {
			return unknown("it came with " + c.ID.Short() + ", which is no merge of two")
		}
	}
	last := merges[0]
	who := last.Author.String()
	for _, c := range merges {
		wrote, err := b.wrote(ctx, c)
		if err != nil {
			return "", err
		}
		if slices.Contains(wrote, strings.ToLower(last.Author.Mail)) {
			return unknown(last.Author.String() + " both wrote and merged it")
		}
	}
	if !Listed(who, o.Approvers) {
		return "", refuse(repo.Refused, ReasonApprover, "%s, who merged it, is not among those who may approve a contract (oap.approvers)", who).about("", name)
	}
	return who, nil
}

// bringing gives the commits of the branch itself (first parents) that changed the contract since it was
// last on record, newest first.
func (b *Book) bringing(ctx context.Context, main *repo.Snapshot, r *record) ([]*repo.LogEntry, error) {
	var out []*repo.LogEntry
	log := repo.LogOptions{From: []string{string(main.ID())}, Paths: []string{r.at.path}, FirstParent: true, Changes: true}
	for c, err := range b.Store.Log(ctx, log) {
		if err != nil {
			return nil, err
		}
		n := slices.IndexFunc(c.Changes, func(d repo.Diff) bool { return d.Path == r.at.path })
		if n < 0 {
			continue
		}
		after, err := b.contractIn(ctx, main, r.at.path, c.Changes[n].New)
		if err != nil {
			return nil, err
		}
		before, err := b.contractIn(ctx, main, r.at.path, c.Changes[n].Old)
		if err != nil {
			return nil, err
		}
		if canonical.Equal(after, profile.Contract(r.contract.Value)) {
			return out, nil
		}
		if !canonical.Equal(before, after) {
			out = append(out, c)
		}
	}
	return out, nil
}

// contractIn reads the contract of a blob; nil for none, or for what is no document.
func (b *Book) contractIn(ctx context.Context, s *repo.Snapshot, path string, id repo.ID) (any, error) {
	if id == "" {
		return nil, nil
	}
	data, err := s.Blob(ctx, id)
	if err != nil {
		return nil, err
	}
	doc, err := profile.Parse(path, data)
	if err != nil {
		return nil, nil
	}
	return profile.Contract(doc.Value), nil
}

// wrote gives the addresses of those whose commits a merge brought in, in small letters.
func (b *Book) wrote(ctx context.Context, merge *repo.LogEntry) ([]string, error) {
	var out []string
	log := repo.LogOptions{From: []string{string(merge.Parents[1])}, Not: []string{string(merge.Parents[0])}}
	for c, err := range b.Store.Log(ctx, log) {
		if err != nil {
			return nil, err
		}
		out = append(out, strings.ToLower(c.Author.Mail))
	}
	return out, nil
}

// Listed reports whether a person is on a list of approvers, each a mail address or "Name <address>"; an
// empty list has everybody on it.
func Listed(who string, list []string) bool {
	if len(list) == 0 {
		return true
	}
	return slices.ContainsFunc(list, func(s string) bool { return address(s) == address(who) })
}

// address is what people are told apart by: the mail address, else the text itself.
func address(s string) string {
	if a, err := mail.ParseAddress(s); err == nil {
		return strings.ToLower(a.Address)
	}
	return strings.ToLower(strings.TrimSpace(s))
}
