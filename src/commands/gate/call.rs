//! One call of an agent's hook, read by the agent's table: whose it is, when, which tool, which files.

use std::path::Path;

use serde_json::Value;

use super::agents::{self, AgentHooks, Moment, Tool};
use super::input;
use super::paths::{self, Target};
use super::templates;
use crate::cli::gate::HookArgs;
use crate::world::project::Place;
use crate::world::session_file;
use tdd_core::event::{SessionId, ToolClass};
use tdd_core::path::RelPath;
use tdd_core::trouble::Trouble;

/// Letters of a model's name.
const LONGEST_NAME: usize = 100;

/// One call, as far as it could be read.
pub(super) struct Call {
    pub(super) agent: &'static AgentHooks,
    pub(super) moment: Moment,
    /// By the agent's own name.
    pub(super) event: String,
    pub(super) session: SessionId,
    pub(super) tool: String,
    pub(super) input: Value,
    /// The folder that the agent's JSON tells.
    pub(super) cwd: Option<String>,
    /// The agent was held at the end of this turn already.
    pub(super) is_again: bool,
    /// The session goes on with a shorter memory: maybe amid a turn.
    pub(super) is_compacted: bool,
    /// The agent's name for this call of the tool, or the tool's.
    pub(super) use_id: String,
    /// The model that the agent says to have.
    pub(super) model: Option<String>,
    /// What the person said, told apart by a hash; empty where the agent does not tell it.
    pub(super) said: String,
}

fn unreadable(why: impl Into<String>) -> Trouble {
    Trouble::user("the hook's call can't be read").because(why.into())
}

pub(super) fn read(args: &HookArgs) -> Result<Call, Trouble> {
    let agent = agents::of(&args.agent).ok_or_else(|| {
        let known: Vec<&str> = agents::ALL.iter().map(|agent| agent.name).collect();
        unreadable(format!("no agent is called `{}`; known are {}", args.agent, known.join(", ")))
    })?;
    let bytes = input::read().map_err(unreadable)?;
    let told: Value = serde_json::from_slice(&bytes).map_err(|error| unreadable(error.to_string()))?;
    let text = |keys: &[&str]| keys.iter().find_map(|key| told[*key].as_str()).map(str::to_owned);
    let event = args.event.clone().or_else(|| text(&[agent.keys.event]));
    let event = event.ok_or_else(|| unreadable(format!("it has no `{}`", agent.keys.event)))?;
    let moment = agent
        .moment(&event)
        .ok_or_else(|| unreadable(format!("no event of {} is known as `{event}`", agent.name)))?;
    let session = text(agent.keys.session)
        .and_then(|id| session_of(&id))
        .ok_or_else(|| unreadable(format!("it has no `{}`", agent.keys.session[0])))?;
    let is_of_tool = matches!(moment, Moment::Before | Moment::After);
    let tool = text(agent.keys.tool).unwrap_or_default();
    let input = agent.keys.input.iter().map(|key| &told[*key]).find(|value| !value.is_null());
    // Some agents write it as JSON within JSON.
    let mut input = input.cloned().unwrap_or(Value::Null);
    if let Some(inner) = input.as_str().and_then(|text| serde_json::from_str(text).ok()) {
        input = inner;
    }
    if is_of_tool && tool.is_empty() && event != "PostToolBatch" {
        return Err(unreadable(format!("it has no `{}`", agent.keys.tool[0])));
    }
    let is_again = told["stop_hook_active"].as_bool().unwrap_or_default();
    let is_compacted = text(&["source"]).as_deref() == Some("compact");
    let use_id = text(&["tool_use_id", "toolUseId", "tool_call_id"]).unwrap_or_else(|| tool.clone());
    let cwd = text(&["cwd"]);
    let said = text(&["prompt"]).map(|said| blake3::hash(said.trim().as_bytes()).to_hex().to_string());
    let said = said.unwrap_or_default();
    let model = text(&["model"]).map(|model| model.chars().take(LONGEST_NAME).collect());
    Ok(Call { agent, moment, event, session, tool, input, cwd, is_again, is_compacted, use_id, model, said })
}

/// An agent's word for a session, as a name that a folder and a ref can have.
fn session_of(told: &str) -> Option<SessionId> {
    let fit = |c: char| if c.is_ascii_alphanumeric() || c == '-' || c == '_' { c } else { '-' };
    let name: String = told.chars().take(100).map(fit).collect();
    session_file::named(name.trim_start_matches(['-', '_']))
}

/// The files that a tool would change; `None` for one that may change any.
pub(super) fn files(call: &Call, tool: Tool) -> Result<Option<Vec<String>>, Trouble> {
    let missing =
        |keys: &[&str]| unreadable(format!("`{}` names no file under {}", call.tool, keys.join(", ")));
    match tool {
        Tool::Read => Ok(Some(Vec::new())),
        Tool::Shell => Ok(None),
        Tool::Edit(keys) => {
            let named = keys.iter().map(|key| &call.input[*key]).find(|value| !value.is_null());
            let files: Vec<String> = match named {
                Some(Value::String(file)) => vec![file.clone()],
                Some(Value::Array(all)) => all.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
                _ => Vec::new(),
            };
            if files.is_empty() { Err(missing(keys)) } else { Ok(Some(files)) }
        }
        Tool::EditEach(list, key) => {
            let entries = call.input[list].as_array().map(Vec::as_slice).unwrap_or_default();
            let files: Vec<String> =
                entries.iter().filter_map(|entry| entry[key].as_str()).map(str::to_owned).collect();
            let is_whole = !files.is_empty() && files.len() == entries.len();
            if is_whole { Ok(Some(files)) } else { Err(missing(&[key])) }
        }
        Tool::Patch(keys) => {
            let direct = call.input.as_str();
            let patch = direct.or_else(|| keys.iter().find_map(|key| call.input[*key].as_str()));
            let files = patch.map(paths::of_patch).unwrap_or_default();
            if files.is_empty() { Err(missing(keys)) } else { Ok(Some(files)) }
        }
    }
}

pub(super) fn tool_of(call: &Call, named: Option<ToolClass>) -> Result<Tool, Trouble> {
    let known = call.agent.tool(&call.tool).or_else(|| {
        named.map(|class| match class {
            ToolClass::Read => Tool::Read,
            ToolClass::Shell => Tool::Shell,
        })
    });
    known.ok_or_else(|| {
        Trouble::user(format!("no tool of {} is known as `{}`", call.agent.name, call.tool))
            .because("what it does to files can't be told")
            .advise(
                "a person can name it in tdd.yaml, from their next word on: session_gate: { tools: { NAME: read } }, or shell",
            )
    })
}

/// The repository's files among those.
pub(super) fn inside(
    call: &Call,
    place: &Place,
    cwd: &Path,
    files: &[String],
) -> Result<Vec<RelPath>, Trouble> {
    let told = call.cwd.as_deref().map(Path::new).filter(|folder| folder.is_absolute());
    let cwd = told.unwrap_or(cwd);
    let mut inside = Vec::new();
    for file in files {
        match paths::target(&place.repository, cwd, file) {
            Ok(Target::Inside(path)) => inside.push(path),
            Ok(Target::Outside(path))
                if templates::is_of_a_person(&crate::commands::given::environment(), &path) =>
            {
                return Err(Trouble::user(format!("{} holds hooks; only a person edits it", path.display())));
            }
            Ok(Target::Outside(_)) => {}
            Err(error) => return Err(unreadable(format!("the path {file:?} can't be followed: {error}"))),
        }
    }
    Ok(inside)
}
