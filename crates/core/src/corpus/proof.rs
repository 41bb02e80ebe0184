//! What a replay of a triple shows: red on the base, green with the edit, red again without it.

use std::borrow::Cow;

use crate::evidence::evidence;
use crate::path::RelPath;
use crate::test::{Failure, FailureKind, Outcome, TestId, TestReport, TestRun};

/// How one test was seen in one run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Sight {
    /// In a way that counts as RED.
    Red,
    Green,
    /// Why it is neither.
    Neither(String),
}

/// What a replay comes to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Proof {
    Proven,
    NotProven(String),
    /// Two runs of the same tree differ.
    Unstable(String),
}

impl Proof {
    pub fn name(&self) -> &'static str {
        match self {
            Self::Proven => "proven",
            Self::NotProven(_) => "not proven",
            Self::Unstable(_) => "unstable",
        }
    }

    pub fn why(&self) -> &str {
        match self {
            Self::Proven => "",
            Self::NotProven(why) | Self::Unstable(why) => why,
        }
    }
}

/// How a run saw this test. `files` are those that hold the criterion's tests.
pub fn sight(run: &TestRun, test: &TestId, files: &[RelPath]) -> Sight {
    if let Err(why) = evidence(run) {
        return Sight::Neither(why);
    }
    let Some(report) = &run.report else {
        return if run.exit.is_success() { Sight::Green } else { Sight::Red };
    };
    if let Some(failure) = not_loaded(report, files) {
        return failed(&failure);
    }
    let named = report.tests.iter().filter(|one| one.id == *test);
    match named.map(|one| &one.outcome).collect::<Vec<_>>().as_slice() {
        [] => Sight::Neither("it was not run".to_owned()),
        [Outcome::Passed] => Sight::Green,
        [Outcome::Skipped] => Sight::Neither("it is skipped".to_owned()),
        [Outcome::Failed(failure)] => failed(failure),
        _ => Sight::Neither("it was reported more than once".to_owned()),
    }
}

fn not_loaded<'a>(report: &'a TestReport, files: &[RelPath]) -> Option<Cow<'a, Failure>> {
    let own = report.load_failures.iter().find(|load| files.contains(&load.file));
    let own = own.and_then(|load| report.load_failure(&load.file, &|_| true));
    own.or_else(|| report.project_broken.as_ref().map(Cow::Borrowed))
}

fn failed(failure: &Failure) -> Sight {
    let why = match failure.kind {
        FailureKind::Assertion | FailureKind::Error | FailureKind::Missing => return Sight::Red,
        FailureKind::Load => "it does not load for a reason that no new code can mend",
        FailureKind::Timeout => "it did not end in time",
        FailureKind::Crash => "its process died",
    };
    Sight::Neither(why.to_owned())
}

/// The three runs of a replay, in their order, and one more with the edit where that was not green at once.
#[derive(Clone, Debug)]
pub struct Replayed {
    pub red: Sight,
    pub green: Sight,
    pub green_again: Option<Sight>,
    pub taken_back: Sight,
}

