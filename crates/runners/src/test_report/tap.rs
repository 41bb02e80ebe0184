//! The Test Anything Protocol, versions 12 to 14.
//!
//! ```text
//! document  = [ "TAP version " NUMBER NL ] { line }
//! line      = plan | point | yaml | subtest | bail | pragma | comment | other
//! plan      = "1.." NUMBER [ " # " ( "SKIP" … | words ) ] NL
//! point     = ( "ok" | "not ok" ) [ " " NUMBER ] [ [ " -" ] " " description ] [ " # " directive ] NL
//! directive = ( "SKIP" | "TODO" ) [ reason ]              in any case; "\#" in a description is a "#"
//! yaml      = indent "---" NL { indent words NL } indent "..." NL     two blanks deeper than its point
//! subtest   = [ "# Subtest: " NAME NL ] a document four blanks deeper, closed by the point that sums it up
//! bail      = "Bail out!" [ reason ] NL
//! pragma    = "pragma " …
//! comment   = "#" … NL
//! ```
//!
//! What a program prints comes on the same stream, so lines of another form are passed over and
//! lines of these forms are believed only as far as they agree: one plan, at the beginning or at the
//! end of its level, points numbered in order from 1, and as many as were planned. Leniencies: a
//! version above 14 is read as 14 (the grammar has only grown); a point may have no number (TAP 12);
//! `# time=5ms` behind a description is no part of it (node-tap), since it differs in every run; what
//! fails outside of a test may stand behind a plan's worth of points that ends the output (ava).
//!
//! node-tap writes a point for each assertion, whose names say nothing of the test and differ between a
//! red run and a green one. It tells them from tests by the time that only these have: a subtest with a
//! time is one test, as red as its assertions; the file around it stays what the names begin with.

mod notes;

use self::notes::{file_in, judge};
use super::js_modules::Project;
use super::{failure, junit, typescript};
use tdd_core::terminal_noise::clean_text;
use tdd_core::test::{Failure, FailureKind, Outcome};

/// One point without points below it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Point {
    /// Descriptions from the outermost subtest inwards.
    pub path: Vec<String>,
    /// As the producer's diagnostics tell it, if they do.
    pub file: Option<String>,
    pub outcome: Outcome,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TapReport {
    pub points: Vec<Point>,
    /// Why this is no complete report.
    pub flaw: Option<Flaw>,
}

/// What is wrong with a document, with the number of the line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Flaw {
    #[error("the TAP output has no plan (`1..N`), so nobody knows whether it is whole")]
    NoPlan,
    #[error("line {0} of the TAP output is a second plan")]
    SecondPlan(usize),
    #[error("line {0} of the TAP output is a plan between the test points")]
    PlanBetween(usize),
    #[error("line {line} of the TAP output has the number {got} where {want} comes next")]
    OutOfOrder { line: usize, got: usize, want: usize },
    #[error("the TAP output plans {planned} tests and holds {held}")]
    WrongCount { planned: usize, held: usize },
    #[error("line {0} of the TAP output bails out: {1}")]
    BailOut(usize, String),
    #[error("the diagnostics that begin at line {0} of the TAP output have no end")]
    OpenDiagnostics(usize),
    /// The line is 0 at the end of the output.
    #[error("a subtest of the TAP output is not summed up by a point (line {0})")]
    OpenSubtest(usize),
    #[error("line {0} of the TAP output passes a subtest that failed")]
    PassedOver(usize),
    #[error("the TAP output nests deeper than {DEPTH_CAP} subtests")]
    TooDeep,
}

/// Subtests nest this deep at most; a level is kept for each.
const DEPTH_CAP: usize = 64;
/// Bytes of diagnostics that are kept for a point.
const NOTES_CAP: usize = 16 * 1024;

/// Reads a document; never fails. What was read before a flaw is kept, for the person.
pub fn parse(bytes: &[u8]) -> TapReport {
    let text = String::from_utf8_lossy(bytes);
    let mut reading = Reading::default();
    for (at, line) in text.lines().enumerate() {
        if let Err(flaw) = reading.line(at + 1, line) {
            return TapReport { points: reading.points, flaw: Some(flaw) };
        }
    }
    let flaw = reading.end().err();
    TapReport { points: reading.points, flaw }
}

/// Judges a program that ended before it planned anything, by its last words.
pub fn load_failure(said: &str) -> Failure {
    let said = &clean_text(said);
    if let Some(failure) = typescript::judge(said, &ANYWHERE) {
        return failure;
    }
    match junit::absent(said) {
        Some(absent) => failure(FailureKind::Missing, said, Some(absent)),
        None => failure(FailureKind::Load, said, None),
    }
}

/// Where a project lies is not known to who reads its output: whatever is named by a path is taken for its own.
const ANYWHERE: Project<'_> = Project { root: "", aliases: &[], outside: &[] };

