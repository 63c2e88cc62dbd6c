package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/open-agent-profile/oap/internal/term"
	"github.com/open-agent-profile/oap/internal/textedit"
	"github.com/open-agent-profile/oap/profile"
	"github.com/open-agent-profile/oap/repo"
	"github.com/open-agent-profile/oap/repo/apply"
	"github.com/open-agent-profile/oap/repo/catalog"
)

// Exit codes (docs/scripting.md). Scripts rely on them: codes are added, never changed.
const (
	exitOK          = 0
	exitNo          = 1
	exitUsage       = 2
	exitChoose      = 3
	exitRefused     = 4
	exitNotFound    = 5
	exitBusy        = 6
	exitRemote      = 7
	exitBug         = 70
	exitIO          = 74
	exitInterrupted = 130
)

var errInterrupted = errors.New("interrupted; nothing more was written")

// usageError is a command line that cannot be obeyed.
type usageError struct{ msg string }

func (e *usageError) Error() string { return e.msg }

func usagef(format string, args ...any) error { return &usageError{fmt.Sprintf(format, args...)} }

// bugError is a fault of oap itself.
type bugError struct{ what string }

func (e *bugError) Error() string { return "a bug in oap: " + e.what }

// answerNo ends a command whose result, already printed, is "no": invalid, different.
type answerNo struct{ msg string }

func (e *answerNo) Error() string { return e.msg }

// failure is an error as it leaves the process.
type failure struct {
	Type    string   `json:"type"` // "error"
	Code    int      `json:"code"`
	Kind    string   `json:"kind"`
	Message string   `json:"message"`
	Hints   []string `json:"hints"`
	Details any      `json:"details,omitempty"`
}

// fail reports err and gives its exit code: the line and hints on standard error, and one object on
// standard output with --json, so that a harness reads one stream.
func (a *app) fail(err error) int {
	f := classify(err)
	if a.json {
		// The object may fail to be written only where standard output is gone; the code still tells.
		_ = json.NewEncoder(a.out).Encode(f)
	}
	fmt.Fprintf(a.err, "oap: error: %s\n", term.Escape(f.Message))
	for _, h := range f.Hints {
		fmt.Fprintf(a.err, "oap: hint: %s\n", term.Escape(h))
	}
	return f.Code
}

// classify is the only place where an error becomes an exit code, a kind and hints.
func classify(err error) failure {
	f := failure{Type: "error", Message: err.Error(), Hints: []string{}}
	var (
		usage   *usageError
		bug     *bugError
		no      *answerNo
		syntax  *profile.SyntaxError
		invalid *profile.InvalidError
		refused *textedit.RefusedError
		git     *repo.Error
		stopped *apply.Error
		located *catalog.Error
		missing *notFoundError
		root    *catalog.RootError
		foreign *foreignError
		path    *fs.PathError
	)
	set := func(code int, kind string, hints ...string) failure {
		f.Code, f.Kind = code, kind
		f.Hints = append(f.Hints, hints...)
		return f
	}
	if code, kind, hints := compositionFailure(err); kind != "" {
		return set(code, kind, hints...)
	}
	switch {
	case errors.Is(err, errInterrupted):
		return set(exitInterrupted, "interrupted")
	case errors.As(err, &usage):
		return set(exitUsage, "usage", "oap help")
	case errors.As(err, &root):
		return set(exitUsage, "usage", "oap help")
	case errors.As(err, &bug):
		return set(exitBug, "bug")
	case errors.As(err, &no):
		return set(exitNo, "no")
	case errors.As(err, &missing):
		return set(exitNotFound, "not-found")
	case errors.As(err, &foreign):
		return set(exitRefused, "not-cards")
	case errors.As(err, &stopped):
		f.Details = stopped.Details
		return set(applyCodes[stopped.Kind], string(stopped.Kind), applyHints(stopped)...)
	case errors.As(err, &invalid):
		f.Details = invalid.Findings
		if slices.ContainsFunc(invalid.Findings, isSecret) {
			return set(applyCodes[apply.Secret], string(apply.Secret))
		}
		return set(exitNo, "invalid")
	case errors.As(err, &syntax):
		return set(exitNo, "syntax")
	case errors.As(err, &refused):
		return set(exitRefused, "edit")
	case errors.As(err, &located):
		return set(catalogCodes[located.Kind], string(located.Kind), catalogHints(located)...)
	case errors.As(err, &git):
		return set(gitCode(git), git.Reason, gitHints(git)...)
	case errors.As(err, &path) && errors.Is(path.Err, fs.ErrNotExist):
		f.Message = path.Path + ": no such file or folder"
		return set(exitNotFound, "file")
	case errors.As(err, &path):
		f.Message = path.Path + ": " + path.Err.Error()
		return set(exitIO, "io")
	}
	return set(exitIO, "io")
}

// isSecret tells a credential, which a rule forbids, from what is merely wrong.
func isSecret(f profile.Finding) bool { return f.Severity == profile.Error && f.Rule == "secret" }
