package repo

import (
	"context"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/open-agent-profile/oap/internal/term"
)

// identity is who commits, by git's own rules (settings with includeIf, GIT_AUTHOR_*, GIT_COMMITTER_*,
// EMAIL, user.useConfigOnly). Git is asked while the plan is being made.
type identity struct {
	done              chan struct{}
	author, committer Signature
	err               error
}

// whoCommits starts asking. The answer is needed only if there is something to commit.
func (r *Repo) whoCommits(ctx context.Context, now time.Time) *identity {
	w := &identity{done: make(chan struct{})}
	go func() {
		defer close(w.done)
		if s, ok := r.plainIdentity(); ok {
			w.author = s
		} else {
			w.author, w.err = r.ident(ctx, "GIT_AUTHOR_IDENT")
		}
		w.committer = w.author
		if w.err == nil && r.differentCommitter() {
			w.committer, w.err = r.ident(ctx, "GIT_COMMITTER_IDENT")
		}
		if !now.IsZero() {
			w.author.When, w.committer.When = now, now
		}
	}()
	return w
}

func (w *identity) get(ctx context.Context) (author, committer Signature, err error) {
	select {
	case <-w.done:
		return w.author, w.committer, w.err
	case <-ctx.Done():
		return Signature{}, Signature{}, context.Cause(ctx)
	}
}

// differentCommitter reports whether anything could make author and committer two people, or two times.
func (r *Repo) differentCommitter() bool {
	for _, who := range []string{"AUTHOR", "COMMITTER"} {
		for _, what := range []string{"NAME", "EMAIL", "DATE"} {
			if _, ok := lookup(r.env, "GIT_"+who+"_"+what); ok {
				return true
			}
		}
		for _, what := range []string{"name", "email"} {
			if _, ok := r.Setting(strings.ToLower(who) + "." + what); ok {
				return true
			}
		}
	}
	return false
}

// plainIdentity gives the identity where user.name and user.email alone decide it and git would only
// hand them back: no variable, no other setting, no character that git strips (git: ident.c,
// strbuf_addstr_without_crud), and the zone of the system. It saves starting git.
func (r *Repo) plainIdentity() (Signature, bool) {
	name, _ := r.Setting("user.name")
	mail, _ := r.Setting("user.email")
	_, zone := lookup(r.env, "TZ")
	if r.differentCommitter() || zone || !plainName(name) || !plainName(mail) {
		return Signature{}, false
	}
	return Signature{Name: name, Mail: mail, When: time.Now()}, true
}

// plainName reports whether a name starts and ends with a letter or digit and has nothing between that
// git would drop.
func plainName(s string) bool {
	first, _ := utf8.DecodeRuneInString(s)
	last, _ := utf8.DecodeLastRuneInString(s)
	ends := func(c rune) bool { return unicode.IsLetter(c) || unicode.IsDigit(c) }
	return ends(first) && ends(last) && utf8.ValidString(s) && !strings.ContainsFunc(s, func(c rune) bool {
		return c == '<' || c == '>' || unicode.IsControl(c)
	})
}

// ident gives what git answers for GIT_AUTHOR_IDENT or GIT_COMMITTER_IDENT. The name comes from settings
// and environment as they were at opening, so it is asked for once; the time goes on, unless it is set.
func (r *Repo) ident(ctx context.Context, variable string) (Signature, error) {
	r.mu.Lock()
	sig, known := r.idents[variable]
	r.mu.Unlock()
	if !known {
		var err error
		if sig, err = r.askIdent(ctx, variable); err != nil {
			return Signature{}, err
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		if r.idents == nil {
			r.idents = map[string]Signature{}
		}
		r.idents[variable] = sig
		return sig, nil
	}
	if _, set := lookup(r.env, strings.Replace(variable, "_IDENT", "_DATE", 1)); !set {
		sig.When = time.Now().In(sig.When.Location())
	}
	return sig, nil
}

func (r *Repo) askIdent(ctx context.Context, variable string) (Signature, error) {
	out, err := r.run(ctx, invocation{}, "var", variable)
	if ge, ok := err.(*gitError); ok {
		for _, s := range []string{"invalid date format", "date"} {
			if strings.Contains(ge.stderr, s) && !strings.Contains(ge.stderr, "tell me who you are") {
				return Signature{}, &Error{Kind: Invalid, Reason: "bad-date", Msg: "git cannot read the date in the environment", Err: ge}
			}
		}
		return Signature{}, refuse("no-identity", "", "git knows no name and mail address to commit with")
	}
	if err != nil {
		return Signature{}, err
	}
	sig, err := parseSignature(strings.TrimSpace(string(out)))
	if err != nil || sig.When.IsZero() {
		return Signature{}, invalid("bad-identity", "", "git's answer %q is no identity", term.Escape(string(out)))
	}
	return sig, nil
}
