//! The one cause of a halt: a sentence in words of the field (contract section 10).
//!
//! ```text
//! cause = what ran out or was missing ["; " rest] | rest
//! rest  = a file of ours that the role may not change, where nothing loads without it
//!       | a file that does not load: its place and the message
//!       | a test that failed: its id and what the runner said
//!       | a rule that was broken, with the path
//!       | whatever else speaks against the work
//! ```
//!
//! It rests on findings. What a child says is in it only where the child's word is the cause: a
//! dispute, and a block that can't be read.

mod place;

use crate::claim::{ClaimError, ClaimErrorKind, Dispute};
use crate::finding::{FailedItem, RedKind, RunRef};
use crate::judge::{Fault, Reason, Verdict};
use crate::path::RelPath;
use crate::role::Key;
use crate::test::{FailureKind, TestId};

pub use self::place::Place;

/// Characters of what a runner said that are taken over.
const LONGEST_MESSAGE: usize = 200;
/// Lines of it that are joined: `left` and `right` stand on lines of their own in many runners.
const MOST_LINES: usize = 4;
/// Disputed tests that are named.
const MOST_DISPUTED: usize = 3;

/// Why a run halted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cause {
    /// One line; not yet made harmless for a terminal.
    pub sentence: String,
    /// The test that failed, if one did.
    pub test: Option<TestId>,
    /// Where to look first.
    pub place: Option<Place>,
    /// Words of the output around which evidence is cut; the best first.
    pub anchors: Vec<String>,
}

impl Cause {
    fn plain(sentence: impl Into<String>) -> Self {
        Self { sentence: sentence.into(), ..Self::default() }
    }
}

/// How a limit stopped an attempt, as far as more is known than that it did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stopped {
    /// What was stopped by which limit, how often.
    pub words: String,
    pub left: Left,
}

/// What a child that was stopped has left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Left {
    Work,
    /// Comments and blank lines: what fails beside them is not its doing.
    Remarks,
    /// The files are as they were before it: what fails in them is not its doing.
    Nothing,
}

/// The cause of this verdict on an attempt of `key`, from the runs that it rests on. `root` is the
/// repository's absolute path: a place outside of it is nobody's here to mend.
pub fn of(key: &Key, verdict: &Verdict, runs: &[RunRef], root: &str) -> Cause {
    of_stopped(key, verdict, None, (runs, root))
}

/// The same of an attempt that a limit may have stopped.
pub fn of_stopped(
    key: &Key,
    verdict: &Verdict,
    stopped: Option<&Stopped>,
    (runs, root): (&[RunRef], &str),
) -> Cause {
    match verdict {
        Verdict::Passed => Cause::plain("no failure is recorded"),
        Verdict::Disputed(dispute) => {
            Cause { place: of_disputed(dispute), ..Cause::plain(disputed(key, dispute)) }
        }
        Verdict::Failed(fault) => of_fault(key, fault, stopped, &Seen { runs, root }),
    }
}

/// Where a person reads and edits: the first disputed test's file, as the role names it.
fn of_disputed(dispute: &Dispute) -> Option<Place> {
    let file = dispute.tests.first()?.split("::").next()?;
    RelPath::new(file).map(|file| Place { file: file.as_str().to_owned(), line: 1 })
}

fn disputed(key: &Key, dispute: &Dispute) -> String {
    let named = dispute.tests.iter().take(MOST_DISPUTED).cloned().collect::<Vec<_>>().join(", ");
    let tests = if named.is_empty() { "a test".to_owned() } else { named };
    let said = one_line(&dispute.reason);
    let why = if said.is_empty() { ", and gives no reason".to_owned() } else { format!(": {said}") };
    format!("the {} says that {tests} is wrong{why}", key.role())
}

