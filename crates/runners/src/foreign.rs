//! Runners without an adapter: how each is told to run all tests or some files, and to write what came
//! of each test as JUnit XML or TAP, as a `runner:` of `tdd.yaml` says it.
//!
//! A setting is made of the project's own call: its words stay as they are written, but what stops a run
//! early, watches, or chooses another reporter goes, and chosen files stand for its paths. What is lost
//! by it, and what a project must have for it, is said beside it.

mod arguments;
mod python;

use self::arguments::{Sorted, Words};
use crate::command_line::{self, parts};
use crate::runner::facts::Junit;
use tdd_core::commands::{RunnerKind, RunnerTable};

/// Where a report is left: a by-product by its name, in any folder.
pub const REPORT: &str = ".tdd-report.xml";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Foreign {
    Mocha,
    Tap,
    Ava,
    Tape,
    Deno,
    Tox,
    Nox,
    Hatch,
    Phpunit,
    Rspec,
    Gradle,
    Maven,
    Dotnet,
    Bats,
}

impl Foreign {
    pub fn name(self) -> &'static str {
        match self {
            Self::Mocha => "mocha",
            Self::Tap => "tap",
            Self::Ava => "ava",
            Self::Tape => "tape",
            Self::Deno => "deno test",
            Self::Tox => "tox",
            Self::Nox => "nox",
            Self::Hatch => "hatch test",
            Self::Phpunit => "phpunit",
            Self::Rspec => "rspec",
            Self::Gradle => "gradle",
            Self::Maven => "maven",
            Self::Dotnet => "dotnet test",
            Self::Bats => "bats",
        }
    }
}

/// A `runner:` and what a person has to know of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setting {
    pub table: RunnerTable,
    /// Whole sentences: what is lost, and what must be installed.
    pub notes: Vec<String>,
}

/// The runner that a line calls, if it is nothing but that one call.
pub fn recognise(command: &str) -> Option<Foreign> {
    call(command).map(|call| call.runner)
}

/// How to run and read it. `read` gives a file of the project.
pub fn setting(command: &str, read: &dyn Fn(&str) -> Option<String>) -> Option<Setting> {
    let call = call(command)?;
    match call.runner {
        Foreign::Mocha => Some(mocha(&call, read)),
        Foreign::Tap => Some(tap(&call, read)),
        Foreign::Ava => Some(ava(&call)),
        Foreign::Tape => Some(plain_tap(&call)),
        Foreign::Bats => Some(bats(&call)),
        Foreign::Deno => Some(deno(&call)),
        Foreign::Tox => Some(python::tox(&call, read)),
        Foreign::Nox => Some(python::nox(&call, read)),
        Foreign::Hatch => Some(python::hatch(&call)),
        Foreign::Phpunit => Some(phpunit(&call)),
        Foreign::Rspec => Some(rspec(&call, read)),
        Foreign::Gradle => Some(gradle(&call)),
        Foreign::Maven => Some(maven(&call)),
        Foreign::Dotnet => Some(dotnet(&call)),
    }
}

/// A call that has an adapter, read by its report all the same, because something must be run before it.
pub fn known_setting(command: &str, how: Junit) -> Setting {
    let report = |words: &str| words.replace("{report}", REPORT);
    let select = |all: String, behind: String| {
        let select = format!("{}{behind} {{files}}", without_paths(&all));
        junit(format!("{all}{behind}"), Some(select), Vec::new())
    };
    match how {
        Junit::Behind(options) => select(command.to_owned(), format!(" {}", report(options))),
        Junit::Instead(word, words) => select(command.replacen(word, &report(words), 1), String::new()),
    }
}

/// A call without the words at its end that are no options: its paths, if no option takes them.
fn without_paths(command: &str) -> String {
    let mut words = parts::written(command);
    while words
        .last()
        .is_some_and(|word| !word.starts_with('-') && parts::plain(word).contains(['/', '*', '.']))
    {
        words.pop();
    }
    words.join(" ")
}

/// One call, taken apart at the runner's own name.
#[derive(Clone, Debug)]
struct Call<'a> {
    runner: Foreign,
    /// The words up to the runner's own name, with it.
    program: Vec<&'a str>,
    args: Vec<&'a str>,
}

impl Call<'_> {
    fn sorted(&self, words: &Words<'_>) -> Sorted {
        arguments::sorted(&self.args, words)
    }

    /// The program with these words behind it.
    fn with(&self, words: &[&str]) -> String {
        let all = self.program.iter().chain(words).filter(|word| !word.is_empty());
        all.copied().collect::<Vec<&str>>().join(" ")
    }
}

/// Options with which no test is run.
const NOT_A_RUN: &[&str] = &["--help", "-h", "--version", "--list-tests", "--dry-run", "init"];

