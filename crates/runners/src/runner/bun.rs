//! `bun test`, read from its JUnit XML and its standard error.
//!
//! All files share one process, and bun has no reporter of one's own. Where some files take no part,
//! the others are named one by one; `./` before a path makes it mean that file alone. A canary is
//! named last, by a path that bun would not find: so it runs in the same process after all else.

mod facts;

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;

use super::canary::{self, PlantedCanary};
use super::javascript::canary::plant;
use super::javascript::{self, FAIL_CODE, Options, Sorted};
use super::place::Place;
use super::scope::Scope;
use super::verification::words;
use super::verification::{Measured, Step, Verification, disk, read_capped};
use crate::canary_text::JavaScriptRunner;
use crate::command_line::{RunnerCall, typed};
use crate::test_report::REPORT_CAP;
use crate::test_report::bun::{self, Sources};
use tdd_child::regular_file;
use tdd_core::path::RelPath;
use tdd_core::ports::Observer;
use tdd_core::terminal_noise::clean_text;
use tdd_core::test::Exit;
use tdd_core::trouble::Trouble;

pub(super) use facts::RUNNER;

#[derive(Clone, Debug)]
pub(super) struct Bun {
    call: RunnerCall,
}

impl Bun {
    pub(super) fn new(call: RunnerCall) -> Self {
        Self { call }
    }

    pub(super) async fn run(
        &self,
        place: &Place,
        scope: &Scope,
        verification: &mut Verification,
        observer: Observer<'_>,
    ) -> Result<Measured, Trouble> {
        let sorted = OPTIONS.sort(&self.call.args);
        let files = files(place, scope, &sorted);
        let shown = if scope.is_all() { None } else { files.as_deref() };
        verification.announce(self.typed(&sorted, place, shown), observer);
        let present = files.map(|files| {
            let present = files.iter().filter(|file| place.absolute(file).is_file());
            present.map(|file| argument(place, file)).collect::<Vec<_>>()
        });
        if present.as_ref().is_some_and(Vec::is_empty) {
            return Ok(javascript::nothing());
        }
        let judged = canary::judged(place, scope.judged.as_deref());
        let first = judged.as_deref().and_then(<[_]>::first);
        let planted = first.map(|first| plant(JavaScriptRunner::Bun, place, first)).transpose()?;
        let scope = &scope.with_own(planted.as_ref().and_then(|planted| planted.path.as_ref()));
        let mut argv = self.program(place)?;
        let told = verification.fresh("report.xml");
        argv.extend(options(sorted.options, planted.as_ref()));
        argv.push(format!("--preload={}", unseen(verification)?.display()));
        argv.push("--reporter=junit".to_owned());
        argv.push(format!("--reporter-outfile={}", told.display()));
        let own =
            planted.as_ref().map_or_else(String::new, |planted| format!("|^{} ", planted.secret().name));
        let pattern = javascript::pattern(scope, place);
        argv.extend(pattern.map(|pattern| format!("--test-name-pattern={pattern}{own}")));
        argv.extend(present.unwrap_or(if planted.is_some() {
            vec![everywhere(place)]
        } else {
            sorted.places
        }));
        argv.extend(planted.as_ref().map(|planted| planted.file().to_string_lossy().into_owned()));
        let stdout = verification.fresh("stdout");
        let mut env = javascript::environment(&self.call, place);
        env.extend(unattended());
        let step = Step { argv: words(&argv), cwd: place.project.clone(), env, stdout: Some(stdout) };
        let before = snapshots(place);
        let finished = verification.run(step).await;
        remove_new(place, &before);
        let finished = finished?;
        let said = clean_text(&verification.last_words(1)).into_owned();
        let mut run = conclude(finished.exit, read_capped(&told, REPORT_CAP), &said, place, scope);
        if let (Some(planted), Some(report)) = (&planted, &mut run.report) {
            verification.note_canary(canary::outcome(Some(planted), judged.as_deref(), report));
            let (mark, tests) = (&planted.secret().name, planted.tests().len());
            verification.rewrite_end(1, &|said| bun::without_last_file(&clean_text(said), mark, tests))?;
        }
        Ok(run)
    }

    /// The command line that runs these files' tests.
    pub(super) fn selection(&self, place: &Place, files: &[RelPath]) -> String {
        self.typed(&OPTIONS.sort(&self.call.args), place, Some(files))
    }

