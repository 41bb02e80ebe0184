//! What vitest, jest and bun share: where the runner is, its environment, the person's arguments
//! taken apart, names as one pattern, and results from a reporter of our own.

pub(super) mod canary;
pub(super) mod facts;

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::place::Place;
use super::python::{milliseconds, read};
use super::scope::Scope;
use super::verification::{Measured, Verification, disk};
use crate::command_line::{RunnerCall, typed};
use crate::test_report::failure;
use crate::test_report::js_error::{self, Moment, Project};
use crate::test_report::jsonl::{LoadLine, Raised, Reported, Said, TestLine};
use tdd_child::regular_file;
use tdd_core::path::RelPath;
use tdd_core::test::{Exit, Failure, FailureKind, LoadFailure, Outcome, TestId, TestReport, TestResult};
use tdd_core::trouble::Trouble;
use tdd_source::{Language, declared};

type Variables = Vec<(OsString, Option<OsString>)>;

/// The exit code with which all three say that tests failed.
pub(super) const FAIL_CODE: i32 = 1;

/// Words that start a runner which lies in `node_modules`: what they add is finding it, and some
/// of them would fetch it from the network if it were not there.
const LAUNCHERS: &[&str] = &["npx", "bunx", "pnpx", "pnpm", "yarn", "npm"];

/// The words that start the runner: its own file in `node_modules` if it was called by name or by a
/// launcher, else what the person wrote.
pub(super) fn program(call: &RunnerCall, name: &str, place: &Place) -> Result<Vec<String>, Trouble> {
    let words = &call.program;
    let first = words.first().map(String::as_str).unwrap_or_default();
    let launched = LAUNCHERS.contains(&first) && !words.iter().any(|word| word == "--bun");
    if words.len() > 1 && !launched {
        return Ok(words.clone());
    }
    if !launched && first.contains('/') {
        return Ok(words.clone());
    }
    if let Some(found) = bins(place).iter().map(|bin| bin.join(name)).find(|path| path.is_file()) {
        return Ok(vec![found.to_string_lossy().into_owned()]);
    }
    // With Plug'n'Play there is no `node_modules`, and only the launcher knows.
    let plugged = upwards(place).any(|folder| folder.join(".pnp.cjs").is_file());
    if plugged || (!launched && on_path(name)) {
        return Ok(words.clone());
    }
    let line = typed(words);
    Err(Trouble::environment(format!("{name} is not installed"))
        .because(format!("`{line}` finds it neither in a node_modules of the project nor in PATH"))
        .advise(format!(
            "install the project's dependencies (or `npm install --save-dev {name}`) and run again"
        )))
}

fn on_path(name: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join(name).is_file())
}

/// The project's folder and those above it.
fn upwards(place: &Place) -> impl Iterator<Item = &Path> {
    place.project.ancestors()
}

/// Folders of programs that packages bring, the nearest first.
fn bins(place: &Place) -> Vec<PathBuf> {
    upwards(place).map(|folder| folder.join("node_modules/.bin")).filter(|path| path.is_dir()).collect()
}

/// The variables of a run: the person's own, with the packages' programs in PATH, as a package manager
/// would have it. Tests read `CI` and `FORCE_COLOR` too, so what the runner is to do is said by flags and
/// by our reporter, and colours are taken out of what is read.
pub(super) fn environment(call: &RunnerCall, place: &Place) -> Variables {
    let inherited = std::env::var_os("PATH").unwrap_or_default();
    let folders = bins(place).into_iter().chain(std::env::split_paths(&inherited));
    let mut variables = Variables::new();
    if let Ok(path) = std::env::join_paths(folders) {
        variables.push(("PATH".into(), Some(path)));
    }
    variables.extend(call.env.iter().map(|(name, value)| (name.into(), Some(value.into()))));
    variables
}

/// Writes a reporter that leaves its report in `report` into the private folder.
pub(super) fn install(
    verification: &Verification,
    name: &str,
    text: &str,
    report: &Path,
) -> Result<PathBuf, Trouble> {
    let path = verification.fresh(name);
    let quoted = serde_json::Value::from(report.to_string_lossy()).to_string();
    regular_file::write(&path, text.replace("'@REPORT@'", &quoted)).map_err(|error| disk(&path, &error))?;
    Ok(path)
}

/// Arguments, taken apart.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Sorted {
    pub(super) options: Vec<String>,
    /// What the person chose: files, folders, patterns.
    pub(super) places: Vec<String>,
}

/// What a runner's options mean to us.
#[derive(Clone, Copy, Debug)]
pub(super) struct Options {
    /// They take a value of their own and stay.
    pub(super) valued: &'static [&'static str],
    /// They take every word up to the next option and stay.
    pub(super) listed: &'static [&'static str],
    /// They go: what stops early, watches, reports elsewhere or writes snapshots.
    pub(super) dropped: &'static [&'static str],
    /// The same, with a value of their own.
    pub(super) dropped_valued: &'static [&'static str],
    /// They go with a number behind them, if there is one (`--bail 2`).
    pub(super) dropped_counted: &'static [&'static str],
}

