package main

import (
	"context"
	"fmt"
	"net/url"
	"strings"

	"github.com/spf13/cobra"

	"github.com/open-agent-profile/oap/internal/term"
	"github.com/open-agent-profile/oap/proposals"
	"github.com/open-agent-profile/oap/repo"
	"github.com/open-agent-profile/oap/repo/merging"
)

type pushOptions struct {
	remote       string
	group, print bool
	limit        int
	all          bool
}

func (a *app) newProposalsPushCommand() *cobra.Command {
	var o pushOptions
	cmd := &cobra.Command{
		Use:   "push [ID...]",
		Short: "Push branches for review and say how to open the pull requests",
		Long: `Push the branches of open proposals and pending state with git push, never by force, and print
how to open a pull request for each. For GitLab the merge request is opened by push options;
for GitHub the compare page and the gh line are printed; for others a git request-pull line.

--group puts equal wishes of several profiles on one branch. --limit caps how many branches may
be at the remote at once. A push that would publish commits that oap did not make is refused,
unless --push-all.`,
		Example: `  oap proposals push
  oap proposals push 3f2a --print
  oap proposals push --group --limit 5`,
		Args:              takes(cobra.ArbitraryArgs),
		ValidArgsFunction: a.completeOpen,
		RunE:              func(cmd *cobra.Command, args []string) error { return a.runProposalsPush(cmd.Context(), o, args) },
	}
	f := cmd.Flags()
	f.StringVar(&o.remote, "remote", "", "push to this `REMOTE` instead of the branch's own")
	f.BoolVar(&o.group, "group", false, "one branch for equal wishes of several profiles")
	f.IntVar(&o.limit, "limit", 0, "have at most `N` branches at the remote (0: no limit)")
	f.BoolVar(&o.print, "print", false, "show what would be pushed, push nothing")
	f.BoolVar(&o.all, "push-all", false, "publish commits that oap did not make, too")
	return cmd
}

// parcel is one branch to push, and the items whose pull request it is.
type parcel struct {
	branch string
	commit repo.ID
	items  []*proposals.Item
}

func (a *app) runProposalsPush(ctx context.Context, o pushOptions, ids []string) error {
	r, b, err := a.openBook(ctx, false)
	if err != nil {
		return err
	}
	b.DryRun = o.print
	remote, err := remoteOf(r, b.Branch, o.remote)
	if err != nil {
		return err
	}
	items, err := a.chosen(ctx, b, ids)
	if err != nil {
		return err
	}
	parcels, err := parcelsOf(ctx, b, items, o.group)
	if err != nil {
		return err
	}
	tracked := "refs/remotes/" + remote + "/" + strings.TrimPrefix(b.BranchPrefix(), "refs/heads/")
	there, err := r.Refs(ctx, strings.TrimRight(tracked, "/"))
	if err != nil {
		return err
	}
	known := map[string]repo.ID{}
	for _, ref := range there {
		known["refs/heads/"+strings.TrimPrefix(ref.Name, "refs/remotes/"+remote+"/")] = ref.ID
	}
	address, _ := r.Setting("remote." + remote + ".url")
	count, left := len(known), 0
	for _, p := range parcels {
		if at, ok := known[p.branch]; ok && at == p.commit && p.commit != "" {
			continue
		} else if !ok {
			if o.limit > 0 && count >= o.limit {
				left++
				continue
			}
			count++
		}
		if err := a.pushParcel(ctx, r, b, remote, address, p, o); err != nil {
			return err
		}
	}
	if left > 0 {
		a.notef("%s left, since %d branches are at %s (--limit)", plural(left, "branch is", "branches are"), count, term.Escape(remote))
	}
	return nil
}

