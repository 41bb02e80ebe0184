//! How a run of `tdd fix` ended, as text and as JSON, in the order of contract section 10.
//!
//! Every word that a child, a runner or a file name brought in is made harmless before it is shown.

use std::collections::BTreeSet;

use super::object::fix::{CheckReport, FixReport, FixRun, Outcome};
use super::object::parts::{SetAside, Step};
use super::object::usage::Used;
use super::summary::{UNCLAIMED, left_in_git, set_aside};
use super::usage_words;
use crate::exit::Exit as ExitOfRun;
use tdd_core::finding::{ChangeKind, ClassedChange};
use tdd_core::fix::{Check, CheckFinding, CheckKind, Fault, FixHalt, FixState, Round, Score};
use tdd_core::harmless;
use tdd_core::machine::Machine;
use tdd_core::path::RelPath;
use tdd_core::policy::FileClass;
use tdd_core::usage::Usage;

/// How many of a check's last lines are shown.
const TAIL_LINES: usize = 40;
/// How many lines of the fixer's last message are shown.
const SAID_LINES: usize = 60;
/// How wide a quoted line may be.
const LINE_WIDTH: usize = 500;
/// How many paths or tests are listed one by one.
const LISTED: usize = 50;

/// What the run came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum How {
    Fixed,
    Halted(FixHalt),
}

impl How {
    pub fn exit(self) -> ExitOfRun {
        match self {
            Self::Fixed => ExitOfRun::Verified,
            Self::Halted(_) => ExitOfRun::Halted,
        }
    }
}

/// What the state does not know.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FixFacts {
    pub run_dir: String,
    pub isolation: String,
    /// The command that tries again.
    pub again: String,
    /// What differs between the start and the best state.
    pub changed: Vec<ClassedChange>,
    /// Those of them that hold nothing any more.
    pub emptied: Vec<RelPath>,
    /// Those of them that no block of a fixer names, though they name some: somebody may have written them meanwhile.
    pub unclaimed: BTreeSet<RelPath>,
    /// The fixer's last message, else the last lines that it printed.
    pub said: String,
}

/// The report for a person.
pub fn text(state: &FixState, how: How, facts: &FixFacts) -> String {
    let mut out = vec![headline(state, how)];
    let Some(best) = state.best() else { return out.join("\n") + "\n" };
    if let How::Halted(why) = how {
        out.push(format!("why: {}", why_words(state, why)));
        if state.run.retries > 0 {
            out.push("role: fixer".to_owned());
            out.push(format!("attempts: {} of {}", state.forks(), state.run.retries));
            out.extend(said_lines(facts));
        }
    }
    out.push(String::new());
    for check in &best.checks {
        out.push(check_line(check));
    }
    let lost = state.lost(best);
    out.extend(listed("was green and is not any more", lost.iter().map(ToString::to_string)));
    let gone = state.gone(best);
    out.extend(listed("was red and has another name now, or none", gone.iter().map(ToString::to_string)));
    let evaded = best.checks.iter().filter(|check| check.evaded > 0);
    let evaded: Vec<String> = evaded
        .flat_map(|check| check.complaints.iter().take(check.evaded))
        .map(|one| one.text.clone())
        .collect();
    out.extend(listed("no success", evaded.into_iter()));
    if matches!(how, How::Halted(_)) {
        out.extend(best.checks.iter().filter(|check| !check.is_green()).flat_map(output_lines));
    }
    out.push(String::new());
    let nothing = facts.changed.is_empty() && matches!(how, How::Fixed) && state.forks() > 0;
    let by_what =
        if nothing { ": green by what no commit holds (what was installed, what git ignores)" } else { "" };
    out.push(format!("changed since the start: {}{by_what}", facts.changed.len()));
    out.extend(listed("", facts.changed.iter().map(|change| named(change, facts))));
    let put_back = put_back(state);
    out.extend(listed("not allowed, put back", put_back.iter().cloned()));
    out.extend(listed("taken back", faults(state).into_iter()));
    out.extend(closing(state, how, facts));
    out.join("\n") + "\n"
}

