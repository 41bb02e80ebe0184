//! What is installed for each agent: where its settings lie, what a hook of it looks like.

use std::path::Path;

use serde_json::{Value, json};

use super::agents;
use crate::settings::Environment;

/// Whether the file has other things in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Merged,
    Own,
}

/// One agent's.
pub(super) struct Template {
    pub(super) name: &'static str,
    pub(super) kind: Kind,
    /// Below the project's folder, and below the person's home.
    pub(super) project: &'static str,
    pub(super) user: Option<&'static str>,
    pub(super) events: &'static [&'static str],
    /// Its name of the event before a tool.
    pub(super) before: &'static str,
    pub(super) command: fn(&str, &str) -> String,
    /// One hook in the agent's settings.
    pub(super) entry: fn(&str, &str) -> Value,
    /// The whole of a file that is ours.
    pub(super) file: fn(&str) -> String,
    /// A call that has to be refused, and one that has to pass, in this folder.
    pub(super) canary: fn(&Path) -> (Value, Value),
    /// What the person has to do still.
    pub(super) after: Option<&'static str>,
}

/// What else in a person's home switches hooks off.
const SWITCHES: [&str; 3] = [".codex/config.toml", ".config/opencode/opencode.json", ".claude.json"];

/// Whether a file, by its real path, is what an agent reads of hooks for all projects of this person.
pub(super) fn is_of_a_person(environment: &Environment, path: &Path) -> bool {
    let home = environment.var("HOME").and_then(|home| Path::new(home).canonicalize().ok());
    let Some(below) = home.as_deref().and_then(|home| path.strip_prefix(home).ok()) else { return false };
    let installed = agents::ALL.iter().filter_map(|agent| of(agent.name)?.user);
    installed.chain(SWITCHES).any(|file| Path::new(file) == below)
}

/// Seconds: the end of a turn runs tests.
const PATIENCE: u32 = 900;

fn plain(agent: &'static str) -> fn(&str, &str) -> String {
    match agent {
        "claude" => |tdd, _| format!("{tdd} gate hook claude"),
        "codex" => |tdd, _| format!("{tdd} gate hook codex"),
        "gemini" => |tdd, _| format!("{tdd} gate hook gemini"),
        "vscode" => |tdd, event| format!("{tdd} gate hook vscode --event {event}"),
        "opencode" => |tdd, _| format!("{tdd} gate hook opencode"),
        _ => |tdd, _| format!("{tdd} gate hook pi"),
    }
}

fn no_file(_: &str) -> String {
    String::new()
}

fn no_entry(_: &str, _: &str) -> Value {
    Value::Null
}

fn canary(folder: &Path) -> (Value, Value) {
    of_tools(folder, ("Write", json!({ "file_path": "tdd.yaml", "content": "x" })), "Read")
}

fn of_tools(folder: &Path, (edit, input): (&str, Value), read: &str) -> (Value, Value) {
    let call = |tool: &str, input: Value| {
        json!({
            "session_id": "canary", "cwd": folder, "hook_event_name": "PreToolUse",
            "tool_name": tool, "tool_input": input,
        })
    };
    (call(edit, input), call(read, json!({ "file_path": "README.md" })))
}

