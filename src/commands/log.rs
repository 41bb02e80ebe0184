//! `tdd log`: prints the journal of a run (contract section 11). Exit 0, or 2 if there is no
//! such run or its journal is damaged.

use std::fmt::Write as _;
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use crate::cli::LogArgs;
use crate::text::row::{one_row, time};
use crate::text::usage_words;
use crate::view::print;
use crate::world::journal_file::{self, Record};
use crate::world::lock;
use crate::world::session_file;
use tdd_child::growth::{self, Waiting};
use tdd_child::run_folder;
use tdd_core::attempt::CheckpointId;
use tdd_core::attempt::{AgentEnd, AgentReturn};
use tdd_core::counted::counted;
use tdd_core::event::{Event, Leaked, PassFail, RunStarted, TestRunFact};
use tdd_core::finding::{Findings, SuiteBaseline};
use tdd_core::fix::{FixFindings, FixStarted};
use tdd_core::halt::Ending;
use tdd_core::judge::{Reason, Verdict};
use tdd_core::machine::PutBack;
use tdd_core::mdtest::Voice;
use tdd_core::path::RelPath;
use tdd_core::policy::EffectivePolicy;
use tdd_core::role::{Asked, Key};
use tdd_core::run_name;
use tdd_core::state::{Entry, State};
use tdd_core::trouble::Trouble;
use tdd_core::usage::Usage;

use crate::commands::runs::chosen::{chosen_run, repository};

mod held_out;
mod session;

/// How long a run that writes nothing is taken to be at work without another look.
const PATIENCE: Duration = Duration::from_secs(1);

/// Prints the events of a run: one line each, or with `--json` the journal's own lines.
pub fn run(args: &LogArgs) -> Result<ExitCode, Trouble> {
    let repository = repository()?;
    if let Some(text) = of_session(&repository, args)? {
        print::result(&text);
        return Ok(ExitCode::SUCCESS);
    }
    let run = chosen_run(&repository, args.run.as_deref())?;
    let events = run.path.join(run_folder::EVENTS);
    let (mut told, mut waiting) = (0, Waiting::new());
    loop {
        // In this order: what is written after the first look is read by the second.
        let (is_over, length) =
            (!args.follow || !lock::is_at_work(&repository, &run.id), growth::length(&events));
        let text = if args.json {
            journal_file::read_lines(&run.path)?
        } else {
            lines(&journal_file::read_only(&run.path)?)
        };
        print::result(text.get(told..).unwrap_or_default());
        told = text.len();
        // Nobody reads on.
        if is_over || print::is_closed() {
            return Ok(ExitCode::SUCCESS);
        }
        waiting.wait(&events, length, PATIENCE);
    }
}

/// The journal of the one session under the gate that is named so, if no run is.
fn of_session(repository: &Path, args: &LogArgs) -> Result<Option<String>, Trouble> {
    let Some(name) = &args.run else { return Ok(None) };
    let runs = run_folder::list_runs(repository);
    let ids: Vec<&str> = runs.iter().map(|run| run.id.0.as_str()).collect();
    let sessions = session_file::list(repository);
    let fitting: Vec<_> = sessions.iter().filter(|id| id.0.contains(name.as_str())).collect();
    let ([one], run_name::Meaning::Nobody) = (fitting.as_slice(), run_name::look_up(name, &ids)) else {
        return Ok(None);
    };
    let folder = session_file::folder(repository, one);
    let text = if args.json {
        journal_file::read_lines(&folder)?
    } else {
        lines(&journal_file::read_only(&folder)?)
    };
    Ok(Some(text))
}

/// There are two test-writers where tests are held out, each with a session of its own.
fn whose(state: Option<&State>, event: &Event) -> &'static str {
    let is_second = state.is_some_and(|state| !state.more_tests_for().is_empty());
    let Event::AttemptStarted { attempt } = event else { return "" };
    if is_second && attempt.key == Asked::Key(Key::TestWriter) { ", a second test-writer's" } else { "" }
}

