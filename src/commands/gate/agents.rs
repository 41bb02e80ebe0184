//! What each agent calls its hooks and its tools, and how it is answered: one table each.
//!
//! A tool that no table names is refused before it runs; `session_gate: tools:` in tdd.yaml names more.

mod codex;
mod tables;

use codex::CODEX;
use tables::{CLAUDE, COPILOT, GEMINI, OPENCODE, PI, VSCODE};

/// Tools by name.
pub(super) type Tools = &'static [(&'static str, Tool)];

/// The tools of `tdd mcp`, which judges each call by itself. That a server of this name is ours can't be known from its
/// name: whichever it is, the tree is looked at afterwards.
const OURS: Tools = &[
    ("run_tests", Tool::Shell),
    ("claim_edit", Tool::Shell),
    ("edit_file", Tool::Shell),
    ("flush", Tool::Shell),
    ("status", Tool::Shell),
    ("run", Tool::Shell),
    ("wait_run", Tool::Shell),
    ("run_status", Tool::Shell),
    ("halt_report", Tool::Shell),
    ("criteria", Tool::Shell),
];

/// The hooks of one agent.
#[derive(Debug)]
pub(super) struct AgentHooks {
    pub(super) name: &'static str,
    /// The agent's names of events, by what they mean.
    pub(super) events: &'static [(&'static str, Moment)],
    pub(super) tools: Tools,
    /// What its hooks put before a tool's own name, with nothing between, and the tools that are called so.
    pub(super) namespaces: &'static [(&'static str, Tools)],
    /// Where its JSON holds the session, the event, the tool's name, what the tool is given, and the folder.
    pub(super) keys: Keys,
    pub(super) answer: Answer,
    /// A word that is refused reaches the person, who may send it again.
    pub(super) asks: bool,
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
    /// It changes the files that the entries of this list name, each under this key.
    EditEach(&'static str, &'static str),
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
        let of =
            |tools: Tools, name: &str| tools.iter().find(|(known, _)| *known == name).map(|(_, tool)| *tool);
        let within = |(space, tools): &(&str, Tools)| name.strip_prefix(space).and_then(|own| of(tools, own));
        of(self.tools, name).or_else(|| self.namespaces.iter().find_map(within))
    }

    pub(super) fn edit_tools(&self) -> Vec<&'static str> {
        let edits = |tool: &Tool| matches!(tool, Tool::Edit(_) | Tool::EditEach(..) | Tool::Patch(_));
        self.tools.iter().filter(|(_, tool)| edits(tool)).map(|(name, _)| *name).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::mcp::offered;
    use super::*;

    #[test]
    fn each_tool_of_our_own_server_is_known() {
        let known: Vec<&str> = OURS.iter().map(|(name, _)| *name).collect();
        assert_eq!(known, offered());
    }
}
