//! `cargo nextest run`: each test in a process of its own, of binaries that we have built.
//!
//! The build is the one of the cargo adapter, so targets that do not compile hide no others. What
//! came out is handed to nextest, which lists the tests, runs those in scope in one call, and
//! leaves a JUnit report in a place that nobody knew before. Doctests are not run by nextest.

mod arguments;
mod config;
mod metadata;

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fmt::Write as _;
use std::path::Path;

use super::environment;
use super::targets::Binary;
use super::{Base, Gathered, Trial};
use crate::command_line::RunnerCall;
use crate::runner::verification::{Step, Verification, disk, read_capped};
use crate::runner::words;
use crate::test_report::REPORT_CAP;
use crate::test_report::cargo_build::Build;
use crate::test_report::nextest::{self, Ignored, Key, Names, Pass};
use arguments::Arguments;
use tdd_child::regular_file;
use tdd_core::test::{Exit, Outcome, TestResult};
use tdd_core::trouble::Trouble;

/// nextest says this when a test failed.
pub(super) const FAIL_CODE: i32 = 100;

/// Bytes after which an expression goes on in another argument; one may hold 128 KiB.
const EXPRESSION_ROOM: usize = 60_000;

/// What a build has left to be run.
pub(super) struct Built<'a> {
    pub(super) call: &'a RunnerCall,
    pub(super) build: &'a Build,
    /// Those whose tests may take part.
    pub(super) binaries: &'a [&'a Binary],
}

#[derive(Debug)]
pub(super) struct Nextest {
    arguments: Arguments,
    offline: bool,
}

impl Nextest {
    pub(super) fn new(call: &RunnerCall) -> Self {
        let arguments = Arguments::read(&call.args);
        let offline = arguments.build.iter().any(|arg| arg == "--offline" || arg == "--frozen");
        Self { arguments, offline }
    }

    /// The arguments that a `cargo test` of the same targets would have.
    pub(super) fn build_args(&self) -> &[String] {
        &self.arguments.build
    }

    /// Lists and runs the tests of these binaries that are in scope.
    pub(super) async fn run(
        &self,
        built: &Built<'_>,
        trial: &Trial<'_>,
        verification: &mut Verification,
        gathered: &mut Gathered,
    ) -> Result<(), Trouble> {
        if built.binaries.is_empty() {
            return Ok(());
        }
        let ready = self.prepare(built, trial, verification)?;
        let Some(listed) = self.list(&ready, verification, gathered).await? else { return Ok(()) };
        let mut chosen = Chosen::default();
        for binary in built.binaries {
            let names = listed.get(&binary.nextest_id()).cloned().unwrap_or_default();
            chosen.add(binary, names, trial);
        }
        gathered.report.tests.append(&mut chosen.ignored);
        if chosen.run.is_empty() {
            return Ok(());
        }
        let step = ready.step("run", &self.arguments.narrowed(&chosen.expressions()), None);
        let finished = verification.run(step).await?;
        chosen.read(&ready, finished.exit, verification, gathered);
        Ok(())
    }

    fn prepare(
        &self,
        built: &Built<'_>,
        trial: &Trial<'_>,
        verification: &Verification,
    ) -> Result<Ready, Trouble> {
        let Built { call, build, binaries } = built;
        let Base { place, target_dir, .. } = *trial.base;
        let report = verification.fresh("nextest.xml");
        let profile = self.arguments.profile.as_deref().unwrap_or("default");
        let own = self.arguments.config_file.as_deref().map_or_else(
            || workspace_config(&place.project, &place.repository),
            |file| regular_file::read_to_string(place.project.join(file)).unwrap_or_default(),
        );
        let config = verification.fresh("nextest.toml");
        let made = verification.fresh("binaries.json");
        for (path, text) in [
            (&config, config::cleaned(&own, profile, &report)),
            (&made, metadata::of(build, binaries, target_dir)),
        ] {
            regular_file::write(path, text).map_err(|error| disk(path, &error))?;
        }
        let mut shared: Vec<OsString> = Vec::new();
        shared.extend(["--binaries-metadata".into(), made.into(), "--config-file".into(), config.into()]);
        shared.extend(["--profile", profile, "--color", "never"].map(OsString::from));
        shared.extend(words(&self.arguments.kept));
        // nextest asks cargo and rustc about the project; their notes must not get into the build.
        let aside = verification.fresh("nextest-target");
        let mut env = environment::building(call, &aside);
        env.push(("CARGO_TARGET_DIR".into(), Some(aside.into())));
        // Only tests of a proc-macro link against the compiler's own libraries, which nextest does not
        // look for on its own when it is handed a build.
        let linked = binaries.iter().find(|binary| binary.is_proc_macro);
        let linked = linked.map(|binary| trial.environment.step(binary).env).unwrap_or_default();
        env.extend(linked.into_iter().filter(|(name, _)| name == "LD_LIBRARY_PATH"));
        if self.offline {
            env.push(("CARGO_NET_OFFLINE".into(), Some("true".into())));
        }
        // Each of these would change which results there are, or where they are told.
        let unset = ["NEXTEST_PROFILE", "NEXTEST_RETRIES", "NEXTEST_NO_TESTS", "NEXTEST_TOOL_CONFIG_FILE"];
        env.extend(unset.map(|name| (name.into(), None)));
        let program = words(&call.program[..call.program.len() - 1]);
        Ok(Ready { program, shared, env, cwd: place.project.clone(), report })
    }