    fn typed(&self, sorted: &Sorted, place: &Place, files: Option<&[RelPath]>) -> String {
        let mut argv = self.call.program.clone();
        argv.extend(sorted.options.iter().cloned());
        match files {
            None => argv.extend(sorted.places.iter().cloned()),
            Some(files) => argv.extend(files.iter().map(|file| argument(place, file))),
        }
        typed(&argv)
    }

    /// The words up to `test`, the program itself as it lies in the project if it does.
    fn program(&self, place: &Place) -> Result<Vec<String>, Trouble> {
        let at =
            self.call.program.iter().position(|word| word == "bun" || word.ends_with("/bun")).unwrap_or(0);
        let (start, rest) = self.call.program.split_at(at + 1);
        let call = RunnerCall { program: start.to_vec(), ..self.call.clone() };
        let mut argv = javascript::program(&call, "bun", place)?;
        argv.extend(rest.iter().cloned());
        Ok(argv)
    }
}

/// Bun has no flag by which a snapshot that nobody recorded is an error: it looks at `CI` when it starts.
/// So it is told, and a script before the tests ([`unseen`]) makes the variable what the person has;
/// a project's own `preload` alone runs before that. In an agent's session bun keeps quiet about what is
/// read here.
fn unattended() -> impl Iterator<Item = (OsString, Option<OsString>)> {
    let quiet = ["AGENT", "AI_AGENT", "CLAUDECODE", "REPL_ID"].map(|name| (name.into(), None));
    quiet.into_iter().chain([("CI".into(), Some("true".into()))])
}

/// Writes the script that hides from the tests what bun is told.
fn unseen(verification: &Verification) -> Result<PathBuf, Trouble> {
    let path = verification.fresh("tdd_bun_unseen.js");
    let text = match std::env::var("CI") {
        Ok(own) => format!("process.env.CI = {};\n", serde_json::Value::from(own)),
        Err(_) => "delete process.env.CI;\n".to_owned(),
    };
    regular_file::write(&path, text).map_err(|error| disk(&path, &error))?;
    Ok(path)
}

/// What the XML, if there is one, and the output say of what was asked for.
fn conclude(
    exit: Exit,
    xml: Result<Option<Vec<u8>>, String>,
    said: &str,
    place: &Place,
    scope: &Scope,
) -> Measured {
    let failed = exit == Exit::Code(FAIL_CODE);
    let xml = match xml {
        Ok(Some(xml)) => xml,
        Ok(None) if failed && nothing_found(said) => return javascript::nothing(),
        // Where no file loads at all, or none holds a test, bun writes no XML.
        Ok(None) if (failed || exit.is_success()) && bun::is_whole(said) => b"<testsuites/>".to_vec(),
        Ok(None) => {
            let why = "bun left no report: it ended before its tests did".to_owned();
            return javascript::measured(exit, None, Some(why));
        }
        Err(why) => return javascript::measured(exit, None, Some(why)),
    };
    let inverted = Inverted { place, files: RefCell::default() };
    let is_file = |path: &str| place.in_repository(path).is_some_and(|file| place.absolute(&file).is_file());
    let is_inverted = |file: &str, line: Option<u32>| inverted.holds(file, line);
    let reported = bun::parse(&xml, said, &Sources { is_file: &is_file, is_inverted: &is_inverted });
    let whole = javascript::results(&reported, place);
    let view = javascript::view(&whole, scope);
    // No test of these names is no failure: the caller decides what that means.
    let unmatched = failed && whole.complete && !whole.is_red() && bun::is_unmatched(said);
    let exit = if unmatched { Exit::Code(0) } else { javascript::exit_of_view(exit, &whole, &view) };
    javascript::measured(exit, Some(view), reported.flaw)
}

/// The snapshots that are there.
fn snapshots(place: &Place) -> Vec<RelPath> {
    let mut files = place.files_below(&place.project);
    files.retain(|file| file.extension() == "snap" && file.as_str().contains("__snapshots__/"));
    files
}

/// bun begins a snapshot file even where it refuses to record: nothing was recorded, so it goes.
fn remove_new(place: &Place, before: &[RelPath]) {
    for file in snapshots(place).iter().filter(|file| !before.contains(file)) {
        let path = place.absolute(file);
        // What can't be removed is seen as a change of the tree later on.
        let _ = std::fs::remove_file(&path);
        if let Some(folder) = path.parent() {
            // Only if it is empty.
            let _ = std::fs::remove_dir(folder);
        }
    }
}

