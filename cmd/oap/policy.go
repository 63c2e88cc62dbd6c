package main

import (
	"errors"
	"io/fs"
	"os"

	"github.com/spf13/cobra"

	"github.com/open-agent-profile/oap/profile/narrow"
	"github.com/open-agent-profile/oap/repo"
)

func (a *app) newPolicyCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "policy",
		Short: "Say what agents may do on this machine at most",
		Long: `A local policy is a file that says what agents may do on this machine at most. It is never
part of a profile; what an agent gets is the intersection of both (oap effective).`,
		Example: `  oap policy init`,
		Args:    takes(cobra.NoArgs),
		RunE:    func(cmd *cobra.Command, args []string) error { return cmd.Help() },
	}
	cmd.AddCommand(&cobra.Command{
		Use:   "init [FILE]",
		Short: "Write a commented policy to begin with",
		Long: `Write a commented policy that is safe to begin with: reading and editing the working tree,
no shell, no network. FILE is policy.yaml unless it is named; a file that is there stays. With
- the text goes to standard output.`,
		Example: `  oap policy init
  oap policy init ops/policy.yaml
  oap policy init - > policy.yaml`,
		Args: takes(cobra.MaximumNArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error { return a.runPolicyInit(args) },
	})
	return cmd
}

func (a *app) runPolicyInit(args []string) error {
	name := "policy.yaml"
	if len(args) == 1 {
		name = args[0]
	}
	text := narrow.StarterPolicy()
	if name == "-" {
		return a.write(text)
	}
	f, err := os.OpenFile(a.resolve(name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if errors.Is(err, fs.ErrExist) {
		return &repo.Error{Kind: repo.Refused, Reason: "exists", Path: name, Msg: "the file is there already"}
	}
	if err != nil {
		return err
	}
	if _, err := f.Write(text); err != nil {
		return errors.Join(err, f.Close(), os.Remove(f.Name()))
	}
	if err := f.Close(); err != nil {
		return err
	}
	if a.json {
		return a.emit(map[string]any{"type": "policy", "path": name})
	}
	a.printf("wrote %s\n", name)
	a.notef("next: oap effective NAME --policy %s --report", name)
	return nil
}

// policy reads the policy that is named, by the flag or by the setting oap.policy; nil where none is.
func (a *app) policy(r *repo.Repo, named string) (*narrow.Policy, error) {
	file := a.resolve(named)
	if named == "" {
		set := a.setting(r, "policy")
		if set == "" {
			return nil, nil
		}
		named, file = set, a.onDisk(r, set)
	}
	text, err := a.readFile(file)
	if err != nil {
		return nil, err
	}
	return narrow.ParsePolicy(named, text)
}
