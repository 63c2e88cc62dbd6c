// Written for opencode 1.1. Put it at .opencode/plugin/oap.js or ~/.config/opencode/plugin/oap.js.
// A session is over when it is idle for the first time after work; a second call finds nothing to do.
import { spawnSync } from "node:child_process"
import { homedir } from "node:os"

const run = (args, payload) =>
  spawnSync("oap", args, { input: JSON.stringify(payload), encoding: "utf8", timeout: 30000 })

export const Oap = async ({ directory }) => {
  run(["hook", "start", "--harness", "opencode"], { session_id: "", cwd: directory, hook_event_name: "start" })
  return {
    event: async ({ event }) => {
      if (event.type !== "session.idle") return
      run(["hook", "end", "--harness", "opencode"], { session_id: event.properties.sessionID, cwd: directory, hook_event_name: event.type })
    },
    "tool.execute.before": async (input, output) => {
      const payload = { session_id: input.sessionID, cwd: directory, tool_name: input.tool, tool_input: output.args }
      const done = run(["tools", "code-reviewer", "--hook", "opencode", "--policy", `${homedir()}/.config/oap/policy.yaml`], payload)
      let answer
      try {
        answer = JSON.parse(done.stdout)
      } catch {
        answer = { decision: "deny", reason: "oap gave no answer" }
      }
      if (answer.decision === "deny") throw new Error(answer.reason)
    },
  }
}