// chosen gives the items of ids, or all that are open.
func (a *app) chosen(ctx context.Context, b *proposals.Book, ids []string) ([]*proposals.Item, error) {
	if len(ids) == 0 {
		return b.List(ctx)
	}
	var out []*proposals.Item
	for _, id := range ids {
		item, decided, err := b.Show(ctx, id)
		if err != nil {
			return nil, err
		}
		if decided != nil {
			return nil, &proposals.Error{Kind: repo.NotFound, Reason: proposals.ReasonUnknown, Msg: fmt.Sprintf("%s is not open: %s", decided.ID, decided)}
		}
		out = append(out, item)
	}
	return out, nil
}

func parcelsOf(ctx context.Context, b *proposals.Book, items []*proposals.Item, group bool) ([]parcel, error) {
	var out []parcel
	grouped := map[string]bool{}
	if group {
		for _, equal := range proposals.Groups(items) {
			g, err := b.Group(ctx, equal)
			if err != nil {
				return nil, err
			}
			out = append(out, parcel{g.Branch, g.Commit, equal})
			for _, i := range equal {
				grouped[i.ID] = true
			}
		}
	}
	for _, i := range items {
		if !grouped[i.ID] && i.Standing != proposals.Merged {
			out = append(out, parcel{i.Branch, i.Commit, []*proposals.Item{i}})
		}
	}
	return out, nil
}

func (a *app) pushParcel(ctx context.Context, r *repo.Repo, b *proposals.Book, remote, address string, p parcel, o pushOptions) error {
	if !o.all && p.commit != "" {
		if err := onlyOurs(ctx, r, remote, p); err != nil {
			return err
		}
	}
	forge := forgeOf(address)
	args := []string{"push", "--quiet", "--porcelain"}
	if forge == "gitlab" {
		args = append(args, "-o", "merge_request.create", "-o", "merge_request.target="+strings.TrimPrefix(b.Branch, "refs/heads/"),
			"-o", "merge_request.title="+titleOf(p), "-o", "merge_request.remove_source_branch")
	}
	args = append(args, "--", remote, p.branch+":"+p.branch)
	if !o.print {
		if _, err := r.Git(ctx, args...); err != nil {
			return &repo.Error{Kind: repo.Remote, Reason: "push", Path: strings.TrimPrefix(p.branch, "refs/heads/"),
				Msg: "the remote " + remote + " did not take the branch; the local one stands", Err: err}
		}
	}
	return a.printParcel(forge, address, remote, b.Branch, args, p, o.print)
}

// onlyOurs keeps a person's unpublished work from going along.
func onlyOurs(ctx context.Context, r *repo.Repo, remote string, p parcel) error {
	log := repo.LogOptions{From: []string{string(p.commit)}, Changes: true}
	refs, err := r.Refs(ctx, "refs/remotes/"+remote)
	if err != nil {
		return err
	}
	for _, ref := range refs {
		log.Not = append(log.Not, string(ref.ID))
	}
	for c, err := range r.Log(ctx, log) {
		if err != nil {
			return err
		}
		if !merging.Ours(c) {
			return &proposals.Error{Kind: repo.Refused, Reason: "not-ours", Msg: fmt.Sprintf("pushing %s would publish the commit %s, which oap did not make (--push-all)", strings.TrimPrefix(p.branch, "refs/heads/"), c.ID.Short())}
		}
	}
	return nil
}

// pushed is the JSON form.
type pushed struct {
	Type    string   `json:"type"` // "push"
	Branch  string   `json:"branch"`
	Commit  repo.ID  `json:"commit"`
	Remote  string   `json:"remote"`
	IDs     []string `json:"ids"`
	Command []string `json:"command"` // git's arguments
	Open    []string `json:"open"`    // how to open the pull request
	Pushed  bool     `json:"pushed"`
}

