package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/open-agent-profile/oap/delta"
	"github.com/open-agent-profile/oap/proposals"
	"github.com/open-agent-profile/oap/repo"
	"github.com/open-agent-profile/oap/repo/catalog"
	"github.com/open-agent-profile/oap/repo/history"
)

func (a *app) newStatsCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "stats [NAME]",
		Short: "Show how profiles grow, forget and ask",
		Long: `Show for one profile, or for all: revisions and sessions in its history, facts by age and
confidence, evictions, proposals opened, accepted and rejected, and what is asked for most
often, which is where the permission model is wrong. Decided proposals are counted from
refs/oap/decided, as far as this clone has them.`,
		Example: `  oap stats
  oap stats code-reviewer --json`,
		Args:              takes(cobra.MaximumNArgs(1)),
		ValidArgsFunction: a.completeNames,
		RunE:              func(cmd *cobra.Command, args []string) error { return a.runStats(cmd.Context(), args) },
	}
}

// counted is one profile's numbers, and one line of JSON.
type counted struct {
	Type          string         `json:"type"` // "stats"
	Profile       string         `json:"profile"`
	Path          string         `json:"path"`
	Revision      int            `json:"revision"`
	Revisions     int            `json:"revisions"` // versions in the history that is here
	Kinds         map[string]int `json:"kinds"`
	Sessions      int            `json:"sessions"`
	Facts         int            `json:"facts"`
	FactsByAge    map[string]int `json:"facts_by_age"` // since the last use, else learning
	FactsByRating map[string]int `json:"facts_by_confidence"`
	Evictions     int            `json:"evictions"`
	Opened        int            `json:"proposals_opened"`
	Accepted      int            `json:"proposals_accepted"`
	Rejected      int            `json:"proposals_rejected"`
	Asked         []asked        `json:"asked"` // most often first
}

// asked is a wish about the contract.
type asked struct {
	What  string `json:"what"`
	Times int    `json:"times"` // sessions and people who asked
}

func (a *app) runStats(ctx context.Context, args []string) error {
	r, err := a.repo(ctx)
	if err != nil {
		return err
	}
	now, err := a.time()
	if err != nil {
		return err
	}
	var names []string
	if names = args; len(names) == 0 {
		if names, err = a.committedNames(ctx, r); err != nil {
			return err
		}
	}
	open, decided, err := a.wishes(ctx, r)
	if err != nil {
		return err
	}
	all := make([]*past, len(names))
	for i, name := range names {
		if all[i], err = a.readable(ctx, name); err != nil {
			return err
		}
	}
	// Each profile costs a walk of git's own and the reading of its versions, so both cores have work.
	numbers, errs := make([]*counted, len(all)), make([]error, len(all))
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	next := make(chan int)
	var workers sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), 4, len(all)) {
		workers.Go(func() {
			for i := range next {
				if numbers[i], errs[i] = all[i].count(ctx, now); errs[i] != nil {
					cancel()
				}
			}
		})
	}
	for i := range all {
		next <- i
	}
	close(next)
	workers.Wait()
	if err := firstCause(errs); err != nil {
		return err
	}
	for _, c := range numbers {
		c.countWishes(open, decided)
		if err := a.printStats(c); err != nil {
			return err
		}
	}
	a.noteShallow(r)
	return nil
}

// firstCause gives the first error that is not only the echo of another one's cancellation.
func firstCause(errs []error) error {
	var echo error
	for _, err := range errs {
		if err != nil && !errors.Is(err, context.Canceled) {
			return err
		}
		echo = cmp.Or(echo, err)
	}
	return echo
}

// committedNames gives the names of all profiles at the tip, as they have to be written. Files that are
// no profile are warned of.
func (a *app) committedNames(ctx context.Context, r *repo.Repo) ([]string, error) {
	roots, err := a.profileRoots(r)
	if err != nil {
		return nil, err
	}
	s, err := a.tip(ctx, r)
	if err != nil {
		return nil, err
	}
	all, err := catalog.List(ctx, catalog.Commit{Snapshot: s}, roots)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range all {
		switch {
		case e.Err != nil:
			a.warnf("%v", e.Err)
		case len(roots) > 1:
			names = append(names, e.Root+":"+e.Name())
		default:
			names = append(names, e.Name())
		}
	}
	return names, nil
}

// wishes reads the open and the decided proposals.
func (a *app) wishes(ctx context.Context, r *repo.Repo) ([]*proposals.Item, []*proposals.Decision, error) {
	b := &proposals.Book{Store: r, Prefix: a.setting(r, "refPrefix")}
	var err error
	if b.Roots, err = a.profileRoots(r); err != nil {
		return nil, nil, err
	}
	if b.Branch, err = a.branchRef(ctx, r); repo.ReasonOf(err) == "detached" {
		return nil, nil, nil // as in a CI checkout: no branch that they could be about
	} else if err != nil {
		return nil, nil, err
	}
	open, err := b.List(ctx)
	if err != nil {
		return nil, nil, err
	}
	decided, err := b.Decisions(ctx)
	return open, decided, err
}