fn nothing_found(said: &str) -> bool {
    let first = said.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    first.starts_with("No tests found!")
        || said.contains("The following filters did not match any test files")
}

fn argument(place: &Place, file: &RelPath) -> String {
    match place.in_project(file) {
        Some(path) => format!("./{path}"),
        None => place.absolute(file).to_string_lossy().into_owned(),
    }
}

/// The files to be named; `None` if bun is to find them all by itself. Beside the path of a canary
/// it does not take words for parts of paths any more.
fn files(place: &Place, scope: &Scope, sorted: &Sorted) -> Option<Vec<RelPath>> {
    let with_canary = scope.judged.is_some();
    let mut files = match (scope.is_all(), scope.is_unchosen()) {
        (true, _) if !with_canary || sorted.places.is_empty() => return None,
        (true, _) | (false, true) => found(place, sorted),
        (false, false) => scope.chosen_files(),
    };
    files.retain(|file| scope.takes_file(file));
    Some(files)
}

/// The path that means all that bun would find: with any path at all it looks nowhere by itself.
fn everywhere(place: &Place) -> String {
    configured_root(place).map_or_else(|| ".".to_owned(), |root| format!("./{root}"))
}

/// The files that bun would find by itself.
fn found(place: &Place, sorted: &Sorted) -> Vec<RelPath> {
    let root = configured_root(place).unwrap_or_default();
    let mut files = place.files_below(&place.project.join(root));
    files.retain(|file| is_test(file.file_name()) && is_meant(&place.id_path(file), &sorted.places));
    files
}

fn configured_root(place: &Place) -> Option<String> {
    root(&regular_file::read_to_string(place.project.join("bunfig.toml")).unwrap_or_default())
}

/// The person's options; a pattern of names among them takes the canary's too.
fn options(options: Vec<String>, planted: Option<&PlantedCanary>) -> Vec<String> {
    let Some(planted) = planted else { return options };
    let with_own = |pattern: &str| format!("(?:{pattern})|^{} ", planted.secret().name);
    let mut is_value = false;
    let each = |option: String| {
        let was_value = std::mem::replace(&mut is_value, NAME_PATTERN.contains(&option.as_str()));
        match option.split_once('=') {
            _ if was_value => with_own(&option),
            Some((name, pattern)) if NAME_PATTERN.contains(&name) => format!("{name}={}", with_own(pattern)),
            Some(_) | None => option,
        }
    };
    options.into_iter().map(each).collect()
}

const NAME_PATTERN: &[&str] = &["-t", "--test-name-pattern"];

/// A word with `./` or `/` before it is a path, any other one a part of paths.
fn is_meant(path: &str, places: &[String]) -> bool {
    let one = |place: &String| match place.strip_prefix("./") {
        Some(exact) => {
            path == exact
                || path.strip_prefix(exact.trim_end_matches('/')).is_some_and(|rest| rest.starts_with('/'))
        }
        None => place.starts_with('/') || path.contains(place.as_str()),
    };
    places.is_empty() || places.iter().any(one)
}

fn is_test(name: &str) -> bool {
    let Some((stem, extension)) = name.rsplit_once('.') else { return false };
    let script = matches!(extension, "js" | "jsx" | "ts" | "tsx" | "mjs" | "cjs" | "mts" | "cts");
    script && [".test", "_test", ".spec", "_spec"].iter().any(|tail| stem.ends_with(tail))
}

/// `root` of `[test]` in `bunfig.toml`; of a file that can't be read, none.
fn root(config: &str) -> Option<String> {
    let config: toml::Table = config.parse().ok()?;
    let root = config.get("test")?.get("root")?.as_str()?;
    Some(root.trim_start_matches("./").to_owned())
}

/// Which tests turn their word round, found in the sources: the report does not tell.
struct Inverted<'a> {
    place: &'a Place,
    files: RefCell<BTreeMap<String, Marks>>,
}

/// Where `failing` is written in a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Marks {
    /// Lines, from 1, with `.failing(` or `.failing.`.
    called: Vec<u32>,
    /// It is used in another way too, so that it may be called by another name anywhere.
    passed_on: bool,
}