/// One document, or one subtest of it.
#[derive(Debug, Default)]
struct Level {
    plan: Option<usize>,
    held: usize,
    /// A plan has come behind points, so no point may follow.
    closed: bool,
    /// Where the level's points begin among all.
    first: usize,
    failed: bool,
    /// How many of its own points failed.
    failures: usize,
    /// Where its own points that are no subtests and have no time lie among all.
    asserted: Vec<usize>,
}

impl Level {
    fn check(&self) -> Result<(), Flaw> {
        match self.plan {
            None => Err(Flaw::NoPlan),
            Some(planned) if self.closed && planned < self.held && self.held - planned <= self.failures => {
                Ok(())
            }
            Some(planned) if planned != self.held => Err(Flaw::WrongCount { planned, held: self.held }),
            Some(_) => Ok(()),
        }
    }
}

/// Diagnostics under way.
#[derive(Debug)]
struct Notes {
    line: usize,
    indent: usize,
    text: String,
}

#[derive(Debug, Default)]
struct Reading {
    levels: Vec<Level>,
    points: Vec<Point>,
    notes: Option<Notes>,
    /// The points that the last line has made or summed up, for the diagnostics behind it.
    last: std::ops::Range<usize>,
    /// They are judged by their own assertions already.
    judged: bool,
}

impl Reading {
    fn line(&mut self, number: usize, line: &str) -> Result<(), Flaw> {
        let text = line.trim_start_matches(' ');
        let indent = line.len() - text.len();
        if let Some(notes) = &mut self.notes {
            if text.trim_end() == "..." && indent == notes.indent {
                let text = std::mem::take(&mut notes.text);
                self.notes = None;
                self.take_notes(&text);
            } else if notes.text.len() < NOTES_CAP {
                notes.text.push_str(text);
                notes.text.push('\n');
            }
            return Ok(());
        }
        if text.trim_end() == "---" && indent % 4 == 2 && !self.last.is_empty() {
            self.notes = Some(Notes { line: number, indent, text: String::new() });
            return Ok(());
        }
        let (Some(said), 0) = (said(text.trim_end()), indent % 4) else { return Ok(()) };
        let depth = indent / 4;
        let summed_up = self.reach(depth, number, &said)?;
        match said {
            Said::Plan(count) => self.plan(count, number),
            Said::BailOut(why) => Err(Flaw::BailOut(number, why.to_owned())),
            Said::Test(point) => self.test(&point, summed_up, number),
        }
    }

    /// Opens a level for a deeper line. Gives the level that a shallower line, which must be a point,
    /// sums up.
    fn reach(&mut self, depth: usize, number: usize, said: &Said<'_>) -> Result<Option<Level>, Flaw> {
        let open = self.levels.len();
        if depth >= DEPTH_CAP {
            return Err(Flaw::TooDeep);
        }
        if depth >= open {
            let first = self.points.len();
            self.levels.resize_with(depth + 1, || Level { first, ..Level::default() });
            return Ok(None);
        }
        if depth + 1 == open || matches!(said, Said::BailOut(_)) {
            return Ok(None);
        }
        if depth + 2 < open || !matches!(said, Said::Test(_)) {
            return Err(Flaw::OpenSubtest(number));
        }
        let inner = self.levels.pop().unwrap_or_default();
        inner.check()?;
        Ok(Some(inner))
    }

    fn plan(&mut self, count: usize, number: usize) -> Result<(), Flaw> {
        let Some(level) = self.levels.last_mut() else { return Ok(()) };
        if level.plan.is_some() {
            return Err(Flaw::SecondPlan(number));
        }
        level.plan = Some(count);
        level.closed = level.held > 0;
        self.last = 0..0;
        Ok(())
    }

    fn test(&mut self, test: &Test<'_>, inner: Option<Level>, number: usize) -> Result<(), Flaw> {
        let Some(level) = self.levels.last_mut() else { return Ok(()) };
        if level.closed {
            return Err(Flaw::PlanBetween(number));
        }
        level.held += 1;
        if let Some(got) = test.number.filter(|got| *got != level.held) {
            return Err(Flaw::OutOfOrder { line: number, got, want: level.held });
        }
        let outcome = test.outcome();
        let failed = matches!(outcome, Outcome::Failed(_));
        level.failed |= failed;
        level.failures += usize::from(failed);
        let is_timed = test.is_timed();
        self.judged = false;
        let name = test.description.clone();
        let from = inner.as_ref().map_or(self.points.len(), |inner| inner.first);
        if let Some(mut inner) = inner {
            if is_timed && !names_a_file(&name) {
                self.gather(&mut inner);
            }
            if inner.failed && outcome == Outcome::Passed {
                return Err(Flaw::PassedOver(number));
            }
            for point in &mut self.points[from..] {
                point.path.insert(0, name.clone());
                if outcome == Outcome::Skipped {
                    point.outcome = Outcome::Skipped;
                }
            }
            if inner.held > 0 && (inner.failed || !failed) {
                self.last = from..self.points.len();
                return Ok(());
            }
        }
        if let (false, Some(level), true) = (is_timed, self.levels.last_mut(), outcome != Outcome::Skipped) {
            level.asserted.push(self.points.len());
        }
        self.points.push(Point { path: vec![name], file: None, outcome });
        self.last = from..self.points.len();
        Ok(())
    }

