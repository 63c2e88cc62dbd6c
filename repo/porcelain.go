package repo

import (
	"context"
	"fmt"
	"os"
)

// Init makes a repository in a folder, as git init does; in an existing one it changes nothing. env nil
// is the environment of this process.
func Init(ctx context.Context, dir string, env []string) error {
	if env == nil {
		env = os.Environ()
	}
	r := &Repo{dir: dir, env: childEnv(env)}
	_, err := r.run(ctx, invocation{}, "init", "-q")
	return wrapGit(err, Refused, "git", dir, "git cannot make a repository here")
}

// Git runs one git command in the repository and gives its standard output. It is for commands whose
// output people read; everything that this package relies on has a method of its own.
func (r *Repo) Git(ctx context.Context, args ...string) ([]byte, error) {
	out, err := r.run(ctx, invocation{}, args...)
	return out, wrapGit(err, Refused, "git", "", "git refused")
}

// AddSetting adds a value to a setting of the repository (git config --add). The Repo's own settings
// stay those of the moment of opening.
func (r *Repo) AddSetting(ctx context.Context, key, value string) error {
	_, err := r.run(ctx, invocation{}, "config", "--local", "--add", key, value)
	return wrapGit(err, IO, "config", key, "git cannot write the setting")
}

// Identity gives whom git would name as author, as "Name <mail>". Where git does not know, the error is
// Refused with reason no-identity.
func (r *Repo) Identity(ctx context.Context) (string, error) {
	s, err := r.ident(ctx, "GIT_AUTHOR_IDENT")
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%s <%s>", s.Name, s.Mail), nil
}
