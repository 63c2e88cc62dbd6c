package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/open-agent-profile/oap/internal/term"
	"github.com/open-agent-profile/oap/interop/agentcard"
	"github.com/open-agent-profile/oap/profile"
)

// wellKnown is where an Agent Card lies below an agent's address (A2A 1.0 §8.2).
const wellKnown = ".well-known/agent-card.json"

func (a *app) newCardCommand() *cobra.Command {
	var at string
	var pretty, explain bool
	cmd := &cobra.Command{
		Use:   "card NAME | card build --out DIR",
		Short: "Print the A2A Agent Card of a persona",
		Long: `Print the A2A 1.0 Agent Card of a public persona: the RFC 8785 bytes that oap serve serves and
oap card build writes. Its skills are those of the skill map whose tools are all granted;
--explain says for each mapped skill why it is or is not among them. Base, persona and both
files are read at one commit: the tip of the branch, or --at.`,
		Example: `  oap card reviewer --pretty
  oap card reviewer --explain
  oap card build --out public`,
		Args:              takes(cobra.ExactArgs(1)),
		ValidArgsFunction: a.completeNames,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.runCard(cmd.Context(), args[0], at, pretty, explain)
		},
	}
	f := cmd.Flags()
	f.StringVar(&at, "at", "", "read everything at commit `REV` (default: the tip of the branch)")
	f.BoolVar(&pretty, "pretty", false, "indent it for people")
	f.BoolVar(&explain, "explain", false, "say of each mapped skill why it is or is not advertised")
	cmd.AddCommand(a.newCardBuildCommand())
	return cmd
}

// tipOr gives the commit to read cards at.
func (a *app) tipOr(ctx context.Context, at string) (string, error) {
	if at != "" {
		return at, nil
	}
	_, s, _, err := a.committed(ctx)
	if err != nil {
		return "", err
	}
	return string(s.ID()), nil
}

// explained is the JSON answer of --explain.
type explained struct {
	Type    string           `json:"type"` // "card-explained"
	Profile string           `json:"profile"`
	Skills  []agentcard.Need `json:"skills"`
}

func (a *app) runCard(ctx context.Context, name, at string, pretty, explain bool) error {
	at, err := a.tipOr(ctx, at)
	if err != nil {
		return err
	}
	w, err := a.wornAt(ctx, at, name)
	if err != nil {
		return err
	}
	if explain {
		return a.explainCard(w)
	}
	card, err := w.card()
	if err != nil {
		return err
	}
	for _, f := range w.findings {
		a.warnf("%s", f.Text())
	}
	if pretty {
		var out bytes.Buffer
		if err := json.Indent(&out, card.Bytes, "", "  "); err != nil {
			return err
		}
		card.Bytes = out.Bytes()
	}
	a.printf("%s\n", card.Bytes)
	return nil
}

func (a *app) explainCard(w *worn) error {
	if w.Persona == nil {
		return &profile.InvalidError{Findings: w.findings}
	}
	if w.cast.skills == nil {
		return &notFoundError{"there is no valid " + path.Join(w.cast.root, agentcard.SkillsFile)}
	}
	needs := agentcard.Explain(w.cast.skills, w.Granted)
	if a.json {
		return a.emit(explained{"card-explained", w.entry.Name(), needs})
	}
	t := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
	for _, n := range needs {
		word := "not advertised"
		if n.Advertised {
			word = "advertised"
		}
		fmt.Fprintf(t, "%s\t%s\t\n", term.Escape(n.Skill), word)
		for _, tool := range n.Tools {
			word := "missing"
			if tool.Granted {
				word = "granted"
			}
			fmt.Fprintf(t, "  %s\t%s\t%s\n", term.Escape(tool.Tool), word, term.Escape(tool.Line))
		}
	}
	return t.Flush()
}

// cards builds the cards of all public personas, by name. The error is an InvalidError with everything that is
// wrong with any of them: a tree is whole or it is not made.
func (a *app) cards(ctx context.Context, at string) (map[string]*agentcard.Card, error) {
	casts, err := a.casts(ctx, at)
	if err != nil {
		return nil, err
	}
	return cardsOf(ctx, casts)
}

func cardsOf(ctx context.Context, casts []*cast) (map[string]*agentcard.Card, error) {
	cards := map[string]*agentcard.Card{}
	var all []profile.Finding
	for _, c := range casts {
		worn, findings, err := c.judge(ctx)
		if err != nil {
			return nil, err
		}
		all = append(all, findings...)
		if profile.HasErrors(all) {
			continue
		}
		for i, w := range worn {
			card, err := w.card()
			if err != nil {
				return nil, err
			}
			if cards[card.Name] != nil {
				all = append(all, c.publish.Finding(i, "publish-file", fmt.Sprintf("another profile root publishes %q, too", card.Name)))
			}
			cards[card.Name] = card
		}
	}
	if profile.HasErrors(all) {
		return nil, &profile.InvalidError{Findings: all}
	}
	return cards, nil
}