func (a *app) printParcel(forge, address, remote, base string, args []string, p parcel, printOnly bool) error {
	line := pushed{"push", p.branch, p.commit, remote, []string{}, args, openLines(forge, address, base, p), !printOnly}
	for _, i := range p.items {
		line.IDs = append(line.IDs, i.ID)
	}
	if a.json {
		return a.emit(line)
	}
	verb := "pushed"
	if printOnly {
		verb = "to push"
	}
	a.printf("%-9s %s to %s\n", verb, term.Escape(strings.TrimPrefix(p.branch, "refs/heads/")), term.Escape(remote))
	if printOnly {
		quoted := make([]string, len(args))
		for n, s := range args {
			quoted[n] = shellQuote(s)
		}
		a.printf("  %s\n", term.Escape("git "+strings.Join(quoted, " ")))
	}
	for _, l := range line.Open {
		a.printf("  %s\n", term.Escape(l))
	}
	return nil
}

// openLines say how a pull request is opened.
func openLines(forge, address, base string, p parcel) []string {
	head, base := strings.TrimPrefix(p.branch, "refs/heads/"), strings.TrimPrefix(base, "refs/heads/")
	show := "oap proposals show --markdown"
	for _, i := range p.items {
		show += " " + i.ID
	}
	switch forge {
	case "gitlab":
		return []string{"the merge request is opened by the push; its text: " + show}
	case "github":
		return []string{
			"https://github.com/" + slugOf(address) + "/compare/" + url.PathEscape(base) + "..." + strings.ReplaceAll(url.PathEscape(head), "%2F", "/") + "?expand=1",
			fmt.Sprintf("%s | gh pr create --base %s --head %s --title %s --body-file -", show, shellQuote(base), shellQuote(head), shellQuote(titleOf(p))),
		}
	}
	return []string{fmt.Sprintf("git request-pull %s %s %s", shellQuote(base), shellQuote(address), shellQuote(head))}
}

// titleOf is one printable line.
func titleOf(p parcel) string {
	i := p.items[0]
	what := i.Asks
	if i.Kind == proposals.KindPending {
		what = i.Summary
	}
	s := i.Profile + ": " + what
	if len(p.items) > 1 {
		s = fmt.Sprintf("%d profiles: %s", len(p.items), what)
	}
	s = strings.Join(strings.Fields(term.Escape(s)), " ")
	if rs := []rune(s); len(rs) > 72 {
		s = string(rs[:71]) + "…"
	}
	return s
}

// forgeOf guesses the forge by the host of a remote's address.
func forgeOf(address string) string {
	host := address
	if u, err := url.Parse(address); err == nil && u.Host != "" {
		host = u.Hostname()
	} else if _, rest, ok := strings.Cut(address, "@"); ok {
		host, _, _ = strings.Cut(rest, ":")
	} else {
		return ""
	}
	switch {
	case host == "github.com":
		return "github"
	case strings.Contains(host, "gitlab"):
		return "gitlab"
	}
	return ""
}

// slugOf is OWNER/REPO of a GitHub address.
func slugOf(address string) string {
	path := address
	if u, err := url.Parse(address); err == nil && u.Host != "" {
		path = u.Path
	} else if _, rest, ok := strings.Cut(address, ":"); ok {
		path = rest
	}
	return strings.TrimSuffix(strings.Trim(path, "/"), ".git")
}

// shellQuote makes one word of a POSIX shell.
func shellQuote(s string) string {
	if s != "" && strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/:._-=@%+") == "" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// remoteOf chooses the remote as git push does.
func remoteOf(r *repo.Repo, branch, named string) (string, error) {
	name, short := named, strings.TrimPrefix(branch, "refs/heads/")
	for _, key := range []string{"branch." + short + ".pushremote", "remote.pushdefault", "branch." + short + ".remote"} {
		if name == "" {
			name, _ = r.Setting(key)
		}
	}
	if name == "" {
		name = "origin"
	}
	if _, ok := r.Setting("remote." + name + ".url"); !ok || strings.HasPrefix(name, "-") {
		return "", &repo.Error{Kind: repo.Remote, Reason: "no-remote", Msg: "no remote named " + name + " is set up"}
	}
	return name, nil
}