/// One line an event; a verdict is told where it was made, by the fold.
pub(super) fn lines(records: &[Record]) -> String {
    let mut text = String::new();
    let mut state: Option<State> = None;
    for record in records {
        let told = one_line(&record.event) + whose(state.as_ref(), &record.event);
        match (&mut state, &record.event) {
            (None, Event::RunStarted(started)) => state = Some(State::open((**started).clone())),
            (Some(state), event) => {
                let _ = state.apply(event);
            }
            (None, _) => {}
        }
        let verdict = state.as_ref().and_then(|state| verdict(state, &record.event));
        let line = told + &verdict.unwrap_or_default();
        let line = one_row(&line);
        let _ = writeln!(text, "{:>5} {}  {line}", record.seq, time(record.ts));
    }
    text
}

fn undone_line(to: &CheckpointId, kept_as: &CheckpointId) -> String {
    format!("undone: back to {}, from {}", short(&to.0), short(&kept_as.0))
}

fn one_line(event: &Event) -> String {
    match event {
        Event::RunStarted(started) => started_line(started),
        Event::FixStarted(started) => fix_started_line(started),
        Event::FixMeasured { findings, .. } => fix_measured_line(findings),
        Event::CheckpointZero { checkpoint } => format!("checkpoint 0 is {}", short(&checkpoint.0)),
        Event::BaselineMeasured { test, gate } => baseline_line(test, gate),
        Event::AttemptStarted { attempt } => {
            format!("{}, attempt {} ({}), starts", attempt.key, attempt.number, kind(attempt.kind))
        }
        Event::Used { used } if used.usage == Usage::default() => "the agent told no usage".to_owned(),
        Event::Used { used } => format!("used {}", usage_words::usage(&used.usage)),
        Event::Worked { ms, .. } => format!("worked {ms} ms"),
        Event::Capped { caps } => format!("caps from now on: {}", usage_words::caps(caps)),
        Event::AgentReturned { outcome, .. } => returned_line(outcome),
        Event::AttemptMeasured { findings, .. } => measured_line(findings),
        Event::WorkKept { checkpoint } => format!("kept as {}", short(&checkpoint.0)),
        Event::WorkRolledBack { to, kept_as, .. } => {
            format!("rolled back to {}; the work is kept as {}", short(&to.0), short(&kept_as.0))
        }
        Event::GateMeasured { .. } => gate_line(event),
        Event::Proved { .. } | Event::HeldOut { .. } => held_out::or_proof(event),
        Event::Isolated { isolation } => format!("isolation: {isolation}"),
        Event::PolicySettled { policy } => policy_line(policy),
        Event::TreeSeen { tree } => format!("the tree is {}", short(&tree.0)),
        Event::Resumed => "resumed".to_owned(),
        Event::AttemptCut { kept_as } => {
            format!("the attempt was cut off and never counts; what it left is kept as {}", short(&kept_as.0))
        }
        Event::WorkTaken { key, number, tree } => taken_line(key, *number, &tree.0),
        Event::Decided { decision, why } => {
            format!("the operator says: {}", decision.words_with(why.as_deref()))
        }
        Event::Rechecked { findings, checkpoint, .. } => {
            format!(
                "the edited tests were run: {} criteria, tree {}",
                findings.criteria.len(),
                short(&checkpoint.0)
            )
        }
        Event::TestRun(fact) => test_run_line(fact),
        Event::EditClaim { test_id, edit_target } => format!("edit of {edit_target} for {test_id}"),
        Event::Restored { what } => restored_line(what),
        Event::Edited { .. } => edited_line(event),
        Event::MdtestHeard { criterion, word } => match word.voice {
            Voice::Agent => format!("{criterion}: an agent says {} ({})", word.status.name(), word.test),
            Voice::Tdd => format!("{criterion}: no agent's word on it ({})", word.test),
        },
        Event::Denied { what } => format!("refused by the agent's own program: {}", what.join("; ")),
        Event::Undone { to, kept_as, .. } => undone_line(to, kept_as),
        Event::Unknown { name } => unknown_line(name),
        Event::Session(event) => session::line(event),
        Event::Glimpsed { what } => format!("seen of what is out of the role's sight: {}", what.join("; ")),
        Event::Leaked { processes } => leaked_line(processes),
        Event::Halted { report } => format!("halted; report {}", short(&report.0)),
        Event::Finished { ending: Ending::Verified } => "finished, all verified".to_owned(),
        Event::Finished { ending: Ending::PartlyUnverified } => "finished, partly not verified".to_owned(),
        Event::Refused { why } => format!("refused: {why}"),
        Event::Paused { reason } => format!("paused: {reason}"),
        Event::Stopped { signal } => format!("stopped by signal {signal}"),
    }
}

