//! `tdd gate hook`: an agent's hook, answered in its terms. What can't be read is refused.
//!
//! ```text
//! stdin JSON ─► Call (whose, when, which tool, which files) ─► Answer ─► exit code 0 or 2
//! ```
//!
//! Agents take an exit code other than 2 for a fault of the hook's and go on, so there is no other here: not for
//! a bug of ours, and not where nobody reads what we say.
#![expect(clippy::disallowed_methods, reason = "reads stdin, and the environment of the hook")]

use std::io::Read as _;
use std::panic;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use serde_json::{Value, json};

use super::agents::{self, AgentHooks, Answer, Moment, Tool};
use super::agents_environment;
use super::caller::{self, Caller};
use super::compare::{compare, only_tests};
use super::desk::{self, Desk};
use super::paths::{self, Target};
use super::templates;
use super::turn::{self, Turned};
use crate::cli::gate::HookArgs;
use crate::commands::gate::at_work;
use crate::settings::Environment;
use crate::view::print;
use crate::world::project::Place;
use crate::world::session_file::{self, Depth};
use tdd_child::regular_file;
use tdd_core::event::{EditGround, GateMode, SessionId, Switch, ToolClass};
use tdd_core::path::RelPath;
use tdd_core::session::{Permit, Refusal};
use tdd_core::trouble::Trouble;
use tdd_snapshot::checkpoints::watch::Look;

/// What an agent writes of one call of a tool, file contents included.
const LARGEST: u64 = 16 << 20;
const BLOCKED: u8 = 2;
/// A source whose edit is worked out beforehand.
const LARGEST_SOURCE: u64 = 2 << 20;

/// One call, as far as it could be read.
struct Call {
    agent: &'static AgentHooks,
    moment: Moment,
    session: SessionId,
    tool: String,
    input: Value,
    /// The folder that the agent's JSON tells.
    cwd: Option<String>,
    /// The agent was held at the end of this turn already.
    is_again: bool,
    /// The session goes on with a shorter memory: maybe amid a turn.
    is_compacted: bool,
}

/// What the agent is told.
enum Word {
    /// Nothing; or a line of context for the model.
    Go(String),
    /// The model reads why.
    Stop(String),
}

pub fn run(args: &HookArgs) -> ExitCode {
    let (word, how) = whatever_happens(style(args), || answer(args));
    say(&word, how, args.event.as_deref())
}

/// What is said; of a trouble and of a bug, too.
fn whatever_happens(
    how: Answer,
    answer: impl FnOnce() -> Result<(Word, Answer), Trouble> + panic::UnwindSafe,
) -> (Word, Answer) {
    let quiet = panic::take_hook();
    panic::set_hook(Box::new(|_| {}));
    let said = panic::catch_unwind(answer);
    panic::set_hook(quiet);
    match said {
        Ok(Ok(said)) => said,
        Ok(Err(trouble)) => (Word::Stop(in_words(&trouble)), how),
        Err(_) => (Word::Stop("tdd: refused: a bug in tdd's hook; tell the person".to_owned()), how),
    }
}

fn style(args: &HookArgs) -> Answer {
    agents::of(&args.agent).map_or(Answer::Code, |agent| agent.answer)
}

/// In one line or two: a model reads it.
fn in_words(trouble: &Trouble) -> String {
    let mask = crate::commands::mask_of(&crate::commands::environment());
    mask.apply(&format!("tdd: refused: {trouble}")).into_owned()
}

/// Where nobody can be told, the call is refused.
fn say(word: &Word, how: Answer, event: Option<&str>) -> ExitCode {
    let told = match (word, how) {
        (Word::Go(text), _) if text.is_empty() => return ExitCode::SUCCESS,
        (Word::Go(text), _) => print::answer(&format!("{text}\n"), ""),
        (Word::Stop(why), Answer::Code) => print::answer("", &format!("{why}\n")),
        (Word::Stop(why), Answer::Decision) => {
            let decision = json!({
                "permissionDecision": "deny",
                "permissionDecisionReason": why,
                "decision": "block",
                "reason": why,
                "hookSpecificOutput": {
                    "hookEventName": event.unwrap_or("PreToolUse"),
                    "permissionDecision": "deny",
                    "permissionDecisionReason": why,
                },
            });
            print::answer(&format!("{decision}\n"), &format!("{why}\n"))
        }
    };
    match (word, told) {
        (Word::Go(_), Ok(())) => ExitCode::SUCCESS,
        (Word::Go(_), Err(_)) | (Word::Stop(_), _) => ExitCode::from(BLOCKED),
    }
}

