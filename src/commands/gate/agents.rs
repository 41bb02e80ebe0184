//! What each agent calls its hooks and its tools, and how it is answered: one table each.
//!
//! A tool that no table names is refused before it runs; `session_gate: tools:` in tdd.yaml names more.

/// The hooks of one agent.
#[derive(Debug)]
pub(super) struct AgentHooks {
    pub(super) name: &'static str,
    /// The agent's names of events, by what they mean.
    pub(super) events: &'static [(&'static str, Moment)],
    pub(super) tools: &'static [(&'static str, Tool)],
    /// Where its JSON holds the session, the event, the tool's name, what the tool is given, and the folder.
    pub(super) keys: Keys,
    pub(super) answer: Answer,
}

/// JSON keys; several are tried in order.
#[derive(Debug)]
pub(super) struct Keys {
    pub(super) session: &'static [&'static str],
    pub(super) event: &'static str,
    pub(super) tool: &'static [&'static str],
    pub(super) input: &'static [&'static str],
}

/// When a hook is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Moment {
    SessionStart,
    TurnStart,
    Before,
    After,
    SubagentEnd,
    TurnEnd,
    /// Nothing is asked of us.
    Other,
}

/// What a tool does to files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tool {
    /// Nothing.
    Read,
    /// Anything: its effects are looked at when it has run.
    Shell,
    /// It changes the files that these keys name.
    Edit(&'static [&'static str]),
    /// It applies a patch, whose text is under one of these keys.
    Patch(&'static [&'static str]),
}

/// How a refusal is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Answer {
    /// Exit code 2, the reason on stderr.
    Code,
    /// A decision in JSON on stdout, and exit code 2 in case that is all that is looked at.
    Decision,
}

const CLAUDE_KEYS: Keys =
    Keys { session: &["session_id"], event: "hook_event_name", tool: &["tool_name"], input: &["tool_input"] };

const CLAUDE_EVENTS: &[(&str, Moment)] = &[
    ("SessionStart", Moment::SessionStart),
    ("UserPromptSubmit", Moment::TurnStart),
    ("PreToolUse", Moment::Before),
    ("PostToolUse", Moment::After),
    ("PostToolUseFailure", Moment::After),
    ("PostToolBatch", Moment::After),
    ("SubagentStop", Moment::SubagentEnd),
    ("Stop", Moment::TurnEnd),
    ("SubagentStart", Moment::Other),
    ("Notification", Moment::Other),
    ("PreCompact", Moment::Other),
    ("PostCompact", Moment::Other),
    ("PermissionRequest", Moment::Other),
    ("SessionEnd", Moment::Other),
];

const CLAUDE_TOOLS: &[(&str, Tool)] = &[
    ("Edit", Tool::Edit(&["file_path"])),
    ("MultiEdit", Tool::Edit(&["file_path"])),
    ("Write", Tool::Edit(&["file_path"])),
    ("NotebookEdit", Tool::Edit(&["notebook_path"])),
    ("Bash", Tool::Shell),
    ("PowerShell", Tool::Shell),
    ("Monitor", Tool::Shell),
    ("Read", Tool::Read),
    ("Glob", Tool::Read),
    ("Grep", Tool::Read),
    ("LS", Tool::Read),
    ("LSP", Tool::Read),
    ("NotebookRead", Tool::Read),
    ("WebFetch", Tool::Read),
    ("WebSearch", Tool::Read),
    ("TodoWrite", Tool::Read),
    ("TodoRead", Tool::Read),
    ("TaskCreate", Tool::Read),
    ("TaskGet", Tool::Read),
    ("TaskList", Tool::Read),
    ("TaskUpdate", Tool::Read),
    ("TaskOutput", Tool::Read),
    ("TaskStop", Tool::Read),
    ("Task", Tool::Read),
    ("Agent", Tool::Read),
    ("SendMessage", Tool::Read),
    ("Skill", Tool::Read),
    ("SlashCommand", Tool::Read),
    ("ToolSearch", Tool::Read),
    ("BashOutput", Tool::Read),
    ("KillShell", Tool::Read),
    ("KillBash", Tool::Read),
    ("AskUserQuestion", Tool::Read),
    ("EnterPlanMode", Tool::Read),
    ("ExitPlanMode", Tool::Read),
    ("StructuredOutput", Tool::Read),
    ("CronCreate", Tool::Read),
    ("CronDelete", Tool::Read),
    ("CronList", Tool::Read),
    ("ListAgents", Tool::Read),
    ("ReportFindings", Tool::Read),
    ("ScheduleWakeup", Tool::Read),
    ("Workflow", Tool::Shell),
    ("EnterWorktree", Tool::Shell),
    ("ExitWorktree", Tool::Shell),
    ("ListMcpResourcesTool", Tool::Read),
    ("ReadMcpResourceTool", Tool::Read),
];

