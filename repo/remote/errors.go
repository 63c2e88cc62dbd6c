package remote

import (
	"fmt"
	"strings"

	"github.com/open-agent-profile/oap/internal/term"
	"github.com/open-agent-profile/oap/repo"
)

// failed is a remote that did not do its part; local commits stand.
func failed(reason, path, format string, args ...any) *repo.Error {
	return &repo.Error{Kind: repo.Remote, Reason: reason, Path: path, Msg: fmt.Sprintf(format, args...)}
}

func refused(reason, path, format string, args ...any) *repo.Error {
	return &repo.Error{Kind: repo.Refused, Reason: reason, Path: path, Msg: fmt.Sprintf(format, args...)}
}

// said gives what git, or the remote through it, had to say: the line of a hook first, since it tells why, else
// git's own cause. Git's advice is not ours to give.
func said(stderr string) string {
	var cause string
	for l := range strings.Lines(stderr) {
		l = strings.TrimSpace(l)
		if text, ok := strings.CutPrefix(l, "remote:"); ok {
			if text = strings.TrimSpace(text); text != "" && !strings.HasPrefix(text, "Resolving deltas") {
				return term.Escape(strings.TrimPrefix(text, "error: "))
			}
			continue
		}
		for _, p := range []string{"fatal: ", "error: "} {
			if text, ok := strings.CutPrefix(l, p); ok && cause == "" && !strings.HasPrefix(text, "failed to push some refs") {
				cause = text
			}
		}
	}
	if cause == "" {
		cause = "git gave no reason"
	}
	return term.Escape(cause)
}

func short(ref string) string { return strings.TrimPrefix(ref, "refs/heads/") }
