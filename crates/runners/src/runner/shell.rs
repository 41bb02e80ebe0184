//! Commands of the person's own: `kind: junit`, read by its report, `kind: tap`, read by what it
//! prints, and `kind: exit-code`, which can't be read test by test.
//!
//! A run of chosen files takes the `select` line. Files are left out by `select` too, if there is
//! one, else in a scratch copy of the tree. `{files}` in it stands for all paths at once; with `{file}`
//! or `{stem}` it is called for each file. What is chosen by `{stem}` is compiled together with all
//! other tests, so there, too, a copy leaves out what is to be left out.
//!
//! A chosen file of which a failed run tells nothing is run alone: if nothing is told then, it did not
//! load.

mod ava;
mod case_files;
mod facts;
mod reports;
mod tap;
mod unloaded;

use std::collections::{BTreeSet, VecDeque};
use std::path::Path;

use self::case_files::CaseFiles;
use super::place::Place;
use super::scope::Scope;
use super::scratch;
use super::verification::{Measured, Step, Verification};
use crate::command_line::quote;
use crate::foreign::REPORT;
use crate::test_report::junit::Case;
use tdd_core::commands::RunnerTable;
use tdd_core::guard::{self, Guard};
use tdd_core::path::RelPath;
use tdd_core::ports::Observer;
use tdd_core::test::{Exit, LoadFailure, Outcome, TestId, TestReport, TestResult};
use tdd_core::trouble::Trouble;

pub(super) use facts::{EXIT_CODE, JUNIT, TAP};

/// The person's lines.
#[derive(Clone, Debug)]
pub(super) struct Shell {
    all: String,
    select: Option<String>,
    /// Relative to the project; `None` for `exit-code`.
    report: Option<String>,
    format: Format,
    producer: tap::Producer,
    /// Files that earlier reports named: with `select`, "all but these" is made of them.
    known: BTreeSet<RelPath>,
}

/// How the command's results are told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Format {
    Junit(tap::Files),
    Tap(tap::Files),
    ExitCode,
}

impl Format {
    /// Whether it is not told which file a test is of.
    fn is_untold(self) -> bool {
        matches!(self, Self::Junit(tap::Files::Untold) | Self::Tap(tap::Files::Untold))
    }
}

impl Shell {
    pub(super) fn tap(table: &RunnerTable) -> Self {
        Self { format: Format::Tap(tap::Files::Untold), ..Self::new(table) }
    }

    pub(super) fn new(table: &RunnerTable) -> Self {
        Self {
            all: table.all.clone(),
            select: table.select.clone(),
            report: table.report.clone(),
            format: Format::Junit(tap::Files::Told),
            producer: tap::Producer::of(&table.all),
            known: BTreeSet::new(),
        }
    }

    pub(super) fn exit_code(table: Option<&RunnerTable>, test: &str) -> Self {
        Self {
            all: table.map_or_else(|| test.to_owned(), |table| table.all.clone()),
            select: table.and_then(|table| table.select.clone()),
            report: None,
            format: Format::ExitCode,
            producer: tap::Producer::Any,
            known: BTreeSet::new(),
        }
    }

    /// Files that reports named to a process before this one.
    pub(super) fn recall(&mut self, files: impl Iterator<Item = RelPath>) {
        self.known.extend(files);
    }

    pub(super) async fn run(
        &mut self,
        place: &Place,
        scope: &Scope,
        verification: &mut Verification,
        observer: Observer<'_>,
    ) -> Result<Measured, Trouble> {
        let chosen = self.chosen(place, scope);
        let by_itself = |file: &&RelPath| chosen.as_ref().is_some_and(|files| files.contains(file));
        let apart: Vec<&RelPath> = scope.told_apart.iter().filter(|file| !by_itself(file)).collect();
        let mut whole: Option<Measured> = None;
        let mut waiting: VecDeque<_> = self.batches(chosen).into();
        while let Some(files) = waiting.pop_front() {
            let measured = self.run_once(files.as_deref(), (place, scope), verification, observer).await?;
            if files.is_none() && self.is_cut_short(&measured, scope) {
                return self.in_parts((place, scope), verification, observer).await;
            }
            let goes_on = matches!(measured.exit, Exit::Code(_));
            let (measured, again) = self.sifted(measured, files.as_deref(), scope, verification);
            waiting.extend(again);
            whole = match (whole, measured) {
                (Some(before), Some(measured)) => Some(tap::joined(before, measured)),
                (before, measured) => before.or(measured),
            };
            if !goes_on {
                break;
            }
        }
        let mut whole =
            whole.unwrap_or(Measured { exit: Exit::Code(0), report: None, unreadable: None, fail_code: 1 });
        if self.format.is_untold() && self.select.is_some() {
            for file in apart {
                let alone = self
                    .run_once(Some(std::slice::from_ref(file)), (place, scope), verification, observer)
                    .await?;
                tap::name_file(&mut whole, &alone, file);
            }
        }
        Ok(whole)
    }

