//! pytest, read through a plugin of our own.
//!
//! The person's call stays as it is: files are left out and tests are picked by the plugin. Only
//! paths among the arguments give way when files are chosen, and what stops a run early, what
//! orders it by a cache and what spreads it over processes goes.

mod facts;

use std::ffi::OsString;
use std::path::Path;

use super::canary::{self, Judged, PlantedCanary};
use super::environment;
use super::installed::Installed;
use super::place::{PYTHON_PATH, Place};
use super::python;
use super::python::Reporter;
use super::scope::Scope;
use super::verification::words;
use super::verification::{Measured, Step, Verification};
use crate::canary_text;
use crate::canary_text::PythonRunner;
use crate::command_line::{RunnerCall, typed};
use crate::gate_names::{self, Named};
use tdd_child::regular_file;
use tdd_core::path::RelPath;
use tdd_core::ports::Observer;
use tdd_core::test::Exit;
use tdd_core::trouble::Trouble;

pub(super) use facts::RUNNER;

const PLUGIN: &str = include_str!("reporters/tdd_pytest_report.py");
/// What our plugin says where it can't work; the version follows.
const TOO_OLD: &str = "tdd reads pytest 7.0 and newer, and this is pytest ";
const SAFE_PATH: &str = "PYTHONSAFEPATH";
/// Options from the environment, which pytest reads before those of the call.
const OPTIONS: &str = "PYTEST_ADDOPTS";
const FAIL_CODE: i32 = 1;
const USAGE_ERROR: i32 = 4;
/// pytest's exit code for "no tests collected".
const NOTHING_COLLECTED: i32 = 5;

#[derive(Debug)]
pub(super) struct Pytest {
    call: RunnerCall,
    installed: Installed,
}

impl Pytest {
    /// `work` is the run's private folder.
    pub(super) fn new(call: RunnerCall, work: &Path) -> Self {
        Self { call, installed: Installed::new(work) }
    }

    /// For a process that goes on with a run.
    pub(super) fn recall(&mut self) {
        self.installed.grow_cold();
    }

    pub(super) async fn run(
        &mut self,
        place: &Place,
        scope: &Scope,
        verification: &mut Verification,
        observer: Observer<'_>,
    ) -> Result<Measured, Trouble> {
        let chosen = self.args(place, scope);
        let mut shown = self.call.program.clone();
        shown.extend(chosen.iter().cloned());
        verification.announce(typed(&shown), observer);
        let folder = python::install(verification, "tdd_pytest_report.py", PLUGIN)?;
        let told = verification.fresh("report.jsonl");
        let ours =
            Reporter { folder: &folder, report: &told, is_first: !names_own_plugin(&self.call, place) };
        let compiled = self.installed.ready();
        let judged = canary::judged(place, scope.judged.as_deref());
        let planted = judged.as_deref().map(|judged| plant(place, judged)).transpose()?.flatten();
        let copies = scope.plan.plant(place, canary::named_like)?;
        let own = planted.iter().chain(&copies).filter_map(|planted| planted.path.as_ref());
        let scope = &scope.with_own(own);
        let given = (scope, planted.as_ref(), copies.as_slice());
        let mut env = python::variables((verification, &compiled), &self.call, given, place, &ours);
        let own_path =
            self.call.env.iter().find(|(name, _)| name == PYTHON_PATH).map(|(_, value)| value.into());
        let inherited = own_path.or_else(|| std::env::var_os(PYTHON_PATH));
        env.push((PYTHON_PATH.into(), Some(joined(folder.into(), place.python_path(inherited)))));
        env.extend(self.late_folder(place));
        let mut argv = self.call.program.clone();
        for arg in ["-p", "tdd_pytest_report", "-p", "no:cacheprovider", "--continue-on-collection-errors"] {
            argv.push(arg.to_owned());
        }
        argv.extend(chosen);
        let step = Step { argv: words(&argv), cwd: place.project.clone(), env, stdout: None };
        for planted in planted.iter().chain(&copies) {
            verification.hide_lines(&planted.secret().name);
        }
        let finished = verification.run(step).await?;
        if compiled.fills() {
            self.installed.seal();
        }
        let said = verification.last_words(0);
        if let Some(trouble) = unusable(&place.project, finished.exit, &said) {
            return Err(trouble);
        }
        Ok(match python::read(&told) {
            Err(why) => {
                Measured { exit: finished.exit, report: None, unreadable: Some(why), fail_code: FAIL_CODE }
            }
            Ok(reported) => {
                let mut results = python::results(&reported, place, scope);
                verification.hear_copies(canary::take_out_copies(&copies, &mut results));
                verification.note_canary(canary::outcome(planted.as_ref(), judged.as_deref(), &mut results));
                let nothing = results.tests.is_empty() && results.load_failures.is_empty();
                let agreed = reported.status.map(Exit::Code) == Some(finished.exit);
                // No test is no failure: the caller decides what an empty run means.
                let exit = match finished.exit {
                    Exit::Code(NOTHING_COLLECTED) if nothing && agreed => Exit::Code(0),
                    Exit::Code(_) | Exit::Signal(_) | Exit::Deadline | Exit::OutputCap => finished.exit,
                };
                Measured { exit, report: Some(results), unreadable: reported.flaw, fail_code: FAIL_CODE }
            }
        })
    }

