package main

import "maps"

// writerHints are the next steps where several writers meet.
var writerHints = map[string][]string{
	"conflict":        {"oap diff shows what each side changed", "settle it on one side, then merge again"},
	"other-files":     {"git merge BRANCH, then oap check --fix"},
	"unrelated":       {"git merge --allow-unrelated-histories BRANCH, if they belong together"},
	"foreign-commits": {"git push, if they are ready", "oap sync --push-all"},
	"rewritten":       {"git log --oneline --left-right HEAD...@{upstream} shows both histories"},
	"no-remote":       {"git remote add origin URL"},
	"unreachable":     {"oap sync, when the remote is there again"},
	"timeout":         {"oap sync --timeout 5m"},
	"moved":           {"oap sync"},
	"rejected":        {"oap sync --push-to BRANCH, if the branch takes no direct pushes"},
}

func init() { maps.Copy(gitHintTexts, writerHints) }
