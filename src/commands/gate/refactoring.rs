//! Refactor mode at its end, and at the end of a turn in it: judged by the gate command, which is to be green, or no worse
//! than it is without the edits of the mode.

use super::compare::{self, compare, kept_as};
use super::desk::{Desk, Project, of};
use super::kept::{self, Tests};
use super::turn::{self, SHOWN, Turned};
use super::worse::{Beside, new_reds};
use super::{apart, first_tests, runs};
use tdd_core::attempt::CheckpointId;
use tdd_core::event::{GateMode, RepairCause, SessionEvent};
use tdd_core::excerpt;
use tdd_core::path::RelPath;
use tdd_core::ports::Checkpoints as _;
use tdd_core::session::{GATE_COMMAND, MOST_REPAIRS};
use tdd_core::test::{TestId, TestRun};
use tdd_core::trouble::Trouble;
use tdd_snapshot::checkpoints::GitCheckpoints;
use tdd_snapshot::checkpoints::watch::Look;

/// Who has looked at the tests that were changed in the mode.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Looked {
    ByPerson,
    ByNobody,
}

/// What helps where only a person can say whether tests are meant to be as they are.
const ASK: &str =
    "Put them back, or tell the person, who looks at them and says so: tdd gate refactor off --looked";

/// Tests that are named one by one.
const NAMED: usize = 5;

/// What a model is told once of refactor mode that it has edited in.
pub(super) fn reminder(desk: &Desk) -> Option<String> {
    let refactor = desk.state().refactor.as_ref()?;
    if desk.is_without_tests() {
        return first_tests::reminder(desk);
    }
    (!refactor.edited.is_empty()).then(|| "tdd: refactor mode is on. When you are done: tdd gate refactor off. If the turn ends red, its edits are taken back".to_owned())
}

/// The end of a turn that was refused an end before: it is done, so what refactor mode allowed is judged as well.
pub(super) fn ended_again(desk: &mut Desk) -> Result<Turned, Trouble> {
    let turned = turn::flush(desk)?;
    if matches!(turned, Turned::Red(_)) || desk.is_without_tests() || reminder(desk).is_none() {
        return Ok(turned);
    }
    Ok(judged(desk)?.unwrap_or(turned))
}

/// Runs the gate command for what was edited in refactor mode, which stays on; if it is red the edits are taken back.
fn judged(desk: &mut Desk) -> Result<Option<Turned>, Trouble> {
    let project = desk.project()?;
    if project.chosen.commands.gate.is_empty() {
        return Ok(Some(Turned::Warned(
            "tdd: refactor mode is on, and no gate command judges it".to_owned(),
        )));
    }
    let run = runs::gate(desk, &project)?;
    let _ = compare(desk, None, Look::Quick)?;
    let good = desk.state().good.clone();
    let red = if run.own_exit().is_success() {
        match tests_of(desk, &project, &run)? {
            Tests::Kept => {
                let tree = desk.state().tree.clone();
                let test_ids = no_row(desk)?;
                desk.record_one(SessionEvent::Flushed { test_ids, tree })?;
                return Ok(None);
            }
            Tests::Unsure(why) => {
                let told = format!("tdd: in refactor mode {why}. {ASK}");
                return Ok(Some(Turned::Warned(told)));
            }
            Tests::Broken(why) => {
                return broken(desk, &good, &format!("tdd: in refactor mode {why}")).map(Some);
            }
        }
    } else {
        format!("tdd: in refactor mode `{}` is red ({})", desk.masked(&run.command), run.own_exit())
    };
    let files = edited(desk, &good)?;
    if files.is_empty() || desk.state().started.mode == GateMode::Warn {
        return Ok(Some(Turned::Warned(format!("{red}, and nothing was taken back for it: a person looks"))));
    }
    // No worse than before is honest work: a gate may have been red all along.
    match beside(desk, &project, (&good, &files), &run)? {
        Beside::NoEdits | Beside::NoWorse | Beside::BothRed => {
            let words = "it is red without these edits, too, so that they stay: a person looks";
            return Ok(Some(match tests_of(desk, &project, &run)? {
                Tests::Kept => Turned::Warned(format!("{red}; {words}")),
                Tests::Unsure(why) => Turned::Warned(format!("{red}; {words}; {why}. {ASK}")),
                Tests::Broken(why) => broken(desk, &good, &format!("{red}, and {why}"))?,
            }));
        }
        Beside::Worse(_) | Beside::Green => {}
    }
    let said = excerpt::head_and_tail(&desk.masked(&run.output), SHOWN);
    let told = taken_back(desk, &good, &files)?;
    Ok(Some(Turned::Red(format!("{red}\n{told}. It said:\n{said}"))))
}