    /// For `python -m pytest`: keeps the current folder off the path until pytest is imported, since
    /// a `pytest/` or `pluggy.py` there would be run in its place. Our plugin then puts it back.
    /// Python before 3.11 does not know the variable, and imports as ever. Not where the configuration
    /// names a plugin of the project's own: that is imported before ours.
    fn late_folder(&self, place: &Place) -> Vec<(OsString, Option<OsString>)> {
        let words = &self.call.program;
        let is_module = words.iter().rev().nth(1).is_some_and(|word| word == "-m");
        let own = |word: &String| matches!(word.as_str(), "-P" | "-I") || word.starts_with("-E");
        let safe = self.call.env.iter().any(|(name, _)| name == SAFE_PATH)
            || std::env::var_os(SAFE_PATH).is_some_and(|value| !value.is_empty());
        if !is_module || safe || words.iter().any(own) || names_own_plugin(&self.call, place) {
            return Vec::new();
        }
        vec![(SAFE_PATH.into(), Some("1".into())), ("TDD_LATE_CWD".into(), Some("1".into()))]
    }

    fn sorted(&self, place: &Place) -> Sorted {
        let by_module = self.call.args.iter().any(|arg| arg == "--pyargs");
        sort_args(&self.call.args, &|word| is_path(word, place) || (by_module && is_module(word, place)))
    }

    /// The person's arguments for this scope: chosen files stand for paths.
    fn args(&self, place: &Place, scope: &Scope) -> Vec<String> {
        let kept = self.sorted(place);
        let mut args = kept.options;
        if scope.is_unchosen() {
            let left_out = |word: &String| {
                let path = word.split("::").next().and_then(|path| place.in_repository(path));
                path.is_some_and(|path| scope.leave_out.contains(&path))
            };
            let paths = kept.paths.into_iter().flat_map(|word| expanded(word, place));
            args.extend(paths.filter(|word| !left_out(word)));
        } else {
            let files = scope.chosen_files();
            // A file that is gone would stop the whole run with a usage error.
            let present = files.iter().filter(|file| place.absolute(file).is_file());
            args.extend(present.map(|file| path_from(place, file)));
        }
        args
    }

    /// The command line that runs these files' tests.
    pub(super) fn selection(&self, place: &Place, files: &[RelPath]) -> String {
        let mut argv = self.call.program.clone();
        argv.extend(self.sorted(place).options);
        argv.extend(files.iter().map(|file| path_from(place, file)));
        typed(&argv)
    }

    /// The command line that runs all tests: by itself pytest runs none where one file does not load.
    pub(super) fn everything(&self, place: &Place) -> String {
        let kept = self.sorted(place);
        let mut argv = self.call.program.clone();
        argv.extend(kept.options);
        argv.push("--continue-on-collection-errors".to_owned());
        argv.extend(kept.paths);
        typed(&argv)
    }
}

