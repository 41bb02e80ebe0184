//! A child whose program ended by itself without a word for its role: it died, or had nothing to say. What it has not
//! done then is no work that failed.

use std::collections::BTreeSet;

use super::HaltFacts;
use tdd_core::cause::{Left, Stopped};
use tdd_core::claim::ClaimError;
use tdd_core::halt::Halt;
use tdd_core::isolation::Fenced;
use tdd_core::judge::{Reason, Verdict};
use tdd_core::role::Role;
use tdd_core::state::State;
use tdd_core::tool_folder::{ignoring, is_installed};

const INSTALL_ANEW: &str = "install the dependencies anew first (what was changed there stays, and the next process \
                            takes it for granted), then try again with new attempts";

/// How it ended, with the agent's name: the role's own says not which program is to be looked at.
pub(super) fn stopped(state: &State, halt: &Halt, left: Left) -> Option<Stopped> {
    let how = error(halt)?.ended()?;
    let words = format!("the {} (`{}`) ended{how}", halt.key.role(), agent(state, halt));
    Some(Stopped { words, left })
}

/// What comes before another attempt, of a program that has failed.
pub(super) fn first(state: &State, halt: &Halt, fence: Option<&str>) -> Option<String> {
    if has_changed_installed(halt) {
        return Some(INSTALL_ANEW.to_owned());
    }
    is_dead(halt).then(|| {
        let agent = agent(state, halt);
        let fence = fence.map_or_else(String::new, |fence| format!("; {fence}"));
        format!(
            "see why the program of `{agent}` fails (call it by hand in this folder{fence}), then try again with new \
             attempts"
        )
    })
}

/// What an output says of the sandbox: a program's that died, else that of the run that failed.
pub(super) fn fence(state: &State, halt: &Halt, facts: &HaltFacts) -> Option<String> {
    let reach = facts.fences.as_ref()?;
    if is_dead(halt) {
        let words = error(halt).and_then(ClaimError::ended).unwrap_or_default();
        return reach.told_by(&format!("{words}\n{}", facts.raw_tail), Fenced::Agent);
    }
    let Verdict::Failed(fault) = &halt.verdict else { return None };
    let entry = state.ledgers.get(&halt.key)?.entries.last()?;
    let run = entry.runs.iter().rev().find(|run| !run.exit.is_success())?;
    let is_of_a_run = !fault.reasons.iter().any(|reason| matches!(reason, Reason::Format(_)));
    is_of_a_run.then(|| reach.told_by(&run.output, Fenced::Command)).flatten()
}

/// A run keeps to what git ignored when it began.
pub(super) fn ignore_it(halt: &Halt) -> Option<String> {
    let lines = not_ignored(halt)?.join("`, `");
    Some(format!(
        "take the run back, add what an installation leaves to .gitignore (`{lines}`), and begin anew: a run keeps to \
         what git ignored when it began"
    ))
}

/// Lines that a `.gitignore` lacks, where nothing else was forbidden.
fn not_ignored(halt: &Halt) -> Option<Vec<String>> {
    let Verdict::Failed(fault) = &halt.verdict else { return None };
    let forbidden = fault.reasons.iter().filter_map(|reason| {
        let Reason::Forbidden(path) = reason else { return None };
        Some(ignoring(path))
    });
    let lines: BTreeSet<String> = forbidden.collect::<Option<_>>()?;
    (!lines.is_empty()).then(|| lines.into_iter().collect())
}

/// A process that goes on takes what is installed for what it should be.
fn has_changed_installed(halt: &Halt) -> bool {
    let Verdict::Failed(fault) = &halt.verdict else { return false };
    fault.reasons.iter().any(|reason| matches!(reason, Reason::Touched(path) if is_installed(path)))
}

pub(super) fn is_dead(halt: &Halt) -> bool {
    error(halt).is_some_and(ClaimError::is_of_death)
}

fn error(halt: &Halt) -> Option<&ClaimError> {
    let Verdict::Failed(fault) = &halt.verdict else { return None };
    fault
        .reasons
        .iter()
        .find_map(|reason| if let Reason::Format(error) = reason { Some(error) } else { None })
}

fn agent<'a>(state: &'a State, halt: &Halt) -> &'a str {
    let role = halt.key.role();
    let of_role = Role::ALL.iter().zip(&state.run.agents).find(|(of, _)| **of == role);
    of_role.map_or("", |(_, name)| name.as_str())
}
