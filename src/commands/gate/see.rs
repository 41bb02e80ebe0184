//! `tdd gate test`: tests are run, and what they say is noted and told.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::process::ExitCode;

use super::compare::{after_tests, compare};
use super::desk::Desk;
use super::ran::{Wanted, is_case_of};
use super::runs::{self, Why};
use super::{HOPELESS, agents_environment, desk, inside, resolve};
use crate::cli::gate::TestArgs;
use crate::view::print;
use tdd_core::event::{PassFail, TestRunFact};
use tdd_core::excerpt;
use tdd_core::harmless::{self, shell_word};
use tdd_core::path::RelPath;
use tdd_core::session::LastRun;
use tdd_core::test::{FailureKind, TestId};
use tdd_core::trouble::Trouble;
use tdd_snapshot::checkpoints::watch::Look;

/// Cases of a test that are named.
const MOST_CASES: usize = 5;
/// What a model is shown of the tests' output.
const SHOWN: usize = 4 << 10;

pub(super) fn run(args: &TestArgs) -> Result<ExitCode, Trouble> {
    agents_environment::adopt(&args.which)?;
    let mut desk = desk(&args.which)?;
    let compared = compare(&mut desk, None, Look::Quick)?;
    if !compared.told.is_empty() {
        print::message(&compared.told);
    }
    let tree = desk.state().tree.clone();
    let (wanted, files) = resolve(&desk, &args.ids)?;
    let is_cached = |one: &Wanted| {
        let last = desk.state().tests.get(&one.id);
        last.is_some_and(|last| last.tree.as_ref() == Some(&tree) && !is_unsure(last))
    };
    if !args.again && !wanted.is_empty() && files.is_empty() && wanted.iter().all(is_cached) {
        let told: String =
            wanted.iter().filter_map(|one| Some(line(&one.id, desk.state().tests.get(&one.id)?))).collect();
        print::result(&format!("{told}tdd: not run: nothing has changed since (--again runs it)\n"));
        return Ok(ExitCode::SUCCESS);
    }
    let project = desk.project()?;
    let mut ran = runs::run(&desk, &project, (&wanted, &files), Why::ToSee, &tree)?;
    let with_cases = files_of(&wanted, &ran.gone);
    if !with_cases.is_empty() {
        ran.take_cases_of(runs::run(&desk, &project, (&[], &with_cases), Why::ToSee, &tree)?);
    }
    runs::note(&mut desk, &ran)?;
    // What tests leave in the tree is looked at at once.
    let after = after_tests(&mut desk)?;
    print::result(&told(&desk, &ran));
    if !after.told.is_empty() {
        print::message(&after.told);
    }
    let is_missed = !ran.gone.is_empty() || !ran.empty.is_empty() || is_unnamed(&ran);
    Ok(ExitCode::from(u8::from(is_missed)))
}

/// The files of tests that no runner knows by this id: it may be the name of several cases, and only a run of its file
/// tells those.
fn files_of(wanted: &[Wanted], gone: &[TestId]) -> Vec<RelPath> {
    let is_gone = |one: &&Wanted| gone.contains(&one.id);
    let files: BTreeSet<RelPath> = wanted.iter().filter(is_gone).filter_map(|one| one.file.clone()).collect();
    files.into_iter().collect()
}

/// A run that was cut off says nothing of the next one.
fn is_unsure(last: &LastRun) -> bool {
    matches!(last.kind, Some(FailureKind::Timeout | FailureKind::Crash))
}

pub(super) fn line(id: &TestId, last: &LastRun) -> String {
    match last.status {
        PassFail::Pass => format!("green {id}\n"),
        PassFail::Fail => format!("red {id}{}\n", kind(last.kind)),
    }
}

pub(super) fn kind(kind: Option<FailureKind>) -> String {
    kind.map(|kind| format!(" ({})", format!("{kind:?}").to_lowercase())).unwrap_or_default()
}