/// A pytest that is not there, or that our plugin can't work with.
fn unusable(project: &Path, exit: Exit, said: &str) -> Option<Trouble> {
    if exit == Exit::Code(1) && said.contains("No module named pytest") {
        let trouble = Trouble::environment("pytest is not installed").because(said.trim().to_owned());
        let next = "install it where the test command looks (`python3 -m pip install pytest`, best in a virtual environment: \
                    `.venv` in the project is found), or name another command: --test 'python3 -m unittest'";
        return Some(match environment::keepers(project).next() {
            Some((lock, launcher)) => trouble.advise(format!(
                "{lock} says that the environment is {launcher}'s: name it, --test '{launcher} run pytest', or activate it"
            )),
            None => trouble.advise(next),
        });
    }
    let version = said.split(TOO_OLD).nth(1).filter(|_| exit == Exit::Code(USAGE_ERROR))?;
    let version = version.split_whitespace().next().unwrap_or("an older one");
    let trouble = Trouble::environment("this pytest is too old").because(format!("{TOO_OLD}{version}"));
    Some(trouble.advise("install pytest 7.0 or newer into the environment of the test command"))
}

/// Beside the first judged file: out of its folder no `conftest.py` of it would see the canary.
fn plant(place: &Place, judged: &[Judged]) -> Result<Option<PlantedCanary>, Trouble> {
    let Some(first) = judged.first() else { return Ok(None) };
    let secret = canary::secret()?;
    let name = canary::named_like(&first.path, &secret.name);
    let script = canary_text::python(PythonRunner::Pytest, &first.source, &secret);
    let file = place.absolute(&first.path);
    let folder = file.parent().unwrap_or(&place.project);
    PlantedCanary::plant(place, folder, &name, (secret, &script)).map(Some)
}

fn joined(first: OsString, rest: Option<OsString>) -> OsString {
    let mut path = first;
    if let Some(rest) = rest.filter(|rest| !rest.is_empty()) {
        path.push(":");
        path.push(rest);
    }
    path
}

/// The file as an argument: relative to the project, or absolute outside it.
fn path_from(place: &Place, file: &RelPath) -> String {
    place.in_project(file).unwrap_or_else(|| place.absolute(file).to_string_lossy().into_owned())
}

fn is_path(word: &str, place: &Place) -> bool {
    let path = word.split("::").next().unwrap_or(word);
    place.project.join(path).exists() || path.contains(['*', '?'])
}

/// With `--pyargs`: a module of the project's own, by its dotted name.
fn is_module(word: &str, place: &Place) -> bool {
    let path = word.split("::").next().unwrap_or(word).replace('.', "/");
    ["", "src"]
        .iter()
        .map(|root| place.project.join(root).join(&path))
        .any(|path| path.is_dir() || path.with_extension("py").is_file())
}

fn expanded(word: String, place: &Place) -> Vec<String> {
    if word.contains(['*', '?']) && !word.contains("::") {
        place.glob(&word).iter().map(|file| path_from(place, file)).collect()
    } else {
        vec![word]
    }
}

#[derive(Debug, Default)]
struct Sorted {
    options: Vec<String>,
    paths: Vec<String>,
}

const DROPPED: &[&str] = &[
    "-x",
    "--exitfirst",
    "--lf",
    "--last-failed",
    "--ff",
    "--failed-first",
    "--nf",
    "--new-first",
    "--sw",
    "--stepwise",
    "--stepwise-skip",
    "--sw-skip",
    "--cache-clear",
    "--pdb",
    "--trace",
    "--collect-only",
    "--co",
];
const DROPPED_VALUED: &[&str] =
    &["--maxfail", "-n", "--numprocesses", "--dist", "--lfnf", "--last-failed-no-failures"];
const VALUED: &[&str] = &[
    "-c",
    "--config-file",
    "--rootdir",
    "--confcutdir",
    "--basetemp",
    "--ignore",
    "--ignore-glob",
    "--deselect",
    "-o",
    "--override-ini",
    "-p",
    "-k",
    "-m",
    "-W",
    "-r",
    "--tb",
    "--color",
    "--junitxml",
    "--junit-xml",
    "--import-mode",
    "--durations",
    "--log-level",
    "--log-cli-level",
    "--log-file",
    "--timeout",
    "--cov-report",
    "--cov-config",
];

