package main

import "github.com/open-agent-profile/oap/delta"

// ruleTexts say in a sentence what each rule is about, for the pages that list rules beside findings.
var ruleTexts = map[string]string{
	"syntax":             "The file is a document in its encoding: YAML, JSON or Markdown with frontmatter.",
	"schema":             "The document has the structure that its kind prescribes.",
	"oap-version":        `The document says oap: "1.0".`,
	"kind":               "The document is an AgentProfile or an AgentStateDelta.",
	"conflict-marker":    "No merge is unfinished.",
	"secret":             "No credential stands in a document.",
	"trust-in-file":      "Trust is decided by where a profile is found, not by the profile.",
	"file-name":          "A profile's file has the profile's name.",
	"windows-name":       "A profile's name can be checked out on Windows.",
	"short-description":  "The description says when to use the agent.",
	"mcp-env":            "Environment values of MCP servers are references to variables.",
	"mcp-env-name":       "An MCP server gets a variable under the variable's own name.",
	"mcp-header":         "Header values of MCP servers are references to variables.",
	"workspace-path":     "Paths stay inside the workspace.",
	"undefined-variable": "Variables of the prompt are defined in the profile.",
	"template-in-state":  "State holds no templates, since they are not filled in there.",
	"duplicate-id":       "Entries of state have ids of their own.",
	"duplicate-name":     "Entries of a list have names of their own.",
	"duplicate-profile":  "Profiles of one root have names of their own.",
	"empty-name":         "Entries can be addressed by their names.",
	"history-order":      "Revisions in history do not go down.",
	"history-future":     "History is not ahead of the document's revision.",
	"bad-pattern":        "Tool patterns are in the one dialect that is enforced.",
	"inherit-lists":      "Policy inherit ignores allow and deny.",
	"empty-allowlist":    "An allowlist allows something.",
	"inert-binding":      "A binding is for a tool that is granted.",
	"invisible-text":     "A contract holds no characters that a reviewer cannot see.",
	"crowded-folder":     "A folder holds no more than a thousand profiles.",
	"letter-case":        "Paths differ by more than letter case.",
	"symlink":            "A document is a file, or a link to one in the same repository.",
	"gitlink":            "A document is a file, not another repository.",
	"not-a-file":         "A document is a regular file.",

	delta.RulePointer:   "Paths of a delta are JSON pointers.",
	delta.RuleScope:     "Operations change state only; a change of the contract is a proposal.",
	delta.RuleOwned:     "A session does not write what the applicator writes.",
	delta.RuleValue:     "Operations that set something have a value, others have none.",
	delta.RuleOp:        "An operation is add, replace or remove.",
	delta.RuleProposal:  "Proposals concern the contract.",
	delta.RulePropOwned: "Nobody proposes what no person sets.",
	delta.RulePropValue: "Proposals that set something have a value, others have none.",
	delta.RuleRisk:      "A proposal declares the risk that it has.",
}

// ruleText falls back on the rule's name, which speaks for itself.
func ruleText(id string) string {
	if text, ok := ruleTexts[id]; ok {
		return text
	}
	return id
}