fn gate_line(event: &Event) -> String {
    let Event::GateMeasured { green, run, judged_at } = event else { return String::new() };
    let word = if *green { "green" } else { "red" };
    let again = judged_at.as_ref().map(|tree| format!(", not run again: judged at {}", short(&tree.0)));
    let again = again.unwrap_or_default();
    format!("gate before REFACTOR is {word} ({}, {} ms){again}", run.exit, run.duration_ms)
}

fn unknown_line(name: &str) -> String {
    format!("`{}`, which a newer tdd wrote and which changes nothing", tdd_core::harmless::line(name))
}

fn restored_line(what: &[String]) -> String {
    match what {
        [] => "restored: what tests left for canaries".to_owned(),
        what => format!("restored: {}", what.join("; ")),
    }
}

fn edited_line(event: &Event) -> String {
    let Event::Edited { paths, kept, before, put_back } = event else { return String::new() };
    let paths: Vec<&str> = paths.iter().map(RelPath::as_str).collect();
    let whose = match (put_back, before) {
        (Some(PutBack::MadeAgain), _) => "made again and the same by tests, and so nobody's",
        (Some(PutBack::StillWritten), _) => {
            "written by somebody else's program all the time, and no part of the run"
        }
        (Some(PutBack::Unnamed), _) => "left by a role that names nothing of it, or by somebody meanwhile",
        (None | Some(PutBack::Unsure), Some(_)) => "changed by somebody else",
        (None | Some(PutBack::Unsure), None) => "changed by somebody else, or may be",
    };
    format!("{whose}: {}; kept as {}", paths.join(", "), short(&kept.0))
}

fn policy_line(policy: &EffectivePolicy) -> String {
    let (own, learned) = (policy.own_gates.len(), &policy.learned);
    format!(
        "policy: tests {}; {own} gate files of the project's own, {} files of tests, {} that tests alone rest on and {} that running tests leaves, by what was seen",
        policy.tests.join(", "),
        learned.tests.len(),
        learned.support.len(),
        learned.by_products.len()
    )
}

fn taken_line(key: &Key, number: u8, tree: &str) -> String {
    format!("the work of {key}, attempt {number}, is in the tree again: {}", short(tree))
}

fn baseline_line(test: &SuiteBaseline, gate: &SuiteBaseline) -> String {
    format!(
        "baseline: test {} green, {} red, {} flaky; gate {} red",
        test.greens.len(),
        test.reds.len(),
        test.flaky.len(),
        gate.reds.len()
    )
}

fn fix_started_line(started: &FixStarted) -> String {
    let checks: Vec<String> = started.checks.iter().map(|check| format!("`{}`", check.command)).collect();
    format!("run {} of tdd fix for {}, checks {}", started.run, started.task, checks.join(", "))
}

