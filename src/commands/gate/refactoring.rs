//! Refactor mode at its end, and at the end of a turn in it: judged by the gate command, which is to be green, or no worse
//! than it is without the edits of the mode.

use std::collections::BTreeSet;

use super::apart;
use super::compare::{self, compare, kept_as, of};
use super::desk::{Desk, NO_TESTS, Project};
use super::kept::{self, Tests};
use super::runs;
use super::turn::{self, SHOWN, Turned};
use tdd_core::attempt::CheckpointId;
use tdd_core::event::{GateMode, PassFail, RepairCause, SessionEvent};
use tdd_core::excerpt;
use tdd_core::path::RelPath;
use tdd_core::ports::Checkpoints as _;
use tdd_core::test::{Outcome, TestId, TestRun};
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

/// A red gate beside the same gate without the edits of the mode.
pub(super) enum Beside {
    /// None of its edits is left.
    NoEdits,
    /// What is red is red without them, too.
    NoWorse,
    /// Red besides: tests, or commands of the gate's.
    Worse(Vec<String>),
    /// Both are red, and what is red in them can't be told.
    BothRed,
    /// It is green without them.
    Green,
}

/// What a model is told once of refactor mode that it has edited in.
pub(super) fn reminder(desk: &Desk) -> Option<String> {
    let refactor = desk.state().refactor.as_ref()?;
    let is_ours = refactor.why != NO_TESTS && !refactor.edited.is_empty();
    is_ours.then(|| "tdd: refactor mode is on. When you are done: tdd gate refactor off. If the turn ends red, its edits are taken back".to_owned())
}

/// The end of a turn that was refused an end before: it is done, so what refactor mode allowed is judged as well.
pub(super) fn ended_again(desk: &mut Desk) -> Result<Turned, Trouble> {
    let turned = turn::flush(desk)?;
    if matches!(turned, Turned::Red(_)) || reminder(desk).is_none() {
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
                desk.record_one(SessionEvent::Flushed { test_ids: Vec::new(), tree })?;
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
    let label = compare::take_back(desk, &mut checkpoints, (good, &now), files, (RepairCause::Red, &[]))?;
    let paths: Vec<&str> = files.iter().map(RelPath::as_str).collect();
    Ok(format!("tdd: taken back: {}; kept as {}", paths.join(", "), kept_as(desk, &label)))
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
    let why = if run.own_exit().is_success() {
        "the gate is green".to_owned()
    } else {
        let since = since(desk);
        let files = edited(desk, &since)?;
        let stays = match beside(desk, project, (&since, &files), &run)? {
            Beside::NoEdits => Ok("the gate is red, and none of the mode's edits is left"),
            Beside::NoWorse => Ok("the gate is red, and no worse than without your edits"),
            Beside::Worse(mut names) => {
                names.truncate(NAMED);
                Err(format!("; without your edits these are not: {}", names.join(", ")))
            }
            Beside::BothRed => Err("; it is red without your edits, too, and does not tell test by test what is. Take \
                                    your edits back, or tell the person, who mends the gate or switches this session's \
                                    off: tdd gate off"
                .to_owned()),
            Beside::Green => Err("; without your edits it is green".to_owned()),
        };
        match stays {
            Ok(why) => why.to_owned(),
            Err(why) => {
                let output = excerpt::head_and_tail(&desk.masked(&run.output), SHOWN);
                return Ok(Turned::Red(format!(
                    "{}tdd: refactor mode stays on: `{command}` is red ({}){why}. It said:\n{output}",
                    compared.told,
                    run.own_exit()
                )));
            }
        }
    };
    if let Some(lost) = lost(tests_of(desk, project, &run)?, looked) {
        let told = format!("{}tdd: refactor mode stays on: {why}, but {lost}", compared.told);
        return Ok(Turned::Red(told));
    }
    let tree = desk.state().tree.clone();
    let tests = changed_tests(desk);
    desk.record(&[of(SessionEvent::RefactorOff { command, duration_ms: run.duration_ms, tree })])?;
    let told = format!("{}tdd: refactor mode is off; {why}{tests}", compared.told);
    Ok(Turned::Green { told, beside: String::new() })
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

/// What is red besides; `None` where it can't be told.
pub(super) fn new_reds(desk: &Desk, run: &TestRun, without: &TestRun) -> Option<Vec<TestId>> {
    let (now, before) = (reds(run)?, reds(without)?);
    // What was seen green in the session is not red from before, though the file of that work may be among these.
    let was_green =
        |id: &TestId| desk.state().tests.get(id).is_some_and(|last| last.status == PassFail::Pass);
    Some(now.into_iter().filter(|id| !before.contains(id) || was_green(id)).collect())
}

/// What is red by a run's report; `None` where it tells no test.
fn reds(run: &TestRun) -> Option<BTreeSet<TestId>> {
    let report = run.report.as_ref().filter(|report| report.complete && report.project_broken.is_none())?;
    let failed = report.tests.iter().filter(|test| matches!(test.outcome, Outcome::Failed(_)));
    let failed = failed.map(|test| test.id.clone());
    let unloaded = report.load_failures.iter().map(|load| TestId(load.file.to_string()));
    let reds: BTreeSet<TestId> = failed.chain(unloaded).collect();
    (!reds.is_empty()).then_some(reds)
}
