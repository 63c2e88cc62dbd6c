package repo

import (
	"context"
	"fmt"
	"strings"
)

// signedCommit lets git make the commit, so that gpg.format, user.signingKey, gpg.program,
// gpg.ssh.program, gpg.ssh.defaultKeyCommand and what later versions add mean exactly what they mean to
// git. Everything but the signature is ours.
func (r *Repo) signedCommit(ctx context.Context, b *built, parents []ID, author, committer Signature, message string) (ID, error) {
	if err := b.store.flush(ctx); err != nil {
		return "", err
	}
	date := func(s Signature) string { return fmt.Sprintf("@%d %s", s.When.Unix(), s.When.Format("-0700")) }
	args := []string{"-c", "i18n.commitEncoding=UTF-8", "-c", "core.fsync=committed,loose-object", "-c", "core.fsyncObjectFiles=true", "commit-tree", "-S"}
	for _, p := range parents {
		args = append(args, "-p", string(p))
	}
	env := append(r.userValue("LC_ALL"), // a signing program may speak to a person
		"GIT_AUTHOR_NAME="+author.Name, "GIT_AUTHOR_EMAIL="+author.Mail, "GIT_AUTHOR_DATE="+date(author),
		"GIT_COMMITTER_NAME="+committer.Name, "GIT_COMMITTER_EMAIL="+committer.Mail, "GIT_COMMITTER_DATE="+date(committer))
	out, err := r.run(ctx, invocation{env: env, stdin: strings.NewReader(message)}, append(args, "-F", "-", string(b.tree))...)
	if err != nil {
		return "", wrapGit(err, Refused, "signer", "", "the commit could not be signed")
	}
	id := ID(strings.TrimSpace(string(out)))
	if !id.valid() {
		return "", &Error{Kind: IO, Reason: "signer", Msg: "git commit-tree gave no commit"}
	}
	c, err := r.ReadCommit(ctx, id)
	if err == nil && !c.Signed {
		return "", refuse("signer", "", "the signing program ended well, but the commit has no signature")
	}
	return id, err
}

// userValue gives a variable back as the caller has it, where ours would be in the way.
func (r *Repo) userValue(key string) []string {
	v, _ := lookup(r.userEnv, key)
	return []string{key + "=" + v}
}