fn of_fault(key: &Key, fault: &Fault, stopped: Option<&Stopped>, seen: &Seen<'_>) -> Cause {
    let of_child = |reason: &Reason| {
        if let Reason::Exhausted(what) = reason {
            let plain = || format!("the {} was stopped: {what}", key.role());
            return Some(stopped.map_or_else(plain, |stopped| stopped.words.clone()));
        }
        if let Reason::Format(error) = reason {
            let known = stopped.filter(|_| error.ended().is_some());
            return Some(known.map_or_else(|| no_block(key, error), |stopped| stopped.words.clone()));
        }
        (*reason == Reason::ClaimedFailed).then(|| format!("the {} says itself that it failed", key.role()))
    };
    // What is red then is what it disputes.
    if let Some(meant) = fault.meant() {
        let told = format!("{} (its result block is in the wrong form)", disputed(key, meant));
        return Cause { place: of_disputed(meant), ..Cause::plain(told) };
    }
    let child = fault.reasons.iter().find_map(of_child);
    let is_silence = |reason: &Reason| matches!(reason, Reason::Format(error) if error.ended().is_some());
    let ended_alone = fault.reasons.iter().any(is_silence);
    // Who said nothing has named no file, and how one is named helps nobody.
    let is_idle = |reason: &Reason| ended_alone && matches!(reason, Reason::NoCandidate(_));
    let rest = fault.reasons.iter().filter(|reason| of_child(reason).is_none() && !is_idle(reason));
    let rest: Vec<&Reason> = rest.collect();
    let was_stopped = fault.reasons.iter().any(|reason| matches!(reason, Reason::Exhausted(_)));
    let left_nothing =
        (was_stopped || ended_alone) && stopped.is_some_and(|stopped| stopped.left != Left::Work);
    match (child, seen.first(&rest).filter(|_| !left_nothing)) {
        (Some(child), Some(rest)) => {
            let joined = if was_stopped { "; its work so far fails: " } else { "; " };
            Cause { sentence: format!("{child}{joined}{}", rest.sentence), ..rest }
        }
        (Some(child), None) => Cause::plain(child),
        (None, Some(rest)) => rest,
        (None, None) => Cause::plain(fault.mode.description()),
    }
}

/// What the runs showed.
struct Seen<'a> {
    runs: &'a [RunRef],
    root: &'a str,
}

impl<'a> Seen<'a> {
    /// The highest in rank of what speaks against the work.
    fn first(&self, reasons: &[&Reason]) -> Option<Cause> {
        // What was put back may be what everything else needs, so it comes before it.
        let forbidden = reasons.iter().find(|reason| matches!(reason, Reason::Forbidden(_)));
        let rests_on_run = reasons.iter().any(|reason| rests_on_run(reason));
        let unloaded = || self.unloaded(reasons).filter(|_| rests_on_run);
        let failed = || self.failed(reasons);
        let rule = || reasons.iter().find(|reason| is_rule_of_files(reason));
        let plain = |reason: &&Reason| {
            let place = in_its_source(reason);
            let place = place.or_else(|| self.of_its_file(reason)).or_else(|| at_the_top(reason));
            // Around what its file has printed, if it has printed anything.
            let anchors = place.iter().map(|place| place.file.clone()).collect();
            Cause { place, anchors, ..Cause::plain(self.words(reason)) }
        };
        // Beside it whatever else is missing can be written.
        let never = || reasons.iter().find(|reason| can_never_pass(reason));
        forbidden
            .filter(|_| unloaded().is_some() || failed().is_none())
            .map(plain)
            .or_else(unloaded)
            .or_else(|| never().map(plain))
            .or_else(failed)
            .or_else(|| rule().or(reasons.first()).map(plain))
    }

    /// The last run first: it is the one that was made for a person or a child to read.
    fn items(&self) -> impl Iterator<Item = (&'a RunRef, &'a FailedItem)> {
        self.runs.iter().rev().flat_map(|run| run.failed.iter().map(move |item| (run, item)))
    }

    /// A file that does not load. Before anything is written that is as it should be where what it asks for is
    /// what is missing.
    fn unloaded(&self, reasons: &[&Reason]) -> Option<Cause> {
        let is_red = reasons.iter().any(|reason| matches!(reason, Reason::NotRed { .. }));
        let counts = |item: &FailedItem| !(is_red && item.kind == FailureKind::Missing);
        let (run, item) = self.items().find(|(_, item)| item.test.is_none() && counts(item))?;
        Some(self.cause_of(run, item))
    }

