package audit

import (
	"context"
	"fmt"
	"strings"

	"github.com/open-agent-profile/oap/repo"
)

// Trailers of a commit that begins history anew after a purge (docs/audit.md).
const (
	trailerOldTip = "OAP-Rebaseline-Old"
	trailerNewTip = "OAP-Rebaseline-New"
)

// Range resolves A..B, A...B (from their merge base), or A alone, which is A..TIP. An end left out is the tip.
func Range(ctx context.Context, r *repo.Repo, spec string, tip repo.ID) (start, end repo.ID, err error) {
	from, to, three := strings.Cut(spec, "...")
	if !three {
		from, to, _ = strings.Cut(spec, "..")
	}
	end = tip
	if to != "" {
		if end, err = r.Resolve(ctx, to+"^{commit}"); err != nil {
			return "", "", err
		}
	}
	start = tip
	if from != "" {
		if start, err = r.Resolve(ctx, from+"^{commit}"); err != nil {
			return "", "", err
		}
	}
	if !three {
		return start, end, nil
	}
	out, err := r.Git(ctx, "merge-base", string(start), string(end))
	if err != nil {
		return "", "", &repo.Error{Kind: repo.NotFound, Reason: "unrelated", Msg: fmt.Sprintf("%s have no common history", spec), Err: err}
	}
	return repo.ID(strings.TrimSpace(string(out))), end, nil
}

// begin settles where judging starts, and says where the start is no part of the history any more.
func (b *bench) begin(ctx context.Context) error {
	o := &b.options
	if o.Start == "" && !o.Signatures.Check {
		return nil
	}
	lost, err := b.rewritten(ctx)
	if err != nil {
		return err
	}
	if !lost && o.Start != "" {
		return nil
	}
	anew, err := b.rebaseline(ctx)
	if err != nil {
		return err
	}
	if anew != nil {
		o.Start = anew.start
		b.before = append(b.before, Finding{ID: Rebaselined, Severity: Note, Commit: anew.by, order: -1,
			Message: fmt.Sprintf("history was begun anew: %s took the place of %s, signed by %s", anew.start.Short(), anew.old.Short(), quote(anew.signer))})
		return nil
	}
	if lost {
		b.before = append(b.before, Finding{ID: HistoryRewritten, Severity: Error, Commit: o.Start, order: -1,
			Message: fmt.Sprintf("the branch was moved: commits about profiles up to %s are not in its history", o.Start.Short())})
	}
	return nil
}

// rewritten reports whether the start of the range holds commits about profiles that the tip does not have. A
// pull request's branch is judged against a base that went on, so that it is not asked there.
func (b *bench) rewritten(ctx context.Context) (bool, error) {
	if b.options.Start == "" || b.options.OnlyState {
		return false, nil
	}
	args := []string{"--literal-pathspecs", "rev-list", "--full-history", "--max-count=1", string(b.options.Start), "^" + string(b.options.Tip), "--"}
	out, err := b.repo.Git(ctx, append(args, b.options.paths()...)...)
	return len(strings.TrimSpace(string(out))) > 0, err
}

// anew is a signed statement that history begins at start, where it ended at old before.
type anew struct {
	by, start, old repo.ID
	signer         string
}

// rebaseline looks for the latest commit that begins history anew, is signed by a known key, and contains what
// it names. With a start, it has to be about that.
func (b *bench) rebaseline(ctx context.Context) (*anew, error) {
	if !b.options.Signatures.Check {
		return nil, nil
	}
	out, err := b.repo.Git(ctx, "log", "--first-parent", "--extended-regexp", "--grep=^"+trailerNewTip+": [0-9a-f]+$", "--format=%H", string(b.options.Tip), "--")
	if err != nil {
		return nil, err
	}
	for _, id := range strings.Fields(string(out)) {
		c, err := b.repo.ReadCommit(ctx, repo.ID(id))
		if err != nil {
			return nil, err
		}
		a := &anew{by: c.ID}
		for _, t := range c.Trailers() {
			switch t.Key {
			case trailerOldTip:
				a.old = repo.ID(t.Value)
			case trailerNewTip:
				a.start = repo.ID(t.Value)
			}
		}
		if err := b.verifyAll(ctx, []string{id}); err != nil {
			return nil, err
		}
		sig := b.signatureOf(c.ID)
		if !hexadecimal(a.start) || sig.verdict != verdictGood || b.options.Start != "" && a.old != b.options.Start {
			continue
		}
		if _, err := b.repo.Git(ctx, "merge-base", "--is-ancestor", string(a.start), id); err != nil {
			continue
		}
		a.signer = sig.signer
		return a, nil
	}
	return nil, nil
}

// hexadecimal keeps what a message says from being taken for an option of git's.
func hexadecimal(id repo.ID) bool {
	return len(id) >= 40 && strings.Trim(string(id), "0123456789abcdef") == ""
}
