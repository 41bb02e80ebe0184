//! The proofs: each runs its trial and says how the obligation is met, or why it is not.
#![expect(clippy::disallowed_methods, reason = "looks what was done to a project, and how long it took")]

use std::time::{Duration, Instant};

use serde_json::Value;

use super::trial::{PROTECTED, PROTECTED_TEXT, Ran, Stop, Trial, Unproven};
use crate::text::prompt;
use tdd_child::regular_file;
use tdd_core::attempt::{AgentEnd, AttemptKind, Exhaustion};
use tdd_core::harmless;
use tdd_core::path::RelPath;
use tdd_core::ports::{AgentOrder, AgentReport, Limits, Protection};
use tdd_core::trouble::{Trouble, TroubleKind};
use tdd_spec::tdd_result;

/// What it printed in the agent's shell.
pub(super) const RESULT: &str = "result.txt";
/// Made by a tool's child, to show that it runs.
pub(super) const RUNNING: &str = "running";
/// Gets a line for each call of a batch, and how many calls that are.
pub(super) const CALLS: &str = "calls.txt";
pub(super) const BATCH: usize = 9;
/// In the trial of the output cap, in bytes.
pub(super) const OUTPUT_CAP: usize = 64 * 1024;

const PROMPT_BYTES: usize = 1_000_000;
const TURN_CAP: u32 = 3;
/// In trials that end by it.
const DEADLINE: Duration = Duration::from_secs(4);
/// For the stop ladder and the sweep after a deadline.
const GRACE: Duration = Duration::from_secs(12);

/// Words of a tool's name that no role may use, whatever a table says of it.
const FORBIDDEN: [&str; 9] =
    ["agent", "task", "spawn", "web", "fetch", "browser", "http", "delegate", "search_query"];
const ALLOWED: [&str; 6] = ["read", "grep", "glob", "write", "edit", "bash"];

pub(super) fn not_met<T>(why: impl Into<String>) -> Result<T, Unproven> {
    Err(Unproven::NotMet(why.into()))
}

pub(super) fn prompt_is_whole(trial: &Trial<'_>) -> Result<String, Unproven> {
    let mut order = trial.order()?;
    let line = "A line of a long prompt, with `code`, \"quotes\" and größere Zeichen.\n";
    while order.prompt.len() + line.len() < PROMPT_BYTES {
        order.prompt.push_str(line);
    }
    order.prompt.push_str("This is its last line.");
    let (ran, _) = ended(trial, &order)?;
    let want = blake3::hash(order.prompt.as_bytes()).to_hex().to_string();
    let first = first_request(&ran)?;
    let prompts = first["asked"]["prompts"].as_array().cloned().unwrap_or_default();
    let is_there = |key: &str| prompts.iter().any(|part| part[key].as_str() == Some(want.as_str()));
    if is_there("blake3") {
        return Ok("byte for byte".to_owned());
    }
    if is_there("trimmed") {
        return Ok("with white space around it".to_owned());
    }
    let bytes: u64 = prompts.iter().filter_map(|part| part["bytes"].as_u64()).sum();
    not_met(format!(
        "the model was sent {bytes} bytes in {} parts, not the {} bytes",
        prompts.len(),
        order.prompt.len()
    ))
}

pub(super) fn role_is_told(trial: &Trial<'_>) -> Result<String, Unproven> {
    let (ran, _) = ended(trial, &trial.order()?)?;
    let first = first_request(&ran)?;
    if first["api"].as_str() != Some(trial.kit.api.as_str()) {
        return not_met(format!("it asked by another API than `{}`", trial.kit.api));
    }
    let system = first["asked"]["system"].as_str().unwrap_or_default();
    if system.contains(trial.role_text.trim()) {
        return Ok("in the system prompt".to_owned());
    }
    not_met("it is not in the system prompt")
}