fn call(command: &str) -> Option<Call<'_>> {
    let words = command_line::words(command)?;
    let written = parts::written(command);
    let plain = command_line::plain_call(command)?;
    let first = words.len().checked_sub(plain.len()).filter(|_| words.len() == written.len())?;
    let name = |at: usize| words.get(at).map(|word| command_line::base_name(word));
    // A launcher that the line's own wrappers do not cover.
    let first = match (name(first)?, name(first + 1)) {
        ("bundle", Some("exec")) => first + 2,
        ("php" | "node", Some(_)) => {
            let is_runner = |word: &String| matches!(by_name(command_line::base_name(word)), Some((_, 0)));
            first + plain.iter().position(is_runner)?
        }
        _ => first,
    };
    let (runner, more) = by_name(name(first)?)?;
    let rest = words.get(first + 1..)?;
    // The word behind the program, or a task among its words, says that tests are run.
    let program = match (runner, more) {
        (Foreign::Gradle | Foreign::Maven, _) => {
            rest.iter().any(|word| matches!(word.as_str(), "test" | "check" | "verify")).then_some(first)?
        }
        (_, 0) => first,
        _ => rest.first().filter(|word| *word == "test").map(|_| first + 1)?,
    };
    let (program, args) = written.split_at(program + 1);
    let is_run = !args.iter().any(|word| NOT_A_RUN.contains(word));
    is_run.then(|| Call { runner, program: program.to_vec(), args: args.to_vec() })
}

/// The runner of a program's name, and how many words behind it belong to that name.
fn by_name(name: &str) -> Option<(Foreign, usize)> {
    Some(match name {
        "mocha" | "_mocha" | "mocha.js" | "mocha.cjs" => (Foreign::Mocha, 0),
        "tap" | "tap.mjs" => (Foreign::Tap, 0),
        "ava" => (Foreign::Ava, 0),
        "tape" => (Foreign::Tape, 0),
        "deno" => (Foreign::Deno, 1),
        "tox" => (Foreign::Tox, 0),
        "nox" => (Foreign::Nox, 0),
        "hatch" => (Foreign::Hatch, 1),
        "phpunit" | "phpunit.phar" | "pest" => (Foreign::Phpunit, 0),
        "rspec" => (Foreign::Rspec, 0),
        "gradle" | "gradlew" => (Foreign::Gradle, 1),
        "mvn" | "mvnw" => (Foreign::Maven, 1),
        "dotnet" => (Foreign::Dotnet, 1),
        "bats" => (Foreign::Bats, 0),
        _ => return None,
    })
}

fn junit(all: String, select: Option<String>, notes: Vec<String>) -> Setting {
    let table = RunnerTable { kind: RunnerKind::Junit, all, select, report: Some(REPORT.to_owned()) };
    Setting { table, notes }
}

fn tap_of(all: String, select: String) -> Setting {
    let table = RunnerTable { kind: RunnerKind::Tap, all, select: Some(select), report: None };
    Setting { table, notes: Vec::new() }
}

fn mocha(call: &Call<'_>, read: &dyn Fn(&str) -> Option<String>) -> Setting {
    const CONFIGURATIONS: [&str; 6] =
        [".mocharc.json", ".mocharc.jsonc", ".mocharc.js", ".mocharc.cjs", ".mocharc.yml", ".mocharc.yaml"];
    let sorted = call.sorted(&arguments::MOCHA);
    let flags = format!("--reporter xunit --reporter-options output={REPORT}");
    let all = call.with(&[&sorted.options, &flags, &sorted.paths]);
    let names_files = |text: &str| {
        text.contains("\"spec\"")
            || text.lines().any(|line| {
                let key = line.trim_start().trim_start_matches(['\'', '"']);
                key.strip_prefix("spec")
                    .is_some_and(|rest| rest.trim_start_matches(['\'', '"']).trim_start().starts_with(':'))
            })
    };
    let package = || {
        let file: Option<serde_json::Value> =
            read("package.json").and_then(|text| serde_json::from_str(&text).ok());
        file.is_some_and(|file| file.get("mocha").is_some_and(|mocha| mocha.get("spec").is_some()))
    };
    let configured =
        CONFIGURATIONS.into_iter().find(|name| read(name).is_some_and(|text| names_files(&text)));
    match configured.or_else(|| package().then_some("package.json")) {
        None => junit(all, Some(call.with(&[&sorted.options, &flags, "{files}"])), Vec::new()),
        Some(file) => {
            let note = format!(
                "There is no `select`: `spec` in {file} is added to whatever mocha is told, so every run is of all files."
            );
            junit(all, None, vec![note])
        }
    }
}

