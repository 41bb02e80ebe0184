//! What is said where the operator's own edits do not stand.

use std::path::Path;

use crate::settings::OutputMode;
use crate::view::print;
use tdd_core::commands::RunnerKind;
use tdd_core::event::RunId;
use tdd_core::role::Key;
use tdd_core::state::{End, Phase, State};

pub(super) fn stays_halted(state: &State, run: &Path, later: Option<&RunId>, output: OutputMode) {
    let id = &state.run.run;
    let good = state.good.as_ref().filter(|_| later.is_none()).map(|good| {
        let tree = good.0.get(..12).unwrap_or(&good.0);
        format!(
            "put all files back as they were at the halt: tdd undo {id} --to {tree} --discard-changes (they are kept \
             first)"
        )
    });
    let (why, next) = if state.run.commands.runner == RunnerKind::ExitCode {
        (
            "the runner (`exit-code`) tells no test from another, so whether those were red before the work for them \
             can't be seen"
                .to_owned(),
            unread(state, good),
        )
    } else {
        let where_told = if output == OutputMode::Quiet {
            "said again without `--quiet` it tells which are not"
        } else {
            "which are not is told above"
        };
        let mend = format!("mend them and say it again: tdd resume {id} --edited");
        let next = std::iter::once(mend).chain(good.map(|good| format!("or {good}"))).collect();
        (format!("they must be red before the work for them is done; {where_told}"), next)
    };
    print::message(&format!(
        "tdd: the run stays halted: the edited tests do not stand\n  why: {why}\n  next: {}\n  \
         report of the halt: {}",
        next.join("\n  "),
        run.join("halt.txt").display()
    ));
}

/// What there is to do where no edit could be judged by itself.
fn unread(state: &State, good: Option<String>) -> Vec<String> {
    let id = &state.run.run;
    let mut next: Vec<String> = good.into_iter().collect();
    next.push(format!("then have it tried again: tdd resume {id} --retry"));
    if let Phase::Ended { end: End::Halted(halt) } = &state.phase
        && let Key::Implementer(criterion) = &halt.key
    {
        next.push(format!("or accept the criterion: tdd resume {id} --accept {criterion} --reason TEXT"));
    }
    next
}