    /// What is run in one call. Output that does not say which file a test is of is asked for file by
    /// file.
    fn batches(&self, chosen: Option<Vec<RelPath>>) -> Vec<Option<Vec<RelPath>>> {
        match chosen {
            Some(files) if self.is_for_each() || self.format.is_untold() => {
                files.into_iter().map(|file| Some(vec![file])).collect()
            }
            chosen => vec![chosen],
        }
    }

    async fn run_once(
        &mut self,
        chosen: Option<&[RelPath]>,
        (place, scope): (&Place, &Scope),
        verification: &mut Verification,
        observer: Observer<'_>,
    ) -> Result<Measured, Trouble> {
        let command = match chosen {
            Some(files) => self.selection(place, files),
            None => self.all.clone(),
        };
        let is_whole = chosen.is_none() || self.has_word("{stem}");
        let in_copy = is_whole && !scope.leave_out.is_empty();
        let note = if in_copy { scratch::note(&scope.leave_out) } else { String::new() };
        verification.announce(format!("{command}{note}"), observer);
        let take = |file: &RelPath| !scope.leave_out.contains(file);
        let copy = in_copy.then(|| scratch::make(place, &take, observer)).transpose()?;
        let there = copy.as_ref().map_or_else(|| place.clone(), |copy| copy.place.clone());
        let mut report = self.report.as_ref().map(|path| there.project.join(path));
        if let Some(path) = report.as_ref().filter(|_| guard::stands(Guard::OldReport)) {
            reports::of(path).iter().try_for_each(|path| remove_old(path))?;
        }
        let prints = matches!(self.format, Format::Tap(_)) && report.is_none();
        let stdout = prints.then(|| verification.fresh("tap"));
        report = report.or_else(|| stdout.clone());
        let argv = ["sh", "-c", &command].map(Into::into).to_vec();
        let finished =
            verification.run(Step { argv, cwd: there.project.clone(), env: vec![], stdout }).await?;
        let said = verification.last_words(usize::from(prints));
        super::missing_program(finished.exit, &command, &said)?;
        let Some(report) = report else {
            return Ok(Measured { exit: finished.exit, report: None, unreadable: None, fail_code: 1 });
        };
        let only = chosen.and_then(<[RelPath]>::first).filter(|_| chosen.is_some_and(|c| c.len() == 1));
        let measured = match self.format {
            Format::Tap(_) => {
                let (measured, files) =
                    tap::read(&report, (finished.exit, &said, only), ([&there, place], self.producer), scope);
                if chosen.is_none() && self.format == Format::Tap(tap::Files::Untold) {
                    self.refuse_untied(files, measured.report.as_ref())?;
                    self.format = Format::Tap(files);
                }
                measured
            }
            Format::Junit(_) | Format::ExitCode => {
                let mut measured = read(&report, finished.exit, &there, place, scope);
                self.note_untold(&mut measured, chosen);
                measured
            }
        };
        if report.file_name().is_some_and(|name| name == REPORT) {
            remove_old(&report)?;
        }
        let files = measured.report.iter().flat_map(|report| &report.tests);
        self.known.extend(files.filter_map(|test| test.file.clone()));
        Ok(measured)
    }

    /// A report whose cases all lack their file is like TAP that does not tell it: asked file by file.
    fn note_untold(&mut self, measured: &mut Measured, chosen: Option<&[RelPath]>) {
        let Some(report) = measured.report.as_mut().filter(|report| !report.tests.is_empty()) else { return };
        if report.tests.iter().any(|test| test.file.is_some()) {
            return;
        }
        match chosen {
            None => self.format = Format::Junit(tap::Files::Untold),
            Some([only]) => report.tests.iter_mut().for_each(|test| test.file = Some(only.clone())),
            Some(_) => {}
        }
    }