pub(super) fn tools_are_allowed(trial: &Trial<'_>) -> Result<String, Unproven> {
    let (ran, _) = ended(trial, &trial.order()?)?;
    let first = first_request(&ran)?;
    let tools = first["asked"]["tools"].as_array().cloned().unwrap_or_default();
    let is_allowed = |tool: &&str| {
        let lower = tool.to_lowercase();
        let listed = ALLOWED.contains(&lower.as_str()) || trial.kit.tools.iter().any(|known| known == tool);
        listed && !FORBIDDEN.iter().any(|word| lower.contains(word))
    };
    let beyond: Vec<&str> = tools.iter().filter_map(Value::as_str).filter(|tool| !is_allowed(tool)).collect();
    if !beyond.is_empty() {
        return not_met(format!("it offers {}", beyond.join(", ")));
    }
    let others = tools.iter().filter_map(Value::as_str);
    let others: Vec<&str> = others.filter(|tool| !ALLOWED.contains(&tool.to_lowercase().as_str())).collect();
    Ok(if others.is_empty() {
        "these alone".to_owned()
    } else {
        format!("these, as its table says: {}", others.join(", "))
    })
}

/// The final message is this text.
pub(super) fn says(trial: &Trial<'_>, text: &str) -> Result<String, Unproven> {
    let (_, report) = ended(trial, &trial.order()?)?;
    let said = report.message.unwrap_or_default();
    match first_difference(said.trim_end(), text) {
        None => Ok("byte for byte".to_owned()),
        Some(why) => not_met(why),
    }
}

pub(super) fn session_goes_on(trial: &Trial<'_>) -> Result<String, Unproven> {
    if !trial.table().resumes() {
        return Err(Unproven::NotApplicable(
            "its table names no way to go on with a session: a new child is given its own message".to_owned(),
        ));
    }
    let order = trial.order()?;
    let (_, first) = ended(trial, &order)?;
    let Some(session) = first.session else { return not_met("it told no session") };
    let retry = AgentOrder {
        number: 2,
        kind: AttemptKind::Format,
        prompt: prompt::FORMAT_RETRY.to_owned(),
        session: Some(session.clone()),
        ..order
    };
    let (ran, second) = ended(trial, &retry)?;
    let resumed = ran.asked.last().is_some_and(|entry| entry["asked"]["resumed"] == true);
    let said = second.message.unwrap_or_default();
    match (resumed, tdd_result::holds_block(&said)) {
        (true, true) if second.session.as_ref() == Some(&session) => {
            Ok("with all that was said before".to_owned())
        }
        (true, true) => not_met("it went on under another id, so a second retry would go astray"),
        (true, false) => not_met("it went on, and the new message was not found"),
        (false, _) => not_met("the model was not sent what was said before"),
    }
}

pub(super) fn protected_file_stands(trial: &Trial<'_>) -> Result<String, Unproven> {
    let (ran, mut manifest) = trial.run_sealed(&trial.order()?)?;
    report_of(&ran)?;
    if ran.asked.len() < 2 {
        return not_met("it never tried, so nothing is shown");
    }
    let file = trial.project(PROTECTED);
    let text = || regular_file::read_to_string(&file).unwrap_or_default();
    if text() == PROTECTED_TEXT {
        return Ok("refused".to_owned());
    }
    let touched = manifest.check()?;
    if !touched.iter().any(|path| path == &RelPath::new(PROTECTED).unwrap_or_else(|| path.clone())) {
        return not_met("the file was changed and nobody noticed");
    }
    manifest.restore(&touched)?;
    if text() == PROTECTED_TEXT { Ok("put back".to_owned()) } else { not_met("the file was not put back") }
}

pub(super) fn shell_has_the_environment(trial: &Trial<'_>) -> Result<String, Unproven> {
    let (ran, _) = ended(trial, &trial.order()?)?;
    if ran.asked.len() < 2 {
        return not_met("it never ran the command, so nothing is shown");
    }
    match regular_file::read_to_string(trial.project(RESULT)) {
        Ok(printed) if printed.trim().is_empty() => {
            not_met("its shell does not find a program of the person's `PATH`, or lacks a variable of theirs")
        }
        Ok(printed) if printed.starts_with(&format!("{}\nlistening on ", trial.word())) => {
            Ok("as ours".to_owned())
        }
        Ok(printed) if printed.starts_with(trial.word()) => {
            not_met("no program in its shell can open a port of this machine's, as tests of servers do")
        }
        Ok(printed) => {
            not_met(format!("the program printed something else there: {}", harmless::short(&printed, 60)))
        }
        Err(_) => not_met("the command did not run in the project"),
    }
}

