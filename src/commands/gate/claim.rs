//! `tdd gate claim`: which files are edited for which red test.

use std::fmt::Write as _;
use std::path::Path;
use std::process::ExitCode;

use super::annotation::Names;
use super::compare::compare;
use super::desk::{Desk, of};
use super::ran::is_case_of;
use super::see::{kind, nearest};
use super::{HOPELESS, desk, inside, runs, spelt};
use crate::cli::gate::ClaimArgs;
use crate::view::print;
use tdd_core::event::{Event, PassFail, SessionEvent};
use tdd_core::harmless::{self, shell_word};
use tdd_core::path::RelPath;
use tdd_core::policy::FileClass;
use tdd_core::ports::Checkpoints as _;
use tdd_core::session::LastRun;
use tdd_core::test::{FailureKind, TestId};
use tdd_core::trouble::Trouble;
use tdd_snapshot::checkpoints::watch::Look;
use tdd_snapshot::git_facts;

pub(super) fn run(args: &ClaimArgs) -> Result<ExitCode, Trouble> {
    let mut desk = desk(&args.which)?;
    let id = known_id(&desk, &args.test_id);
    if let Some(test) = desk.state().halted().first() {
        return Err(Trouble::user(format!("nothing can be claimed: {test} failed two turns"))
            .because("a person has to look before it is tried again")
            .advise("stop and tell the person: `tdd gate status` shows it, `tdd gate look` lets it be tried again"));
    }
    if !desk.state().tests.get(&id).is_some_and(LastRun::is_counted_red) {
        return Err(not_claimable(&desk, &id));
    }
    refuse_unseen(&desk, &id)?;
    let (mut events, mut told) = (Vec::new(), String::new());
    if desk.is_without_tests() {
        // What was free until now is seen as that; from here on an edit answers a test.
        told += &compare(&mut desk, None, Look::Quick)?.told;
        let tree = desk.state().tree.clone();
        events.push(of(SessionEvent::RefactorOff { command: String::new(), duration_ms: 0, tree }));
        told += "tdd: there is a test now, so refactor mode is off\n";
    }
    for file in &args.files {
        let path = claimable(&desk, file)?;
        let _ = writeln!(told, "claimed {} for {id}", harmless::line(path.as_str()));
        events.push(Event::EditClaim { test_id: id.clone(), edit_target: path });
    }
    desk.record(&events)?;
    print::result(&format!("{told}tdd: edit, then: tdd gate flush\n"));
    Ok(ExitCode::SUCCESS)
}

/// What is not compared could be anything by the end of the turn.
fn refuse_unseen(desk: &Desk, id: &TestId) -> Result<(), Trouble> {
    let Some(file) = desk.state().tests.get(id).and_then(|last| last.file.as_ref()) else { return Ok(()) };
    if desk.checkpoints(Look::Quick)?.files(&desk.state().tree)?.contains(file) {
        return Ok(());
    }
    if desk.place.repository.join(file.as_str()).symlink_metadata().is_err() {
        return Err(Trouble::user(format!(
            "{id} can't be claimed for: {} is gone",
            harmless::line(file.as_str())
        ))
        .because("it was moved or removed after the test was seen red")
        .advise("run the test where it is now, and claim for that: tdd gate test FILE::NAME"));
    }
    Err(Trouble::user(format!("{id} can't be claimed for: {} is not kept", harmless::line(file.as_str())))
        .because("git ignores the file, so that nobody would see it change after the claim")
        .advise("put the test where git sees it, or take it out of .gitignore, and run it again"))
}

/// What comes next for a test that was run.
fn next_of(desk: &Desk, id: &TestId) -> String {
    let word = shell_word(&id.0);
    if desk.state().tests.get(id).is_some_and(LastRun::is_counted_red) {
        format!("tdd gate claim {word} FILE")
    } else {
        format!("tdd gate test {word}")
    }
}