    /// `None` if there is no list; why is said in `gathered`.
    async fn list(
        &self,
        ready: &Ready,
        verification: &mut Verification,
        gathered: &mut Gathered,
    ) -> Result<Option<BTreeMap<String, Names>>, Trouble> {
        let stdout = verification.fresh("list");
        let mut args = self.arguments.narrowed(&[]);
        args.splice(..0, ["--message-format".to_owned(), "json".to_owned()]);
        let finished = verification.run(ready.step("list", &args, Some(stdout.clone()))).await?;
        let said = verification.last_words(1);
        verification.show_instead(&stdout, "")?;
        if said.contains("no such command: `nextest`") {
            return Err(Trouble::environment("`cargo nextest` is not installed")
                .because(last_line(&said))
                .advise("install it (`cargo install cargo-nextest --locked`), or say --test 'cargo test'"));
        }
        match finished.exit {
            Exit::Code(0) => {}
            Exit::Code(code) => {
                let why =
                    format!("nextest could not list the tests (exit code {code}): {}", last_line(&said));
                gathered.flaw.get_or_insert(why);
                return Ok(None);
            }
            Exit::Signal(_) | Exit::Deadline | Exit::OutputCap => {
                gathered.stopped = Some(finished.exit);
                return Ok(None);
            }
        }
        let bytes = read_capped(&stdout, REPORT_CAP).map(Option::unwrap_or_default);
        match bytes.and_then(|bytes| nextest::listed(&bytes)) {
            Ok(listed) => Ok(Some(listed)),
            Err(why) => {
                gathered.flaw.get_or_insert(why);
                Ok(None)
            }
        }
    }
}

/// What all calls of nextest in one verification share.
struct Ready {
    program: Vec<OsString>,
    shared: Vec<OsString>,
    env: Vec<(OsString, Option<OsString>)>,
    cwd: std::path::PathBuf,
    report: std::path::PathBuf,
}

impl Ready {
    fn step(&self, subcommand: &str, more: &[String], stdout: Option<std::path::PathBuf>) -> Step {
        let mut argv = self.program.clone();
        argv.push(subcommand.into());
        argv.extend(self.shared.iter().cloned());
        if subcommand == "run" {
            argv.extend(["--no-fail-fast", "--retries", "0", "--no-tests=pass"].map(OsString::from));
        }
        argv.extend(words(more));
        Step { argv, cwd: self.cwd.clone(), env: self.env.clone(), stdout }
    }
}

/// Which of the listed tests take part.
#[derive(Default)]
struct Chosen<'a> {
    run: BTreeMap<Key, (&'a Binary, TestResult, Pass)>,
    ignored: Vec<TestResult>,
    /// Binaries of which some tests do not take part.
    partial: BTreeSet<String>,
}

