// Written by `tdd gate install opencode`: asks `{tdd} gate hook opencode` before and after each tool.
import { spawnSync } from "node:child_process";

// What this file says to a session itself begins no turn of a person's.
const own = new Map();

const ask = (event, session, directory, more) => {
  const call = JSON.stringify({ session_id: session, hook_event_name: event, cwd: directory, ...more });
  const said = spawnSync("sh", ["-c", "{tdd} gate hook opencode"], { input: call, cwd: directory, encoding: "utf8" });
  if (said.status === 0) return;
  throw new Error((said.stderr || "tdd: refused: the hook did not answer").trim());
};

export const TddGate = async ({ client, directory }) => ({
  "tool.execute.before": async (input, output) => {
    const more = { tool_name: input.tool, tool_use_id: input.callID, tool_input: output.args };
    ask("PreToolUse", input.sessionID, directory, more);
  },
  "tool.execute.after": async (input, output) => {
    try {
      const more = { tool_name: input.tool, tool_use_id: input.callID, tool_input: {} };
      ask("PostToolUse", input.sessionID, directory, more);
    } catch (error) {
      output.output = `${output.output ?? ""}\n${error.message}`;
    }
  },
  "chat.message": async (input, output) => {
    const said = own.get(input.sessionID);
    if (said !== undefined && (output?.parts ?? []).some((part) => part.text === said)) {
      own.delete(input.sessionID);
      return;
    }
    ask("UserPromptSubmit", input.sessionID, directory, {});
  },
  event: async ({ event }) => {
    if (event.type !== "session.idle") return;
    const session = event.properties.sessionID;
    try {
      ask("Stop", session, directory, {});
    } catch (error) {
      own.set(session, error.message);
      const parts = [{ type: "text", text: error.message }];
      await client.session.prompt({ path: { id: session }, body: { parts } });
    }
  },
});