/// Why nothing can be claimed for this test.
fn not_claimable(desk: &Desk, id: &TestId) -> Trouble {
    let run = format!("tdd gate test {}", shell_word(&id.0));
    match desk.state().tests.get(id) {
        None => {
            let known: Vec<TestId> = desk.state().tests.keys().cloned().collect();
            Trouble::user(format!("{id} was not seen red, so nothing can be claimed for it"))
                .because(format!("it was not run in this session{}", nearest(id, &known)))
                .advise(match known.iter().find(|other| is_case_of(other, id)) {
                    Some(case) => format!("claim a case: tdd gate claim {} FILE", shell_word(&case.0)),
                    None => match id.most_like(&known) {
                        Some(other) => format!("if that is meant: {}", next_of(desk, other)),
                        None => format!("run it: {run}"),
                    },
                })
        }
        Some(last) if last.status == PassFail::Pass && last.tree.as_ref() != Some(&desk.state().tree) => {
            Trouble::user(format!("{id} was green, so nothing can be claimed for it"))
                .because("its last run passed; files have changed since, or were taken back")
                .advise(format!("run it again: {run}"))
        }
        Some(last) if last.status == PassFail::Pass => {
            Trouble::user(format!("{id} is green, so nothing can be claimed for it"))
                .because("its last run passed: an edit needs a test that fails without it")
                .advise("write a test that fails, and run it: tdd gate test FILE::NAME")
        }
        Some(last) => {
            let wanted = Names::new(&desk.place).wanted(id, last.file.clone());
            let why = match last.kind {
                Some(FailureKind::Load) if runs::is_unconditional(desk, &wanted) => HOPELESS.to_owned(),
                Some(FailureKind::Timeout) => "it ran out of time".to_owned(),
                Some(FailureKind::Crash) => "its run ended before it could say anything".to_owned(),
                Some(_) | None => format!("no code answers that{}", kind(last.kind)),
            };
            Trouble::user(format!("{id} is red, but not for a reason that an edit of code answers"))
                .because(why)
                .advise(format!("mend the test, then: {run}"))
        }
    }
}

/// As the session calls it, though its runner's name was typed.
fn known_id(desk: &Desk, typed: &str) -> TestId {
    let id = desk.state().started.commands.runner.spelt(TestId(typed.to_owned()));
    if desk.state().tests.contains_key(&id) || !typed.contains("::") {
        return id;
    }
    Names::new(&desk.place).wanted(&spelt(desk, typed), None).id
}

/// What is not right with the name of a file that is not there: nobody would make one that is called so.
fn odd_name(typed: &str, path: &RelPath, files: &[RelPath]) -> Option<String> {
    if typed.contains(['*', '?', '{']) {
        return Some("no file is called so, and a claim takes no pattern: name each file".to_owned());
    }
    let name = path.as_str();
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let mut bare = name;
    while let Some((head, _)) = bare.rsplit_once(':').filter(|(_, line)| is_number(line)) {
        bare = head;
    }
    if bare != name && files.iter().any(|file| file.as_str() == bare) {
        return Some(format!("a claim names a file without a line: {bare}"));
    }
    let other = files.iter().find(|file| file.as_str().to_lowercase() == name.to_lowercase());
    other.map(|other| format!("it is spelt otherwise here: {other}"))
}

/// A file that a claim can be about: production code.
fn claimable(desk: &Desk, typed: &str) -> Result<RelPath, Trouble> {
    let path = inside(desk, typed).ok_or_else(|| {
        let named = if typed.is_empty() { "an empty name" } else { typed };
        Trouble::user(format!("{named} is no file of this repository"))
            .advise("name the file that you are going to edit, relative to this folder")
    })?;
    let refused = |why: &str| {
        Trouble::user(format!("{path} can't be claimed"))
            .because(why.to_owned())
            .advise("claim production code")
    };
    let at = desk.place.repository.join(path.as_str());
    let modules = git_facts::submodules(&desk.place.repository);
    if let Some(module) = modules.iter().find(|module| path.is_within(module)) {
        let module = harmless::line(module);
        return Err(Trouble::user(format!("{path} can't be claimed"))
            .because(format!("{module} is a submodule, which has a gate of its own"))
            .advise(format!(
                "edit it in a session that begins in {module}, or as a whole: tdd gate refactor on --why TEXT"
            )));
    }
    if at.is_dir() {
        return Err(refused("it is a folder, and a claim is about files: name each one"));
    }
    if typed.ends_with('/') {
        return Err(refused("its name ends like a folder's, and a claim is about files"));
    }
    let files = desk.checkpoints(Look::Quick)?.files(&desk.state().tree)?;
    let is_there = at.symlink_metadata().is_ok();
    if let Some(why) = odd_name(typed, &path, &files).filter(|_| !is_there || !files.contains(&path)) {
        return Err(refused(&why));
    }
    if desk.rules.is_guarded(&path) {
        return Err(refused("it holds the gate: only a person edits it"));
    }
    let class = desk.rules.policy().classify(&path);
    if class != FileClass::ByProduct && desk.rules.is_free(&path) {
        return Err(refused("it is free: it may be edited at any time"));
    }
    let is_ignored = || git_facts::ignoring_rule(&desk.place.repository, Path::new(path.as_str())).is_some();
    if !files.contains(&path) && (at.is_file() || is_ignored()) {
        return Err(refused("git ignores it, so that nobody would see it change"));
    }
    match class {
        FileClass::Source | FileClass::Mixed | FileClass::Lock => Ok(path),
        FileClass::Test => {
            Err(refused("it is a test: tests are edited before a claim, and protected after it"))
        }
        FileClass::Gate => Err(refused("it decides how tests run: that is for refactor mode")),
        FileClass::ByProduct => Err(refused("it is what tests leave: it may be edited at any time")),
    }
}