/// What failed once and is green now by other edits: the next red turn is no second one in a row. That it is green where
/// its edits were taken back says nothing, and halted is halted until a person has looked.
fn no_row(desk: &Desk) -> Result<Vec<TestId>, Trouble> {
    let gate = TestId(GATE_COMMAND.to_owned());
    let state = desk.state();
    let has_failed = state.repairs.get(&gate).is_some_and(|count| *count < MOST_REPAIRS);
    if !has_failed || edited(desk, &state.good)?.is_empty() {
        return Ok(Vec::new());
    }
    Ok(vec![gate])
}

/// The gate is green by other tests than before, and the code fails those.
fn broken(desk: &mut Desk, good: &CheckpointId, red: &str) -> Result<Turned, Trouble> {
    let files = edited(desk, good)?;
    if files.is_empty() || desk.state().started.mode == GateMode::Warn {
        return Ok(Turned::Warned(format!("{red}, and nothing was taken back for it: a person looks")));
    }
    let told = taken_back(desk, good, &files)?;
    Ok(Turned::Red(format!("{red}\n{told}")))
}

fn taken_back(desk: &mut Desk, good: &CheckpointId, files: &[RelPath]) -> Result<String, Trouble> {
    let now = desk.state().tree.clone();
    let mut checkpoints = desk.checkpoints(Look::Quick)?;
    let red = [(TestId(GATE_COMMAND.to_owned()), None)];
    let label = compare::take_back(desk, &mut checkpoints, (good, &now), files, (RepairCause::Red, &red))?;
    let paths: Vec<&str> = files.iter().map(RelPath::as_str).collect();
    let told = format!("tdd: taken back: {}; kept as {}", paths.join(", "), kept_as(desk, &label));
    if desk.state().halted().is_empty() {
        return Ok(told);
    }
    Ok(format!("{told}. Halted: {GATE_COMMAND} failed {MOST_REPAIRS} turns. Stop, and tell the person"))
}

/// Whether the mode has left the tests as good as they were. Without edits of its own there is nothing to judge.
fn tests_of(desk: &mut Desk, project: &Project, run: &TestRun) -> Result<Tests, Trouble> {
    let since = since(desk);
    if edited(desk, &since)?.is_empty() { Ok(Tests::Kept) } else { kept::judged(desk, project, run) }
}

fn since(desk: &Desk) -> CheckpointId {
    let state = desk.state();
    state.refactor.as_ref().map_or_else(|| state.good.clone(), |refactor| refactor.since.clone())
}

/// Ends refactor mode if the gate command is green, or no worse than it is without the edits of the mode.
pub(super) fn end(desk: &mut Desk, project: &Project, looked: Looked) -> Result<Turned, Trouble> {
    let compared = compare(desk, None, Look::Whole)?;
    if project.chosen.commands.gate.is_empty() {
        return Err(Trouble::user("there is no gate command, so refactor mode can't end")
            .because("nothing says what has to pass")
            .advise("name one in tdd.yaml: `gate: COMMAND`, or `test: COMMAND`"));
    }
    let run = runs::gate(desk, project)?;
    let _ = compare(desk, None, Look::Quick)?;
    let command = desk.masked(&run.command);
    let why = match why_off(desk, project, &run)? {
        Ok(why) => why,
        Err(why) => {
            let output = excerpt::head_and_tail(&desk.masked(&run.output), SHOWN);
            return Ok(Turned::Red(format!(
                "{}tdd: refactor mode stays on: `{command}` is red ({}){why}. It said:\n{output}",
                compared.told,
                run.own_exit()
            )));
        }
    };
    if let Some(lost) = lost(tests_of(desk, project, &run)?, looked) {
        let told = format!("{}tdd: refactor mode stays on: {why}, but {lost}", compared.told);
        return Ok(Turned::Red(told));
    }
    let tree = desk.state().tree.clone();
    let tests = changed_tests(desk);
    let test_ids = no_row(desk)?;
    if !test_ids.is_empty() {
        desk.record_one(SessionEvent::Flushed { test_ids, tree: tree.clone() })?;
    }
    desk.record(&[of(SessionEvent::RefactorOff { command, duration_ms: run.duration_ms, tree })])?;
    let told = format!("{}tdd: refactor mode is off; {why}{tests}", compared.told);
    Ok(Turned::Green { told, beside: String::new() })
}

