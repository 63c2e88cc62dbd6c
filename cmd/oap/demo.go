package main

import (
	"context"
	_ "embed"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/open-agent-profile/oap/internal/term"
	"github.com/open-agent-profile/oap/repo"
)

//go:embed demo/trail-guide.agent.yaml
var demoProfile []byte

//go:embed demo/session.delta.yaml
var demoDelta []byte

func (a *app) newDemoCommand() *cobra.Command {
	var dir string
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Apply a delta in a new temporary repository",
		Long: `Make a temporary repository with one profile, apply one session's delta to it, and show the
commit, the difference and the digests. The repository stays for you to look at. It has an
identity of its own, so nothing needs to be set up.`,
		Example: `  oap demo
  oap demo --dir /tmp/oap-demo`,
		Args: takes(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, args []string) error { return a.runDemo(cmd.Context(), dir) },
	}
	cmd.Flags().StringVar(&dir, "dir", "", "make the repository in the empty or missing folder `DIR`")
	return cmd
}

// demoSettings make the repository independent of the person's own configuration.
var demoSettings = [][2]string{
	{"user.name", "Demo Person"},
	{"user.email", "demo@example.org"},
	{"commit.gpgsign", "false"},
	{"core.hooksPath", os.DevNull},
	{"core.autocrlf", "false"},
}

func (a *app) runDemo(ctx context.Context, dir string) error {
	dir, err := demoFolder(dir)
	if err != nil {
		return err
	}
	delta := filepath.Join(dir, "session.delta.yaml")
	if err := makeDemo(ctx, dir, delta); err != nil {
		return err
	}
	say := a.printf
	if a.json {
		say = func(string, ...any) {}
	}
	say("A repository with the profile trail-guide: %s\n", dir)
	// The demo is about its own repository, whatever flags and variables say.
	inner := newApp(a.in, a.out, a.err, func(string) string { return "" })
	inner.dir, inner.json, inner.quiet, inner.now = dir, a.json, a.quiet, a.now
	inner.environ = withoutGit(os.Environ())
	defer inner.close()
	say("\n$ oap apply-delta --approve session.delta.yaml\n")
	if err := inner.runApplyDelta(ctx, applyOptions{approve: true, conflict: "reject"}, []string{delta}); err != nil {
		return err
	}
	if a.json {
		return a.emit(map[string]string{"type": "demo", "dir": dir})
	}
	r, err := inner.repo(ctx)
	if err != nil {
		return err
	}
	for _, args := range [][]string{
		{"log", "-1", "--format=%h %s%n%n%(trailers)"},
		{"diff", "HEAD~1", "--stat"},
		{"diff", "HEAD~1", "--unified=1"},
	} {
		out, err := r.Git(ctx, args...)
		if err != nil {
			return err
		}
		say("\n$ git %s\n%s", strings.Join(args, " "), term.EscapeLines(string(out)))
	}
	say("\nThe tool the session asked for is not granted: contract changes wait for a person.\n")
	say("\nTry next:\n  cd %s\n  oap apply-delta --approve session.delta.yaml   # the same again: already applied\n  oap show trail-guide --pointer /state/facts\n  oap digest trail-guide@1 trail-guide\n  git log -p\n", dir)
	if a.json {
		return a.emit(map[string]string{"type": "demo", "dir": dir})
	}
	return nil
}

// demoFolder makes a folder of its own under the system's temporary folder, or takes an empty one.
func demoFolder(dir string) (string, error) {
	if dir == "" {
		return os.MkdirTemp("", "oap-demo-")
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return "", err
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return "", err
	}
	if len(entries) > 0 {
		return "", &repo.Error{Kind: repo.Refused, Reason: "not-empty", Path: dir, Msg: "the folder for the demo is not empty"}
	}
	return filepath.Abs(dir)
}

// makeDemo writes the repository with git's own commands, so that its first commit is a person's.
func makeDemo(ctx context.Context, dir, delta string) error {
	env := withoutGit(os.Environ())
	if err := repo.Init(ctx, dir, env); err != nil {
		return err
	}
	r, err := repo.Open(ctx, repo.Options{Dir: dir, Env: env})
	if err != nil {
		return err
	}
	defer r.Close()
	if _, err := r.Git(ctx, "symbolic-ref", "HEAD", "refs/heads/main"); err != nil {
		return err
	}
	for _, s := range demoSettings {
		if _, err := r.Git(ctx, "config", s[0], s[1]); err != nil {
			return err
		}
	}
	profile := filepath.Join(dir, ".agents", "trail-guide.agent.yaml")
	if err := os.MkdirAll(filepath.Dir(profile), 0o777); err != nil {
		return err
	}
	if err := os.WriteFile(profile, demoProfile, 0o666); err != nil {
		return err
	}
	if err := os.WriteFile(delta, demoDelta, 0o666); err != nil {
		return err
	}
	// The delta is no part of the repository; a clean status is part of the demo.
	if err := os.WriteFile(filepath.Join(r.GitDir, "info", "exclude"), []byte("*.delta.yaml\n"), 0o666); err != nil {
		return err
	}
	for _, args := range [][]string{{"add", ".agents"}, {"commit", "-q", "-m", "Add the profile trail-guide"}} {
		if _, err := r.Git(ctx, args...); err != nil {
			return err
		}
	}
	return nil
}

// withoutGit drops git's own variables: a demo started from a hook, where GIT_DIR is set, must not land in
// the person's repository.
func withoutGit(env []string) []string {
	return slices.DeleteFunc(env, func(kv string) bool { return strings.HasPrefix(kv, "GIT_") })
}