    /// The first of the tests that the reasons name: one whose expectation failed before any other.
    fn failed(&self, reasons: &[&Reason]) -> Option<Cause> {
        let named: Vec<&TestId> = reasons.iter().filter_map(|reason| failing_test(reason)).collect();
        let is_named = |item: &FailedItem| item.test.as_ref().is_some_and(|test| named.contains(&test));
        let of = |wanted: &dyn Fn(&FailedItem) -> bool| {
            self.items()
                .find(|(_, item)| is_named(item) && wanted(item))
                .map(|(run, item)| self.cause_of(run, item))
        };
        let first = of(&|item| item.kind == FailureKind::Assertion).or_else(|| of(&|_| true))?;
        // Of a test that fails and is no RED all the same, the reader wants to know why it is none.
        let proves_nothing = reasons.iter().find(|reason| {
            let of_first = |test: &TestId| first.test.as_ref() == Some(test);
            matches!(reason, Reason::NotRed { test, kind: RedKind::None, .. } if of_first(test))
        });
        Some(match proves_nothing {
            Some(reason) => {
                Cause { sentence: self.words(reason), place: in_its_source(reason).or(first.place), ..first }
            }
            None => first,
        })
    }

    /// Where the file of a test that is no RED does not load.
    fn of_its_file(&self, reason: &Reason) -> Option<Place> {
        let Reason::NotRed { test, .. } = reason else { return None };
        let is_of_file = |item: &FailedItem| {
            item.test.is_none() && item.file.as_ref().is_some_and(|file| file.as_str() == test.file())
        };
        let (run, item) = self.items().find(|(_, item)| is_of_file(item))?;
        place::of_failure(test.file(), (&item.message, &run.output), self.root)
    }

    /// A reason as a sentence of its own.
    fn words(&self, reason: &Reason) -> String {
        let Reason::NotRed { test, kind, why, .. } = reason else { return reason.to_string() };
        if let Some(why) = why {
            return format!("{test} {}", why.words);
        }
        if *kind == RedKind::Passed {
            return format!("{test} passes before any code was written");
        }
        if *kind == RedKind::None {
            return format!("{test} {}", self.proves_nothing(test));
        }
        format!("{test} is not RED: {}", kind.meaning())
    }

    /// Why this test is no RED though it does not pass.
    fn proves_nothing(&self, test: &TestId) -> String {
        let own = |item: &FailedItem| item.test.as_ref() == Some(test);
        let of_file = |item: &FailedItem| {
            item.test.is_none() && item.file.as_ref().is_some_and(|file| file.as_str() == test.file())
        };
        let item = self.items().find(|(_, item)| own(item)).or(self.items().find(|(_, item)| of_file(item)));
        let Some((_, item)) = item else { return "was skipped or not run".to_owned() };
        let said = one_line(&item.message);
        match item.kind {
            FailureKind::Missing => {
                format!("fails only because something is missing, and expects nothing of it: {said}")
            }
            FailureKind::Assertion => {
                format!("expects a snapshot that nobody has recorded, which no code can meet: {said}")
            }
            FailureKind::Error | FailureKind::Load | FailureKind::Timeout | FailureKind::Crash => {
                format!("fails, but it expects nothing that code could meet: {said}")
            }
        }
    }

    fn cause_of(&self, run: &RunRef, item: &FailedItem) -> Cause {
        let said = one_line(&item.message);
        let named = item.test.as_ref().map(TestId::file).or(item.file.as_ref().map(RelPath::as_str));
        let said_by = (item.message.as_str(), run.output.as_str());
        let place = match item.test {
            Some(_) => place::of_test(named.unwrap_or_default(), said_by, self.root),
            None => place::of_failure(named.unwrap_or_default(), said_by, self.root),
        };
        let sentence = match (&item.test, &place) {
            (Some(test), _) => format!("{test}: {said}"),
            (None, Some(place)) if said.contains(&place.to_string()) => said.clone(),
            (None, Some(place)) => format!("{place} does not load: {said}"),
            (None, None) => match named {
                Some(file) => format!("{file} does not load: {said}"),
                None => format!("the project does not load: {said}"),
            },
        };
        let mut anchors: Vec<String> =
            item.message.lines().map(str::trim).filter(|l| l.len() > 3).take(1).map(str::to_owned).collect();
        anchors.extend(item.test.as_ref().and_then(|test| Some(test.0.rsplit_once("::")?.1.to_owned())));
        anchors.extend(place.as_ref().map(ToString::to_string));
        Cause { sentence, test: item.test.clone(), place, anchors }
    }
}