    /// Makes one point of a subtest's assertions, which gets the subtest's name.
    fn gather(&mut self, inner: &mut Level) {
        let Some(&first) = inner.asserted.first() else { return };
        self.judged = true;
        let failed =
            inner.asserted.iter().copied().find(|at| matches!(self.points[*at].outcome, Outcome::Failed(_)));
        let told = self.points[failed.unwrap_or(first)].clone();
        self.points[first] = Point { path: Vec::new(), ..told };
        for at in inner.asserted.drain(1..).rev() {
            self.points.remove(at);
        }
    }

    fn take_notes(&mut self, text: &str) {
        let file = file_in(text);
        let single = self.last.len() == 1 && !self.judged;
        for point in &mut self.points[self.last.clone()] {
            point.file = point.file.take().or_else(|| file.clone());
            if let (true, Outcome::Failed(told)) = (single && point.path.len() == 1, &mut point.outcome) {
                *told = judge(text);
            }
        }
    }

    fn end(&self) -> Result<(), Flaw> {
        if let Some(notes) = &self.notes {
            return Err(Flaw::OpenDiagnostics(notes.line));
        }
        match self.levels.as_slice() {
            [] => Err(Flaw::NoPlan),
            [level] => level.check(),
            _ => Err(Flaw::OpenSubtest(0)),
        }
    }
}

/// A subtest of node-tap for a whole file.
fn names_a_file(name: &str) -> bool {
    let scripts = [".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx"];
    !name.contains(' ') && (name.contains('/') || scripts.iter().any(|end| name.ends_with(end)))
}

enum Said<'a> {
    Plan(usize),
    Test(Test<'a>),
    BailOut(&'a str),
}

struct Test<'a> {
    ok: Word,
    number: Option<usize>,
    description: String,
    directive: &'a str,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Word {
    Ok,
    NotOk,
}

impl Test<'_> {
    fn is_timed(&self) -> bool {
        self.directive.to_ascii_lowercase().starts_with("time=")
    }

    /// A test that is skipped or still to be written says nothing, whatever its word.
    fn outcome(&self) -> Outcome {
        let directive = self.directive.to_ascii_lowercase();
        if directive.starts_with("skip") || directive.starts_with("todo") {
            return Outcome::Skipped;
        }
        match self.ok {
            Word::Ok => Outcome::Passed,
            Word::NotOk => Outcome::Failed(failure(FailureKind::Assertion, &self.description, None)),
        }
    }
}

/// What a line says, without its indent; `None` for comments, pragmas, versions and all else.
fn said(text: &str) -> Option<Said<'_>> {
    if let Some(rest) = text.strip_prefix("1..") {
        let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        let comment = rest[end..].trim_start();
        let count = rest[..end].parse().ok()?;
        return (comment.is_empty() || comment.starts_with('#')).then_some(Said::Plan(count));
    }
    if let Some(why) = text.strip_prefix("Bail out!") {
        return Some(Said::BailOut(why.trim()));
    }
    let (ok, rest) = match text.strip_prefix("not ok") {
        Some(rest) => (Word::NotOk, rest),
        None => (Word::Ok, text.strip_prefix("ok")?),
    };
    if !rest.is_empty() && !rest.starts_with(' ') {
        return None;
    }
    let rest = rest.trim_start();
    let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    let whole = rest[digits..].is_empty() || rest[digits..].starts_with(' ');
    let (number, rest) = match rest[..digits].parse() {
        Ok(number) if whole => (Some(number), rest[digits..].trim_start()),
        Ok(_) | Err(_) => (None, rest),
    };
    let rest = rest.strip_prefix("- ").unwrap_or(if rest == "-" { "" } else { rest });
    let (description, directive) = split_directive(rest);
    let description = description.trim().replace("\\#", "#").replace("\\\\", "\\");
    Some(Said::Test(Test { ok, number, description, directive }))
}

/// Splits at the last `#` that is not escaped, if what follows is a directive, or a time, which is
/// another one in every run.
fn split_directive(text: &str) -> (&str, &str) {
    let Some((at, _)) = text.match_indices('#').rfind(|(at, _)| !text[..*at].ends_with('\\')) else {
        return (text, "");
    };
    let directive = text[at + 1..].trim();
    let lower = directive.to_ascii_lowercase();
    let is_one = ["skip", "todo", "time="].iter().any(|word| lower.starts_with(word));
    if is_one { (&text[..at], directive) } else { (text, "") }
}

#[cfg(test)]
#[path = "tap_tests.rs"]
mod tests;