fn tap(call: &Call<'_>, read: &dyn Fn(&str) -> Option<String>) -> Setting {
    let sorted = call.sorted(&arguments::TAP);
    let version = || {
        let text = read("node_modules/tap/package.json")?;
        let file: serde_json::Value = serde_json::from_str(&text).ok()?;
        file.get("version")?.as_str()?.split('.').next()?.parse::<u32>().ok()
    };
    // Without enough coverage its exit code would say "failed" of tests that all passed.
    let no_coverage =
        if version().is_some_and(|major| major < 18) { "--no-coverage" } else { "--disable-coverage" };
    let flags = format!("--reporter=tap {no_coverage}");
    let all = call.with(&[&sorted.options, &flags, &sorted.paths]);
    tap_of(all, call.with(&[&sorted.options, &flags, "{files}"]))
}

fn ava(call: &Call<'_>) -> Setting {
    let sorted = call.sorted(&arguments::AVA);
    let all = call.with(&[&sorted.options, "--tap", &sorted.paths]);
    tap_of(all, call.with(&[&sorted.options, "--tap", "{files}"]))
}

fn plain_tap(call: &Call<'_>) -> Setting {
    let sorted = call.sorted(&arguments::TAPE);
    tap_of(call.with(&[&sorted.options, &sorted.paths]), call.with(&[&sorted.options, "{files}"]))
}

fn bats(call: &Call<'_>) -> Setting {
    let sorted = call.sorted(&arguments::BATS);
    let all = call.with(&[&sorted.options, "--tap", &sorted.paths]);
    tap_of(all, call.with(&[&sorted.options, "--tap", "{files}"]))
}

fn deno(call: &Call<'_>) -> Setting {
    let sorted = call.sorted(&arguments::DENO);
    let flags = format!("--junit-path={REPORT}");
    let all = call.with(&[&sorted.options, &flags, &sorted.paths, &sorted.behind]);
    junit(all, Some(call.with(&[&sorted.options, &flags, "{files}", &sorted.behind])), Vec::new())
}

fn phpunit(call: &Call<'_>) -> Setting {
    let sorted = call.sorted(&arguments::PHPUNIT);
    let flags = format!("--log-junit {REPORT}");
    let all = call.with(&[&sorted.options, &flags, &sorted.paths]);
    // It takes one file; a suite that is chosen, too, would be run in its place.
    let chosen = arguments::sorted(&sorted.option_words(), &arguments::PHPUNIT_SUITES).options;
    junit(all, Some(call.with(&[&chosen, &flags, "{file}"])), Vec::new())
}

fn rspec(call: &Call<'_>, read: &dyn Fn(&str) -> Option<String>) -> Setting {
    let sorted = call.sorted(&arguments::RSPEC);
    let flags = format!("--format RspecJunitFormatter --out {REPORT}");
    let all = call.with(&[&sorted.options, &flags, &sorted.paths]);
    let has_it = read("Gemfile.lock").is_some_and(|lock| lock.contains("rspec_junit_formatter"));
    let note = "It needs the gem rspec_junit_formatter, which is not in Gemfile.lock.".to_owned();
    let notes = if has_it { Vec::new() } else { vec![note] };
    junit(all, Some(call.with(&[&sorted.options, &flags, "{files}"])), notes)
}

/// What compiles its tests together runs chosen classes, in a copy without the files left out.
const TOGETHER: &str = "A test class is chosen by the name of its file, one call for each.";

fn gradle(call: &Call<'_>) -> Setting {
    let args: Vec<&str> =
        call.args.iter().copied().filter(|word| !matches!(*word, "test" | "check" | "build")).collect();
    let all = call.with(&[&args.join(" "), "cleanTest test --no-build-cache --no-daemon"]);
    let report = "build/test-results/test/*.xml".to_owned();
    let select = Some(format!("{all} --tests '{{stem}}'"));
    let table = RunnerTable { kind: RunnerKind::Junit, all, select, report: Some(report) };
    Setting { table, notes: vec![TOGETHER.to_owned()] }
}

fn maven(call: &Call<'_>) -> Setting {
    let all = call.with(&[&call.args.join(" ")]);
    let report = "target/surefire-reports/*.xml".to_owned();
    let select = Some(format!("{all} -Dtest='{{stem}}'"));
    let table = RunnerTable { kind: RunnerKind::Junit, all, select, report: Some(report) };
    Setting { table, notes: vec![TOGETHER.to_owned()] }
}

fn dotnet(call: &Call<'_>) -> Setting {
    let logger = format!("--logger 'junit;LogFilePath={REPORT}'");
    let all = call.with(&[&call.args.join(" "), &logger]);
    let needs = "It needs the package JunitXml.TestLogger in the test project; not tried by us.".to_owned();
    let select = Some(format!("{all} --filter 'FullyQualifiedName~{{stem}}'"));
    junit(all, select, vec![needs, TOGETHER.to_owned()])
}

#[cfg(test)]
#[path = "foreign/tests.rs"]
mod tests;
