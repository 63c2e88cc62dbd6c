package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/rogpeppe/go-internal/diff"
	"github.com/spf13/cobra"

	"github.com/open-agent-profile/oap/internal/term"
	"github.com/open-agent-profile/oap/proposals"
)

func (a *app) newProposalsShowCommand() *cobra.Command {
	var markdown bool
	cmd := &cobra.Command{
		Use:   "show ID...",
		Short: "Show proposals: changes, reasons, effect, how they would merge",
		Long: `Show what a proposal or pending state changes, as meaning and as a text diff against the
branch; each rationale with its session; the computed risk with its reasons; what the contract
grants before and after; and how it would merge now.

--markdown writes a body for a pull request, in which nothing that a session wrote is live.`,
		Example: `  oap proposals show 3f2a
  oap proposals show 3f2a --markdown > body.md
  oap proposals show 3f2a --json`,
		Args:              takes(cobra.MinimumNArgs(1)),
		ValidArgsFunction: a.completeOpen,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.runProposalsShow(cmd.Context(), args, markdown)
		},
	}
	cmd.Flags().BoolVar(&markdown, "markdown", false, "write the body of a pull request")
	return cmd
}

func (a *app) runProposalsShow(ctx context.Context, ids []string, markdown bool) error {
	_, b, err := a.openBook(ctx, true)
	if err != nil {
		return err
	}
	var items []*proposals.Item
	for n, id := range ids {
		item, decided, err := b.Show(ctx, id)
		switch {
		case err != nil:
			return err
		case markdown && decided == nil:
			items = append(items, item)
			continue
		case n > 0 && !a.json:
			a.printf("\n")
		}
		if decided != nil {
			err = a.showDecision(decided)
		} else {
			err = a.showItem(item)
		}
		if err != nil {
			return err
		}
	}
	if len(items) > 0 {
		return a.write([]byte(proposals.Markdown(items...)))
	}
	return nil
}

func (a *app) showItem(item *proposals.Item) error {
	if a.json {
		return a.emit(struct {
			itemLine
			Effects []proposals.Effect `json:"effects"`
			Diff    string             `json:"diff"`
		}{itemLine{"proposal", item, item.Places()}, effectsOf(item), diffOf(item)})
	}
	a.printf("%s %s  %s  %s\n", item.Kind, item.ID, term.Escape(item.Profile), term.Escape(item.Path))
	if item.Asks != "" {
		a.printf("asks to  %s\n", term.Escape(item.Asks))
	}
	a.printf("branch   %s at %s\n", term.Escape(strings.TrimPrefix(item.Branch, "refs/heads/")), item.Commit.Short())
	a.printf("state    %s\n", standingLine(item))
	a.printf("%s", proposals.Text(item))
	if d := diffOf(item); d != "" {
		a.printf("\n%s", term.EscapeLines(d))
	}
	return nil
}

func standingLine(i *proposals.Item) string {
	s := string(i.Standing)
	if i.Trouble != "" {
		s += ": " + term.Escape(i.Trouble)
	}
	if i.Edited {
		s += ", edited by people"
	}
	return s
}

func effectsOf(i *proposals.Item) []proposals.Effect {
	if i.Kind != proposals.KindProposal || i.Before() == nil || i.After() == nil {
		return []proposals.Effect{}
	}
	return proposals.Effects(i.Before(), i.After())
}

// diffOf shows as text what accepting would change, without the stamp.
func diffOf(i *proposals.Item) string {
	after := i.AfterText()
	if after == nil {
		return ""
	}
	return string(diff.Diff("a/"+i.Path, i.Ours(), "b/"+i.Path, after))
}

// showDecision shows an item that is not open any more.
func (a *app) showDecision(d *proposals.Decision) error {
	if a.json {
		return a.emit(decisionLine{"decision", d})
	}
	a.printf("%s %s  %s\n", d.Kind, d.ID, term.Escape(d.Profile))
	if d.Asks != "" {
		a.printf("asked to %s\n", term.Escape(d.Asks))
	}
	a.printf("%s\n", term.Escape(d.String()))
	a.printf("commits  %s\n", fmt.Sprintf("git log %s%s", proposals.DecidedPrefix, d.ID))
	return nil
}