/// The same content for a machine.
pub fn object(state: &FixState, how: How, facts: &FixFacts) -> FixReport {
    let best = state.best();
    let found = best.map_or(&[][..], |best| &best.checks);
    let (outcome, why, said) = match how {
        How::Fixed => (Outcome::Fixed, None, Vec::new()),
        How::Halted(why) => (
            Outcome::Halted,
            Some(why_words(state, why).to_owned()),
            harmless::tail(&facts.said, SAID_LINES, LINE_WIDTH),
        ),
    };
    let next = steps(state, how, facts).into_iter();
    let run = FixRun {
        run: state.run.run.clone(),
        role: "fixer".to_owned(),
        agent: state.run.agent.clone(),
        forks: state.forks(),
        retries: state.run.retries,
        checks: found.iter().zip(&state.run.checks).map(|(found, check)| checked(found, check)).collect(),
        lost: best.map(|best| state.lost(best)).unwrap_or_default(),
        gone: best.map(|best| state.gone(best)).unwrap_or_default(),
        loads: best.is_some_and(|best| Score::of(best, &state.known).loads()),
        rounds: state.rounds.iter().map(Round::failures).collect(),
        changed: facts.changed.clone(),
        emptied: facts.emptied.clone(),
        put_back: put_back(state),
        taken_back: faults(state),
        said,
        left_in_git: state.facts.left_in_git.clone(),
        set_aside: SetAside::of(&state.facts),
        usage: Used::of(&state.used()),
        isolation: facts.isolation.clone(),
        run_dir: facts.run_dir.clone(),
        next: next.map(|(what, command)| Step { what: what.to_owned(), command }).collect(),
    };
    FixReport { outcome, why, task: state.run.task.clone(), run: Some(Box::new(run)) }
}

fn checked(found: &CheckFinding, check: &Check) -> CheckReport {
    CheckReport {
        command: found.run.command.clone(),
        kind: kind(check.kind),
        source: check.source.clone(),
        green: found.is_green(),
        ended: found.run.exit,
        failures: found.failures,
        tests_green: found.greens.len(),
        tests_skipped: found.skipped.clone(),
        unloaded: found.unloaded.clone(),
        log: found.run.log.clone(),
        complaints: found.complaints.iter().take(LISTED).map(|one| one.text.clone()).collect(),
    }
}

/// A run that may ask nobody is a check, and its result no failure of a fixer.
fn why_words(state: &FixState, why: FixHalt) -> &'static str {
    if state.run.retries == 0 { "a check is red, and --max-retries 0 asks nobody" } else { why.words() }
}

fn headline(state: &FixState, how: How) -> String {
    let task = harmless::short(&state.run.task, 100);
    match how {
        How::Fixed if state.forks() == 0 => {
            format!("tdd fix: nothing to mend for {task}: every check passes")
        }
        How::Fixed => format!("tdd fix: {task} is mended: every check passes, by runs of tdd's own"),
        How::Halted(_) if state.run.retries == 0 => {
            format!("tdd fix: not every check passes for {task}; nobody was asked to mend it")
        }
        How::Halted(_) => format!("tdd fix halted: {task} is not mended; the best state is kept"),
    }
}

fn check_line(check: &CheckFinding) -> String {
    let command = harmless::short(&check.run.command, 200);
    let seconds = check.run.duration_ms / 1000;
    let tenths = check.run.duration_ms / 100 % 10;
    let greens = match check.greens.len() {
        0 => String::new(),
        1 => ", 1 test green".to_owned(),
        many => format!(", {many} tests green"),
    };
    let skipped = match check.skipped.len() {
        0 => String::new(),
        many => format!(", {many} skipped"),
    };
    if check.is_green() {
        return format!("green  {command}  ({seconds}.{tenths} s{greens}{skipped})");
    }
    let why =
        check.unloaded.as_ref().map(|why| format!("; {}", harmless::short(why, 200))).unwrap_or_default();
    format!("red    {command}  ({}, failures: {}{greens}{skipped}{why})", check.run.exit, check.failures)
}

fn output_lines(check: &CheckFinding) -> Vec<String> {
    let mut lines = vec![
        String::new(),
        format!(
            "the last lines of `{}` (all of it: {}):",
            harmless::short(&check.run.command, 200),
            harmless::line(&check.run.log)
        ),
    ];
    let tail = harmless::tail(&check.run.output, TAIL_LINES, LINE_WIDTH);
    lines.extend(tail.into_iter().map(|line| format!("  | {line}")));
    lines
}

fn said_lines(facts: &FixFacts) -> Vec<String> {
    let tail = harmless::tail(&facts.said, SAID_LINES, LINE_WIDTH);
    if tail.is_empty() {
        return vec!["the fixer said nothing".to_owned()];
    }
    let lines = tail.into_iter().map(|line| format!("  | {line}"));
    std::iter::once("what the fixer said last:".to_owned()).chain(lines).collect()
}

