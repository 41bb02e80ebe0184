//! Red tests and the edits that turned them green, found in what was measured: the triples of a corpus
//! (red test, edit, green test). For people and programs that learn from runs; no verdict is made here.

use std::collections::{BTreeMap, BTreeSet};

use crate::attempt::{CheckpointId, Digest};
use crate::criterion::CriterionId;
use crate::event::PassFail;
use crate::finding::{CriterionRed, Findings, GreenFindings, RedTest, RunRef, Seen};
use crate::judge::Verdict;
use crate::story::{Story, Told};
use crate::test::TestId;

mod proof;
mod session;

pub use proof::{Proof, Replayed, Sight, sight};
pub use session::{SessionTriple, session_triples};

/// Where a test failed and where it passed, by their places among what was seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Pair {
    pub green: usize,
    pub red: usize,
}

/// For each test its latest pass that has a fail before it, with the last fail before that pass; in the order
/// of the passes. A pass without a fail before it pairs with nothing.
pub fn pairs<T: Ord>(seen: impl IntoIterator<Item = (T, PassFail)>) -> Vec<Pair> {
    let mut tests: BTreeMap<T, (Option<usize>, Option<Pair>)> = BTreeMap::new();
    for (at, (test, status)) in seen.into_iter().enumerate() {
        let (last_fail, pair) = tests.entry(test).or_default();
        match status {
            PassFail::Fail => *last_fail = Some(at),
            PassFail::Pass => *pair = last_fail.map(|red| Pair { green: at, red }).or(*pair),
        }
    }
    let found: BTreeSet<Pair> = tests.into_values().filter_map(|(_, pair)| pair).collect();
    found.into_iter().collect()
}

/// A red test, the edit that turned it green, and what was seen of both.
#[derive(Clone, Debug)]
pub struct Triple<'a> {
    pub criterion: &'a CriterionId,
    pub test: &'a TestId,
    pub red: &'a RedTest,
    pub red_output: RedOutput<'a>,
    /// The tree on which the test was red.
    pub base: &'a CheckpointId,
    /// The tree with the edit, as it was kept.
    pub result: &'a CheckpointId,
    /// The attempt that made the edit.
    pub told: &'a Told,
    pub green: Option<&'a RunRef>,
}

/// What the red run printed.
#[derive(Clone, Copy, Debug)]
pub enum RedOutput<'a> {
    Run(&'a RunRef),
    /// The criterion's own tests, run right before the fork, as the prompt quoted them: a side file.
    Prompt(&'a Digest),
    Unknown,
}

/// The triples of a run's implementers, in the order of its criteria. `quoted` names the part of a prompt that
/// quotes the last red run.
pub fn triples<'a>(story: &'a Story, quoted: &str) -> Vec<Triple<'a>> {
    let mut all = Vec::new();
    for criterion in &story.state.run.plan.criteria {
        let attempts: Vec<&Told> = story.of(criterion).collect();
        let passed = attempts.iter().filter_map(|told| green(told)).flat_map(|green| &green.passed);
        let tests: BTreeSet<&TestId> = passed.collect();
        all.extend(tests.into_iter().filter_map(|test| triple(story, (criterion, test), &attempts, quoted)));
    }
    all
}

fn green(told: &Told) -> Option<&GreenFindings> {
    if let Findings::Green(green) = &told.findings { Some(green) } else { None }
}

/// Who saw a test: RED, the look right before a fork, or an attempt's own run.
#[derive(Clone, Copy)]
enum By<'a> {
    Red,
    Before,
    Attempt(&'a Told),
}

fn triple<'a>(
    story: &'a Story,
    (criterion, test): (&'a CriterionId, &'a TestId),
    attempts: &[&'a Told],
    quoted: &str,
) -> Option<Triple<'a>> {
    let mut seen: Vec<(By<'a>, PassFail)> = vec![(By::Red, PassFail::Fail)];
    for told in attempts {
        let was_green = told.tests.green_before.contains(test);
        seen.extend(was_green.then_some((By::Before, PassFail::Pass)));
        seen.extend(green(told).and_then(|green| status(green, test)).map(|said| (By::Attempt(told), said)));
    }
    let pair = *pairs(seen.iter().map(|(_, status)| ((), *status))).first()?;
    // What was green before the edit was not turned by it.
    if pair.green != pair.red + 1 {
        return None;
    }
    let By::Attempt(told) = seen[pair.green].0 else { return None };
    let kept = green(told).is_some_and(|green| !green.early_green) && told.verdict == Verdict::Passed;
    let red = red_of(told.tests.red.as_ref()?, test).filter(|red| red.kind.is_accepted())?;
    let (base, red_output) = match seen[pair.red].0 {
        By::Attempt(failed) => (failed.left.as_ref(), last_run(failed).map(RedOutput::Run)),
        By::Red | By::Before => (told.from.as_ref(), quoted_red(story, told, quoted)),
    };
    let (base, result) = (base?, told.left.as_ref()?);
    (kept && base != result).then(|| Triple {
        criterion,
        test,
        red,
        red_output: red_output.unwrap_or(RedOutput::Unknown),
        base,
        result,
        told,
        green: last_run(told),
    })
}

fn status(green: &GreenFindings, test: &TestId) -> Option<PassFail> {
    let file = TestId(test.file().to_owned());
    let holds = |tests: &[TestId]| tests.contains(test) || tests.contains(&file);
    if holds(&green.failed) || holds(&green.vanished) {
        return Some(PassFail::Fail);
    }
    green.passed.contains(test).then_some(PassFail::Pass)
}

/// How a test was red. Of a file that did not load only the file is known, or names that its source declares.
fn red_of<'a>(red: &'a CriterionRed, test: &TestId) -> Option<&'a RedTest> {
    let same = |one: &&RedTest| one.id == *test || one.id.shared() == test.shared();
    let not_loaded = |one: &&RedTest| one.seen != Seen::Reported && one.id.file() == test.file();
    red.tests.iter().find(same).or_else(|| red.tests.iter().find(not_loaded))
}

fn last_run(told: &Told) -> Option<&RunRef> {
    RunRef::quotable(told.findings.runs()).last()
}

fn quoted_red<'a>(story: &'a Story, told: &Told, quoted: &str) -> Option<RedOutput<'a>> {
    let entries = &story.state.ledgers.get(&told.key)?.entries;
    let entry = entries.iter().find(|entry| entry.attempt.number == told.number)?;
    let part = entry.attempt.prompt.iter().find(|part| part.name == quoted);
    let of_red = || story.red().and_then(last_run).map(RedOutput::Run);
    part.map(|part| RedOutput::Prompt(&part.digest)).or_else(of_red)
}

#[cfg(test)]
mod tests;
