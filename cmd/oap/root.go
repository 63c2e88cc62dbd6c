package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
)

// exitStatus closes every command's help, so that scripts need no other page.
const exitStatus = `
EXIT STATUS
  0   done: applied, queued, already applied, unchanged
  1   the answer is no: invalid, different, findings
  2   the command line is wrong
  3   a person has to choose: conflict, stale revision
  4   refused by a rule
  5   not found
  6   busy: nothing was written, try again
  7   the remote failed; the local commit stands
  70  a bug in oap
  74  input or output failed
  130 interrupted
An unknown code means failure.`

// run parses args, runs the command and reports its error; it gives the exit code.
func run(ctx context.Context, a *app, args []string) (code int) {
	out := &output{to: a.out}
	if !isTerminal(a.out) { // which children get as it is, and which is never full
		defer func() { a.out = out.to }()
		a.out = out
	}
	code = a.execute(ctx, args)
	// A result that did not arrive is no success, and a "no" without its findings no answer.
	if out.err != nil && (code == exitOK || code == exitNo) {
		code = a.fail(out.err)
	}
	return code
}

// output remembers the first error of standard output, so that what prints for a person need not look at it.
type output struct {
	to  io.Writer
	err error
}

func (o *output) Write(p []byte) (int, error) {
	if o.err != nil {
		return 0, o.err
	}
	n, err := o.to.Write(p)
	o.err = err
	return n, err
}

func (a *app) execute(ctx context.Context, args []string) (code int) {
	defer a.close()
	defer func() {
		// A panic is a bug of ours. It must not look like one of git's or the Go runtime's codes.
		if p := recover(); p != nil {
			code = a.fail(&bugError{fmt.Sprint(p)})
		}
	}()
	a.ctx = ctx
	root := newRootCommand(a)
	root.SetArgs(args)
	defer func() {
		if code == exitUsage && isHook(root, args) {
			code = exitNo // to some harnesses 2 is a hook that forbids
		}
	}()
	err := root.ExecuteContext(ctx)
	if err == nil {
		return exitOK
	}
	if ctx.Err() != nil && errors.Is(err, context.Canceled) {
		err = errInterrupted
	}
	var told *alreadyReported
	if errors.As(err, &told) {
		return classify(told.err).Code
	}
	var usage *usageError
	if errors.As(err, &usage) {
		a.json = a.json || asksForJSON(args)
	}
	return a.fail(err)
}

// isHook reports whether a harness calls.
func isHook(root *cobra.Command, args []string) bool {
	cmd, _, _ := root.Find(args)
	for ; cmd != nil; cmd = cmd.Parent() {
		if cmd.Name() == "hook" {
			return true
		}
	}
	return false
}

// asksForJSON looks for --json behind the flag at which parsing ended.
func asksForJSON(args []string) (yes bool) {
	for _, arg := range args {
		value, given := strings.CutPrefix(arg, "--json=")
		switch {
		case arg == "--":
			return yes
		case arg == "--json":
			yes = true
		case given:
			yes, _ = strconv.ParseBool(value)
		}
	}
	return yes
}

// helped is the JSON answer of --help, of help and of commands that have nothing but sub-commands.
type helped struct {
	Type    string `json:"type"` // "help"
	Command string `json:"command"`
	Text    string `json:"text"`
}

// setHelp makes the help text end in the exit codes, and an object with --json. Help about what is no
// command is a mistake, which cobra takes for a question about everything.
func (a *app) setHelp(root *cobra.Command) {
	root.SetHelpTemplate(root.HelpTemplate() + exitStatus + "\n")
	show := root.HelpFunc()
	root.SetHelpFunc(func(cmd *cobra.Command, args []string) {
		if !a.json {
			show(cmd, args)
			return
		}
		var text bytes.Buffer
		cmd.SetOut(&text)
		show(cmd, args)
		cmd.SetOut(a.out)
		_ = a.emit(helped{"help", cmd.CommandPath(), text.String()}) // the output remembers
	})
	root.SetHelpCommand(&cobra.Command{
		Use:   "help [COMMAND]",
		Short: "Explain a command",
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) (names []string, _ cobra.ShellCompDirective) {
			if about, _, err := root.Find(args); err == nil {
				for _, sub := range about.Commands() {
					names = append(names, cobra.CompletionWithDesc(sub.Name(), sub.Short))
				}
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			about, rest, err := root.Find(args)
			if err != nil || len(rest) > 0 {
				return usagef("%q is not an oap command", strings.Join(args, " "))
			}
			about.InitDefaultHelpFlag() // so that the text is that of --help
			return about.Help()
		},
	})
	root.InitDefaultCompletionCmd()
	for _, c := range root.Commands() {
		if c.Name() == "completion" { // it takes a shell that it does not know for none
			c.Args = takes(cobra.NoArgs)
			c.RunE = func(cmd *cobra.Command, args []string) error { return cmd.Help() }
		}
	}
}

func newRootCommand(a *app) *cobra.Command {
	root := &cobra.Command{
		Use:   "oap",
		Short: "Keep agent profiles in git",
		Long: `oap keeps agent profiles as files in a git repository. A session's delta becomes one
commit that touches only state; a wished contract change becomes a branch with its
rationale, for a person to review.

Settings are flags, then OAP_* variables, then git config oap.*.`,
		Example: `  oap demo                                 see it work in a temporary repository
  oap init && oap new scout --description 'Finds where a feature lives'
  oap apply-delta session.delta.yaml       after a session
  oap validate                             before a commit`,
		SilenceUsage:  true,
		SilenceErrors: true,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return nil
			}
			return &usageError{fmt.Sprintf("%q is not an oap command", args[0])}
		},
		RunE: func(cmd *cobra.Command, args []string) error { return cmd.Help() },
		// A flag that every command has is checked for every command.
		PersistentPreRunE: func(cmd *cobra.Command, args []string) error {
			_, err := a.palette()
			return err
		},
	}
	f := root.PersistentFlags()
	f.StringVarP(&a.dir, "directory", "C", "", "run as if started in `DIR`")
	f.StringArrayVar(&a.roots, "root", nil, "profile root `DIR`, from the top of the tree (may be repeated; default .agents)")
	f.StringVar(&a.branch, "branch", "", "read and write `BRANCH` instead of the one HEAD names")
	f.StringVar(&a.now, "now", "", "use this RFC 3339 `TIME` instead of the clock")
	f.StringVar(&a.color, "color", "auto", "auto, always or never")
	f.BoolVar(&a.json, "json", false, "print JSON objects on standard output")
	f.BoolVarP(&a.quiet, "quiet", "q", false, "no notes and no warnings")
	f.BoolVarP(&a.verbose, "verbose", "v", false, "say more")
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return &usageError{err.Error()} })
	root.CompletionOptions.HiddenDefaultCmd = false
	root.SetIn(a.in)
	root.SetOut(a.out)
	root.SetErr(a.err)
	root.AddCommand(a.commands()...)
	a.setHelp(root)
	return root
}

// takes turns cobra's argument checks into usage errors with our exit code.
func takes(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if err := check(cmd, args); err != nil {
			return &usageError{err.Error()}
		}
		return nil
	}
}
