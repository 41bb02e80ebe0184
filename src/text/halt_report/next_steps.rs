//! What an operator can do after a halt. The one place that knows which commands exist, so that
//! no report ever offers one that does not.

use super::false_red::{FalseRed, already_green, built_before, is_built_before};
use super::limit::Limit;
use super::next_step::{BRING_BACK, NextStep, step};
use super::{HaltFacts, Work, over};
use tdd_core::attempt::{CheckpointId, Exhaustion};
use tdd_core::cause;
use tdd_core::claim::Dispute;
use tdd_core::criterion::CriterionId;
use tdd_core::halt::Halt;
use tdd_core::harmless::{line, shell_word};
use tdd_core::judge::{Fault, Reason, Verdict};
use tdd_core::mode::Mode;
use tdd_core::path::RelPath;
use tdd_core::requirement::Requirement;
use tdd_core::role::{Key, Role};
use tdd_core::state::{Entry, State};
use tdd_core::test::Exit;
use tdd_core::test::TestId;

/// Of every halt.
const BY_HAND: &str = "I have edited: go on (code, test or requirement)";

/// In the order in which a person would think of them: go on, look, give up. Every command here
/// exists in this version; git commands work from any folder of the repository.
pub fn next_steps(state: &State, halt: &Halt, facts: &HaltFacts) -> Vec<NextStep> {
    let run = shell_word(&state.run.run.to_string());
    let mut steps = ways_on(state, halt, (facts, &run));
    let failed = state.ledgers.get(&halt.key).and_then(|ledger| ledger.entries.last()?.kept_as.as_ref());
    if let (Some(good), Some(failed)) = (&state.good, failed)
        && good != failed
        && !(facts.changed.is_empty() && facts.work == Work::Kept && was_built_before(halt, state))
    {
        let of = halt.key.criterion().map(|id| format!(" {id}")).unwrap_or_default();
        steps.push(step("look at what the failed attempt changed", format!("tdd diff {run}{of} --failed")));
        if facts.work != Work::InTree {
            steps.push(step(
                &format!("{BRING_BACK} to mend it by hand (what is there now is kept)"),
                format!("tdd undo {run} --to {}", brief(failed)),
            ));
        }
        if facts.work != Work::Kept {
            steps.push(step(
                "put the last good work back instead (what is there now is kept)",
                format!("tdd undo {run} --to {}", brief(good)),
            ));
        }
    }
    steps.push(step("look at what happened, event by event", format!("tdd log {run}")));
    steps.push(step(
        "put all files back as they were before the run (what is there now is kept)",
        format!("tdd undo {run}"),
    ));
    steps.push(step("close this run and keep the files as they are", format!("tdd resume {run} --abandon")));
    // What is to be mended has to lie among the files first.
    if (facts.repeats || ends_alike(state, halt))
        && !facts.is_edited
        && facts.work == Work::Kept
        && is_mended_by_hand(state, halt)
        && let Some(at) = steps.iter().position(NextStep::brings_back)
    {
        steps[..=at].rotate_right(1);
    }
    steps
}

fn was_built_before(halt: &Halt, state: &State) -> bool {
    matches!(&halt.verdict, Verdict::Failed(fault) if is_built_before(state, &fault.reasons))
}

/// Enough of a checkpoint's commit for `tdd undo --to`.
pub(super) fn brief(checkpoint: &CheckpointId) -> &str {
    checkpoint.0.get(..12).unwrap_or(&checkpoint.0)
}