/// Something is red, and nobody can say which test.
fn is_unnamed(ran: &super::ran::Ran) -> bool {
    ran.is_red && ran.no_evidence.is_none() && !ran.facts.iter().any(|fact| fact.status == PassFail::Fail)
}

/// What came of a run: a line for each test, what it printed, and what comes next.
fn told(desk: &Desk, ran: &super::ran::Ran) -> String {
    let of_fact = |fact: &TestRunFact| {
        if ran.skipped.contains(&fact.test_id) {
            return format!("skipped {}\n", fact.test_id);
        }
        desk.state().tests.get(&fact.test_id).map(|last| line(&fact.test_id, last)).unwrap_or_default()
    };
    let mut text: String = ran.facts.iter().map(of_fact).collect();
    if let Some(why) = &ran.no_evidence {
        let _ = writeln!(text, "tdd: the run is no evidence: {why}");
    }
    for id in &ran.gone {
        let hint = elsewhere(desk, id).unwrap_or_else(|| nearest(id, &ran.known));
        let _ = writeln!(text, "tdd: there is no test {id}{hint}");
    }
    for file in &ran.empty {
        let _ =
            writeln!(text, "tdd: no test of {} has run; name a file of tests", harmless::line(file.as_str()));
    }
    let red = ran.facts.iter().find(|fact| fact.status == PassFail::Fail);
    let is_unsaid = is_unnamed(ran) || ran.no_evidence.is_some();
    if red.is_some() || !ran.gone.is_empty() || !ran.empty.is_empty() || is_unsaid {
        text += excerpt::head_and_tail(&ran.output, SHOWN).trim_end();
        text.push('\n');
    }
    match red.map(|fact| (fact, desk.state().tests.get(&fact.test_id))) {
        Some((fact, Some(last))) if last.is_counted_red() => {
            let _ = writeln!(text, "tdd: next: tdd gate claim {} FILE", shell_word(&fact.test_id.0));
        }
        Some((fact, _)) if ran.unconditional.contains(&fact.test_id) => {
            let _ = writeln!(text, "tdd: {HOPELESS}; let it call the code and check what comes back");
        }
        Some((fact, _)) if ran.skipped.contains(&fact.test_id) => {
            text += "tdd: it says nothing while it is skipped; take its mark away (skip, xfail), and run it again\n";
        }
        Some((fact, _)) => {
            let _ = writeln!(text, "tdd: no code answers that red{}; mend the test", kind(fact.kind));
        }
        None if is_unnamed(ran) => {
            text += "tdd: red, but no test of it can be told: it does not load. Name one: tdd gate test FILE::NAME\n";
        }
        None if ran.facts.is_empty() && ran.gone.is_empty() && ran.empty.is_empty() && !is_unsaid => {
            text += "tdd: nothing is red\n";
        }
        None => {}
    }
    text
}

/// Of a test that no command of this session's project runs.
fn elsewhere(desk: &Desk, id: &TestId) -> Option<String> {
    let project = desk.place.project_in_repository();
    let file = inside(desk, id.file()).filter(|file| desk.place.repository.join(file.as_str()).is_file())?;
    let is_elsewhere = !project.is_empty() && !file.is_within(&project);
    is_elsewhere.then(|| {
        let project = harmless::line(&project);
        format!("; this session is about {project} alone, and its tests: for others begin a session in their folder")
    })
}

pub(super) fn nearest(id: &TestId, known: &[TestId]) -> String {
    let cases: Vec<String> = known
        .iter()
        .filter(|other| is_case_of(other, id))
        .take(MOST_CASES)
        .map(|case| shell_word(&case.0))
        .collect();
    if !cases.is_empty() {
        return format!("; it has cases, each with an id of its own: {}", cases.join(" "));
    }
    match (id.most_like(known), id.0.split_once("::")) {
        (Some(other), _) => format!("; is it {other}?"),
        (None, Some((file, _))) => format!("; its file's tests: tdd gate test {}", shell_word(file)),
        (None, None) => String::new(),
    }
}