    /// Tests that belong to no file, or have no name, can't be told from one another.
    fn refuse_untied(&self, files: tap::Files, report: Option<&TestReport>) -> Result<(), Trouble> {
        let tests = report.map(|report| report.tests.as_slice()).unwrap_or_default();
        if let Some(nameless) = tests.iter().find(|test| tap::is_nameless(test)) {
            return Err(Trouble::user(format!("a test of the TAP output has no name: {}", nameless.id))
                .because("numbers change when tests are added, so a test is known by its description alone")
                .advise("give each test a description: `ok 1 - adds two numbers`"));
        }
        match (files, &self.select, tests.first()) {
            (tap::Files::Untold, None, Some(test)) => Err(Trouble::user(format!(
                "the TAP output does not say which file a test is of: {}",
                test.id
            ))
            .because("each criterion is judged by the tests of its own files")
            .advise(format!(
                "name in tdd.yaml a command that runs some files alone:\n\
                         runner: {{ kind: tap, all: \"{}\", select: \"{} {{files}}\" }}\n\
                         or let the output name each file, as `# Subtest: test/a.t` above its tests",
                self.all, self.all
            ))),
            (tap::Files::Told | tap::Files::Untold, _, _) => Ok(()),
        }
    }

    fn has_word(&self, word: &str) -> bool {
        self.select.as_ref().is_some_and(|select| select.contains(word))
    }

    /// Whether `select` takes one file.
    fn is_for_each(&self) -> bool {
        self.select.is_some() && !self.has_word("{files}")
    }

    /// The files to hand to `select`; `None` runs everything.
    fn chosen(&self, place: &Place, scope: &Scope) -> Option<Vec<RelPath>> {
        self.select.as_ref()?;
        if !scope.is_unchosen() {
            return Some(scope.chosen_files());
        }
        // Nobody knows the files of tests that are told without one: the copy has all but those left out.
        if scope.leave_out.is_empty() || self.format.is_untold() || self.is_for_each() {
            return None;
        }
        let mut files: BTreeSet<RelPath> = self.known.clone();
        // Files that no report has named yet: those that look like the ones left out.
        let shapes: BTreeSet<_> = scope.leave_out.iter().map(shape).collect();
        files.extend(
            place.files_below(&place.project).into_iter().filter(|file| shapes.contains(&shape(file))),
        );
        files.retain(|file| !scope.leave_out.contains(file) && place.absolute(file).is_file());
        // With nothing to name, `select` could mean everything: the copy is the safe way.
        (!files.is_empty()).then(|| files.into_iter().collect())
    }

    /// The command line that runs these files' tests.
    pub(super) fn selection(&self, place: &Place, files: &[RelPath]) -> String {
        let Some(select) = &self.select else { return self.all.clone() };
        let paths: Vec<String> = files.iter().map(|file| place.id_path(file)).collect();
        if !self.is_for_each() {
            return fill(select, "{files}", &paths);
        }
        let stem = |path: &String| {
            let name = path.rsplit('/').next().unwrap_or(path);
            name.split('.').next().unwrap_or(name).to_owned()
        };
        let one = |path: &String| {
            let filled = fill(select, "{file}", std::slice::from_ref(path));
            fill(&filled, "{stem}", &[stem(path)])
        };
        paths.iter().map(one).collect::<Vec<String>>().join("; ")
    }
}

/// The folder, the affixes that say "test", and the extensions of a file.
fn shape(file: &RelPath) -> (String, String, bool, String) {
    let folder = file.folder();
    let name = file.file_name();
    let (stem, extension) = name.split_once('.').unwrap_or((name, ""));
    let tail = ["_test", "-test", "_spec", "Test", "_tests"].iter().find(|tail| stem.ends_with(**tail));
    let starts = stem.starts_with("test_") || stem.starts_with("ac_") || stem.starts_with("ac-");
    (folder.to_owned(), tail.map_or("", |tail| *tail).to_owned(), starts, extension.to_owned())
}

/// Puts paths in place of a word such as `{files}`, quoted for the quotes that stand around it.
fn fill(template: &str, word: &str, paths: &[String]) -> String {
    let mut filled = String::new();
    let mut rest = template;
    let mut quotes = None;
    while let Some((before, after)) = rest.split_once(word) {
        for character in before.chars() {
            quotes = match (quotes, character) {
                (None, '\'' | '"') => Some(character),
                (Some(open), character) if open == character => None,
                (quotes, _) => quotes,
            };
        }
        filled.push_str(before);
        let words: Vec<String> = paths.iter().map(|path| quote(path)).collect();
        let joined = match quotes {
            // Inside quotes the words are one argument, to be split again by whoever gets it.
            Some('\'') => words.join(" ").replace('\'', "'\\''"),
            Some(_) => words.join(" ").replace(['\\', '"', '$', '`'], "?"),
            None => words.join(" "),
        };
        filled.push_str(&joined);
        rest = after;
    }
    filled.push_str(rest);
    filled
}