func (a *app) newCardBuildCommand() *cobra.Command {
	var at, out, check, def string
	cmd := &cobra.Command{
		Use:   "build --out DIR | build --check DIR",
		Short: "Write the cards of all public personas as files",
		Long: `Write a static tree, one card a public persona: a/NAME/` + wellKnown + `, and with
--default NAME also ` + wellKnown + ` at the top. The folder is made
whole beside its place and then put there at once; what it held before is gone, so it must hold
nothing but cards.
--check compares a tree with what would be written and exits 1 where they differ.`,
		Example: `  oap card build --out public
  oap card build --check public --default reviewer`,
		Args: func(cmd *cobra.Command, args []string) error {
			if err := cobra.NoArgs(cmd, args); err != nil {
				return &usageError{err.Error()}
			}
			if (out == "") == (check == "") {
				return usagef("say either --out DIR or --check DIR")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.runCardBuild(cmd.Context(), at, out, check, def)
		},
	}
	f := cmd.Flags()
	f.StringVar(&at, "at", "", "read everything at commit `REV` (default: the tip of the branch)")
	f.StringVar(&out, "out", "", "write the tree as the folder `DIR`")
	f.StringVar(&check, "check", "", "compare the folder `DIR` instead")
	f.StringVar(&def, "default", "", "the persona `NAME` whose card stands at the top, too")
	return cmd
}

// builtCard is one line of JSON.
type builtCard struct {
	Type   string   `json:"type"` // "card"
	Name   string   `json:"name"`
	Path   string   `json:"path"`
	ETag   string   `json:"etag"`
	Skills []string `json:"skills"`
}

func (a *app) runCardBuild(ctx context.Context, at, out, check, def string) error {
	at, err := a.tipOr(ctx, at)
	if err != nil {
		return err
	}
	cards, err := a.cards(ctx, at)
	if err != nil {
		return err
	}
	files := map[string]*agentcard.Card{}
	for name, c := range cards {
		files[path.Join("a", name, wellKnown)] = c
	}
	if def != "" {
		if cards[def] == nil {
			return &notFoundError{fmt.Sprintf("no public persona is named %q", def)}
		}
		files[wellKnown] = cards[def]
	}
	if check != "" {
		return a.compareCards(a.resolve(check), files)
	}
	if len(files) == 0 {
		return &notFoundError{"no persona is public"}
	}
	if err := writeCards(a.resolve(out), files); err != nil {
		return err
	}
	for _, p := range sortedKeys(files) {
		c := files[p]
		if !a.json {
			a.printf("%s\n", path.Join(filepath.ToSlash(out), p))
			continue
		}
		line := builtCard{"card", c.Name, p, c.ETag(), []string{}}
		for _, s := range c.Skills {
			line.Skills = append(line.Skills, s.ID)
		}
		if err := a.emit(line); err != nil {
			return err
		}
	}
	return nil
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// cardFiles lists the files of a tree of cards. A folder that holds anything else is none, and is not to be
// replaced.
func cardFiles(dir string) ([]string, error) {
	return treeFiles(dir, "card", func(rel string) bool {
		ok, _ := path.Match("a/*/"+wellKnown, rel)
		return ok || rel == wellKnown
	})
}

// writeCards makes the whole tree. On an error dir is as it was.
func writeCards(dir string, cards map[string]*agentcard.Card) error {
	_, err := cardFiles(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	files := map[string][]byte{}
	for p, c := range cards {
		files[p] = c.Bytes
	}
	return putTree(dir, files)
}

// compareCards says where a tree differs from what would be written.
func (a *app) compareCards(dir string, files map[string]*agentcard.Card) error {
	there, err := cardFiles(dir)
	if err != nil {
		return err
	}
	drift := 0
	say := func(p, what string) error {
		drift++
		if a.json {
			return a.emit(struct {
				Type string `json:"type"` // "card-drift"
				Path string `json:"path"`
				What string `json:"what"`
			}{"card-drift", p, what})
		}
		a.printf("%s\t%s\n", what, term.Escape(p))
		return nil
	}
	for _, p := range sortedKeys(files) {
		data, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(p)))
		switch {
		case errors.Is(err, fs.ErrNotExist):
			err = say(p, "missing")
		case err == nil && !bytes.Equal(data, files[p].Bytes):
			err = say(p, "differs")
		}
		if err != nil {
			return err
		}
	}
	for _, p := range there {
		if files[p] == nil {
			if err := say(p, "is not public"); err != nil {
				return err
			}
		}
	}
	if drift > 0 {
		return &answerNo{plural(drift, "card is", "cards are") + " not what would be built"}
	}
	a.notef("%s up to date", plural(len(files), "card is", "cards are"))
	return nil
}
