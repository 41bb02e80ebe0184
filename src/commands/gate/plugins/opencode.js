// Written by `tdd gate install opencode`: asks `{tdd} gate hook opencode` before and after each tool.
import { spawnSync } from "node:child_process";

const ask = (event, session, directory, more) => {
  const call = JSON.stringify({ session_id: session, hook_event_name: event, cwd: directory, ...more });
  const said = spawnSync("sh", ["-c", "{tdd} gate hook opencode"], { input: call, cwd: directory, encoding: "utf8" });
  if (said.status === 0) return;
  throw new Error((said.stderr || "tdd: refused: the hook did not answer").trim());
};

export const TddGate = async ({ client, directory }) => ({
  "tool.execute.before": async (input, output) => {
    ask("PreToolUse", input.sessionID, directory, { tool_name: input.tool, tool_input: output.args });
  },
  "tool.execute.after": async (input, output) => {
    try {
      ask("PostToolUse", input.sessionID, directory, { tool_name: input.tool, tool_input: {} });
    } catch (error) {
      output.output = `${output.output ?? ""}\n${error.message}`;
    }
  },
  "chat.message": async (input) => {
    ask("UserPromptSubmit", input.sessionID, directory, {});
  },
  event: async ({ event }) => {
    if (event.type !== "session.idle") return;
    const session = event.properties.sessionID;
    try {
      ask("Stop", session, directory, {});
    } catch (error) {
      const parts = [{ type: "text", text: error.message }];
      await client.session.prompt({ path: { id: session }, body: { parts } });
    }
  },
});
