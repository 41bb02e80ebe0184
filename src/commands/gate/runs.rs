//! Running tests for a session, and what a run says of each test that was asked for.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use super::annotation::Names;
use super::desk::{Desk, Project};
use super::ran::{MOST_OUTPUT, Ran, Wanted};
use crate::commands::run::execute::event_loop;
use tdd_child::regular_file;
use tdd_child::{leftovers, run_folder, signals, unix};
use tdd_core::attempt::{CheckpointId, Digest};
use tdd_core::commands::ProjectCommands;
use tdd_core::event::{Event, PassFail, TestRunFact};
use tdd_core::evidence::evidence;
use tdd_core::excerpt;
use tdd_core::mapping::Without;
use tdd_core::path::RelPath;
use tdd_core::ports::{CanaryWish, Checkpoints as _, TestOrder, Tests as _};
use tdd_core::test::{Exit, FailureKind, Outcome, TestId, TestReport, TestResult, TestRun};
use tdd_core::trouble::Trouble;
use tdd_runners::runner::{ProjectTests, RunnerSetup};
use tdd_snapshot::checkpoints::GitCheckpoints;
use tdd_snapshot::checkpoints::watch::Look;
use tdd_source::{Language, TestFile};

/// A test file that is read.
const LARGEST_SOURCE: u64 = 2 << 20;

/// Why it is run: a green counts only if a test that must fail was seen failing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Why {
    ToSee,
    ToJudge,
}

fn tests(desk: &Desk, project: &Project, commands: ProjectCommands) -> Result<ProjectTests, Trouble> {
    let deadline = project.settings.deadlines.command_ms.map(Duration::from_millis);
    ProjectTests::new(RunnerSetup {
        repository: desk.place.repository.clone(),
        project: desk.place.project.clone(),
        commands,
        table: project.chosen.table.clone(),
        work: desk.session.folder.join(run_folder::TESTS),
        deadline,
        output_cap: project.settings.output_cap,
        stop: signals::install()?,
    })
}

/// One call of the runner for all of them; for all tests if none is named.
pub(super) fn run(
    desk: &Desk,
    project: &Project,
    (wanted, files): (&[Wanted], &[RelPath]),
    why: Why,
    tree: &CheckpointId,
) -> Result<Ran, Trouble> {
    if let Some(command) = &project.gate.test_command_for
        && !wanted.is_empty()
    {
        return super::one_by_one::run(desk, project, command, wanted, tree);
    }
    let spelt = |one: &Wanted| Wanted {
        native: project.chosen.commands.runner.spelt(one.native.clone()),
        ..one.clone()
    };
    let wanted: Vec<Wanted> = wanted.iter().map(spelt).collect();
    let judged: Vec<RelPath> =
        wanted.iter().filter_map(|one| one.file.clone()).chain(files.to_vec()).collect();
    let order = TestOrder {
        label: match why {
            Why::ToSee => "gate test".to_owned(),
            Why::ToJudge => "gate flush".to_owned(),
        },
        only_ids: wanted.iter().map(|one| one.native.clone()).collect(),
        only_files: files.to_vec(),
        canary: match why {
            Why::ToSee => CanaryWish::None,
            Why::ToJudge => CanaryWish::Beside(judged),
        },
        ..TestOrder::default()
    };
    let run = ordered(desk, project, &order)?;
    Ok(of_run(desk, (&wanted, files), &run, tree))
}

