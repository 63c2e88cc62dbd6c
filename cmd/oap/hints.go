package main

import (
	"fmt"

	"github.com/open-agent-profile/oap/repo"
	"github.com/open-agent-profile/oap/repo/apply"
	"github.com/open-agent-profile/oap/repo/catalog"
)

// applyCodes maps refusals of a delta to exit codes.
var applyCodes = map[apply.Kind]int{
	apply.Invalid:     exitNo,
	apply.Operation:   exitNo,
	apply.NotFound:    exitNotFound,
	apply.Uncommitted: exitNotFound,
	apply.Stale:       exitChoose,
	apply.Digest:      exitChoose,
	apply.Conflict:    exitChoose,
	apply.WrongID:     exitRefused,
	apply.Off:         exitRefused,
	apply.Unapproved:  exitRefused,
	apply.Boundary:    exitRefused,
	apply.Secret:      exitRefused,
	apply.Stateless:   exitRefused,
}

// applyHints says what to do next. A hint that names a command names one that exists; a test checks it.
func applyHints(e *apply.Error) []string {
	switch e.Kind {
	case apply.NotFound:
		return []string{"oap list"}
	case apply.Uncommitted:
		return []string{fmt.Sprintf("git add %s && git commit -m 'Add the profile %s'", e.Path, e.Profile)}
	case apply.Stale, apply.Digest, apply.Conflict:
		return []string{"oap show " + e.Profile, "make the delta again from the current revision: oap delta new " + e.Profile}
	case apply.Unapproved:
		return []string{"oap apply-delta --approve DELTA"}
	case apply.Off:
		return []string{"oap show --pointer /spec/lifecycle " + e.Profile}
	case apply.Boundary:
		return []string{"a wish about the contract goes into proposals: oap delta new --propose POINTER=VALUE --rationale TEXT " + e.Profile}
	case apply.Secret:
		return []string{"take the credential out of the delta and revoke it where it came from"}
	case apply.Invalid:
		if e.Path != "" {
			return []string{"oap validate " + e.Path}
		}
	}
	return nil
}

// catalogCodes maps failures to find a profile.
var catalogCodes = map[catalog.Kind]int{
	catalog.NotFound:  exitNotFound,
	catalog.Revision:  exitNotFound,
	catalog.Ambiguous: exitNotFound,
	catalog.Duplicate: exitNo,
	catalog.Shallow:   exitNo,
	catalog.Case:      exitNo,
}

func catalogHints(e *catalog.Error) []string {
	switch e.Kind {
	case catalog.NotFound:
		return []string{"oap list"}
	case catalog.Ambiguous:
		return []string{fmt.Sprintf("name one as %s:%s", e.Roots[0], e.Name), "where a delta names it, choose with --root " + e.Roots[0]}
	case catalog.Shallow:
		return []string{"git fetch --unshallow"}
	}
	return nil
}

// gitCode maps what the git side refuses.
func gitCode(e *repo.Error) int {
	switch e.Kind {
	case repo.NotFound:
		return exitNotFound
	case repo.Refused:
		return exitRefused
	case repo.Busy:
		return exitBusy
	case repo.Conflict:
		return exitChoose
	case repo.Remote:
		return exitRemote
	case repo.Invalid:
		return exitNo
	default:
		return exitIO
	}
}

// gitHintTexts are the next steps by reason.
var gitHintTexts = map[string][]string{
	"not-a-repository":      {"git init, or oap init --git"},
	"detached":              {"name a branch with --branch"},
	"no-identity":           {"git config user.name 'Your Name'", "git config user.email you@example.org"},
	"dirty":                 {"commit or stash the local edits of that file first"},
	"staged":                {"commit or unstage that file first"},
	"conflicted":            {"resolve the conflict in that file first"},
	"operation-in-progress": {"finish or abort it first: git status says how"},
	"locked":                {"another git process is at work; try again when it is done"},
	"signer":                {"git config --get-regexp 'gpg|signing' shows what git would sign with"},
}

func gitHints(e *repo.Error) []string { return gitHintTexts[e.Reason] }