/// Why the mode may end by what its gate says, or why it stays on.
fn why_off(desk: &Desk, project: &Project, run: &TestRun) -> Result<Result<String, String>, Trouble> {
    if run.own_exit().is_success() {
        return Ok(Ok("the gate is green".to_owned()));
    }
    if desk.is_without_tests()
        && let Some(mut names) = first_tests::red_alone(desk, run)?
    {
        names.truncate(NAMED);
        let names = names.join(", ");
        return Ok(Ok(format!(
            "the gate is red by tests alone that were never green, to be claimed: {names}"
        )));
    }
    let since = since(desk);
    let files = edited(desk, &since)?;
    Ok(match beside(desk, project, (&since, &files), run)? {
        Beside::NoEdits => Ok("the gate is red, and none of the mode's edits is left".to_owned()),
        Beside::NoWorse => Ok("the gate is red, and no worse than without your edits".to_owned()),
        Beside::Worse(mut names) => {
            names.truncate(NAMED);
            Err(format!("; without your edits these are not: {}", names.join(", ")))
        }
        Beside::BothRed => Err("; it is red without your edits, too, and does not tell test by test what is. Take \
                                your edits back, or tell the person, who mends the gate or switches this session's \
                                off: tdd gate off"
            .to_owned()),
        Beside::Green => Err("; without your edits it is green".to_owned()),
    })
}

/// What keeps the mode on though its gate does not.
fn lost(tests: Tests, looked: Looked) -> Option<String> {
    match tests {
        Tests::Kept => None,
        Tests::Unsure(_) if looked == Looked::ByPerson => None,
        Tests::Broken(lost) => Some(format!("{lost}. Mend the code, or take your edits back")),
        Tests::Unsure(lost) => Some(format!("{lost}. {ASK}")),
    }
}

fn changed_tests(desk: &Desk) -> String {
    let changed = kept::changed_tests(desk);
    let names: Vec<&str> = changed.iter().map(RelPath::as_str).take(NAMED).collect();
    if names.is_empty() { String::new() } else { format!(". Tests were changed: {}", names.join(", ")) }
}

/// The files of the mode's that are not as they were in this tree.
fn edited(desk: &Desk, since: &CheckpointId) -> Result<Vec<RelPath>, Trouble> {
    let edited = desk.state().refactor.as_ref().map(|refactor| refactor.edited.clone()).unwrap_or_default();
    let changes = desk.checkpoints(Look::Quick)?.diff(since, &desk.state().tree)?;
    Ok(changes.into_iter().map(|change| change.path).filter(|path| edited.contains(path)).collect())
}

/// Runs the gate once more with these files as they were.
fn beside(
    desk: &Desk,
    project: &Project,
    (since, files): (&CheckpointId, &[RelPath]),
    run: &TestRun,
) -> Result<Beside, Trouble> {
    if files.is_empty() {
        return Ok(Beside::NoEdits);
    }
    let as_before = |checkpoints: &mut GitCheckpoints| checkpoints.restore(since, files);
    let without = runs::where_otherwise(desk, files, as_before, || runs::gate(desk, project))?;
    if without.own_exit().is_success() {
        return Ok(Beside::Green);
    }
    let Some(new) = new_reds(desk, run, &without) else {
        return Ok(apart::beside(desk, project, (since, files))?.unwrap_or(Beside::BothRed));
    };
    Ok(if new.is_empty() { Beside::NoWorse } else { Beside::Worse(new.into_iter().map(|id| id.0).collect()) })
}