/// What makes the run go on.
fn ways_on(state: &State, halt: &Halt, (facts, run): (&HaltFacts, &str)) -> Vec<NextStep> {
    let retry = format!("tdd resume {run} --retry");
    let edited = format!("tdd resume {run} --edited");
    let take = take_step(state, halt, run);
    let role = halt.key.role();
    let ways = match &halt.verdict {
        Verdict::Disputed(_) => {
            let told =
                format!(" (the next {role} is told that the dispute was looked at and the test stands)");
            after_dispute(role, run, [retry, edited], &told)
        }
        Verdict::Failed(_) if meant(state, halt).is_some() => after_dispute(role, run, [retry, edited], ""),
        Verdict::Failed(fault) if fault.mode == Mode::E => {
            after_a_limit(state, halt, (facts, fault), [retry, edited])
        }
        Verdict::Failed(fault) if fault.mode == Mode::A => {
            after_false_red(state, halt, fault, [retry, edited])
        }
        Verdict::Failed(_) | Verdict::Passed => {
            let fence = over::fence(state, halt, facts);
            let again = over::first(state, halt, fence.as_deref());
            let anew = over::ignore_it(halt).map(|what| step(&what, format!("tdd undo {run}")));
            let ways = [
                step(again.as_deref().unwrap_or("try again with new attempts"), retry),
                step(&format!("{BY_HAND}{}", more_time(state, halt)), edited),
            ];
            anew.into_iter().chain(ways).collect()
        }
    };
    let is_to_be_mended =
        facts.repeats || ends_alike(state, halt) || facts.is_edited || facts.work != Work::Kept;
    let by_hand = is_to_be_mended && is_mended_by_hand(state, halt);
    let ways = if by_hand { by_hand_first(ways) } else { ways };
    let mut steps: Vec<NextStep> = take.into_iter().chain(ways).chain(allow(state, facts, run)).collect();
    if halt.key == Key::Refactorer {
        let without = step(
            "leave REFACTOR out: every criterion is green as it is",
            format!("tdd resume {run} --no-refactor"),
        );
        // Code that was green, and a refactoring that failed for as often as it may: nothing is lost without it.
        let is_first = matches!(&halt.verdict, Verdict::Failed(fault) if fault.mode == Mode::C);
        steps.insert(if is_first { 0 } else { steps.len() }, without);
    }
    if let Some(id) = halt.key.criterion() {
        steps.push(step(
            "accept the criterion unverified and go on (exit code 4)",
            format!("tdd resume {run} --accept {id}"),
        ));
    }
    steps
}

/// A file that decides how tests or the gate run is left to roles by a person alone.
fn allow(state: &State, facts: &HaltFacts, run: &str) -> Option<NextStep> {
    let project = format!("{}/", state.run.project);
    let in_project = |path: &RelPath| line(path.as_str().strip_prefix(&project).unwrap_or(path.as_str()));
    let paths: Vec<String> = facts.allowable.iter().map(in_project).collect();
    let (named, requirement) = (paths.join(", "), line(state.run.requirement.path.as_str()));
    let what = format!(
        "if the feature needs it: take the run back, write `allow_config: [{named}]` into the front matter of \
         {requirement} (paths in the project), and begin anew"
    );
    (!paths.is_empty()).then(|| step(&what, format!("tdd undo {run}")))
}

/// Whether nothing but other work can help: no limit, block or refactoring is what is wrong, and nobody gave up.
pub fn is_mended_by_hand(state: &State, halt: &Halt) -> bool {
    let Verdict::Failed(fault) = &halt.verdict else { return false };
    match fault.mode {
        Mode::A => match false_red(state, halt, fault) {
            FalseRed::DoesNotRun | FalseRed::Useless => true,
            FalseRed::Passes | FalseRed::BuiltBefore | FalseRed::GivenUp => false,
        },
        Mode::B => true,
        Mode::C | Mode::D | Mode::E => false,
    }
}

/// Whether the budget before the last one ended in the very same cause, in the runner's words of one test.
pub(super) fn ends_alike(state: &State, halt: &Halt) -> bool {
    let Some(ledger) = state.ledgers.get(&halt.key) else { return false };
    let before = ledger.fresh_from.checked_sub(1).and_then(|at| ledger.entries.get(at));
    let said = |entry: &Entry| {
        let verdict = entry.verdict.as_ref()?;
        let cause = cause::of(&halt.key, verdict, &entry.runs, "");
        Some((cause.test?, cause.sentence))
    };
    let (before, now) = (before.and_then(said), ledger.fresh().last().and_then(said));
    before.is_some() && before == now
}