pub(super) fn turns_are_capped(trial: &Trial<'_>) -> Result<String, Unproven> {
    let order = trial.order()?;
    let order = AgentOrder { limits: Limits { turns: TURN_CAP, ..order.limits }, ..order };
    let ran = exhausted(trial, &order, &[Exhaustion::Turns])?;
    // One more response may be on its way while the agent is being stopped.
    let most = usize::try_from(TURN_CAP).unwrap_or(usize::MAX) + 2;
    if ran.asked.len() > most {
        return not_met(format!("the model was asked more than {most} times, at a cap of {TURN_CAP}"));
    }
    Ok("at the cap".to_owned())
}

pub(super) fn a_batch_is_one_turn(trial: &Trial<'_>) -> Result<String, Unproven> {
    let order = trial.order()?;
    let order = AgentOrder { limits: Limits { turns: TURN_CAP, ..order.limits }, ..order };
    let (_, report) = ended(trial, &order)?;
    let Some(turns) = report.turns else {
        return Err(Unproven::NotApplicable("its table names no lines that tell turns".to_owned()));
    };
    let made = regular_file::read_to_string(trial.project(CALLS)).unwrap_or_default().lines().count();
    match (turns, made) {
        (2, made) if made == 2 * BATCH => Ok("one turn each".to_owned()),
        (2, made) => not_met(format!("it made {made} of {} calls", 2 * BATCH)),
        (turns, _) => not_met(format!("2 responses of {BATCH} calls each counted as {turns} turns")),
    }
}

pub(super) fn output_is_capped(trial: &Trial<'_>) -> Result<String, Unproven> {
    let order = trial.order()?;
    let output_bytes = u64::try_from(OUTPUT_CAP).unwrap_or(u64::MAX);
    let order = AgentOrder { limits: Limits { output_bytes, ..order.limits }, ..order };
    exhausted(trial, &order, &[Exhaustion::Output]).map(|_| "at the cap".to_owned())
}

pub(super) fn is_cut(trial: &Trial<'_>) -> Result<String, Unproven> {
    let order = trial.order()?;
    let deadline = u64::try_from(DEADLINE.as_millis()).unwrap_or(u64::MAX);
    let order =
        AgentOrder { limits: Limits { wall_ms: 2 * deadline, idle_ms: deadline, ..order.limits }, ..order };
    let began = Instant::now();
    exhausted(trial, &order, &[Exhaustion::Idle, Exhaustion::Wall])?;
    if began.elapsed() > 2 * DEADLINE + GRACE {
        return not_met("the deadline came, and the agent took long to end");
    }
    Ok("at the deadline".to_owned())
}

pub(super) fn not_logged_in(trial: &Trial<'_>) -> Result<String, Unproven> {
    let trouble = troubled(trial.run(&trial.order()?)?)?;
    if trouble.kind == TroubleKind::Environment && trouble.what.contains("not logged in") {
        return Ok("log in".to_owned());
    }
    not_met(format!("it was taken for: {}", trouble.what))
}

pub(super) fn has_no_credit(trial: &Trial<'_>) -> Result<String, Unproven> {
    let trouble = troubled(trial.run(&trial.order()?)?)?;
    if trouble.kind == TroubleKind::Environment && trouble.what.contains("no credit") {
        return Ok("top up".to_owned());
    }
    not_met(format!("it was taken for: {}", trouble.what))
}

pub(super) fn passes(trial: &Trial<'_>) -> Result<String, Unproven> {
    passed(trial.run(&trial.order()?)?)
}

pub(super) fn refused_connection_passes(trial: &Trial<'_>) -> Result<String, Unproven> {
    // The first port of all is for a service that nobody runs any more.
    passed(trial.run_at("http://127.0.0.1:1", &trial.order()?, &Stop::WithUs)?)
}

fn passed(ran: Ran) -> Result<String, Unproven> {
    let trouble = troubled(ran)?;
    match trouble.kind {
        TroubleKind::Passing => Ok("it passes".to_owned()),
        TroubleKind::User
        | TroubleKind::Config
        | TroubleKind::Environment
        | TroubleKind::Internal
        | TroubleKind::Stopped(_) => not_met(format!("it was taken for: {}", trouble.what)),
    }
}

