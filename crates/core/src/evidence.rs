//! Whether a run says anything at all (contract section 7, *what counts as a passing run*).
//!
//! In every runner either the exit code or the report lies in some case, so both must agree.
//! Whether the expected tests are among those that passed is asked elsewhere: here nothing is
//! known of what was expected.

use crate::guard::{self, Guard};
use crate::test::{Canary, Exit, TestReport, TestRun};

/// `Ok` if the exit code and a complete report tell the same story, or if there is no report to
/// be had and the command ended by itself. A run of no tests that exits 0 is evidence of an
/// empty run; the caller decides what that means. With a canary that was seen failing the exit code
/// is the one for "some tests failed" even if all else passed. `Err` says in one clause why not.
pub fn evidence(run: &TestRun) -> Result<(), String> {
    let code = match run.exit {
        Exit::Code(code) => code,
        Exit::Signal(_) | Exit::Deadline | Exit::OutputCap if !guard::stands(Guard::OwnEnd) => return Ok(()),
        Exit::Signal(_) | Exit::Deadline | Exit::OutputCap => {
            return Err(format!("the test command did not end by itself: {}", run.exit));
        }
    };
    let guard = if run.report.is_some() { Guard::ReportsEnd } else { Guard::Report };
    if let Some(why) = run.unreadable.as_ref().filter(|_| guard::stands(guard)) {
        return Err(why.clone());
    }
    match &run.report {
        Some(report) => {
            complete(report)?;
            canary(run)?;
            if guard::stands(Guard::Agreement) { agreement(report, code, run) } else { Ok(()) }
        }
        None => Ok(()),
    }
}

/// A canary that was asked for must have been seen failing; where a runner can't carry one, the
/// summary says so and nothing else changes.
fn canary(run: &TestRun) -> Result<(), String> {
    if !guard::stands(Guard::Canary) {
        return Ok(());
    }
    match run.canary {
        Canary::NotAsked | Canary::Unsupported | Canary::SeenFailing => Ok(()),
        // A project that does not load is red by its own word, and the canary can't load it either.
        Canary::NotRun | Canary::Errored if run.report.as_ref().is_some_and(|report| report.project_broken.is_some()) => Ok(()),
        Canary::Passed => Err("a test that must fail did not: something makes failing tests pass".to_owned()),
        Canary::Errored => Err(
            "a test that was added to the run, made like the judged ones, failed in another way than by its own \
             assertion (in its set-up, say): whether failing tests are seen failing is not known"
                .to_owned(),
        ),
        Canary::NotRun => {
            Err("a test that was added to the run is not in the report: something keeps tests from running"
                .to_owned())
        }
    }
}

fn complete(report: &TestReport) -> Result<(), String> {
    if report.complete || !guard::stands(Guard::ReportsEnd) {
        return Ok(());
    }
    Err("the report has no end mark or contradicts itself".to_owned())
}

fn agreement(report: &TestReport, code: i32, run: &TestRun) -> Result<(), String> {
    let fail_code = run.fail_code;
    let red = report.is_red();
    let canary_failed = run.canary == Canary::SeenFailing;
    match (red || canary_failed, code) {
        (false, 0) => Ok(()),
        (true, code) if code == fail_code => Ok(()),
        (true, 0) if !red => Err("a test that must fail did, and the exit code is 0".to_owned()),
        (true, 0) => Err("the report holds failures and the exit code is 0".to_owned()),
        (true, code) => {
            Err(format!("the exit code is {code}, and this runner says {fail_code} when tests fail"))
        }
        (false, code) => Err(format!("nothing failed in the report and the exit code is {code}")),
    }
}

#[cfg(test)]
mod tests {
    use super::super::path::RelPath;
    use super::super::test::{Failure, FailureKind, LoadFailure, Outcome, TestId, TestResult};
    use super::*;

    fn result(id: &str, outcome: Outcome) -> TestResult {
        TestResult { id: TestId(id.to_owned()), file: None, outcome, duration_ms: 1 }
    }

    fn failure() -> Failure {
        Failure { kind: FailureKind::Assertion, message: String::new(), absent: None, absent_too: Vec::new() }
    }

    fn run(exit: Exit, report: Option<TestReport>) -> TestRun {
        TestRun {
            command: "x".to_owned(),
            exit,
            duration_ms: 1,
            build_ms: 0,
            report,
            unreadable: None,
            log: String::new(),
            output: String::new(),
            fail_code: 101,
            canary: Canary::NotAsked,
            copies: crate::test::Copies::default(),
        }
    }

    fn report(tests: Vec<TestResult>) -> TestReport {
        TestReport { tests, complete: true, ..TestReport::default() }
    }

