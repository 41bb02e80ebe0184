//! What `bun test` leaves: JUnit XML for tests, and its standard error for files that do not load.
//!
//! ```text
//! stderr  = { header | block | any line } [ summary ]
//! header  = PATH ":"                                    the file whose tests come next
//! block   = "# Unhandled error between tests" NL rule NL { any line } rule
//! rule    = "-------------------------------"
//! summary = { " " N (" pass" | " fail" | " error" | " errors" | …) NL } "Ran " …
//! nothing = "error: regex " … " matched 0 tests." …
//! ```
//!
//! The XML does not hold files that do not load. Tests may print on the same stream whatever they
//! like, so the blocks must be as many as the summary says, and the summary must be the last thing
//! that was said. A block that is forged can only make a run red or worthless.
//!
//! Leniency: one block may hold several errors of one file (two syntax errors); the first counts.

use super::jsonl::{LoadLine, Named, Raised, Reported, Said, TestLine};
use super::{js_error, junit};
use tdd_core::test::Outcome;

const BLOCK: &str = "# Unhandled error between tests";
const RULE: &str = "-------------------------------";
/// Lines at the end of the output among which the summary is.
const SUMMARY_LINES: usize = 16;

/// What is asked of the sources while a report is read.
pub struct Sources<'a> {
    /// Whether this is the path of a file, as bun writes paths: relative to the project.
    pub is_file: &'a dyn Fn(&str) -> bool,
    /// Whether the test in this file on this line turns its word round (`test.failing`), which the
    /// report does not tell.
    pub is_inverted: &'a dyn Fn(&str, Option<u32>) -> bool,
}

/// Reads both. The paths of files are as bun wrote them.
pub fn parse(xml: &[u8], stderr: &str, sources: &Sources<'_>) -> Reported {
    let junit = junit::parse(xml);
    let mut flaw = junit.flaw;
    let held = Counted::of(&junit.cases);
    let tests: Vec<TestLine> = junit.cases.into_iter().map(|case| test(case, sources)).collect();
    let (loads, counted) = match unloaded(stderr, sources.is_file) {
        Ok(loads) => (loads, summary(stderr)),
        Err(why) => (Vec::new(), Err(why)),
    };
    match counted {
        Ok(None) => {}
        Ok(Some(said)) => {
            let held = Counted { errors: loads.len(), ..held };
            flaw = flaw.or_else(|| said.disagrees(held));
        }
        Err(why) => flaw = flaw.or(Some(why)),
    }
    Reported { tests, loads, flaw, ..Reported::default() }
}

/// Whether the output ends with bun's summary of a run without any test.
pub fn is_whole(stderr: &str) -> bool {
    summary(stderr).is_ok() && stderr.lines().rev().take(SUMMARY_LINES).any(|line| line.trim() == "0 pass")
}

/// The output less the file that was run last, if its path holds `mark`: its `failed` tests all
/// failed, and nobody asked for them.
pub fn without_last_file(stderr: &str, mark: &str, failed: usize) -> String {
    let lines: Vec<&str> = stderr.split_inclusive('\n').collect();
    let is_header = |line: &&str| line.trim_end().ends_with(':') && line.contains(mark);
    let Some(start) = lines.iter().rposition(is_header) else { return stderr.to_owned() };
    let mut end = lines.iter().rposition(|line| line.starts_with("Ran ")).unwrap_or(lines.len()).max(start);
    while end > start && lines[end - 1].starts_with(' ') {
        end -= 1;
    }
    let fewer = |line: &str, word: &str, less: usize| {
        let (before, after) = line.split_once(word)?;
        let at = before.rfind(|character: char| !character.is_ascii_digit()).map_or(0, |at| at + 1);
        let count: usize = before[at..].parse().ok()?;
        Some(format!("{}{}{word}{after}", &before[..at], count.saturating_sub(less)))
    };
    let mut text: String = lines[..start].concat();
    for line in &lines[end..] {
        let counted = fewer(line, " fail\n", failed).or_else(|| {
            let line = fewer(line, " tests across ", failed)?;
            Some(fewer(&line, " files", 1).unwrap_or(line))
        });
        if !line.contains(" expect() calls") {
            text.push_str(counted.as_deref().unwrap_or(line));
        }
    }
    text
}

/// Whether the last thing bun said is that no test has a name as asked for.
pub fn is_unmatched(stderr: &str) -> bool {
    stderr.lines().rev().find(|line| !line.trim().is_empty()).is_some_and(says_unmatched)
}

fn says_unmatched(line: &str) -> bool {
    line.starts_with("error: regex ") && line.contains(" matched 0 tests.")
}