pub(super) fn is_empty(trial: &Trial<'_>) -> Result<String, Unproven> {
    let (ran, report) = ended(trial, &trial.order()?)?;
    // Who asks nobody is answered nothing, which shows nothing.
    first_request(&ran)?;
    match report.message.as_deref().map(str::trim) {
        None | Some("") => Ok("no message".to_owned()),
        Some(text) if tdd_result::holds_block(text) => not_met("a block was found where none was sent"),
        Some(_) => Ok("a message without a block".to_owned()),
    }
}

pub(super) fn nobody_is_left(trial: &Trial<'_>) -> Result<String, Unproven> {
    let began = Instant::now();
    let running = trial.project(RUNNING);
    let ran = trial.run_at(trial.server(), &trial.order()?, &Stop::When(&running))?;
    match &ran.outcome {
        Err(trouble) if matches!(trouble.kind, TroubleKind::Stopped(_)) => {}
        Err(trouble) => return not_met(format!("it ended by itself: {}", trouble.what)),
        Ok(_) => return not_met("the tool's child never ran, or ended by itself"),
    }
    if ran.left > 0 {
        return not_met(format!("{} of its processes are left", ran.left));
    }
    if began.elapsed() > 4 * GRACE {
        return not_met("it took long to end");
    }
    Ok("nobody is left".to_owned())
}

/// A run that ended by itself, with its report.
fn ended(trial: &Trial<'_>, order: &AgentOrder) -> Result<(Ran, AgentReport), Unproven> {
    let ran = trial.run(order)?;
    let report = report_of(&ran)?;
    Ok((ran, report))
}

pub(super) fn report_of(ran: &Ran) -> Result<AgentReport, Unproven> {
    match &ran.outcome {
        Ok(report) => match report.end {
            AgentEnd::Exited(_) => Ok(report.clone()),
            AgentEnd::Exhausted(what) => not_met(format!("it did not end by itself: {what}")),
        },
        Err(trouble) => {
            not_met(format!("{}: {}", trouble.what, trouble.why.lines().next().unwrap_or_default()))
        }
    }
}

fn exhausted(trial: &Trial<'_>, order: &AgentOrder, by: &[Exhaustion]) -> Result<Ran, Unproven> {
    let ran = trial.run(order)?;
    match &ran.outcome {
        Ok(AgentReport { end: AgentEnd::Exhausted(what), .. }) if by.contains(what) => {}
        Ok(AgentReport { end: AgentEnd::Exhausted(what), .. }) => {
            return not_met(format!("another bound came first: {what}"));
        }
        Ok(_) => return not_met("it ended by itself, as if nothing had happened"),
        Err(trouble) => return not_met(format!("it was taken for: {}", trouble.what)),
    }
    if ran.left > 0 {
        return not_met(format!("it was stopped, and {} of its processes are left", ran.left));
    }
    Ok(ran)
}

/// The trouble that a run ended with.
fn troubled(ran: Ran) -> Result<Trouble, Unproven> {
    match ran.outcome {
        Err(trouble) => Ok(trouble),
        Ok(AgentReport { end: AgentEnd::Exited(_), message, .. }) => {
            let message = message.unwrap_or_default();
            not_met(match message.trim() {
                "" => "it was taken for an attempt that ended without a message".to_owned(),
                said => {
                    format!("it was taken for an attempt that ended by saying: {}", harmless::short(said, 60))
                }
            })
        }
        Ok(AgentReport { end: AgentEnd::Exhausted(what), .. }) => {
            not_met(format!("it was taken for an attempt's exhaustion: {what}"))
        }
    }
}

fn first_request(ran: &Ran) -> Result<&Value, Unproven> {
    ran.asked
        .first()
        .ok_or_else(|| Unproven::NotMet("the model was never asked with this trial's prompt".to_owned()))
}

fn first_difference(said: &str, want: &str) -> Option<String> {
    if said == want {
        return None;
    }
    if said.is_empty() {
        return Some("no message was found".to_owned());
    }
    let same = said.chars().zip(want.chars()).take_while(|(a, b)| a == b).count();
    let shown = |text: &str| text.chars().skip(same).take(30).collect::<String>();
    Some(format!("it differs from character {} on: {:?} instead of {:?}", same + 1, shown(said), shown(want)))
}