    #[test]
    fn exit_code_and_report_must_tell_the_same() {
        let green = || Some(report(vec![result("a", Outcome::Passed), result("b", Outcome::Skipped)]));
        let red = || Some(report(vec![result("a", Outcome::Failed(failure()))]));
        let torn = Some(TestReport { complete: false, ..report(vec![]) });
        let load_failures = vec![LoadFailure::new(RelPath::new("a.rs").unwrap(), failure())];
        let unloaded = Some(TestReport { load_failures, ..report(vec![]) });
        let broken = Some(TestReport { project_broken: Some(failure()), ..report(vec![]) });
        for (name, exit, report, want) in [
            ("green", Exit::Code(0), green(), true),
            ("empty", Exit::Code(0), Some(report(vec![])), true),
            ("red", Exit::Code(101), red(), true),
            ("did not load", Exit::Code(101), unloaded.clone(), true),
            ("broken", Exit::Code(101), broken, true),
            ("no report to be had", Exit::Code(3), None, true),
            ("red that exits 0", Exit::Code(0), red(), false),
            ("did not load, exits 0", Exit::Code(0), unloaded, false),
            ("red with another code", Exit::Code(1), red(), false),
            ("green that exits 101", Exit::Code(101), green(), false),
            ("torn", Exit::Code(0), torn, false),
            ("killed", Exit::Signal(9), green(), false),
            ("too late", Exit::Deadline, green(), false),
            ("too much", Exit::OutputCap, None, false),
        ] {
            assert_eq!(evidence(&run(exit, report)).is_ok(), want, "{name}");
        }
    }

    #[test]
    fn a_canary_that_was_asked_for_must_have_been_seen_failing() {
        let green = || report(vec![result("a", Outcome::Passed)]);
        let red = || report(vec![result("a", Outcome::Failed(failure()))]);
        let broken = || TestReport { project_broken: Some(failure()), ..report(vec![]) };
        for (canary, code, report, want) in [
            (Canary::SeenFailing, 101, green(), None),
            (Canary::SeenFailing, 101, red(), None),
            (Canary::SeenFailing, 0, green(), Some("must fail did, and the exit code is 0")),
            (Canary::SeenFailing, 0, red(), Some("holds failures")),
            (Canary::SeenFailing, 1, green(), Some("101")),
            (Canary::Passed, 0, green(), Some("must fail did not")),
            (Canary::Passed, 101, red(), Some("must fail did not")),
            (Canary::Errored, 101, green(), Some("failed in another way than by its own assertion")),
            (Canary::Errored, 101, broken(), None),
            (Canary::NotRun, 0, green(), Some("not in the report")),
            (Canary::NotRun, 101, red(), Some("not in the report")),
            (Canary::NotRun, 101, broken(), None),
            (Canary::Unsupported, 0, green(), None),
            (Canary::Unsupported, 101, green(), Some("nothing failed")),
            (Canary::NotAsked, 101, red(), None),
        ] {
            let run = TestRun { canary, ..run(Exit::Code(code), Some(report)) };
            match (evidence(&run), want) {
                (Ok(()), None) => {}
                (Err(why), Some(part)) => assert!(why.contains(part), "{canary:?} {code}: {why}"),
                (said, want) => panic!("{canary:?} {code}: {said:?}, wanted {want:?}"),
            }
        }
    }

    #[test]
    fn what_speaks_against_a_run_is_told() {
        let tests = |outcome: Outcome| Some(report(vec![result("a", outcome)]));
        let failed = || Outcome::Failed(failure());
        let torn = TestReport { complete: false, ..report(vec![]) };
        for (exit, report, want) in [
            (Exit::Signal(9), None, "did not end by itself: killed by signal 9"),
            (Exit::Code(0), Some(torn), "no end mark"),
            (Exit::Code(0), tests(failed()), "holds failures and the exit code is 0"),
            (Exit::Code(2), tests(failed()), "the exit code is 2, and this runner says 101"),
            (
                Exit::Code(101),
                tests(Outcome::Passed),
                "nothing failed in the report and the exit code is 101",
            ),
            (Exit::Code(1), tests(Outcome::Skipped), "nothing failed in the report and the exit code is 1"),
        ] {
            let why = evidence(&run(exit, report)).unwrap_err();
            assert!(why.contains(want), "{why}");
        }
        let absent = TestRun { unreadable: Some("stale".into()), ..run(Exit::Deadline, None) };
        assert!(evidence(&absent).unwrap_err().contains("deadline"), "how it ended comes first");
        let stale =
            TestRun { unreadable: Some("stale".into()), ..run(Exit::Code(0), tests(Outcome::Passed)) };
        assert_eq!(evidence(&stale), Err("stale".to_owned()));
    }

    #[test]
    fn a_report_that_should_be_there_and_is_not_is_no_evidence() {
        let absent = TestRun { unreadable: Some("no report".to_owned()), ..run(Exit::Code(0), None) };
        assert_eq!(evidence(&absent), Err("no report".to_owned()));
    }
}
