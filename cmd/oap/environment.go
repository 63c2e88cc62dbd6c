package main

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/open-agent-profile/oap/proposals"
	"github.com/open-agent-profile/oap/repo"
)

// agentVariables are set by programs that let an agent run commands. The list is data: it grows.
var agentVariables = []string{"CLAUDECODE", "GEMINI_CLI", "COPILOT_CLI", "CODEX_THREAD_ID", "OAP_AGENT"}

// refuseAgents keeps decisions about a contract for people: an agent that works in this environment could
// otherwise grant its own wishes. It is a rail, not a wall; the wall is review on the remote. Only git
// config lifts it, never a variable, which the agent could set in the same breath.
func (a *app) refuseAgents(r *repo.Repo, what string) error {
	i := slices.IndexFunc(agentVariables, func(name string) bool { return a.getenv(name) != "" })
	if i < 0 || r.BoolSetting("oap.trustEnvironment", false) {
		return nil
	}
	return &proposals.Error{Kind: repo.Refused, Reason: "agent", Msg: what + " is for a person, and " + agentVariables[i] + " says that an agent is at work here"}
}

// decider is who a decision is recorded for: the one named, else git's author. Where oap.approvers is set,
// nobody else decides.
func (a *app) decider(ctx context.Context, r *repo.Repo, named string) (string, error) {
	who := strings.TrimSpace(named)
	if who == "" {
		id, err := r.Identity(ctx)
		if err != nil {
			return "", err
		}
		who = id
	}
	if !proposals.Listed(who, a.approvers(r)) {
		return "", &proposals.Error{Kind: repo.Refused, Reason: proposals.ReasonApprover, Msg: who + " is not among those who may approve a contract (oap.approvers)"}
	}
	return who, nil
}

// approvers are the values of oap.approvers; a variable could not be trusted for it.
func (a *app) approvers(r *repo.Repo) []string { return r.Settings("oap.approvers") }

// Next steps for what the commands about proposals refuse.
func init() {
	maps.Copy(gitHintTexts, map[string][]string{
		"agent":                    {"a person decides in a shell of their own; git config oap.trustEnvironment true lifts this"},
		"unstamped":                {"oap stamp --approved-by 'NAME <MAIL>'"},
		"checked-out":              {"leave that branch first: git checkout main"},
		proposals.ReasonUnknown:    {"oap proposals list --all"},
		proposals.ReasonAmbiguous:  {"oap proposals list"},
		proposals.ReasonBoundary:   {"take the other changes off the branch, or reject it: oap proposals reject ID --reason TEXT"},
		proposals.ReasonMoved:      {"review it again: oap proposals show ID"},
		proposals.ReasonConflict:   {"oap proposals show ID", "settle it on the branch, or pending state with --ours, --theirs or --edit"},
		proposals.ReasonApprover:   {"git config --get-all oap.approvers"},
		proposals.ReasonNoApprover: {"oap stamp --approved-by 'NAME <MAIL>'"},
		proposals.ReasonShallow:    {"git fetch --unshallow"},
		proposals.ReasonMerged:     {"oap stamp"},
	})
}
