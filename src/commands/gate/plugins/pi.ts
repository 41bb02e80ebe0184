// Written by `tdd gate install pi`: asks `{tdd} gate hook pi` before and after each tool.
import { spawnSync } from "node:child_process";

const session = `pi-${process.pid}-${Date.now()}`;

const ask = (event: string, more: object): string | undefined => {
  const call = JSON.stringify({ session_id: session, hook_event_name: event, cwd: process.cwd(), ...more });
  const said = spawnSync("sh", ["-c", "{tdd} gate hook pi"], { input: call, encoding: "utf8" });
  return said.status === 0 ? undefined : (said.stderr || "tdd: refused: the hook did not answer").trim();
};

export default function (pi: any) {
  pi.on("tool_call", async (event: any) => {
    const more = { tool_name: event.toolName, tool_use_id: event.toolCallId, tool_input: event.input };
    const reason = ask("PreToolUse", more);
    return reason === undefined ? undefined : { block: true, reason };
  });
  pi.on("tool_result", async (event: any) => {
    const reason = ask("PostToolUse", { tool_name: event.toolName, tool_use_id: event.toolCallId, tool_input: {} });
    if (reason === undefined) return undefined;
    return { content: [...event.content, { type: "text", text: reason }], isError: true };
  });
  // What this file says itself begins no turn of a person's, and neither does a word amid one.
  pi.on("input", async (event: any, ctx: any) => {
    if (event.source === "extension" || event.streamingBehavior !== undefined) return undefined;
    const reason = ask("UserPromptSubmit", {});
    if (reason === undefined) return undefined;
    ctx?.ui?.notify?.(reason, "error");
    return { action: "handled" };
  });
  pi.on("agent_end", async () => {
    const reason = ask("Stop", {});
    if (reason !== undefined) pi.sendUserMessage(reason);
  });
}
