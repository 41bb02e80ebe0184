//! The scripted agent: does what a cassette says, as a real child that reads a prompt and prints.
//!
//! It exits with 64 if the cassette has nothing for a call, and with 65 if the prompt or an action
//! is not as the cassette wants it; both say so on stderr.
#![expect(clippy::disallowed_methods, reason = "a scripted agent writes files, starts programs and prints")]

use std::path::Path;
use std::process::ExitCode;

use crate::cli::AgentArgs;
use crate::view::print;
use tdd_agents::cassette::{Cassette, Entry, LastMessage, Misbehaviour};
use tdd_core::criterion::CriterionId;
use tdd_core::role::Role;
use tdd_core::trouble::Trouble;
use tdd_core::usage::{Usage, Usd};

mod actions;
mod faults;

/// Set to `recorded`, each entry takes as long as its `takes:` says.
const PACE: &str = "TDD_CASSETTE_PACE";
/// The cassette has no entry for the call, or can't be read.
const NO_ENTRY: u8 = 64;
/// The prompt or an action is not as the cassette wants it.
const NOT_AS_WANTED: u8 = 65;

pub fn run(args: &AgentArgs) -> Result<ExitCode, Trouble> {
    if args.role == faults::DAEMON_ROLE {
        return faults::be_a_daemon();
    }
    let entry = match entry(args) {
        Ok(entry) => entry,
        Err(trouble) => return Ok(complain(&trouble, NO_ENTRY)),
    };
    let wanted = check_prompt(&entry, &args.prompt_file).and_then(|()| actions::do_all(&entry.actions));
    match wanted {
        Ok(()) => speak(&entry, args),
        Err(trouble) => Ok(complain(&trouble, NOT_AS_WANTED)),
    }
}

fn entry(args: &AgentArgs) -> Result<Entry, Trouble> {
    let in_file = |mut trouble: Trouble| {
        trouble.what = format!("{}: {}", args.cassette.display(), trouble.what);
        trouble
    };
    let text = std::fs::read_to_string(&args.cassette)
        .map_err(|error| in_file(Trouble::environment("the cassette can't be read").because(error)))?;
    let cassette = Cassette::read(&text).map_err(in_file)?;
    let unmatched = |why: String| {
        in_file(Trouble::config("the cassette has no entry for this call"))
            .because(why)
            .advise("add an entry with that role, criterion and number, or one that leaves them out")
    };
    let role = Role::from_name(&args.role).ok_or_else(|| unmatched(format!("no role `{}`", args.role)))?;
    let criterion = CriterionId::parse(&args.criterion);
    let found = cassette.find(role, criterion.as_ref(), args.number).cloned();
    found.ok_or_else(|| {
        unmatched(format!("role {role}, criterion `{}`, number {}", args.criterion, args.number))
    })
}

fn check_prompt(entry: &Entry, file: &Path) -> Result<(), Trouble> {
    if entry.prompt_has.is_empty() && entry.prompt_lacks.is_empty() {
        return Ok(());
    }
    let prompt = std::fs::read_to_string(file)
        .map_err(|error| Trouble::environment("the prompt can't be read").because(error))?;
    if let Some(text) = entry.prompt_has.iter().find(|text| !prompt.contains(text.as_str())) {
        return Err(Trouble::environment(format!("the prompt lacks `{text}`")));
    }
    if let Some(text) = entry.prompt_lacks.iter().find(|text| prompt.contains(text.as_str())) {
        return Err(Trouble::environment(format!("the prompt holds `{text}`")));
    }
    Ok(())
}

fn speak(entry: &Entry, args: &AgentArgs) -> Result<ExitCode, Trouble> {
    take_its_time(entry);
    if entry.misbehave == Misbehaviour::Silence {
        return Ok(ExitCode::SUCCESS);
    }
    if let Some(text) = &entry.print {
        actions::say(text.as_bytes());
    }
    let mut figures: Vec<String> = entry.usage.iter().map(told_usage).collect();
    // The last figures come with the last message, in one write: whoever stops us for them finds
    // that all has been said.
    let last = if entry.misbehave == Misbehaviour::None { figures.pop() } else { None };
    for line in figures {
        actions::say(line.as_bytes());
    }
    for _ in 0..entry.turns {
        actions::say(br#"{"type":"tdd-turn"}"#);
    }
    faults::before_the_message(&entry.misbehave, args)?;
    let mut said = last.map(|line| line + "\n").unwrap_or_default();
    match (&entry.last, entry.message()) {
        (LastMessage::Raw(text), _) => actions::say_exactly((said + text).as_bytes()),
        (_, Some(message)) => {
            said.push_str(&message);
            actions::say(said.as_bytes());
        }
        (_, None) if said.is_empty() => {}
        (_, None) => actions::say(said.as_bytes()),
    }
    match &entry.misbehave {
        Misbehaviour::Exit(code) => Ok(ExitCode::from(*code)),
        Misbehaviour::None
        | Misbehaviour::NoBlock
        | Misbehaviour::TwoBlocks
        | Misbehaviour::UnclosedBlock
        | Misbehaviour::WrongRole
        | Misbehaviour::Hang
        | Misbehaviour::Flood
        | Misbehaviour::IgnoreTerm
        | Misbehaviour::Daemon
        | Misbehaviour::TouchTest(_)
        | Misbehaviour::Garbage
        | Misbehaviour::Crash
        | Misbehaviour::Silence => Ok(ExitCode::SUCCESS),
    }
}

/// A replay is quick, unless somebody wants to see the pace of the recorded run.
fn take_its_time(entry: &Entry) {
    let is_wanted = std::env::var_os(PACE).is_some_and(|pace| pace == "recorded");
    if let (true, Some(ms)) = (is_wanted, entry.takes_ms) {
        std::thread::sleep(std::time::Duration::from_millis(ms));
    }
}

/// The line by which `crates/agents/tables/scripted.yaml` finds the figures.
fn told_usage(usage: &Usage) -> String {
    let Usage { input, cached, output, usd } = usage;
    let usd = usd.map(Usd::dollars);
    serde_json::json!({ "type": "tdd-usage", "input": input, "cached": cached, "output": output, "usd": usd })
        .to_string()
}

fn complain(trouble: &Trouble, code: u8) -> ExitCode {
    print::message(&format!("tdd __agent: {trouble}"));
    ExitCode::from(code)
}
