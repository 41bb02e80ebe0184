//! Codex: its tools by the names that its hooks have for them.
//!
//! A tool of a namespace is called by both names with nothing between (`flat_tool_name` in `core/src/tools/mod.rs` of
//! openai/codex): `collaboration` and `spawn_agent` are `collaborationspawn_agent`. Which namespace its agents have
//! depends on the version and on its settings.

use super::tables::{CLAUDE_EVENTS, CLAUDE_KEYS};
use super::{AgentHooks, Answer, OURS, Tool};

/// What a sub-agent does itself is asked about by itself.
const AGENTS: &[(&str, Tool)] = &[
    ("spawn_agent", Tool::Read),
    ("wait_agent", Tool::Read),
    ("list_agents", Tool::Read),
    ("send_message", Tool::Read),
    ("send_input", Tool::Read),
    ("followup_task", Tool::Read),
    ("interrupt_agent", Tool::Read),
    ("resume_agent", Tool::Read),
    ("close_agent", Tool::Read),
];

const CLOCK: &[(&str, Tool)] = &[("sleep", Tool::Read), ("curr_time", Tool::Read)];

pub(super) const CODEX: AgentHooks = AgentHooks {
    name: "codex",
    events: CLAUDE_EVENTS,
    tools: &[
        ("apply_patch", Tool::Patch(&["command", "input", "patch"])),
        ("Edit", Tool::Patch(&["command", "input", "patch"])),
        ("Write", Tool::Patch(&["command", "input", "patch"])),
        ("Bash", Tool::Shell),
        ("shell", Tool::Shell),
        ("local_shell", Tool::Shell),
        ("exec_command", Tool::Shell),
        ("unified_exec", Tool::Shell),
        ("write_stdin", Tool::Shell),
        ("shell_command", Tool::Shell),
        ("exec", Tool::Shell),
        ("request_plugin_install", Tool::Shell),
        ("update_plan", Tool::Read),
        ("view_image", Tool::Read),
        ("web_search", Tool::Read),
        ("list_mcp_resources", Tool::Read),
        ("read_mcp_resource", Tool::Read),
        ("wait", Tool::Read),
        ("list_mcp_resource_templates", Tool::Read),
        ("tool_search", Tool::Read),
        ("request_user_input", Tool::Read),
        ("request_user_input_async", Tool::Read),
        ("send_user_message_async", Tool::Read),
        ("request_permissions", Tool::Read),
        ("get_context_remaining", Tool::Read),
        ("new_context_window", Tool::Read),
        ("get_goal", Tool::Read),
        ("create_goal", Tool::Read),
        ("update_goal", Tool::Read),
        ("list_dir", Tool::Read),
        ("read_file", Tool::Read),
        ("grep_files", Tool::Read),
    ],
    namespaces: &[
        ("", AGENTS),
        ("collaboration", AGENTS),
        ("agents", AGENTS),
        ("multi_agent_v1", AGENTS),
        ("clock", CLOCK),
        ("mcp__tdd__", OURS),
    ],
    keys: CLAUDE_KEYS,
    answer: Answer::Code,
    asks: true,
};