const CLAUDE: AgentHooks = AgentHooks {
    name: "claude",
    events: CLAUDE_EVENTS,
    tools: CLAUDE_TOOLS,
    keys: CLAUDE_KEYS,
    answer: Answer::Code,
};

const CODEX: AgentHooks = AgentHooks {
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
        ("update_plan", Tool::Read),
        ("view_image", Tool::Read),
        ("web_search", Tool::Read),
        ("list_mcp_resources", Tool::Read),
        ("read_mcp_resource", Tool::Read),
        ("spawn_agent", Tool::Read),
        ("wait_agent", Tool::Read),
    ],
    keys: CLAUDE_KEYS,
    answer: Answer::Code,
};

const GEMINI: AgentHooks = AgentHooks {
    name: "gemini",
    events: &[
        ("SessionStart", Moment::SessionStart),
        ("BeforeAgent", Moment::TurnStart),
        ("BeforeTool", Moment::Before),
        ("AfterTool", Moment::After),
        ("AfterAgent", Moment::TurnEnd),
        ("BeforeModel", Moment::Other),
        ("AfterModel", Moment::Other),
        ("BeforeToolSelection", Moment::Other),
        ("Notification", Moment::Other),
        ("PreCompress", Moment::Other),
        ("SessionEnd", Moment::Other),
    ],
    tools: &[
        ("write_file", Tool::Edit(&["file_path"])),
        ("replace", Tool::Edit(&["file_path"])),
        ("edit", Tool::Edit(&["file_path"])),
        ("run_shell_command", Tool::Shell),
        ("read_file", Tool::Read),
        ("read_many_files", Tool::Read),
        ("list_directory", Tool::Read),
        ("glob", Tool::Read),
        ("search_file_content", Tool::Read),
        ("grep_search", Tool::Read),
        ("web_fetch", Tool::Read),
        ("google_web_search", Tool::Read),
        ("save_memory", Tool::Read),
        ("write_todos", Tool::Read),
        ("activate_skill", Tool::Read),
        ("ask_user", Tool::Read),
    ],
    keys: CLAUDE_KEYS,
    answer: Answer::Code,
};

const COPILOT: AgentHooks = AgentHooks {
    name: "copilot",
    events: &[
        ("sessionStart", Moment::SessionStart),
        ("userPromptSubmitted", Moment::TurnStart),
        ("preToolUse", Moment::Before),
        ("postToolUse", Moment::After),
        ("agentStop", Moment::TurnEnd),
        ("subagentStop", Moment::SubagentEnd),
        ("sessionEnd", Moment::Other),
        ("errorOccurred", Moment::Other),
    ],
    tools: &[
        ("edit", Tool::Edit(&["path"])),
        ("create", Tool::Edit(&["path"])),
        ("bash", Tool::Shell),
        ("powershell", Tool::Shell),
        ("write_bash", Tool::Shell),
        ("read_bash", Tool::Read),
        ("stop_bash", Tool::Read),
        ("view", Tool::Read),
        ("glob", Tool::Read),
        ("grep", Tool::Read),
        ("web_fetch", Tool::Read),
        ("report_intent", Tool::Read),
        ("update_todo", Tool::Read),
        ("task", Tool::Read),
        ("ask_user", Tool::Read),
    ],
    keys: Keys {
        session: &["sessionId", "session_id"],
        event: "hookEventName",
        tool: &["toolName", "tool_name"],
        input: &["toolArgs", "tool_input"],
    },
    answer: Answer::Decision,
};

