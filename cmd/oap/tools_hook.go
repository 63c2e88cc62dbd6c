package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"path/filepath"
	"slices"

	"github.com/open-agent-profile/oap/profile/narrow"
)

// calledTool is what a tool of a harness is to a profile: the tools that it stands for, what it does, and which member
// of its input says to what.
type calledTool struct {
	tools  []string
	action string
	target string
}

// hookTools are the tools of each harness by its own names. What is not here is asked about under its own name, which
// a profile has to grant literally.
var hookTools = map[string]map[string]calledTool{
	"claude":   claudeCalls,
	"codex":    {"Bash": claudeCalls["Bash"], "shell": {[]string{"shell"}, "shell", "command"}, "apply_patch": {[]string{"edit", "write"}, "edit", ""}},
	"gemini":   geminiCalls,
	"opencode": opencodeCalls,
}

var claudeCalls = map[string]calledTool{
	"Read": {[]string{"read"}, "read", "file_path"}, "Grep": {[]string{"grep"}, "read", "path"}, "Glob": {[]string{"glob"}, "read", "path"},
	"Edit": {[]string{"edit"}, "edit", "file_path"}, "MultiEdit": {[]string{"edit"}, "edit", "file_path"}, "Write": {[]string{"write"}, "edit", "file_path"},
	"NotebookEdit": {[]string{"edit"}, "edit", "notebook_path"}, "Bash": {[]string{"shell"}, "shell", "command"},
	"WebFetch": {[]string{"fetch"}, "network", "url"},
}

var geminiCalls = map[string]calledTool{
	"read_file": {[]string{"read"}, "read", "file_path"}, "read_many_files": {[]string{"read"}, "read", ""}, "list_directory": {[]string{"glob"}, "read", "dir_path"},
	"glob": {[]string{"glob"}, "read", "dir_path"}, "grep_search": {[]string{"grep"}, "read", "dir_path"}, "search_file_content": {[]string{"grep"}, "read", "dir_path"},
	"replace": {[]string{"edit"}, "edit", "file_path"}, "write_file": {[]string{"write"}, "edit", "file_path"},
	"run_shell_command": {[]string{"shell"}, "shell", "command"}, "web_fetch": {[]string{"fetch"}, "network", ""},
}

var opencodeCalls = map[string]calledTool{
	"read": {[]string{"read"}, "read", "filePath"}, "grep": {[]string{"grep"}, "read", "path"}, "glob": {[]string{"glob"}, "read", "path"},
	"list": {[]string{"glob"}, "read", "path"}, "edit": {[]string{"edit"}, "edit", "filePath"}, "write": {[]string{"write"}, "edit", "filePath"},
	"patch": {[]string{"edit", "write"}, "edit", ""}, "bash": {[]string{"shell"}, "shell", "command"}, "webfetch": {[]string{"fetch"}, "network", "url"},
}

// runToolsHook answers the hook that a harness calls before a tool. It never fails: what keeps it from an answer is
// one, and the answer is no.
func (a *app) runToolsHook(ctx context.Context, name string, o toolsOptions) (err error) {
	v := narrow.Verdict{Decision: narrow.Deny}
	defer func() {
		if p := recover(); p != nil {
			v = narrow.Verdict{Decision: narrow.Deny, Reason: fmt.Sprintf("a bug in oap: %v", p)}
			a.warnf("%s", v.Reason)
		}
		err = a.answerHook(o.hook, v)
	}()
	v, err = a.hookVerdict(ctx, name, o)
	if err != nil {
		v = narrow.Verdict{Decision: narrow.Deny, Reason: "oap could not decide: " + err.Error()}
		a.warnf("%v", err)
	}
	return nil
}

func (a *app) hookVerdict(ctx context.Context, name string, o toolsOptions) (v narrow.Verdict, err error) {
	p, err := a.readPayload(o.hook)
	if err != nil {
		return v, err
	}
	if p.Tool == "" {
		return v, usagef("the payload names no tool")
	}
	// What the command line names is named from here, and the session is where the payload says.
	for _, file := range []*string{&o.policy, &name} {
		if *file != "" && (file == &o.policy || looksLikePath(name) || isRecord(name)) {
			*file = absolute(a.resolve(*file))
		}
	}
	if a.dir == "" && p.Folder != "" {
		a.dir = absolute(p.Folder)
	}
	e, err := a.judge(ctx, name, o)
	if err != nil {
		return v, err
	}
	call := callOf(o.hook, p)
	v.Decision = narrow.Allow
	for i, tool := range call.tools {
		if d := e.Decide(tool, call.action, call.target); i == 0 || v.Decision.Lesser(d.Decision) != v.Decision {
			v = d
		}
	}
	return v, nil
}

// callOf says what a call is, in the words of profiles.
func callOf(harness string, p *payload) calledTool {
	call, known := hookTools[harness][p.Tool]
	if !known {
		if f := agentFiles[harness]; f.mcpNamed != nil {
			if m := f.mcpNamed.FindStringSubmatch(p.Tool); m != nil && f.tools[p.Tool] == nil {
				return calledTool{tools: []string{"mcp/" + m[1] + "/" + m[2]}}
			}
		}
		return calledTool{tools: []string{p.Tool}}
	}
	call.tools = slices.Clone(call.tools)
	target, _ := p.Input[call.target].(string)
	switch {
	case target == "":
	case call.action == "network":
		if u, err := url.Parse(target); err == nil && u.Host != "" {
			target = u.Host
		}
	case call.action != "shell" && !filepath.IsAbs(target) && p.Folder != "":
		target = filepath.Join(absolute(p.Folder), target)
	}
	call.target = target
	return call
}

// answerHook writes the decision as the harness reads it. An allowed call is left to the harness's own rules: saying
// that it is allowed would lift what the user has set there, and a profile narrows only. A harness that cannot ask is
// told no.
func (a *app) answerHook(harness string, v narrow.Verdict) error {
	reason := v.Reason
	if line := lineOf(v); line != "" {
		reason = line + ": " + reason
	}
	var answer any = struct{}{}
	if v.Decision == narrow.Ask && harness != "claude" {
		reason = "a person has to be asked, and cannot be from here: " + reason
	}
	switch {
	case v.Decision == narrow.Allow:
	case harness == "claude" || harness == "codex":
		word := v.Decision
		if harness == "codex" {
			word = narrow.Deny
		}
		answer = map[string]any{"hookSpecificOutput": map[string]any{
			"hookEventName": "PreToolUse", "permissionDecision": string(word), "permissionDecisionReason": reason,
		}}
	default:
		answer = map[string]any{"decision": "deny", "reason": reason}
	}
	text, err := json.Marshal(answer)
	if err != nil {
		return err
	}
	a.printf("%s\n", text)
	return nil
}