impl Inverted<'_> {
    fn holds(&self, file: &str, line: Option<u32>) -> bool {
        let mut files = self.files.borrow_mut();
        let marks = files.entry(file.to_owned()).or_insert_with(|| {
            let path = self.place.in_repository(file).map(|file| self.place.absolute(&file));
            let bytes = path.and_then(|path| read_capped(&path, 16 * 1024 * 1024).ok().flatten());
            marks(&String::from_utf8_lossy(&bytes.unwrap_or_default()))
        });
        marks.passed_on || line.is_none_or(|line| marks.called.contains(&line)) && !marks.called.is_empty()
    }
}

fn marks(source: &str) -> Marks {
    let mut marks = Marks::default();
    for (number, line) in (1..).zip(source.lines()) {
        for (at, word) in line.match_indices("failing") {
            let (before, after) = (&line[..at], &line[at + word.len()..]);
            if before.ends_with('.') {
                match after.trim_start().chars().next() {
                    Some('(' | '.') => marks.called.push(number),
                    Some(c) if c.is_alphanumeric() || c == '_' => {}
                    Some(_) | None => marks.passed_on = true,
                }
            }
            let by_index = before.ends_with(['\'', '"', '`']) && before[..before.len() - 1].ends_with('[');
            // `const { failing } = test`, on one line as people write it.
            let is_taken_apart = before.contains('{')
                && after.split_once('}').is_some_and(|(_, rest)| rest.trim_start().starts_with('='));
            marks.passed_on |= by_index || is_taken_apart;
        }
    }
    marks
}

const OPTIONS: Options = Options {
    valued: &[
        "--timeout",
        "--preload",
        "-r",
        "--require",
        "--import",
        "--rerun-each",
        "--retry",
        "--seed",
        "--max-concurrency",
        "-t",
        "--test-name-pattern",
        "-c",
        "--config",
        "--cwd",
        "--env-file",
        "--conditions",
        "-d",
        "--define",
        "-l",
        "--loader",
        "--tsconfig-override",
        "--path-ignore-patterns",
        "--shard",
    ],
    listed: &[],
    dropped: &[
        "--bail",
        "--coverage",
        "--watch",
        "--hot",
        "-u",
        "--update-snapshots",
        "--only-failures",
        "--dots",
        "--changed",
        "--pass-with-no-tests",
    ],
    dropped_valued: &["--reporter", "--reporter-outfile", "--coverage-reporter", "--coverage-dir"],
    dropped_counted: &[],
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buns_own_patterns_are_known() {
        for (name, want) in [
            ("a.test.ts", true),
            ("a_test.js", true),
            ("a.spec.tsx", true),
            ("a_spec.mjs", true),
            ("test.ts", false),
            ("a-test.ts", false),
            ("a.test.py", false),
        ] {
            assert_eq!(is_test(name), want, "{name}");
        }
        let places = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        for (words, want) in [
            ("", true),
            ("core", true),
            ("./src", true),
            ("./src/core.test.ts", true),
            ("./sr", false),
            ("x", false),
        ] {
            assert_eq!(is_meant("src/core.test.ts", &places(words)), want, "{words}");
        }
    }

    #[test]
    fn the_root_of_the_tests_is_read_however_it_is_written() {
        for (config, want) in [
            ("[install]\nroot = 'x'\n\n[test]\npreload = []\nroot = \"./src\"\n", Some("src")),
            ("test.root = 'lib' # where they are\n", Some("lib")),
            ("test = { coverage = true, root = \"a b\" }\n", Some("a b")),
            ("[test]\nnotes = \"\"\"\nroot = 'no'\n\"\"\"\n", None),
            ("[install]\nroot = 'x'\n", None),
            ("[test\nroot = 'x'\n", None),
        ] {
            assert_eq!(root(config).as_deref(), want, "{config}");
        }
    }

    #[test]
    fn a_test_that_turns_its_word_round_is_known_by_its_line_or_by_its_file() {
        let called = marks(
            "test('a', () => {});\ntest.failing('b', () => {});\n// a failing test\ntest.failing.each([1])('c');",
        );
        assert_eq!(called, Marks { called: vec![2, 4], passed_on: false });
        for passed_on in [
            "const t = test.failing;",
            "test['failing']('x')",
            "const { failing } = test;",
            "const { failing: f } = test;",
        ] {
            assert!(marks(passed_on).passed_on, "{passed_on}");
        }
        for harmless in [
            "test('failing', () => {}); // failing: still",
            "test('a failing call', () => {});",
            "x.failingTests",
        ] {
            assert_eq!(marks(harmless), Marks::default(), "{harmless}");
        }
    }
}