// count reads the profile and its history.
func (p *past) count(ctx context.Context, now time.Time) (*counted, error) {
	c := &counted{Type: "stats", Profile: p.at.Name(), Path: p.path, Revision: p.at.Document.Revision(),
		Kinds: map[string]int{}, FactsByAge: map[string]int{}, FactsByRating: map[string]int{}, Asked: []asked{}}
	sessions := map[string]bool{}
	for v, err := range p.versions(ctx, history.Options{}) {
		if err != nil {
			return nil, err
		}
		c.Revisions++
		c.Kinds[string(v.Kind)]++
		c.Evictions += len(history.Evictions(v))
		if s := v.Claim.Session; s != "" {
			sessions[s] = true
		}
	}
	c.Sessions = len(sessions)
	state, _ := p.at.Document.Value["state"].(map[string]any)
	facts, _ := state["facts"].([]any)
	for _, f := range facts {
		m, _ := f.(map[string]any)
		c.Facts++
		c.FactsByAge[ageOf(m, now)]++
		c.FactsByRating[ratingOf(m)]++
	}
	return c, nil
}

// ages and ratings are the classes that facts are counted in, in the order of printing.
var (
	ages    = []string{"under 30d", "30d to 90d", "90d to 365d", "over 365d", "undated"}
	ratings = []string{"under 0.3", "0.3 to 0.6", "0.6 to 0.9", "0.9 and up", "unrated"}
)

func ageOf(m map[string]any, now time.Time) string {
	for _, name := range []string{"last_used_at", "learned_at"} {
		text, _ := m[name].(string)
		t, ok := delta.Instant(text)
		if !ok {
			continue
		}
		days := int(now.Sub(t).Hours() / 24)
		i, _ := slices.BinarySearch([]int{30, 90, 365}, days+1)
		return ages[i]
	}
	return ages[4]
}

func ratingOf(m map[string]any) string {
	f, ok := m["confidence"].(float64)
	switch {
	case !ok:
		return ratings[4]
	case f < 0.3:
		return ratings[0]
	case f < 0.6:
		return ratings[1]
	case f < 0.9:
		return ratings[2]
	}
	return ratings[3]
}

// countWishes counts what is asked of this profile: an open proposal once for everybody who asked.
func (c *counted) countWishes(open []*proposals.Item, decided []*proposals.Decision) {
	times := map[string]int{}
	for _, i := range open {
		if i.Kind != proposals.KindProposal || i.Profile != c.Profile {
			continue
		}
		c.Opened++
		for _, ch := range i.Changes {
			times[ch.Pointer+" "+ch.String()] += max(1, i.Sessions)
		}
	}
	for _, d := range decided {
		if d.Kind != proposals.KindProposal || d.Profile != c.Profile {
			continue
		}
		c.Opened++
		switch d.Verdict {
		case proposals.Accepted:
			c.Accepted++
		default:
			c.Rejected++
		}
		if d.Asks != "" {
			times[d.Asks]++
		}
	}
	for _, what := range slices.Sorted(maps.Keys(times)) {
		c.Asked = append(c.Asked, asked{what, times[what]})
	}
	slices.SortStableFunc(c.Asked, func(x, y asked) int { return cmp.Compare(y.Times, x.Times) })
}

func (a *app) printStats(c *counted) error {
	if a.json {
		return a.emit(c)
	}
	in := func(order []string, by map[string]int) string {
		var parts []string
		for _, k := range order {
			if by[k] > 0 {
				parts = append(parts, fmt.Sprintf("%d %s", by[k], k))
			}
		}
		return strings.Join(parts, ", ")
	}
	var kinds []string
	for _, k := range slices.Sorted(maps.Keys(c.Kinds)) {
		kinds = append(kinds, fmt.Sprintf("%d %s", c.Kinds[k], k))
	}
	lines := [][2]string{
		{"revision", fmt.Sprintf("%d; %s here (%s)", c.Revision, plural(c.Revisions, "version", "versions"), strings.Join(kinds, ", "))},
		{"sessions", fmt.Sprint(c.Sessions)},
		{"facts", fmt.Sprint(c.Facts)},
		{"", in(ages, c.FactsByAge)}, {"", in(ratings, c.FactsByRating)},
		{"evictions", fmt.Sprint(c.Evictions)},
		{"proposals", fmt.Sprintf("%d opened, %d accepted, %d rejected", c.Opened, c.Accepted, c.Rejected)},
	}
	for i, w := range c.Asked[:min(5, len(c.Asked))] {
		label := ""
		if i == 0 {
			label = "asked for"
		}
		lines = append(lines, [2]string{label, fmt.Sprintf("%d x %s", w.Times, w.What)})
	}
	return a.printBlock(c.Profile, lines)
}