/// A child that ended without the block it was asked for, or with one that can't be read.
fn no_block(key: &Key, error: &ClaimError) -> String {
    let role = key.role();
    // Where there was no message at all, that says more.
    if let Some(how) = error.ended() {
        return format!("the {role} ended{how}");
    }
    if error.kind == ClaimErrorKind::NoBlock {
        return format!("the {role} ended without the result block (`tdd-result`) that it was asked for");
    }
    format!("the {role}'s result block (`tdd-result`) can't be read: {}", error.message)
}

fn can_never_pass(reason: &Reason) -> bool {
    matches!(reason, Reason::NotRed { kind: RedKind::Unconditional, why: Some(_), .. })
}

/// Where the source of a test says why it is no RED.
fn in_its_source(reason: &Reason) -> Option<Place> {
    let Reason::NotRed { test, why: Some(why), .. } = reason else { return None };
    let file = RelPath::new(test.file())?;
    Some(Place { file: file.as_str().to_owned(), line: why.line? })
}

/// The file of a test that is no RED, of which nothing printed a line.
fn at_the_top(reason: &Reason) -> Option<Place> {
    let Reason::NotRed { test, .. } = reason else { return None };
    let file = RelPath::new(test.file())?;
    Some(Place { file: file.as_str().to_owned(), line: 1 })
}

fn rests_on_run(reason: &Reason) -> bool {
    failing_test(reason).is_some()
        || matches!(reason, Reason::NothingRan(_) | Reason::NoEvidence(_) | Reason::GateRed)
}

/// The test that a reason says to fail, or to be gone.
fn failing_test(reason: &Reason) -> Option<&TestId> {
    if let Reason::NotRed { test, kind, .. } = reason {
        return (*kind != RedKind::Passed).then_some(test);
    }
    let (Reason::TestFailed(id) | Reason::TestVanished(id) | Reason::Regressed(id) | Reason::Broken(id)) =
        reason
    else {
        return None;
    };
    Some(id)
}

fn is_rule_of_files(reason: &Reason) -> bool {
    matches!(
        reason,
        Reason::Forbidden(_)
            | Reason::Touched(_)
            | Reason::Loaded(_)
            | Reason::InlineTest(_)
            | Reason::TestAwareCode(_)
            | Reason::LostName(_)
            | Reason::Unlisted(_)
            | Reason::Rebound(_)
    )
}

/// The first lines of a message as one: what was expected often stands below what was said.
fn one_line(message: &str) -> String {
    let lines = message.lines().map(str::trim).filter(|line| !line.is_empty());
    let mut joined = String::new();
    for line in lines.take(MOST_LINES) {
        if is_trace(line) {
            break;
        }
        let colon = joined.ends_with(':');
        joined.push_str(match (joined.is_empty(), colon) {
            (true, _) => "",
            (false, true) => " ",
            (false, false) => "; ",
        });
        joined.push_str(&without_addresses(line));
    }
    let cut: String = joined.chars().take(LONGEST_MESSAGE).collect();
    if cut.len() < joined.len() { format!("{cut}…") } else { joined }
}

/// Where an object lay in memory says nothing to anybody: `<function three at 0x7f…>`.
fn without_addresses(line: &str) -> String {
    let mut parts = line.split(" at 0x");
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let end = part.find(|c: char| !c.is_ascii_hexdigit()).unwrap_or(part.len());
        let (digits, rest) = part.split_at(end);
        if digits.len() < 4 || !rest.starts_with('>') {
            out.push_str(" at 0x");
            out.push_str(digits);
        }
        out.push_str(rest);
    }
    out
}

/// Where a message ends and a stack begins.
fn is_trace(line: &str) -> bool {
    line.starts_with("at ") || line.starts_with("Traceback ") || line.starts_with("stack backtrace")
}

#[cfg(test)]
mod tests;