impl Replayed {
    pub fn proof(&self) -> Proof {
        let words = |sight: &Sight| match sight {
            Sight::Red => "red".to_owned(),
            Sight::Green => "green".to_owned(),
            Sight::Neither(why) => why.clone(),
        };
        if self.red != self.taken_back {
            let (first, then) = (words(&self.red), words(&self.taken_back));
            return Proof::Unstable(format!("before the edit: {first}; with the edit taken back: {then}"));
        }
        match (&self.red, &self.green, &self.green_again) {
            (Sight::Red, Sight::Green, _) => Proof::Proven,
            (Sight::Red, _, Some(Sight::Green)) => {
                Proof::Unstable(format!("with the edit: {}; run once more: green", words(&self.green)))
            }
            (Sight::Red, other, _) => Proof::NotProven(format!("with the edit: {}", words(other))),
            (other, _, _) => Proof::NotProven(format!("before the edit: {}", words(other))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test::{Canary, Exit, LoadFailure, TestResult};

    fn failure(kind: FailureKind) -> Failure {
        Failure { kind, message: String::new(), absent: None, absent_too: Vec::new() }
    }

    fn run(code: i32, outcomes: &[(&str, Outcome)], load: Option<FailureKind>) -> TestRun {
        let test = |(id, outcome): &(&str, Outcome)| TestResult {
            id: TestId((*id).to_owned()),
            file: None,
            outcome: outcome.clone(),
            duration_ms: 1,
        };
        let load = load.map(|kind| LoadFailure::new(file(), failure(kind)));
        let report = TestReport {
            tests: outcomes.iter().map(test).collect(),
            load_failures: load.into_iter().collect(),
            complete: true,
            ..TestReport::default()
        };
        TestRun {
            command: "t".into(),
            exit: Exit::Code(code),
            duration_ms: 1,
            build_ms: 0,
            report: Some(report),
            unreadable: None,
            log: String::new(),
            output: String::new(),
            fail_code: 1,
            canary: Canary::NotAsked,
            copies: crate::test::Copies::default(),
        }
    }

    fn file() -> RelPath {
        RelPath::new("tests/a.py").unwrap()
    }

    #[test]
    fn a_test_is_seen_red_or_green_or_not_at_all() {
        use FailureKind::{Assertion, Crash, Load, Missing};
        let failed = |kind| Outcome::Failed(failure(kind));
        let test = TestId("a".to_owned());
        let seen = |run: &TestRun| match sight(run, &test, &[file()]) {
            Sight::Red => "red".to_owned(),
            Sight::Green => "green".to_owned(),
            Sight::Neither(why) => why,
        };
        for (run, want) in [
            (run(0, &[("a", Outcome::Passed)], None), "green"),
            (run(1, &[("a", failed(Assertion))], None), "red"),
            (run(1, &[("a", failed(Crash))], None), "its process died"),
            (run(0, &[("b", Outcome::Passed)], None), "it was not run"),
            (run(0, &[("a", Outcome::Skipped)], None), "it is skipped"),
            (run(0, &[("a", Outcome::Passed), ("a", Outcome::Passed)], None), "reported more than once"),
            (run(1, &[], Some(Missing)), "red"),
            (run(1, &[], Some(Load)), "does not load"),
            // An exit code that says something else than the report.
            (run(0, &[("a", failed(Assertion))], None), "holds failures"),
        ] {
            assert!(seen(&run).contains(want), "{} is not {want}", seen(&run));
        }
        let alone = TestRun { report: None, ..run(3, &[], None) };
        assert_eq!(seen(&alone), "red", "the exit code is all there is");
    }

    #[test]
    fn only_red_green_red_is_proven() {
        let (red, green) = (|| Sight::Red, || Sight::Green);
        let lost = || Sight::Neither("it was not run".to_owned());
        for (first, with, again, back, want, why) in [
            (red(), green(), None, red(), "proven", ""),
            (green(), green(), None, green(), "not proven", "before the edit: green"),
            (lost(), green(), None, lost(), "not proven", "before the edit: it was not run"),
            (red(), red(), Some(red()), red(), "not proven", "with the edit: red"),
            (red(), lost(), Some(lost()), red(), "not proven", "with the edit: it was not run"),
            (red(), red(), Some(green()), red(), "unstable", "run once more: green"),
            (red(), green(), None, green(), "unstable", "taken back: green"),
            (
                green(),
                green(),
                None,
                red(),
                "unstable",
                "before the edit: green; with the edit taken back: red",
            ),
        ] {
            let replayed = Replayed { red: first, green: with, green_again: again, taken_back: back };
            let proof = replayed.proof();
            assert!(proof.name() == want && proof.why().contains(why), "{replayed:?}: {proof:?}");
        }
    }
}