/// What a run says of the tests that were asked for.
fn of_run(desk: &Desk, (wanted, files): (&[Wanted], &[RelPath]), run: &TestRun, tree: &CheckpointId) -> Ran {
    let no_evidence = evidence(run).err();
    let empty = TestReport::default();
    let report = run.report.as_ref().unwrap_or(&empty);
    let by_id: BTreeMap<&TestId, &Outcome> =
        report.tests.iter().map(|test| (&test.id, &test.outcome)).collect();
    let (asked, empty) = asked(desk, (wanted, files), report);
    let command = desk.masked(&run.command);
    let (mut facts, mut gone) = (Vec::new(), Vec::new());
    let (mut unconditional, mut skipped) = (Vec::new(), Vec::new());
    for one in asked {
        let said = match (&no_evidence, run.exit) {
            (_, Exit::Deadline) => Some((PassFail::Fail, Some(FailureKind::Timeout))),
            (Some(_), _) => Some((PassFail::Fail, Some(FailureKind::Crash))),
            (None, _) => outcome(&one, by_id.get(&one.native).copied(), report),
        };
        // Nothing that anybody writes could turn it green.
        let is_hopeless = matches!(said, Some((PassFail::Fail, _))) && is_unconditional(desk, &one);
        let said = if is_hopeless { Some((PassFail::Fail, Some(FailureKind::Load))) } else { said };
        unconditional.extend(is_hopeless.then(|| one.id.clone()));
        let is_skipped = no_evidence.is_none() && by_id.get(&one.native) == Some(&&Outcome::Skipped);
        skipped.extend(is_skipped.then(|| one.id.clone()));
        let Some((status, kind)) = said else {
            gone.push(one.id);
            continue;
        };
        facts.push(TestRunFact {
            test_id: one.id,
            test_id_source: one.source,
            status,
            kind,
            command: command.clone(),
            duration_ms: run.duration_ms,
            file: one.file,
            tree: Some(tree.clone()),
            output: None,
        });
    }
    Ran {
        facts,
        no_evidence,
        gone,
        unconditional,
        skipped,
        known: report.tests.iter().map(|test| test.id.clone()).collect(),
        empty,
        is_red: report.is_red(),
        output: excerpt::head_and_tail(&desk.masked(&run.output), MOST_OUTPUT),
        duration_ms: run.duration_ms,
    }
}

/// The tests that a run has to say something of: those that were named; of files, or of all if nothing was named, those
/// that failed or are known, and those of a file that does not load. Beside them the files without any.
fn asked(
    desk: &Desk,
    (wanted, files): (&[Wanted], &[RelPath]),
    report: &TestReport,
) -> (Vec<Wanted>, Vec<RelPath>) {
    let mut asked = wanted.to_vec();
    if !wanted.is_empty() && files.is_empty() {
        return (asked, Vec::new());
    }
    let mut names = Names::new(&desk.place);
    let file_of =
        |names: &Names<'_>, test: &TestResult| test.file.clone().or_else(|| names.file_of(&test.id));
    for test in &report.tests {
        let is_told = matches!(test.outcome, Outcome::Failed(_)) || desk.state().tests.contains_key(&test.id);
        let is_of_files = || file_of(&names, test).is_some_and(|file| files.contains(&file));
        if is_told && (wanted.is_empty() || is_of_files()) {
            asked.push(names.wanted(&test.id, test.file.clone()));
        }
    }
    let have_run: BTreeSet<RelPath> = report.tests.iter().filter_map(|test| file_of(&names, test)).collect();
    let unloaded = report.load_failures.iter().map(|load| &load.file);
    let unloaded: BTreeSet<&RelPath> = match (files.is_empty(), &report.project_broken) {
        (true, _) => unloaded.collect(),
        (false, Some(_)) => files.iter().filter(|file| !have_run.contains(file)).collect(),
        (false, None) => unloaded.filter(|file| files.contains(file)).collect(),
    };
    let mut empty: Vec<RelPath> = files.to_vec();
    empty.retain(|file| !have_run.contains(file) && !unloaded.contains(file));
    for file in unloaded {
        asked.extend(declared(desk, &mut names, file));
    }
    let mut seen = BTreeSet::new();
    asked.retain(|one| seen.insert(one.native.clone()));
    (asked, empty)
}

/// The tests that a file which does not load would have, as its runner would call them.
fn declared(desk: &Desk, names: &mut Names<'_>, file: &RelPath) -> Vec<Wanted> {
    let Some(language) = Language::of(file.extension()) else { return Vec::new() };
    let bytes = regular_file::head(&desk.place.repository.join(file.as_str()), LARGEST_SOURCE);
    let source = String::from_utf8_lossy(&bytes.unwrap_or_default()).into_owned();
    let path = tdd_core::mapping::in_project(file, &desk.place.project_in_repository());
    let ids = tdd_source::declared(language, &source).into_iter().map(|name| format!("{path}::{name}"));
    let runner = desk.state().started.commands.runner;
    ids.map(|id| names.wanted(&runner.spelt(TestId(id)), Some(file.clone()))).collect()
}