impl Options {
    pub(super) fn sort(&self, args: &[String]) -> Sorted {
        let mut sorted = Sorted::default();
        let mut args = args.iter().peekable();
        while let Some(arg) = args.next() {
            let name = arg.split('=').next().unwrap_or(arg);
            let inline = arg.contains('=');
            if arg == "--" {
                sorted.places.extend(args.by_ref().cloned());
            } else if self.dropped.contains(&name) {
            } else if self.dropped_valued.contains(&name) {
                if !inline {
                    args.next();
                }
            } else if self.dropped_counted.contains(&name) {
                args.next_if(|next| !inline && next.parse::<u32>().is_ok());
            } else if self.valued.contains(&name) && !inline {
                sorted.options.push(arg.clone());
                sorted.options.extend(args.next().cloned());
            } else if self.listed.contains(&name) {
                sorted.options.push(arg.clone());
                while let Some(value) = args.next_if(|next| !next.starts_with('-')) {
                    sorted.options.push(value.clone());
                }
            } else if arg.starts_with('-') {
                sorted.options.push(arg.clone());
            } else {
                sorted.places.push(arg.clone());
            }
        }
        sorted
    }
}

/// A pattern longer than this would not fit into one argument; the files are run whole then.
const PATTERN_CAP: usize = 100 * 1024;

/// One regular expression for the full names of exactly these tests, as the runner joins titles by a
/// space; `None` if whole files are chosen, or nothing.
pub(super) fn pattern(scope: &Scope, place: &Place) -> Option<String> {
    if scope.only_ids.is_empty() || !scope.only_files.is_empty() {
        return None;
    }
    let names: BTreeSet<&str> =
        scope.only_ids.iter().filter_map(|id| place.file_of_id(id)).map(|(_, name)| name).collect();
    // A title may hold ` > ` itself, so each may be a joint or not.
    let one = |name: &str| name.split(" > ").map(escaped).collect::<Vec<_>>().join("(?: > | )");
    let all: Vec<String> = names.into_iter().map(one).collect();
    let pattern = format!("^(?:{})$", all.join("|"));
    (pattern.len() <= PATTERN_CAP).then_some(pattern)
}

/// Takes the meaning from all characters that have one in a JavaScript regular expression. A line
/// break is written as such, because some runners put the pattern into a literal, and so is a NUL, which no
/// argument can hold.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '\0' => escaped.push_str("\\x00"),
            '\n' => escaped.push_str("\\n"),
            '\r' => escaped.push_str("\\r"),
            '\u{2028}' => escaped.push_str("\\u2028"),
            '\u{2029}' => escaped.push_str("\\u2029"),
            '\\' | '^' | '$' | '.' | '*' | '+' | '?' | '(' | ')' | '[' | ']' | '{' | '}' | '|' | '/' => {
                escaped.extend(['\\', character]);
            }
            plain => escaped.push(plain),
        }
    }
    escaped
}

/// What lies in the root of the file system, by names that nothing in the project's own root has.
fn outside(place: &Place) -> Vec<String> {
    let entries = std::fs::read_dir("/").into_iter().flatten().flatten();
    let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
    names.filter(|name| !place.project.join(name).exists()).collect()
}

/// How a path from the root, or from `src`, begins (`moduleNameMapper`, `paths` and `baseUrl` may lead to one): by a folder
/// that lies there, if no package is called so.
fn own_folders(place: &Place) -> Vec<String> {
    let folders = |folder: &Path| {
        let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
        let folders = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
        folders.filter_map(|entry| entry.file_name().into_string().ok()).collect::<Vec<_>>()
    };
    let all = folders(&place.project).into_iter().chain(folders(&place.project.join("src")));
    let is_own = |name: &String| {
        let is_package = place.project.join("node_modules").join(name).exists();
        !is_package && name != "node_modules" && !name.starts_with(['.', '@'])
    };
    all.filter(is_own).take(MOST_FOLDERS).map(|name| format!("{name}/")).collect()
}

/// Folders of a project that a path may begin with.
const MOST_FOLDERS: usize = 200;

