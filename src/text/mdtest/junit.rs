//! A suite of Markdown tests as a JUnit report, for the machines that read those.

use std::time::Duration;

use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite, XmlString};

use crate::core::mdtest::{Outcome, Status};

/// The report's XML, or why it can't be made.
pub fn report(outcomes: &[Outcome]) -> Result<String, String> {
    let mut suite = TestSuite::new("mdtest");
    suite.set_time(Duration::from_millis(outcomes.iter().map(|outcome| outcome.duration_ms).sum()));
    suite.add_test_cases(outcomes.iter().map(case));
    let mut report = Report::new("tdd mdtest");
    report.add_test_suite(suite);
    report.to_string().map_err(|error| error.to_string())
}

fn case(outcome: &Outcome) -> TestCase {
    let status = match outcome.status {
        Status::Pass => TestCaseStatus::success(),
        Status::Fail => {
            let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
            let reason = outcome.reason.as_deref().unwrap_or("no reason was given");
            status.set_message(reason).set_description(format!("{reason}\nlog: {}", outcome.log));
            status
        }
    };
    let mut case = TestCase::new(outcome.test.as_str(), status);
    let folder = outcome.test.rsplit_once('/').map_or("", |(folder, _)| folder);
    case.set_classname(folder).set_time(Duration::from_millis(outcome.duration_ms));
    case.extra.insert(XmlString::new("file"), XmlString::new(&outcome.test));
    case
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::test_report::junit;

    #[test]
    fn a_report_can_be_read_back() {
        let outcome = |test: &str, status, reason: Option<&str>| Outcome {
            test: test.into(),
            log: format!("/suite/{test}.log.md"),
            status,
            reason: reason.map(str::to_owned),
            line: None,
            exit: None,
            duration_ms: 1500,
            output: None,
        };
        let all = [
            outcome("a/one.test.md", Status::Pass, None),
            outcome("two.test.md", Status::Fail, Some("it says <fail> & \u{1b}[31mmore")),
        ];
        let xml = report(&all).unwrap();
        for part in
            ["tests=\"2\"", "failures=\"1\"", "one.test.md", "&lt;fail&gt;", "log: /suite/two.test.md.log.md"]
        {
            assert!(xml.contains(part), "no {part} in {xml}");
        }
        assert!(!xml.contains('\u{1b}'), "{xml}");
        let read = junit::parse(xml.as_bytes());
        let names: Vec<&str> = read.cases.iter().map(|case| case.name.as_str()).collect();
        assert_eq!((names, read.flaw), (vec!["a/one.test.md", "two.test.md"], None));
        assert_eq!(read.cases[0].duration_ms, 1500);
    }
}
