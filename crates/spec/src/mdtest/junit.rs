//! A suite of Markdown tests as a JUnit report.

use tdd_core::mdtest::{Cut, Outcome, Results, Status, Unfinished};

use crate::junit::{Became, Case, Report, Suite, render};

/// The report's XML, or why it can't be made.
/// Every test of the suite is in it: one that was cut off is an error, one that was not run is skipped.
pub fn report(results: &Results) -> Result<String, String> {
    let cases = results.outcomes.iter().map(finished).chain(results.unfinished.iter().map(unfinished));
    let suite = Suite { name: "mdtest".to_owned(), cases: cases.collect() };
    render(&Report { title: "tdd mdtest".to_owned(), suites: vec![suite] })
}

fn finished(outcome: &Outcome) -> Case {
    let message = outcome.words();
    let became = match outcome.status {
        Status::Fail => Became::Failed { text: format!("{message}\nlog: {}", outcome.log), message },
        Status::Pass => Became::Passed,
    };
    named(&outcome.test, Some(outcome.duration_ms), became)
}

fn unfinished(test: &Unfinished) -> Case {
    let became = match &test.how {
        Cut::Interrupted(why) => {
            Became::Errored { message: format!("interrupted: {why}"), text: String::new() }
        }
        Cut::NotRun => Became::Skipped { message: "not run: the suite was cut short".to_owned() },
    };
    named(&test.test, None, became)
}

fn named(test: &str, duration: Option<u64>, became: Became) -> Case {
    let folder = test.rsplit_once('/').map_or("", |(folder, _)| folder);
    Case { name: test.to_owned(), class: folder.to_owned(), file: Some(test.to_owned()), duration, became }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tdd_core::mdtest::Voice;
    use tdd_runners::test_report::junit;

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