impl<'a> Chosen<'a> {
    fn add(&mut self, binary: &'a Binary, names: Names, trial: &Trial<'_>) {
        let pass = if binary.has_own_harness() { Pass::ByExit } else { Pass::AtEnd };
        for (name, ignored) in names {
            let id = binary.id(&name);
            let file = binary.file_of(&name, trial.base.place);
            if !trial.base.scope.takes(&file, &id) {
                if ignored == Ignored::No {
                    self.partial.insert(binary.nextest_id());
                }
                continue;
            }
            let test = TestResult { id, file: Some(file), outcome: Outcome::Skipped, duration_ms: 0 };
            match ignored {
                Ignored::Yes => self.ignored.push(test),
                Ignored::No => drop(self.run.insert((binary.nextest_id(), name), (binary, test, pass))),
            }
        }
    }

    /// The tests as expressions whose union they are; none if all take part.
    fn expressions(&self) -> Vec<String> {
        if self.partial.is_empty() {
            return Vec::new();
        }
        let mut parts: Vec<String> = Vec::new();
        for (binary, name) in self.run.keys() {
            let id = escaped(binary);
            let test = format!("(binary_id(={id}) & test(={}))", escaped(name));
            let whole = format!("binary_id(={id})");
            let part = if self.partial.contains(binary) { test } else { whole };
            match parts.last_mut() {
                Some(last) if *last == part => {}
                Some(last) if last.len() < EXPRESSION_ROOM => {
                    let _ = write!(last, " | {part}");
                }
                Some(_) | None => parts.push(part),
            }
        }
        parts
    }

    fn read(self, ready: &Ready, exit: Exit, verification: &Verification, gathered: &mut Gathered) {
        if let Exit::Signal(_) | Exit::Deadline | Exit::OutputCap = exit {
            gathered.stopped = Some(exit);
            return;
        }
        let bytes = match read_capped(&ready.report, REPORT_CAP) {
            Ok(Some(bytes)) => bytes,
            Ok(None) => {
                let why =
                    format!("nextest left no report ({exit}): {}", last_line(&verification.last_words(0)));
                gathered.flaw.get_or_insert(why);
                return;
            }
            Err(why) => {
                gathered.flaw.get_or_insert(why);
                return;
            }
        };
        let expected = self.run.iter().map(|(key, (_, _, pass))| (key.clone(), *pass)).collect();
        let told = nextest::told(&bytes, &expected);
        let agreed = if told.failed { FAIL_CODE } else { 0 };
        let disagrees = (exit != Exit::Code(agreed))
            .then(|| format!("nextest ended with {exit}, which its own report does not explain"));
        gathered.flaw = gathered.flaw.take().or(told.flaw).or(disagrees);
        let mut tests = told.tests;
        for (key, (_, mut test, _)) in self.run {
            if let Some((outcome, duration_ms)) = tests.remove(&key) {
                test.outcome = outcome;
                test.duration_ms = duration_ms;
                gathered.report.tests.push(test);
            }
        }
    }
}

/// For an `=` matcher: all but plain characters by their number, so that nothing means anything.
fn escaped(name: &str) -> String {
    let mut escaped = String::new();
    for character in name.chars() {
        if character.is_ascii_alphanumeric() || "_:-".contains(character) {
            escaped.push(character);
        } else {
            let _ = write!(escaped, "\\u{{{:x}}}", u32::from(character));
        }
    }
    escaped
}

/// The configuration of the workspace, which may lie above the project.
fn workspace_config(project: &Path, repository: &Path) -> String {
    let folders = project.ancestors().take_while(|folder| folder.starts_with(repository));
    let files = folders.map(|folder| folder.join(".config/nextest.toml"));
    files.into_iter().find_map(|file| regular_file::read_to_string(file).ok()).unwrap_or_default()
}

fn last_line(said: &str) -> String {
    let mut lines = said.lines().map(str::trim).filter(|line| !line.is_empty());
    let told = lines.clone().find(|line| line.starts_with("error"));
    told.or_else(|| lines.next_back()).unwrap_or("it gave no reason").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_escaped_so_that_nothing_in_them_means_anything() {
        assert_eq!(escaped("m::a_b-1"), "m::a_b-1");
        assert_eq!(
            escaped("a) | all() & (b"),
            "a\\u{29}\\u{20}\\u{7c}\\u{20}all\\u{28}\\u{29}\\u{20}\\u{26}\\u{20}\\u{28}b"
        );
        assert_eq!(escaped("ü\n/"), "\\u{fc}\\u{a}\\u{2f}");
    }
}