/// All that a reporter of our own told, whatever was asked for.
pub(super) fn results(reported: &Reported, place: &Place) -> TestReport {
    let (root, repository) = (place.project.to_string_lossy(), format!("{}/", place.repository.display()));
    // What no package can be called, so that bundlers and tsconfigs take it for a short way home. vite tells a module
    // that is mocked or imported by a test as it runs by its path from the root.
    let outside = outside(place);
    let folders = own_folders(place);
    let signs = [repository.as_str(), "/", "@/", "~/", "#"].into_iter();
    let aliases: Vec<&str> = signs.chain(folders.iter().map(String::as_str)).collect();
    let project = Project { root: &root, aliases: &aliases, outside: &outside };
    let mut tests = Vec::new();
    for line in &reported.tests {
        let file = line.test.file.as_deref().and_then(|file| place.in_repository(file));
        let path = file.as_ref().map_or_else(|| "unknown".to_owned(), |file| place.id_path(file));
        let id = TestId(format!("{path}::{}", line.test.name));
        let outcome = outcome(line, &project);
        tests.push(TestResult { id, file, outcome, duration_ms: milliseconds(line.ms) });
    }
    let loads = reported.loads.iter().filter(|load| !load.skipped);
    let load_failures = loads
        .filter_map(|load| {
            let file = place.in_repository(&load.file)?;
            if is_quiet(load) && !promises_tests(&place.absolute(&file)) {
                return None;
            }
            Some(LoadFailure::new(file, judged(load.errors.first(), Moment::Loading, &project)))
        })
        .collect();
    let complete = reported.flaw.is_none();
    let loaded = place.own_files(&reported.loaded);
    TestReport { tests, load_failures, complete, loaded, ..TestReport::default() }
}

/// Neither a test nor an error came of the file.
fn is_quiet(load: &LoadLine) -> bool {
    load.ended.as_deref() == Some("quietly")
}

fn promises_tests(path: &Path) -> bool {
    let source = regular_file::read(path).unwrap_or_default();
    !declared(Language::JavaScript, &String::from_utf8_lossy(&source)).is_empty()
}

fn outcome(line: &TestLine, project: &Project<'_>) -> Outcome {
    match line.outcome {
        Said::Pass => Outcome::Passed,
        Said::Skip => Outcome::Skipped,
        Said::Fail => Outcome::Failed(judged(line.errors.first(), Moment::Running, project)),
    }
}

fn judged(raised: Option<&Raised>, moment: Moment, project: &Project<'_>) -> Failure {
    match (raised, moment) {
        (Some(raised), _) => js_error::classify(raised, moment, project),
        (None, Moment::Running) => failure(FailureKind::Error, "the runner gave no reason", None),
        (None, Moment::Loading) => {
            failure(FailureKind::Load, "the file ended without an error and without a test", None)
        }
    }
}

/// What a run with a reporter of our own says of what was asked for.
pub(super) fn conclude(exit: Exit, told: &Path, place: &Place, scope: &Scope) -> Measured {
    match read(told) {
        Err(why) => measured(exit, None, Some(why)),
        Ok(reported) => {
            let whole = results(&reported, place);
            let view = view(&whole, scope);
            // A file that was left before its tests is no failure to the runner; it is one here.
            let quiet = reported.loads.iter().any(is_quiet);
            let exit = if exit == Exit::Code(0) && quiet && view.is_red() && whole.complete {
                Exit::Code(FAIL_CODE)
            } else {
                exit_of_view(exit, &whole, &view)
            };
            measured(exit, Some(view), reported.flaw)
        }
    }
}

pub(super) fn measured(exit: Exit, report: Option<TestReport>, unreadable: Option<String>) -> Measured {
    Measured { exit, report, unreadable, fail_code: FAIL_CODE }
}

/// There is nothing to run, and so nothing was started: without a file the runner would take all.
pub(super) fn nothing() -> Measured {
    measured(Exit::Code(0), Some(TestReport { complete: true, ..TestReport::default() }), None)
}

/// What of a whole report was asked for.
pub(super) fn view(whole: &TestReport, scope: &Scope) -> TestReport {
    let takes = |test: &&TestResult| test.file.as_ref().is_none_or(|file| scope.takes(file, &test.id));
    let tests = whole.tests.iter().filter(takes).cloned().collect();
    let loads = whole.load_failures.iter().filter(|load| scope.takes_file(&load.file));
    TestReport { tests, load_failures: loads.cloned().collect(), ..whole.clone() }
}

/// The exit code that belongs to the view: a runner that says "some failed" of tests that nobody
/// asked for says nothing about the others.
pub(super) fn exit_of_view(exit: Exit, whole: &TestReport, view: &TestReport) -> Exit {
    let explained = exit == Exit::Code(FAIL_CODE) && whole.complete && whole.is_red();
    if explained && !view.is_red() { Exit::Code(0) } else { exit }
}

/// Files that are there, absolute.
pub(super) fn present(files: &[RelPath], place: &Place) -> Vec<PathBuf> {
    files.iter().map(|file| place.absolute(file)).filter(|path| path.is_file()).collect()
}

#[cfg(test)]
#[path = "javascript_tests.rs"]
mod tests;