fn answer(args: &HookArgs) -> Result<(Word, Answer), Trouble> {
    let call = read(args)?;
    let how = call.agent.answer;
    let environment = crate::commands::environment();
    let cwd = std::env::current_dir().unwrap_or_else(|_| PathBuf::from("/"));
    let Some(place) = desk::place_of(&environment, (call.cwd.as_deref(), &cwd), &call.session) else {
        // Where there is no work tree there is nothing to hold, unless there was one.
        return match desk::orphaned(&environment, (call.cwd.as_deref(), &cwd), &call.session) {
            Some(folder) => Err(Trouble::user(format!("{} is held, and its .git is gone", folder.display()))
                .because("without it nothing can be compared or taken back")
                .advise("put the repository's .git back where it was")),
            None => Ok((Word::Go(String::new()), how)),
        };
    };
    // To read nobody needs a session, not even where none can be begun.
    let reads = call.moment == Moment::Before && call.agent.tool(&call.tool) == Some(Tool::Read);
    if reads || call.moment == Moment::Other {
        return Ok((Word::Go(String::new()), how));
    }
    if let Some(run) = at_work::policy(&place)? {
        return Ok((during_run(&call, &place, &cwd, &run)?, how));
    }
    Ok((in_session(&call, place, environment, &cwd)?, how))
}

fn unreadable(why: impl Into<String>) -> Trouble {
    Trouble::user("the hook's call can't be read").because(why.into())
}

fn read(args: &HookArgs) -> Result<Call, Trouble> {
    let agent = agents::of(&args.agent).ok_or_else(|| {
        let known: Vec<&str> = agents::ALL.iter().map(|agent| agent.name).collect();
        unreadable(format!("no agent is called `{}`; known are {}", args.agent, known.join(", ")))
    })?;
    let mut bytes = Vec::new();
    let mut stdin = std::io::stdin().lock().take(LARGEST + 1);
    stdin.read_to_end(&mut bytes).map_err(|error| unreadable(error.to_string()))?;
    if bytes.len() as u64 > LARGEST {
        return Err(unreadable(format!("it has more than {} MiB", LARGEST >> 20)));
    }
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
    Ok(Call { agent, moment, session, tool, input, cwd: text(&["cwd"]), is_again, is_compacted })
}

/// An agent's word for a session, as a name that a folder and a ref can have.
fn session_of(told: &str) -> Option<SessionId> {
    let fit = |c: char| if c.is_ascii_alphanumeric() || c == '-' || c == '_' { c } else { '-' };
    let name: String = told.chars().take(100).map(fit).collect();
    session_file::named(name.trim_start_matches(['-', '_']))
}

/// The files that a tool would change; `None` for one that may change any.
fn files(call: &Call, tool: Tool) -> Result<Option<Vec<String>>, Trouble> {
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
        Tool::Patch(keys) => {
            let direct = call.input.as_str();
            let patch = direct.or_else(|| keys.iter().find_map(|key| call.input[*key].as_str()));
            let files = patch.map(paths::of_patch).unwrap_or_default();
            if files.is_empty() { Err(missing(keys)) } else { Ok(Some(files)) }
        }
    }
}

fn tool_of(call: &Call, named: Option<ToolClass>) -> Result<Tool, Trouble> {
    let known = call.agent.tool(&call.tool).or_else(|| {
        named.map(|class| match class {
            ToolClass::Read => Tool::Read,
            ToolClass::Shell => Tool::Shell,
        })
    });
    known.ok_or_else(|| {
        Trouble::user(format!("no tool of {} is known as `{}`", call.agent.name, call.tool))
            .because("what it does to files can't be told")
            .advise("a person can name it in tdd.yaml: session_gate: { tools: { NAME: read } }, or shell")
    })
}