const ALL: [Template; 7] = [
    Template {
        name: "claude",
        kind: Kind::Merged,
        project: ".claude/settings.json",
        user: Some(".claude/settings.json"),
        events: &[
            "SessionStart",
            "UserPromptSubmit",
            "PreToolUse",
            "PostToolUse",
            "PostToolUseFailure",
            "SubagentStop",
            "Stop",
        ],
        before: "PreToolUse",
        command: |tdd, _| plain("claude")(tdd, ""),
        entry: |tdd, event| {
            let command = plain("claude")(tdd, event);
            // A hook that can't be started blocks, too, where the agent knows that word.
            json!({ "matcher": "*", "hooks": [{ "type": "command", "command": command, "timeout": PATIENCE, "onFailure": "block" }] })
        },
        file: no_file,
        canary,
        after: None,
    },
    Template {
        name: "codex",
        kind: Kind::Merged,
        project: ".codex/hooks.json",
        user: Some(".codex/hooks.json"),
        events: &["SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop"],
        before: "PreToolUse",
        command: |tdd, _| plain("codex")(tdd, ""),
        entry: |tdd, event| {
            let hook =
                json!({ "type": "command", "command": plain("codex")(tdd, event), "timeout": PATIENCE });
            json!({ "matcher": ".*", "hooks": [hook] })
        },
        file: no_file,
        canary: |folder| {
            let patch = "*** Begin Patch\n*** Add File: tdd.yaml\n+x\n*** End Patch\n";
            of_tools(folder, ("apply_patch", json!({ "command": patch })), "update_plan")
        },
        after: Some("codex runs hooks only once they are trusted: start it, and trust them with /hooks"),
    },
    Template {
        name: "gemini",
        kind: Kind::Merged,
        project: ".gemini/settings.json",
        user: Some(".gemini/settings.json"),
        events: &["SessionStart", "BeforeAgent", "BeforeTool", "AfterTool", "AfterAgent"],
        before: "BeforeTool",
        command: |tdd, _| plain("gemini")(tdd, ""),
        entry: |tdd, event| {
            let command = plain("gemini")(tdd, event);
            json!({ "matcher": "*", "hooks": [{ "type": "command", "command": command, "timeout": PATIENCE * 1000 }] })
        },
        file: no_file,
        canary: |folder| {
            let (mut edit, mut read) = of_tools(
                folder,
                ("write_file", json!({ "file_path": "tdd.yaml", "content": "x" })),
                "read_file",
            );
            for call in [&mut edit, &mut read] {
                call["hook_event_name"] = "BeforeTool".into();
            }
            (edit, read)
        },
        after: None,
    },
    Template {
        name: "copilot",
        kind: Kind::Own,
        project: ".github/hooks/tdd.json",
        user: None,
        events: &[],
        before: "preToolUse",
        command: |tdd, event| format!("{tdd} gate hook copilot --event {event}"),
        entry: no_entry,
        file: |tdd| {
            let events = [
                "sessionStart",
                "userPromptSubmitted",
                "preToolUse",
                "postToolUse",
                "subagentStop",
                "agentStop",
            ];
            let hook = |event: &&str| {
                let command = format!("{tdd} gate hook copilot --event {event}");
                ((*event).to_owned(), json!([{ "type": "command", "bash": command, "timeoutSec": PATIENCE }]))
            };
            let hooks: serde_json::Map<String, Value> = events.iter().map(hook).collect();
            pretty(&json!({ "version": 1, "hooks": hooks }))
        },
        canary: |folder| {
            let call = |tool: &str, input: Value| json!({ "sessionId": "canary", "cwd": folder, "toolName": tool, "toolArgs": input.to_string() });
            (call("create", json!({ "path": "tdd.yaml" })), call("view", json!({ "path": "README.md" })))
        },
        after: None,
    },
    Template {
        name: "vscode",
        kind: Kind::Own,
        project: ".github/hooks/tdd-vscode.json",
        user: None,
        events: &[],
        before: "PreToolUse",
        command: |tdd, event| plain("vscode")(tdd, event),
        entry: no_entry,
        file: |tdd| {
            let events =
                ["SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "SubagentStop", "Stop"];
            let hook = |event: &&str| {
                let command = plain("vscode")(tdd, event);
                ((*event).to_owned(), json!([{ "type": "command", "command": command, "timeout": PATIENCE }]))
            };
            let hooks: serde_json::Map<String, Value> = events.iter().map(hook).collect();
            pretty(&json!({ "hooks": hooks }))
        },
        canary: |folder| of_tools(folder, ("create_file", json!({ "filePath": "tdd.yaml" })), "read_file"),
        after: None,
    },
    Template {
        name: "opencode",
        kind: Kind::Own,
        project: ".opencode/plugins/tdd-gate.js",
        user: Some(".config/opencode/plugins/tdd-gate.js"),
        events: &[],
        before: "PreToolUse",
        command: |tdd, _| plain("opencode")(tdd, ""),
        entry: no_entry,
        file: |tdd| include_str!("plugins/opencode.js").replace("{tdd}", tdd),
        canary: |folder| {
            of_tools(folder, ("write", json!({ "filePath": "tdd.yaml", "content": "x" })), "read")
        },
        after: None,
    },
    Template {
        name: "pi",
        kind: Kind::Own,
        project: ".pi/extensions/tdd-gate.ts",
        user: Some(".pi/agent/extensions/tdd-gate.ts"),
        events: &[],
        before: "PreToolUse",
        command: |tdd, _| plain("pi")(tdd, ""),
        entry: no_entry,
        file: |tdd| include_str!("plugins/pi.ts").replace("{tdd}", tdd),
        canary: |folder| of_tools(folder, ("write", json!({ "path": "tdd.yaml", "content": "x" })), "read"),
        after: None,
    },
];

fn pretty(value: &Value) -> String {
    serde_json::to_string_pretty(value).unwrap_or_default() + "\n"
}

pub(super) fn of(name: &str) -> Option<&'static Template> {
    static TEMPLATES: [Template; 7] = ALL;
    TEMPLATES.iter().find(|template| template.name == name)
}