/// A third attempt that leaves the same once more helps nobody.
fn by_hand_first(mut ways: Vec<NextStep>) -> Vec<NextStep> {
    ways.sort_by_key(|way| way.command.ends_with(" --retry"));
    ways
}

/// What the role meant to dispute, though its block can't be read. Work that passes all the same has answered it.
pub(super) fn meant<'h>(state: &State, halt: &'h Halt) -> Option<&'h Dispute> {
    let Verdict::Failed(fault) = &halt.verdict else { return None };
    fault.meant().filter(|_| state.takeable(halt).is_none())
}

/// Only a person can say who is right.
fn after_dispute(role: Role, run: &str, [retry, edited]: [String; 2], told: &str) -> Vec<NextStep> {
    vec![
        step("read the disputed test and the criterion, and say who is right", format!("tdd review {run}")),
        step(&format!("the {role} is right; I have edited test or requirement: go on"), edited),
        step(&format!("the test is right: try again with new attempts{told}"), retry),
    ]
}

/// After a limit what raises it comes first.
fn after_a_limit(
    state: &State,
    halt: &Halt,
    (facts, fault): (&HaltFacts, &Fault),
    [retry, edited]: [String; 2],
) -> Vec<NextStep> {
    let limit = Limit::of(state, halt);
    let known = limit
        .and_then(|limit| limit.ways_on([retry.clone(), edited.clone()], (facts.setting_line, facts.left())));
    known.unwrap_or_else(|| {
        let more = |words: String| format!("{words}{}", more_of_a_setting(&fault.reasons));
        vec![
            step(&format!("try again with new attempts{}", more_of_a_flag(&fault.reasons)), retry),
            step(&more("I have edited: go on (code, test, requirement or setting)".to_owned()), edited),
        ]
    })
}

/// After a RED that is none, what fits its cause comes first.
fn after_false_red(state: &State, halt: &Halt, fault: &Fault, [retry, edited]: [String; 2]) -> Vec<NextStep> {
    let cause = false_red(state, halt, fault);
    let by_hand = match cause {
        FalseRed::GivenUp => {
            "I have edited: go on; the requirement says what was lacking (its last message tells what)"
        }
        FalseRed::Passes | FalseRed::BuiltBefore | FalseRed::DoesNotRun | FalseRed::Useless => BY_HAND,
    };
    let retry = step(cause.first(), retry);
    let edited = step(&format!("{by_hand}{}", more_time(state, halt)), edited);
    let met = met_already(state, &fault.reasons);
    match cause {
        // Only a person can say whether the code is there already or the tests never call it.
        FalseRed::Passes => {
            let run = shell_word(&state.run.run.to_string());
            let read = step(
                "read the test, and say whether it calls the project's code at all",
                format!("tdd review {run}"),
            );
            std::iter::once(read).chain(met).chain([retry, edited]).collect()
        }
        FalseRed::BuiltBefore => met.into_iter().chain([retry, edited]).collect(),
        FalseRed::GivenUp => vec![edited, retry],
        FalseRed::DoesNotRun | FalseRed::Useless => [retry, edited].into_iter().chain(met).collect(),
    }
}

/// Why a RED is none, of what its last attempt showed.
pub(super) fn false_red(state: &State, halt: &Halt, fault: &Fault) -> FalseRed {
    let last = state.ledgers.get(&halt.key).and_then(|ledger| ledger.entries.last());
    if is_built_before(state, &fault.reasons) {
        return FalseRed::BuiltBefore;
    }
    FalseRed::of(&fault.reasons, last.map_or(&[], |entry| &entry.runs))
}