fn closing(state: &FixState, how: How, facts: &FixFacts) -> Vec<String> {
    let mut out = Vec::new();
    if state.forks() > 0 {
        out.push(format!("attempts: {} ({})", state.forks(), harmless::short(&state.run.agent, 60)));
        out.push(match usage(state) {
            Some(words) => format!("usage: {words} (as the agents tell it)"),
            None => "usage: unknown, nothing was told".to_owned(),
        });
    }
    for one in &state.facts.leaked {
        out.push(format!("left running, ended: {} ({})", harmless::short(&one.command, 200), one.pid));
    }
    out.extend(left_in_git(&state.facts.left_in_git));
    out.extend(set_aside(&state.facts));
    out.push(format!("isolation: {}", harmless::line(&facts.isolation)));
    out.push(format!("run folder: {}", harmless::line(&facts.run_dir)));
    let steps = steps(state, how, facts);
    if !steps.is_empty() {
        out.push("next:".to_owned());
    }
    out.extend(steps.into_iter().map(|(what, command)| format!("  {what}:\n    {command}")));
    out
}

/// What can be done now. Every command here exists.
fn steps(state: &FixState, how: How, facts: &FixFacts) -> Vec<(&'static str, String)> {
    let run = harmless::shell_word(&state.run.run.to_string());
    let mut steps = Vec::new();
    if matches!(how, How::Halted(_)) {
        steps.push(("try again from the best state", facts.again.clone()));
        let worse = state.rounds.iter().rev().find_map(|round| round.kept_as.clone());
        if let (Some(worse), Some(best)) = (worse, state.best()) {
            steps.push((
                "look at the last work that was taken back",
                format!("git diff {} {worse}", best.tree),
            ));
        }
    }
    if state.forks() > 0 {
        steps.push(("look at what happened, event by event", format!("tdd log {run}")));
        steps.push(("put all files back as they were before", format!("tdd undo {run}")));
    }
    steps
}

fn usage(state: &FixState) -> Option<String> {
    let used = state.used();
    (used.told != Usage::default()).then(|| usage_words::tally(&used))
}

fn put_back(state: &FixState) -> Vec<String> {
    let findings = state.rounds.iter().filter_map(|round| round.findings.as_ref());
    let mut all: Vec<String> =
        findings.flat_map(|found| found.put_back.iter()).map(ToString::to_string).collect();
    all.sort();
    all.dedup();
    all
}

/// Why states were taken back whatever their checks said, attempt by attempt.
fn faults(state: &FixState) -> Vec<String> {
    let rounds = state.rounds.iter().enumerate();
    let found = rounds.filter_map(|(number, round)| Some((number, round.findings.as_ref()?)));
    let told = found.flat_map(|(number, findings)| {
        let told =
            move |(fault, path): (Fault, &RelPath)| format!("attempt {number}: {}: {path}", fault.words());
        findings.faults().into_iter().map(told)
    });
    told.collect()
}

fn named(change: &ClassedChange, facts: &FixFacts) -> String {
    let class = if change.class == FileClass::Test { " (a test)" } else { "" };
    let fate = match change.kind {
        ChangeKind::Deleted => ": deleted",
        ChangeKind::Modified if facts.emptied.contains(&change.path) => ": emptied",
        ChangeKind::Added | ChangeKind::Modified | ChangeKind::Retyped | ChangeKind::Submodule => "",
    };
    let whose = if facts.unclaimed.contains(&change.path) { UNCLAIMED } else { "" };
    format!("{}{class}{fate}{whose}", change.path)
}

fn listed(what: &str, names: impl ExactSizeIterator<Item = String>) -> Vec<String> {
    let count = names.len();
    let mark = if what.is_empty() { String::new() } else { format!("{what}: ") };
    let mut lines: Vec<String> =
        names.take(LISTED).map(|name| format!("  {mark}{}", harmless::short(&name, 300))).collect();
    if count > LISTED {
        lines.push(format!("  {mark}{} more", count - LISTED));
    }
    lines
}

/// What a check is and who reads it.
pub fn kind(kind: CheckKind) -> String {
    match kind {
        CheckKind::Types(checker) => format!("types, read as of {}", checker.name()),
        CheckKind::Tests(runner) => format!("tests, read by the {runner} adapter"),
        CheckKind::Command => "a command, read by its exit code".to_owned(),
    }
}
