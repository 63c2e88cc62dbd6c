package main

import (
	"context"
	"maps"

	"github.com/spf13/cobra"

	"github.com/open-agent-profile/oap/profile/render"
)

type renderOptions struct {
	narrowing
	onlyState           bool
	preamble, postamble string
	budget              int
}

func (a *app) newRenderCommand() *cobra.Command {
	var o renderOptions
	cmd := &cobra.Command{
		Use:   "render NAME[@REV]|PATH",
		Short: "Write the system prompt of a profile",
		Long: `Write the system prompt: preamble, instructions, objectives, persona, constraints, examples,
state, postamble, in this order. State is other people's text: it stands under a label that
says so, inside marks that no state can close. With --policy the prompt is that of the
effective profile.

State is kept within the budget of the profile, and of --budget-tokens, by leaving out whole
entries, in the order in which retention drops them; pinned ones stay. The prompt says that
something is missing, and standard error says what. Tokens are an estimate: three bytes each.`,
		Example: `  oap render code-reviewer --policy policy.yaml
  oap render code-reviewer --preamble harness.txt --postamble rules.txt
  oap render code-reviewer --only-state --budget-tokens 500`,
		Args:              takes(cobra.ExactArgs(1)),
		ValidArgsFunction: a.completeNames,
		RunE: func(cmd *cobra.Command, args []string) error {
			if !cmd.Flags().Changed("budget-tokens") {
				o.budget = -1
			} else if o.budget < 0 {
				return usagef("--budget-tokens is no negative number")
			}
			return a.runRender(cmd.Context(), args[0], o)
		},
	}
	o.flags(cmd)
	f := cmd.Flags()
	f.BoolVar(&o.onlyState, "only-state", false, "write the block of state alone")
	o.promptFlags(cmd)
	f.IntVar(&o.budget, "budget-tokens", 0, "state takes at most `N` tokens")
	return cmd
}

func (o *renderOptions) promptFlags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&o.preamble, "preamble", "", "`FILE` with the harness's text in front")
	cmd.Flags().StringVar(&o.postamble, "postamble", "", "`FILE` with the harness's text behind")
}

// renderedPrompt is the JSON answer.
type renderedPrompt struct {
	Type       string           `json:"type"` // "prompt"
	Text       string           `json:"text"`
	Tokens     int              `json:"tokens"` // estimated, like all tokens
	StateBytes int              `json:"state_bytes"`
	StateToken int              `json:"state_tokens"`
	OverBudget bool             `json:"over_budget"`
	Omitted    []render.Omitted `json:"omitted"`
}

func (a *app) runRender(ctx context.Context, spec string, o renderOptions) error {
	if o.onlyState && o.preamble+o.postamble != "" {
		return usagef("--only-state has neither --preamble nor --postamble")
	}
	value, err := a.renderable(ctx, spec, o)
	if err != nil {
		return err
	}
	p, err := a.prompt(value, o)
	if err != nil {
		return err
	}
	a.noteOmitted(p)
	if o.onlyState {
		p.Text, p.Tokens = p.State.Text, p.State.Tokens
	}
	if a.json {
		return a.emit(renderedPrompt{"prompt", p.Text, p.Tokens, p.State.Bytes, p.State.Tokens, p.State.Over, filled(p.State.Omitted)})
	}
	return a.write([]byte(p.Text))
}

// renderable is the profile's value, narrowed where there is a policy.
func (a *app) renderable(ctx context.Context, spec string, o renderOptions) (map[string]any, error) {
	e, c, err := a.narrow(ctx, spec, o.narrowing)
	if err != nil {
		return nil, err
	}
	value := maps.Clone(c.Value)
	value["spec"] = e.Spec
	return value, nil
}

// prompt renders a value; a negative budget is none.
func (a *app) prompt(value map[string]any, o renderOptions) (render.Prompt, error) {
	var r render.Options
	var err error
	if r.Now, err = a.time(); err != nil {
		return render.Prompt{}, err
	}
	if r.Preamble, err = a.textOf(o.preamble); err != nil {
		return render.Prompt{}, err
	}
	if r.Postamble, err = a.textOf(o.postamble); err != nil {
		return render.Prompt{}, err
	}
	if o.budget >= 0 {
		r.MaxStateTokens = &o.budget
	}
	return render.Render(value, r), nil
}

// textOf reads a file of the harness's; no name is no text.
func (a *app) textOf(file string) (string, error) {
	if file == "" {
		return "", nil
	}
	text, err := a.readFile(a.resolve(file))
	if err == nil && len(text) > maxInput {
		err = usagef("%s is too large for a prompt", file)
	}
	return string(text), err
}

// noteOmitted says what is not in the prompt.
func (a *app) noteOmitted(p render.Prompt) {
	for _, left := range p.State.Omitted {
		what := left.Collection
		if left.ID != "" {
			what += "/" + left.ID
		}
		a.warnf("left out of the prompt: %s (%s)", what, left.Reason)
	}
	if p.State.Over {
		a.warnf("state takes %d tokens, more than its budget: what is pinned is never left out", p.State.Tokens)
	}
}