/// `None` for a test that is not there.
fn outcome(
    wanted: &Wanted,
    reported: Option<&Outcome>,
    report: &TestReport,
) -> Option<(PassFail, Option<FailureKind>)> {
    let kind = match reported {
        Some(Outcome::Passed) => return Some((PassFail::Pass, None)),
        // Its word counts for nothing, either way.
        Some(Outcome::Skipped) => FailureKind::Load,
        Some(Outcome::Failed(failure)) => failure.kind,
        None => {
            let file = wanted.file.as_ref();
            let unloaded = file.and_then(|file| report.load_failure(file, &|_| true));
            unloaded
                .map(|failure| failure.kind)
                .or(report.project_broken.as_ref().map(|broken| broken.kind))?
        }
    };
    Some((PassFail::Fail, Some(kind)))
}

/// Whether a test fails by what it says itself, with nothing of the code in it.
pub(super) fn is_unconditional(desk: &Desk, wanted: &Wanted) -> bool {
    let Some(file) = &wanted.file else { return false };
    let Some(language) = Language::of(file.extension()) else { return false };
    let bytes = regular_file::head(&desk.place.repository.join(file.as_str()), LARGEST_SOURCE);
    let source = String::from_utf8_lossy(&bytes.unwrap_or_default()).into_owned();
    let name = wanted.native.0.split_once("::").map_or("", |(_, name)| name);
    TestFile::read(language, &source).is_ok_and(|read| read.body(name).is_some_and(|body| body.unconditional))
}

/// Journals what a run said, with its output beside it.
pub(super) fn note(desk: &mut Desk, ran: &Ran) -> Result<Option<Digest>, Trouble> {
    if ran.facts.is_empty() {
        return Ok(None);
    }
    let output = desk.session.store(ran.output.as_bytes())?;
    let with_output = |fact: &TestRunFact| TestRunFact { output: Some(output.clone()), ..fact.clone() };
    let events: Vec<Event> = ran.facts.iter().map(with_output).map(Event::TestRun).collect();
    desk.record(&events)?;
    Ok(Some(output))
}

/// Runs the gate command as it is.
pub(super) fn gate(desk: &Desk, project: &Project) -> Result<TestRun, Trouble> {
    gate_of(desk, project, &project.chosen.commands.gate)
}

/// Runs this command in place of the gate's.
pub(super) fn gate_of(desk: &Desk, project: &Project, command: &str) -> Result<TestRun, Trouble> {
    let commands = ProjectCommands { gate: command.to_owned(), ..project.chosen.commands.clone() };
    let mut tests = tests(desk, project, commands)?;
    watched(desk, tests.run_gate("gate", &Without::default(), &mut |_| {}))
}

/// Runs all tests by the test command.
pub(super) fn suite(desk: &Desk, project: &Project) -> Result<TestRun, Trouble> {
    let order = TestOrder { label: "gate tests".to_owned(), ..TestOrder::default() };
    ordered(desk, project, &order)
}

fn ordered(desk: &Desk, project: &Project, order: &TestOrder) -> Result<TestRun, Trouble> {
    let mut tests = tests(desk, project, project.chosen.commands.clone())?;
    watched(desk, tests.run(order, &mut |_| {}))
}

/// Runs it so that whatever it leaves running is known and ended.
fn watched(desk: &Desk, run: impl Future<Output = Result<TestRun, Trouble>>) -> Result<TestRun, Trouble> {
    let _noting = leftovers::note_children_in(&desk.session.folder);
    let _ = unix::become_subreaper();
    event_loop()?.block_on(run)
}

/// What this gives where these files are put otherwise; whatever comes of it, they are as they were afterwards.
pub(super) fn where_otherwise<T>(
    desk: &Desk,
    files: &[RelPath],
    put: impl FnOnce(&mut GitCheckpoints) -> Result<(), Trouble>,
    run: impl FnOnce() -> Result<T, Trouble>,
) -> Result<T, Trouble> {
    let now = desk.state().tree.clone();
    let mut checkpoints = desk.checkpoints(Look::Quick)?;
    let ran = put(&mut checkpoints).and_then(|()| run());
    checkpoints.restore(&now, files)?;
    ran
}
