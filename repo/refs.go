package repo

import (
	"bufio"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"github.com/open-agent-profile/oap/internal/term"
)

// Head is what HEAD of this working tree names.
type Head struct {
	Ref      string // full name of the branch, "" if detached
	Commit   ID     // "" if unborn
	Detached bool
	Unborn   bool // the branch has no commit yet
}

// Ref is a name and what it holds: a commit, or an annotated tag.
type Ref struct {
	Name string
	ID   ID
}

// Head reads HEAD.
func (r *Repo) Head(ctx context.Context) (Head, error) {
	ref, err := r.headRef(ctx, r.GitDir)
	if err != nil {
		return Head{}, err
	}
	if ref == "" {
		id, err := r.Resolve(ctx, "HEAD")
		return Head{Commit: id, Detached: true}, err
	}
	id, err := r.RefTip(ctx, ref)
	return Head{Ref: ref, Commit: id, Unborn: id == ""}, err
}

// headRef gives the branch that the HEAD of a git directory names, "" if it is detached. The file is
// part of git's format (git: gitrepository-layout); where it is only a stub, as with reftable, git is
// asked.
func (r *Repo) headRef(ctx context.Context, gitDir string) (string, error) {
	data, err := os.ReadFile(filepath.Join(gitDir, "HEAD"))
	if err != nil {
		return "", ioError("reading HEAD", err)
	}
	text := strings.TrimSpace(string(data))
	ref, symbolic := strings.CutPrefix(text, "ref:")
	ref = strings.TrimSpace(ref)
	switch {
	case symbolic && ref != "refs/heads/.invalid" && CheckRef(ref) == nil:
		return ref, nil
	case !symbolic && ID(text).valid():
		return "", nil
	}
	out, err := r.run(ctx, invocation{env: []string{"GIT_DIR=" + gitDir}}, "symbolic-ref", "-q", "HEAD")
	if ge, ok := err.(*gitError); ok && ge.code == 1 {
		return "", nil
	}
	if err != nil {
		return "", wrapGit(err, Refused, "unreadable-head", "", "HEAD cannot be read")
	}
	return strings.TrimSpace(string(out)), nil
}

// Branch gives the full name of a branch. It takes "main" and "refs/heads/main" and never asks what a
// short name might mean: a tag of the same name makes no difference.
func (r *Repo) Branch(name string) (string, error) {
	full := name
	if !strings.HasPrefix(name, "refs/heads/") {
		full = "refs/heads/" + name
	}
	if err := CheckRef(full); err != nil {
		return "", err
	}
	if short := strings.TrimPrefix(full, "refs/heads/"); strings.HasPrefix(short, "-") || short == "HEAD" {
		return "", invalid("bad-ref", term.Escape(name), "cannot be the name of a branch")
	}
	return full, nil
}

// CurrentBranch gives the branch that HEAD names, also an unborn one. A detached HEAD is Refused.
func (r *Repo) CurrentBranch(ctx context.Context) (string, error) {
	ref, err := r.headRef(ctx, r.GitDir)
	if err == nil && ref == "" {
		err = refuse("detached", "", "HEAD is detached, so that there is no branch to work on")
	}
	return ref, err
}

// CheckRef reports why a full ref name is not one (git: refs.c, check_refname_component).
func CheckRef(ref string) error {
	bad := func() error { return invalid("bad-ref", term.Escape(ref), "cannot be the full name of a ref") }
	if !strings.HasPrefix(ref, "refs/") || strings.HasSuffix(ref, ".") || len(ref) > 1024 {
		return bad()
	}
	if strings.Contains(ref, "..") || strings.Contains(ref, "@{") || strings.ContainsAny(ref, " ~^:?*[\\\x7f") {
		return bad()
	}
	for i := range len(ref) {
		if ref[i] < 0x20 {
			return bad()
		}
	}
	for part := range strings.SplitSeq(ref, "/") {
		if part == "" || strings.HasPrefix(part, ".") || strings.HasSuffix(part, ".lock") {
			return bad()
		}
	}
	return nil
}

// RefTip gives what a ref holds, by its full name; "" if there is no such ref.
func (r *Repo) RefTip(ctx context.Context, ref string) (ID, error) {
	if err := CheckRef(ref); err != nil {
		return "", err
	}
	o, err := r.object(ctx, ref)
	if errors.Is(err, errMissing) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	// cat-file expands names: for a missing refs/heads/x it would also take refs/tags/refs/heads/x.
	exact, err := r.refExists(ctx, ref)
	if err != nil || !exact {
		return "", err
	}
	if o.typ == "commit" {
		if _, err := r.keepCommit(o.id, o.data); err != nil {
			return "", err
		}
	}
	return o.id, nil
}

// refExists reports whether a ref of exactly that name exists: as a file, as a packed ref, or, with
// other ref stores, because git says so.
func (r *Repo) refExists(ctx context.Context, ref string) (bool, error) {
	if fi, err := os.Stat(filepath.Join(r.CommonDir, filepath.FromSlash(ref))); err == nil && fi.Mode().IsRegular() {
		return true, nil
	}
	if f, err := os.Open(filepath.Join(r.CommonDir, "packed-refs")); err == nil {
		defer f.Close()
		for sc := bufio.NewScanner(f); sc.Scan(); {
			if _, name, ok := strings.Cut(sc.Text(), " "); ok && name == ref {
				return true, nil
			}
		}
	}
	_, err := r.run(ctx, invocation{}, "show-ref", "--verify", "--quiet", ref)
	if ge, ok := err.(*gitError); ok && ge.code == 1 {
		return false, nil
	}
	if err != nil {
		return false, wrapGit(err, Refused, "unreadable-ref", ref, "git cannot read the ref")
	}
	return true, nil
}

// Refs gives the refs below a prefix ("refs/heads/oap/") in order of their names.
func (r *Repo) Refs(ctx context.Context, prefix string) ([]Ref, error) {
	if err := CheckRef(strings.TrimSuffix(prefix, "/")); err != nil && prefix != "refs/" {
		return nil, err
	}
	out, err := r.run(ctx, invocation{}, "for-each-ref", "--format=%(objectname) %(refname)", prefix)
	if err != nil {
		return nil, wrapGit(err, Refused, "unreadable-ref", prefix, "git cannot list refs")
	}
	var refs []Ref
	for line := range strings.Lines(string(out)) {
		id, name, ok := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		if ok && ID(id).valid() {
			refs = append(refs, Ref{Name: name, ID: ID(id)})
		}
	}
	return refs, nil
}

// Resolve gives the commit that a revision names, in any spelling that git knows (gitrevisions). What
// names no commit is NotFound.
func (r *Repo) Resolve(ctx context.Context, rev string) (ID, error) {
	unknown := func() (ID, error) {
		return "", notFound("no-revision", term.Escape(rev), "names no commit")
	}
	if rev == "" || strings.HasPrefix(rev, "-") || strings.ContainsAny(rev, "\n\x00") {
		return unknown()
	}
	o, err := r.object(ctx, rev+"^{commit}")
	if errors.Is(err, errMissing) {
		return unknown()
	}
	if err != nil {
		return "", err
	}
	if o.typ != "commit" {
		return unknown()
	}
	_, err = r.keepCommit(o.id, o.data)
	return o.id, err
}
