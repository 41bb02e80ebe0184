//! A suite of Markdown tests as a JUnit report, for the machines that read those.

use std::time::Duration;

use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite, XmlString};

use crate::core::mdtest::{Cut, Outcome, Results, Status, Unfinished};

/// The report's XML, or why it can't be made.
/// Every test of the suite is in it: one that was cut off is an error, one that was not run is skipped.
pub fn report(results: &Results) -> Result<String, String> {
    let outcomes = &results.outcomes;
    let mut suite = TestSuite::new("mdtest");
    suite.set_time(Duration::from_millis(outcomes.iter().map(|outcome| outcome.duration_ms).sum()));
    suite.add_test_cases(outcomes.iter().map(case));
    suite.add_test_cases(results.unfinished.iter().map(unfinished));
    let mut report = Report::new("tdd mdtest");
    report.add_test_suite(suite);
    report.to_string().map_err(|error| error.to_string())
}

fn case(outcome: &Outcome) -> TestCase {
    let status = match outcome.status {
        Status::Pass => TestCaseStatus::success(),
        Status::Fail => {
            let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
            let reason = outcome.words();
            status.set_message(reason.clone()).set_description(format!("{reason}\nlog: {}", outcome.log));
            status
        }
    };
    let mut case = named(&outcome.test, status);
    case.set_time(Duration::from_millis(outcome.duration_ms));
    case
}

fn unfinished(test: &Unfinished) -> TestCase {
    let status = match &test.how {
        Cut::Interrupted(why) => {
            let mut status = TestCaseStatus::non_success(NonSuccessKind::Error);
            status.set_message(format!("interrupted: {why}"));
            status
        }
        Cut::NotRun => {
            let mut status = TestCaseStatus::skipped();
            status.set_message("not run: the suite was cut short");
            status
        }
    };
    named(&test.test, status)
}

fn named(test: &str, status: TestCaseStatus) -> TestCase {
    let mut case = TestCase::new(test, status);
    case.set_classname(test.rsplit_once('/').map_or("", |(folder, _)| folder));
    case.extra.insert(XmlString::new("file"), XmlString::new(test));
    case
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::mdtest::Voice;
    use crate::text::test_report::junit;

    #[test]
    fn a_report_can_be_read_back() {
        let outcome = |test: &str, status, reason: Option<&str>| Outcome {
            test: test.into(),
            log: format!("/suite/{test}.log.md"),
            status,
            voice: Voice::Agent,
            reason: reason.map(str::to_owned),
            line: None,
            exit: None,
            duration_ms: 1500,
            output: None,
        };
        let outcomes = vec![
            outcome("a/one.test.md", Status::Pass, None),
            outcome("two.test.md", Status::Fail, Some("it says <fail> & \u{1b}[31mmore")),
        ];
        let cut = |test: &str, how| Unfinished { test: test.into(), how };
        let unfinished = vec![
            cut("three.test.md", Cut::Interrupted("stopped by signal 15".into())),
            cut("four.test.md", Cut::NotRun),
        ];
        let xml = report(&Results { outcomes, unfinished }).unwrap();
        for part in [
            "tests=\"4\"",
            "failures=\"1\"",
            "errors=\"1\"",
            "skipped=\"1\"",
            "interrupted: stopped by signal 15",
            "one.test.md",
            "&lt;fail&gt;",
            "log: /suite/two.test.md.log.md",
        ] {
            assert!(xml.contains(part), "no {part} in {xml}");
        }
        assert!(!xml.contains('\u{1b}'), "{xml}");
        let read = junit::parse(xml.as_bytes());
        let names: Vec<&str> = read.cases.iter().map(|case| case.name.as_str()).collect();
        assert_eq!(
            (names, read.flaw),
            (vec!["a/one.test.md", "two.test.md", "three.test.md", "four.test.md"], None)
        );
        assert_eq!(read.cases[0].duration_ms, 1500);
    }
}