fn met_already(state: &State, reasons: &[Reason]) -> Option<NextStep> {
    let mut green = already_green(reasons);
    green.extend(built_before(state, reasons).into_keys());
    // A test that holds whatever the code does says nothing of what is there.
    let vacuous: Vec<&TestId> = state.red.iter().flat_map(|red| &red.vacuous).map(|it| &it.test).collect();
    let says_nothing = |id: &CriterionId| {
        let red = state.red.iter().flat_map(|red| &red.criteria).find(|red| red.id == *id);
        red.is_some_and(|red| {
            !red.tests.is_empty() && red.tests.iter().all(|test| vacuous.contains(&&test.id))
        })
    };
    green.retain(|id| !says_nothing(id));
    if green.is_empty() {
        return None;
    }
    let fr = requirement_word(&state.run.requirement);
    let ids = green.iter().map(ToString::to_string).collect::<Vec<_>>().join(",");
    Some(step(
        "already green: the project does this already; record it in a new run (no implementer)",
        format!("tdd {fr} --new --already-green {ids}"),
    ))
}

/// Keeps work that lacks nothing but a block, as far as anybody knows.
fn take_step(state: &State, halt: &Halt, run: &str) -> Option<NextStep> {
    let work = state.takeable(halt)?;
    let what = if work.is_measured() {
        let what = match halt.key {
            Key::TestWriter => {
                "keep the work: its tests fail as they should, only its result block is missing or can't be read"
            }
            Key::Implementer(_) | Key::Refactorer => {
                "keep the work: its tests pass, only its result block is missing"
            }
        };
        what.to_owned()
    } else {
        format!(
            "run the tests on what attempt {} left, keep it if they pass, and go on (it was asked for its block \
             only after that)",
            work.attempt.number
        )
    };
    Some(step(&what, format!("tdd resume {run} --take")))
}

/// What gives the next run of the tests more, if the last one was cut.
fn more_time(state: &State, halt: &Halt) -> &'static str {
    if was_cut(state, halt) { " (`deadline` in tdd.yaml gives a run of the tests more time)" } else { "" }
}

/// Whether a run of the tests that the verdict rests on was cut by its deadline.
fn was_cut(state: &State, halt: &Halt) -> bool {
    let last = state.ledgers.get(&halt.key).and_then(|ledger| ledger.last());
    last.is_some_and(|entry| entry.runs.iter().any(|run| run.exit == Exit::Deadline))
}

fn ran_out_of(reasons: &[Reason]) -> Option<Exhaustion> {
    reasons.iter().find_map(|reason| if let Reason::Exhausted(of) = reason { Some(*of) } else { None })
}

/// What gives the next child more and is no change of a file.
fn more_of_a_flag(reasons: &[Reason]) -> &'static str {
    match ran_out_of(reasons) {
        Some(Exhaustion::Cost) => " (--max-usd-attempt and --max-tokens-attempt let the agent use more)",
        Some(Exhaustion::Turns) => {
            " (`max_turns` of the role or of its agent in tdd.yaml gives the agent more turns; a criterion that \
             needs many is better cut in two)"
        }
        Some(Exhaustion::Wall) => " (--max-wall-attempt gives the agent more time)",
        Some(Exhaustion::Idle | Exhaustion::Output) | None => "",
    }
}

/// What gives the next child more and stands in `tdd.yaml`, a file like others to a run that goes on.
fn more_of_a_setting(reasons: &[Reason]) -> &'static str {
    match ran_out_of(reasons) {
        Some(Exhaustion::Idle) => " (`idle_deadline` in tdd.yaml lets the agent be silent for longer)",
        Some(Exhaustion::Output) => " (`output_cap` of the agent in tdd.yaml lets it print more)",
        Some(Exhaustion::Wall) => " (`attempt_deadline` in tdd.yaml gives the agent more time)",
        Some(Exhaustion::Cost | Exhaustion::Turns) | None => "",
    }
}

/// The word that finds the requirement again: its id, or its path when it was given by a path
/// that lies where ids are not looked up.
fn requirement_word(requirement: &Requirement) -> String {
    let by_path = requirement.path.stem() == requirement.id && !requirement.path.is_within("specs/frs");
    shell_word(&line(if by_path { requirement.path.as_str() } else { &requirement.id }))
}
