package audit

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/open-agent-profile/oap/repo"
)

// Signatures say how signatures are looked at.
type Signatures struct {
	Check bool
	// AllowedSigners is a file as ssh-keygen(1) wants it. A file inside the working tree is read from the
	// commit at which the range starts, since the commits that are judged must not bring the keys they are
	// judged by.
	AllowedSigners string
	// Forges are signers that stand for a forge, which signs only what it merged under its own rules.
	Forges []string
}

// Verdicts on a signature.
const (
	verdictGood      = "good"
	verdictBad       = "bad"
	verdictUnknown   = "unknown-key"
	verdictNone      = "none"
	verdictUnchecked = "unchecked"
)

type signature struct{ verdict, signer string }

// atOnce is how many commits one git verifies; their ids have to fit on a command line.
const atOnce = 1000

// verify asks git about the signatures of all commits (git: pretty-formats, %G?, which is git verify-commit
// for each).
func (b *bench) verify(ctx context.Context) error {
	if !b.options.Signatures.Check {
		return nil
	}
	var ids []string
	for _, c := range b.walk.commits {
		ids = append(ids, string(c.ID))
	}
	return b.verifyAll(ctx, ids)
}

func (b *bench) verifyAll(ctx context.Context, ids []string) error {
	keys, remove, err := b.signers(ctx)
	if err != nil {
		return err
	}
	defer remove()
	for part := range slices.Chunk(ids, atOnce) {
		args := []string{
			"-c", "gpg.ssh.allowedSignersFile=" + keys, "log", "--no-walk=unsorted", "--no-show-signature", "--no-patch",
			"--format=tformat:%H%x00%G?%x00%GS%x00",
		}
		out, err := b.repo.Git(ctx, append(append(args, part...), "--")...)
		if err != nil {
			return err
		}
		for line := range strings.Lines(string(out)) {
			if f := strings.Split(line, "\x00"); len(f) == 4 {
				b.signatures[repo.ID(f[0])] = signature{verdictOf(f[1]), f[2]}
			}
		}
	}
	return nil
}

// verdictOf reads git's letter. A key whose owner nobody vouches for is as good as none (git: U); what has
// expired or was revoked proves nothing any more.
func verdictOf(letter string) string {
	switch letter {
	case "G":
		return verdictGood
	case "U", "E":
		return verdictUnknown
	case "N":
		return verdictNone
	}
	return verdictBad
}

// signers gives the file of allowed signers and what removes it again, where it is a copy.
func (b *bench) signers(ctx context.Context) (string, func(), error) {
	nothing := func() {}
	file := b.options.Signatures.AllowedSigners
	if file == "" {
		file, _ = b.repo.Setting("gpg.ssh.allowedSignersFile")
	}
	if rest, home := strings.CutPrefix(file, "~/"); home || file == "" {
		if dir, err := os.UserHomeDir(); err == nil && home {
			return filepath.Join(dir, rest), nothing, nil
		}
		return os.DevNull, nothing, nil
	}
	if !filepath.IsAbs(file) && b.repo.Root != "" {
		file = filepath.Join(b.repo.Root, file)
	}
	inside := insideOf(b.repo.Root, file)
	if inside == "" {
		return file, nothing, nil
	}
	text, err := b.textAt(ctx, b.options.Start, inside)
	if err != nil || text == nil {
		return os.DevNull, nothing, err
	}
	f, err := os.CreateTemp("", "oap-signers-")
	if err != nil {
		return "", nil, err
	}
	remove := func() { _ = os.Remove(f.Name()) }
	_, err = f.Write(text)
	if shut := f.Close(); err == nil {
		err = shut
	}
	return f.Name(), remove, err
}

// insideOf gives the path of a file within the working tree; "" where it lies elsewhere. Links are followed:
// one from outside into the tree is inside.
func insideOf(root, file string) string {
	if root == "" {
		return ""
	}
	for _, p := range []string{file, followed(file)} {
		for _, top := range []string{root, followed(root)} {
			if rel, err := filepath.Rel(top, p); err == nil && filepath.IsLocal(rel) && !strings.HasPrefix(rel, ".git"+string(filepath.Separator)) {
				return filepath.ToSlash(rel)
			}
		}
	}
	return ""
}

func followed(p string) string {
	if real, err := filepath.EvalSymlinks(p); err == nil {
		return real
	}
	return p
}

func (b *bench) signatureOf(id repo.ID) signature {
	if !b.options.Signatures.Check {
		return signature{verdict: verdictUnchecked}
	}
	if s, ok := b.signatures[id]; ok {
		return s
	}
	return signature{verdict: verdictNone}
}

// signed reports a signature that is bad, and where signatures are wanted one that is not there or by a key
// that nobody knows.
func (b *bench) signed(c *commit) {
	if !b.options.Signatures.Check {
		return
	}
	switch s := b.signatureOf(c.ID); {
	case s.verdict == verdictBad:
		b.add(c, Finding{ID: BadSignature, Severity: Error, Message: "the commit's signature is bad"})
	case !b.options.RequireSignatures:
	case s.verdict == verdictUnknown:
		b.add(c, Finding{ID: BadSignature, Severity: Error, Message: "the commit's signature is by a key that is not known"})
	case s.verdict == verdictNone:
		b.add(c, Finding{ID: Unsigned, Severity: Error, Message: "the commit is not signed"})
	}
}

// grade says what an approval rests on.
func (b *bench) grade(s signature) string {
	switch {
	case s.verdict != verdictGood:
		return Asserted
	case slices.Contains(b.options.Signatures.Forges, s.signer):
		return ForgeReviewed
	}
	return Signed
}