const VSCODE: AgentHooks = AgentHooks {
    name: "vscode",
    events: CLAUDE_EVENTS,
    tools: &[
        ("editFiles", Tool::Edit(&["files", "filePath"])),
        ("create_file", Tool::Edit(&["filePath"])),
        ("replace_string_in_file", Tool::Edit(&["filePath"])),
        ("insert_edit_into_file", Tool::Edit(&["filePath"])),
        ("apply_patch", Tool::Patch(&["input"])),
        ("run_in_terminal", Tool::Shell),
        ("read_file", Tool::Read),
        ("list_dir", Tool::Read),
        ("file_search", Tool::Read),
        ("grep_search", Tool::Read),
        ("semantic_search", Tool::Read),
        ("get_errors", Tool::Read),
        ("manage_todo_list", Tool::Read),
    ],
    keys: Keys {
        session: &["session_id", "sessionId"],
        event: "hook_event_name",
        tool: &["tool_name"],
        input: &["tool_input"],
    },
    answer: Answer::Decision,
};

/// Its plugin, which `tdd gate install` writes, calls us in Claude's words.
const OPENCODE: AgentHooks = AgentHooks {
    name: "opencode",
    events: CLAUDE_EVENTS,
    tools: &[
        ("write", Tool::Edit(&["filePath"])),
        ("edit", Tool::Edit(&["filePath"])),
        ("multiedit", Tool::Edit(&["filePath"])),
        ("patch", Tool::Patch(&["patchText", "patch"])),
        ("apply_patch", Tool::Patch(&["patchText", "patch"])),
        ("bash", Tool::Shell),
        ("read", Tool::Read),
        ("list", Tool::Read),
        ("glob", Tool::Read),
        ("grep", Tool::Read),
        ("lsp", Tool::Read),
        ("webfetch", Tool::Read),
        ("websearch", Tool::Read),
        ("codesearch", Tool::Read),
        ("todowrite", Tool::Read),
        ("todoread", Tool::Read),
        ("task", Tool::Read),
        ("skill", Tool::Read),
        ("question", Tool::Read),
    ],
    keys: CLAUDE_KEYS,
    answer: Answer::Code,
};

const PI: AgentHooks = AgentHooks {
    name: "pi",
    events: CLAUDE_EVENTS,
    tools: &[
        ("write", Tool::Edit(&["path"])),
        ("edit", Tool::Edit(&["path"])),
        ("bash", Tool::Shell),
        ("read", Tool::Read),
        ("ls", Tool::Read),
        ("find", Tool::Read),
        ("grep", Tool::Read),
    ],
    keys: CLAUDE_KEYS,
    answer: Answer::Code,
};

pub(super) const ALL: [&AgentHooks; 7] = [&CLAUDE, &CODEX, &GEMINI, &COPILOT, &VSCODE, &OPENCODE, &PI];

/// The table of the agent of this name.
pub(super) fn of(name: &str) -> Option<&'static AgentHooks> {
    ALL.into_iter().find(|agent| agent.name == name)
}

impl AgentHooks {
    pub(super) fn moment(&self, event: &str) -> Option<Moment> {
        self.events.iter().find(|(name, _)| *name == event).map(|(_, moment)| *moment)
    }

    pub(super) fn tool(&self, name: &str) -> Option<Tool> {
        self.tools.iter().find(|(known, _)| *known == name).map(|(_, tool)| *tool)
    }

    pub(super) fn edit_tools(&self) -> Vec<&'static str> {
        let edits = |tool: &Tool| matches!(tool, Tool::Edit(_) | Tool::Patch(_));
        self.tools.iter().filter(|(_, tool)| edits(tool)).map(|(name, _)| *name).collect()
    }
}