fn fix_measured_line(findings: &FixFindings) -> String {
    let green = findings.checks.iter().filter(|check| check.is_green()).count();
    let (of, failures) = (findings.checks.len(), findings.failures());
    format!("{green} of {of} checks green, failures: {failures}, tree {}", short(&findings.tree.0))
}

fn test_run_line(fact: &TestRunFact) -> String {
    let status = match fact.status {
        PassFail::Pass => "pass",
        PassFail::Fail => "fail",
    };
    format!("test {status}: {} ({} ms)", fact.test_id, fact.duration_ms)
}

fn leaked_line(processes: &[Leaked]) -> String {
    let words = processes.iter().map(|one| format!("{} ({})", one.pid, one.command));
    format!("left running, ended: {}", words.collect::<Vec<_>>().join("; "))
}

fn started_line(started: &RunStarted) -> String {
    format!(
        "run {} of {} with {} criteria, test `{}` ({})",
        started.run,
        started.requirement.id,
        started.plan.criteria.len(),
        started.commands.test,
        started.commands.runner
    )
}

fn returned_line(outcome: &AgentReturn) -> String {
    let end = match outcome.end {
        AgentEnd::Exited(exit) => exit.to_string(),
        AgentEnd::Exhausted(what) => format!("stopped: {what}"),
    };
    let said = match &outcome.claim {
        Ok(claim) => match claim.status {
            tdd_core::claim::ClaimStatus::Ok => "claims ok".to_owned(),
            tdd_core::claim::ClaimStatus::Failed => "claims failed".to_owned(),
        },
        Err(error) => format!("no valid block: {}", error.message),
    };
    let turns = outcome.turns.map(|turns| format!(", {turns} turns")).unwrap_or_default();
    format!("agent ended ({end}, {} ms{turns}), {said}", outcome.duration_ms)
}

fn measured_line(findings: &Findings) -> String {
    format!("{} measured: {} changed", findings.stage(), counted(findings.changed().len(), "file"))
}

/// The verdict that this event led to, if it led to one.
fn verdict(state: &State, event: &Event) -> Option<String> {
    if !matches!(event, Event::AgentReturned { .. } | Event::AttemptMeasured { .. }) {
        return None;
    }
    let key = &state.attempt()?.key;
    let entry: &Entry = state.ledgers.get(key)?.entries.last()?;
    Some(match entry.verdict.as_ref()? {
        Verdict::Passed if entry.is_kept_without_claim() => "; passed, no claim".to_owned(),
        Verdict::Passed => "; passed".to_owned(),
        Verdict::Failed(fault) => {
            let why = fault.reasons.first().map_or_else(|| fault.mode.description().to_owned(), in_words);
            format!("; failed: {why}")
        }
        Verdict::Disputed(dispute) => format!("; disputed: {}", dispute.reason),
    })
}

/// A reason without the words that only machines need.
fn in_words(reason: &Reason) -> String {
    if let Reason::Format(error) = reason {
        return error.message.clone();
    }
    let text = reason.to_string();
    text.strip_prefix("failed: ").map(str::to_owned).unwrap_or(text)
}

fn kind(kind: tdd_core::attempt::AttemptKind) -> &'static str {
    match kind {
        tdd_core::attempt::AttemptKind::First => "first",
        tdd_core::attempt::AttemptKind::Semantic => "again, with what failed",
        tdd_core::attempt::AttemptKind::Format => "asked for its result block again",
    }
}

fn short(digest: &str) -> &str {
    digest.get(..10).unwrap_or(digest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_row_ends_with_a_whole_word_and_says_that_it_was_cut() {
        assert_eq!(one_row("a\nb"), "a b");
        let row = |length: usize| one_row(&"word ".repeat(length / 5));
        assert_eq!(row(400), "word ".repeat(80));
        assert_eq!(row(405), format!("{}word …", "word ".repeat(79)));
        let one_word = one_row(&"é".repeat(1000));
        assert_eq!(one_word, format!("{} …", "é".repeat(400)));
    }
}