fn test(case: junit::Case, sources: &Sources<'_>) -> TestLine {
    // The outermost suite is the file.
    let titles = case.suites.iter().skip(1).chain([&case.name]);
    let name = titles.map(String::as_str).collect::<Vec<_>>().join(" > ");
    let file = case.file;
    let inverted = file.as_deref().is_some_and(|file| (sources.is_inverted)(file, case.line));
    let outcome = match case.outcome {
        Outcome::Passed if inverted => Said::Skip,
        Outcome::Passed => Said::Pass,
        Outcome::Skipped => Said::Skip,
        Outcome::Failed(_) => Said::Fail,
    };
    let errors = case.told.map(|(class, text)| thrown(class, &text)).into_iter().collect();
    #[expect(clippy::cast_precision_loss, reason = "a test's milliseconds fit by far")]
    let ms = case.duration_ms as f64;
    TestLine { test: Named { file, name }, at: None, outcome, phase: String::new(), ms, errors }
}

/// The text is the message, then the class with the message again and the stack.
fn thrown(class: String, text: &str) -> Raised {
    let message = text.split(&format!("\n{class}: ")).next().unwrap_or(text).trim();
    let code = (class == "TimeoutError").then(|| "testTimeoutFailure".to_owned());
    let message = if message.is_empty() { "the runner gave no message" } else { message };
    Raised { class, message: message.to_owned(), code, ..Raised::default() }
}

/// The files that did not load, each with its first error.
fn unloaded(stderr: &str, is_file: &dyn Fn(&str) -> bool) -> Result<Vec<LoadLine>, String> {
    let mut loads = Vec::new();
    let mut header = None;
    let mut lines = stderr.lines();
    while let Some(line) = lines.next() {
        if line != BLOCK {
            header = line.strip_suffix(':').filter(|path| is_file(path)).or(header);
            continue;
        }
        let Some(file) = header else {
            return Err("bun tells of an error outside of tests, and not in which file".to_owned());
        };
        let inside = lines.by_ref().skip_while(|line| *line != RULE).skip(1);
        let said: Vec<&str> = inside.take_while(|line| *line != RULE).take(200).collect();
        loads.push(LoadLine {
            file: file.to_owned(),
            skipped: false,
            errors: vec![first_error(&said)],
            ended: None,
            output: String::new(),
        });
    }
    Ok(loads)
}

/// `error: words` or `SomeError: words`.
fn first_error(lines: &[&str]) -> Raised {
    let plain = lines.iter().find_map(|line| line.strip_prefix("error: "));
    let classed = lines.iter().map(|line| js_error::raised(line)).find(|raised| !raised.class.is_empty());
    match (plain, classed) {
        (Some(words), _) => {
            Raised { class: "Error".to_owned(), message: words.to_owned(), ..Raised::default() }
        }
        (None, Some(raised)) => raised,
        (None, None) => Raised { class: "Error".to_owned(), message: lines.join("\n"), ..Raised::default() },
    }
}

/// What bun counts at its end, and what its reports hold of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Counted {
    passed: usize,
    failed: usize,
    /// All tests; less than the report holds where a pattern of names left some out.
    ran: usize,
    /// Outside of tests.
    errors: usize,
}

impl Counted {
    fn of(cases: &[junit::Case]) -> Self {
        let count = |is: fn(&Outcome) -> bool| cases.iter().filter(|case| is(&case.outcome)).count();
        Self {
            passed: count(|outcome| *outcome == Outcome::Passed),
            failed: count(|outcome| matches!(outcome, Outcome::Failed(_))),
            ran: cases.len(),
            errors: 0,
        }
    }

    fn disagrees(self, held: Self) -> Option<String> {
        let say = |said: usize, what: &str, held: usize, place: &str| {
            Some(format!("bun counts {said} {what}, and its {place} holds {held}"))
        };
        if self.errors != held.errors {
            return say(self.errors, "errors outside of tests", held.errors, "output");
        }
        if self.passed != held.passed {
            return say(self.passed, "tests that passed", held.passed, "report");
        }
        // A file that does not load is one more that failed.
        if !(held.failed..=held.failed + held.errors).contains(&self.failed) {
            return say(self.failed, "tests that failed", held.failed, "report");
        }
        if self.ran > held.ran + held.errors { say(self.ran, "tests", held.ran, "report") } else { None }
    }
}

/// What bun counts at its end; `None` if it found no test by its name.
fn summary(stderr: &str) -> Result<Option<Counted>, String> {
    let mut tail: Vec<&str> =
        stderr.lines().rev().filter(|line| !line.trim().is_empty()).take(SUMMARY_LINES).collect();
    let last = tail.first().copied().unwrap_or_default();
    if says_unmatched(last) {
        return Ok(None);
    }
    let Some(ran) = last.strip_prefix("Ran ").and_then(|rest| rest.split(' ').next()?.parse().ok()) else {
        return Err("bun did not print its summary: it ended before the tests did".to_owned());
    };
    // Only the block of counts right above it belongs to the summary.
    tail.remove(0);
    let counts = tail.into_iter().map_while(|line| line.strip_prefix(' ')?.trim_start().split_once(' '));
    let mut counted = Counted { ran, ..Counted::default() };
    for (count, what) in counts {
        let Ok(count) = count.parse() else { continue };
        match what {
            "pass" => counted.passed = count,
            "fail" => counted.failed = count,
            "error" | "errors" => counted.errors = count,
            _ => {}
        }
    }
    Ok(Some(counted))
}

#[cfg(test)]
#[path = "bun_tests.rs"]
mod tests;