/// The repository's files among those.
fn inside(call: &Call, place: &Place, cwd: &Path, files: &[String]) -> Result<Vec<RelPath>, Trouble> {
    let told = call.cwd.as_deref().map(Path::new).filter(|folder| folder.is_absolute());
    let cwd = told.unwrap_or(cwd);
    let mut inside = Vec::new();
    for file in files {
        match paths::target(&place.repository, cwd, file) {
            Ok(Target::Inside(path)) => inside.push(path),
            Ok(Target::Outside(path))
                if templates::is_of_a_person(&crate::commands::environment(), &path) =>
            {
                return Err(Trouble::user(format!("{} holds hooks; only a person edits it", path.display())));
            }
            Ok(Target::Outside(_)) => {}
            Err(error) => return Err(unreadable(format!("the path {file:?} can't be followed: {error}"))),
        }
    }
    Ok(inside)
}

/// A run holds the work tree: its policy answers, and nothing is noted.
fn during_run(call: &Call, place: &Place, cwd: &Path, run: &at_work::Run) -> Result<Word, Trouble> {
    if call.moment != Moment::Before {
        return Ok(Word::Go(String::new()));
    }
    let Some(files) = files(call, tool_of(call, None)?)? else { return Ok(Word::Go(String::new())) };
    let refused = inside(call, place, cwd, &files)?.into_iter().find_map(|path| {
        match tdd_core::session::in_run(&run.policy, run.role, &path) {
            Permit::Allowed(..) => None,
            Permit::Refused(refusal) => Some(refusal),
        }
    });
    Ok(refused.map_or_else(|| Word::Go(String::new()), |refusal| Word::Stop(refusal.to_string())))
}

fn in_session(call: &Call, place: Place, environment: Environment, cwd: &Path) -> Result<Word, Trouble> {
    let id = (&call.session, call.agent.name);
    let depth = if call.moment == Moment::TurnEnd { Depth::Whole } else { Depth::Quick };
    let is_late = matches!(call.moment, Moment::After | Moment::SubagentEnd | Moment::TurnEnd);
    let mut desk = Desk::called(place, environment, id, (depth, is_late))?;
    session_file::note_last(&desk.place.repository, &call.session)?;
    if desk.state().switch == Switch::Off {
        return Ok(Word::Go(String::new()));
    }
    caller::note(&desk.session.folder);
    match call.moment {
        Moment::Other => Ok(Word::Go(String::new())),
        // Nobody says whose turn it is: what has changed is judged by the next call, or is a person's if that
        // begins a turn.
        Moment::SessionStart if call.is_compacted => Ok(Word::Go(begun(&desk))),
        Moment::SessionStart | Moment::TurnStart => {
            let told = if call.moment == Moment::SessionStart { begun(&desk) } else { String::new() };
            turn_begins(&mut desk, told)
        }
        Moment::Before => before(call, &desk, cwd),
        Moment::After | Moment::SubagentEnd => {
            let tool = Some(call.tool.as_str()).filter(|tool| !tool.is_empty());
            let compared = compare(&mut desk, tool, Look::Quick)?;
            Ok(if compared.told.is_empty() { Word::Go(String::new()) } else { Word::Stop(compared.told) })
        }
        Moment::TurnEnd => {
            let turned = turn::flush(&mut desk)?;
            let is_strict = desk.state().started.mode == GateMode::Strict;
            let committed = turn::committed(&mut desk)?.filter(|_| is_strict);
            let reminder = committed.or_else(|| turn::refactoring(&desk)).filter(|_| !call.is_again);
            Ok(match (turned, reminder) {
                (Turned::Red(told), _) => Word::Stop(told),
                (Turned::Green(_) | Turned::Nothing, Some(reminder)) => Word::Stop(reminder),
                (Turned::Green(_) | Turned::Nothing, None) => Word::Go(String::new()),
            })
        }
    }
}