/// Splits arguments into options and paths; a word is a path only if `is_path` says so, since
/// options of unknown plugins may take a value.
fn sort_args(args: &[String], is_path: &dyn Fn(&str) -> bool) -> Sorted {
    let mut sorted = Sorted::default();
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        let name = arg.split('=').next().unwrap_or(arg);
        let inline = arg.contains('=');
        if DROPPED.contains(&name) {
        } else if DROPPED_VALUED.contains(&name) {
            if !inline {
                args.next();
            }
        } else if is_glued_workers(arg) {
        } else if VALUED.contains(&name) && !inline {
            sorted.options.push(arg.clone());
            sorted.options.extend(args.next().cloned());
        } else if !arg.starts_with('-') && is_path(arg) {
            sorted.paths.push(arg.clone());
        } else {
            sorted.options.push(arg.clone());
        }
    }
    sorted
}

/// `-n4`, `-nauto`.
fn is_glued_workers(arg: &str) -> bool {
    arg.strip_prefix("-n").is_some_and(|count| count == "auto" || count.parse::<u32>().is_ok())
}

/// Whether options that come before the call's own load a plugin that lies in the project: those of a configuration
/// file, by whatever name the call gives it, and of the variable.
fn names_own_plugin(call: &RunnerCall, place: &Place) -> bool {
    let folders = place.project.ancestors().take_while(|folder| folder.starts_with(&place.repository));
    let files = folders.flat_map(|folder| gate_names::PYTEST_FILES.map(|file| folder.join(file)));
    let files = files.chain(configuration(&call.args).into_iter().map(|file| place.project.join(file)));
    let is_own = |named: &Named| match named {
        Named::Plugin(name) => {
            let top = place.project.join(name.split('.').next().unwrap_or_default());
            top.is_dir() || top.with_extension("py").is_file()
        }
        Named::Path(_) | Named::Import(_) | Named::Package(_) | Named::Module(_) => false,
    };
    let given = call.env.iter().find(|(name, _)| name == OPTIONS).map(|(_, value)| value.clone());
    let given = given.or_else(|| std::env::var(OPTIONS).ok());
    let texts = files.filter_map(|file| regular_file::read_to_string(file).ok()).chain(given);
    texts.into_iter().any(|text| gate_names::of_pytest_options(&text).iter().any(is_own))
}

/// The configuration file that a call names.
fn configuration(args: &[String]) -> Option<&str> {
    let at = args.iter().position(|arg| {
        matches!(arg.as_str(), "-c" | "--config-file") || arg.starts_with("--config-file=")
    })?;
    args[at].strip_prefix("--config-file=").or_else(|| args.get(at + 1).map(String::as_str))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stops_early_goes_and_paths_are_told_from_values() {
        let args: Vec<String> =
            "-x -q --maxfail 2 -n4 -n 2 -k tests tests --cov=src -W error tests/a.py::t --lf"
                .split(' ')
                .map(str::to_owned)
                .collect();
        let sorted = sort_args(&args, &|word| word.starts_with("tests"));
        assert_eq!(sorted.options.join(" "), "-q -k tests --cov=src -W error");
        assert_eq!(sorted.paths.join(" "), "tests tests/a.py::t");
    }

    #[test]
    fn ac_tdd_9_124_who_keeps_the_environment_is_named_where_pytest_is_not_there() {
        let project = tempfile::tempdir().unwrap();
        let advice = || {
            let trouble =
                unusable(project.path(), Exit::Code(1), "python3: No module named pytest\n").unwrap();
            trouble.next
        };
        assert!(advice().contains("python3 -m pip install pytest"), "{}", advice());
        regular_file::write(project.path().join("poetry.lock"), "").unwrap();
        assert!(advice().contains("--test 'poetry run pytest'"), "{}", advice());
    }
}