/// Removes a report of an earlier run: it can't be told from the run's own.
fn remove_old(path: &Path) -> Result<(), Trouble> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(Trouble::environment(format!("the old report {} can't be removed", path.display()))
                .because(error)
                .advise("remove it by hand, and make its folder writable"))
        }
        Ok(()) | Err(_) => Ok(()),
    }
}

fn read(path: &Path, exit: Exit, there: &Place, place: &Place, scope: &Scope) -> Measured {
    // `make` and other wrappers have their own code for a failure: any but 0 is one.
    let fail_code = match exit {
        Exit::Code(code) if code != 0 => code,
        Exit::Code(_) | Exit::Signal(_) | Exit::Deadline | Exit::OutputCap => 1,
    };
    let parsed = match reports::read(path) {
        Ok(parsed) => parsed,
        Err(why) => return Measured { exit, report: None, unreadable: Some(why), fail_code },
    };
    let mut report = TestReport { complete: parsed.flaw.is_none(), ..TestReport::default() };
    let files = CaseFiles::new([there, place]);
    for case in parsed.cases {
        let file = files.of(&case);
        match (case.is_load_failure(), &case.outcome, &file) {
            (true, Outcome::Failed(failure), Some(file)) if scope.takes_file(file) => {
                report.load_failures.push(LoadFailure::new(file.clone(), failure.clone()));
            }
            (true, Outcome::Failed(_), Some(_)) => {}
            _ => report.tests.extend(result(case, file, place, scope)),
        }
    }
    Measured { exit, report: Some(report), unreadable: parsed.flaw, fail_code }
}

fn result(case: Case, file: Option<RelPath>, place: &Place, scope: &Scope) -> Option<TestResult> {
    let path = file.as_ref().map(|file| place.id_path(file));
    let stem = path.as_deref().map(dotted).unwrap_or_default();
    // A class name that only repeats the file says nothing more; what it has beyond is the class.
    let beyond = case.classname.strip_prefix(&stem).filter(|_| !stem.is_empty()).unwrap_or(&case.classname);
    let class = beyond.trim_matches('.');
    // deno's begins with `./`.
    let is_file = file.is_some() && place.in_repository(&case.classname) == file;
    let repeats = is_file || Some(case.classname.as_str()) == path.as_deref() || class.is_empty();
    let name = if repeats { case.name.clone() } else { format!("{class}::{}", case.name) };
    let id = TestId(match &path {
        Some(path) => format!("{path}::{name}"),
        None => name,
    });
    let taken = file.as_ref().is_none_or(|file| scope.takes(file, &id));
    taken.then_some(TestResult { id, file, outcome: case.outcome, duration_ms: case.duration_ms })
}

/// `tests/a.py` as a Python or Java class name begins: `tests.a`.
fn dotted(path: &str) -> String {
    path.rsplit_once('.').map_or(path, |(stem, _)| stem).replace('/', ".")
}

/// The file as the report says it, else the file that a dotted class name stands for.
#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_quoted_for_the_quotes_around_them() {
        let paths = ["a.py".to_owned(), "b c.py".to_owned()];
        for (template, want) in [
            ("t {files}", "t a.py 'b c.py'"),
            ("make ONLY='{files}'", "make ONLY='a.py '\\''b c.py'\\'''"),
            ("make ONLY=\"{files}\"", "make ONLY=\"a.py 'b c.py'\""),
            ("t", "t"),
        ] {
            assert_eq!(fill(template, "{files}", &paths), want, "{template}");
        }
    }

    #[test]
    fn files_of_one_shape_are_known_as_such() {
        let shape = |path: &str| shape(&RelPath::new(path).unwrap());
        assert_eq!(shape("test/a.test.ts"), shape("test/b.test.ts"));
        assert_eq!(shape("t/test_a.py"), shape("t/test_b.py"));
        assert_ne!(shape("t/test_a.py"), shape("t/helper.py"));
        assert_ne!(shape("test/a.test.ts"), shape("test/setup.ts"));
    }
}