/// What changed between two turns is a person's, if it is the agent that says that one begins.
fn turn_begins(desk: &mut Desk, told: String) -> Result<Word, Trouble> {
    if caller::whose(&desk.session.folder) == Caller::Agent {
        agents_environment::keep(&desk.session.folder);
        turn::rebase(desk)?;
        return Ok(Word::Go(told));
    }
    let compared = compare(desk, None, Look::Quick)?;
    Ok(if compared.told.is_empty() { Word::Go(told) } else { Word::Stop(compared.told) })
}

/// What a model is told at the beginning: always the same words.
fn begun(desk: &Desk) -> String {
    match &desk.state().refactor {
        Some(refactor) if refactor.why == desk::NO_TESTS => {
            "tdd: this repository has no tests, so refactor mode is on: edits are free. Once there is a test and a \
             test command: tdd gate refactor off"
                .to_owned()
        }
        _ => "tdd: code is edited only for a red test. Write a failing test; tdd gate test FILE::NAME; tdd gate \
              claim FILE::NAME TARGET; edit TARGET; tdd gate flush"
            .to_owned(),
    }
}

fn before(call: &Call, desk: &Desk, cwd: &Path) -> Result<Word, Trouble> {
    let tool = tool_of(call, desk.state().started.tools.get(&call.tool).copied())?;
    let Some(files) = files(call, tool)? else { return Ok(Word::Go(String::new())) };
    let beside = desk.state().git.as_ref().map(|git| git.work_trees.as_slice()).unwrap_or_default();
    for path in inside(call, &desk.place, cwd, &files)? {
        if beside.iter().any(|folder| path.is_within(folder.as_str())) {
            continue;
        }
        let Permit::Refused(refusal) = permit(&call.input, desk, &path) else { continue };
        if desk.state().started.mode == GateMode::Warn {
            return Ok(Word::Go(warning(&refusal)));
        }
        return Ok(Word::Stop(refusal.to_string()));
    }
    Ok(Word::Go(String::new()))
}

/// The same where the gate warns alone.
pub(super) fn warning(refusal: &Refusal) -> String {
    refusal.to_string().replacen(" refused:", " (warning):", 1)
}

/// Whether the file may be edited; an edit that only adds tests to a source that holds some may.
pub(super) fn permit(input: &Value, desk: &Desk, path: &RelPath) -> Permit {
    let permit = desk.state().may_edit(&desk.rules, path);
    if !matches!(
        permit,
        Permit::Refused(Refusal::NoRed { .. } | Refusal::NoClaim { .. } | Refusal::NotCounted { .. })
    ) {
        return permit;
    }
    let old =
        regular_file::head(&desk.place.repository.join(path.as_str()), LARGEST_SOURCE).unwrap_or_default();
    match proposed(input, &old) {
        Some(new) if only_tests(path, &old, &new) => Permit::Allowed(EditGround::Test, Vec::new()),
        _ => permit,
    }
}

/// What the file would be, where the tool's input tells.
pub(super) fn proposed(input: &Value, old: &[u8]) -> Option<Vec<u8>> {
    let text = |keys: [&str; 3]| keys.into_iter().find_map(|key| input[key].as_str());
    if let Some(content) = text(["content", "file_text", "fileText"]) {
        return Some(content.as_bytes().to_vec());
    }
    let (from, to) =
        (text(["old_string", "oldString", "oldText"])?, text(["new_string", "newString", "newText"])?);
    let old = std::str::from_utf8(old).ok()?;
    // Where it stands more than once, which of them is meant decides.
    (!from.is_empty() && old.matches(from).count() == 1).then(|| old.replacen(from, to, 1).into_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bug_of_ours_blocks_the_call() {
        let (word, how) = whatever_happens(Answer::Code, || -> Result<(Word, Answer), Trouble> {
            panic!("as a slice out of its bounds does")
        });
        assert!(matches!(&word, Word::Stop(why) if why.contains("a bug in tdd's hook")));
        assert_eq!(say(&word, how, None), ExitCode::from(BLOCKED));
        let (word, how) = whatever_happens(Answer::Code, || Ok((Word::Go(String::new()), Answer::Code)));
        assert_eq!(say(&word, how, None), ExitCode::SUCCESS);
    }
}
