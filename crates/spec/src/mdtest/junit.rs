//! A suite of Markdown tests as a JUnit report, for the machines that read those.
//!
//! ```xml
//! <testsuites name="tdd mdtest" tests="2" failures="1" errors="0" skipped="0" time="3.000">
//!   <testsuite name="mdtest" …the same…>
//!     <testcase name="a/one.test.md" classname="a" file="a/one.test.md" time="1.500"/>
//!     <testcase …><failure message="REASON">REASON and the log</failure></testcase>
//! ```

use quick_xml::events::{BytesDecl, BytesEnd, BytesStart, BytesText, Event};
use quick_xml::{Result, Writer};

use tdd_core::mdtest::{Cut, Outcome, Results, Status, Unfinished};

type Xml = Writer<Vec<u8>>;

/// The report's XML, or why it can't be made.
/// Every test of the suite is in it: one that was cut off is an error, one that was not run is skipped.
pub fn report(results: &Results) -> std::result::Result<String, String> {
    let mut xml = Writer::new_with_indent(Vec::new(), b' ', 2);
    write(&mut xml, results).map_err(|error| error.to_string())?;
    String::from_utf8(xml.into_inner()).map_err(|error| error.to_string())
}

fn write(xml: &mut Xml, results: &Results) -> Result<()> {
    xml.write_event(Event::Decl(BytesDecl::new("1.0", Some("UTF-8"), None)))?;
    for (element, name) in [("testsuites", "tdd mdtest"), ("testsuite", "mdtest")] {
        let counts = counts(results);
        let attributes = counts.iter().map(|(name, count)| (*name, count.as_str()));
        let start = BytesStart::new(element).with_attributes([("name", name)]).with_attributes(attributes);
        xml.write_event(Event::Start(start))?;
    }
    results.outcomes.iter().try_for_each(|outcome| case(xml, outcome))?;
    results.unfinished.iter().try_for_each(|test| unfinished(xml, test))?;
    for element in ["testsuite", "testsuites"] {
        xml.write_event(Event::End(BytesEnd::new(element)))?;
    }
    Ok(())
}

fn counts(results: &Results) -> [(&'static str, String); 5] {
    let failures = results.outcomes.iter().filter(|outcome| outcome.status == Status::Fail).count();
    let skipped = results.unfinished.iter().filter(|test| test.how == Cut::NotRun).count();
    let time = results.outcomes.iter().map(|outcome| outcome.duration_ms).sum();
    [
        ("tests", (results.outcomes.len() + results.unfinished.len()).to_string()),
        ("failures", failures.to_string()),
        ("errors", (results.unfinished.len() - skipped).to_string()),
        ("skipped", skipped.to_string()),
        ("time", seconds(time)),
    ]
}

fn case(xml: &mut Xml, outcome: &Outcome) -> Result<()> {
    let reason = outcome.words();
    let failure = (outcome.status == Status::Fail)
        .then(|| ("failure", reason.clone(), format!("{reason}\nlog: {}", outcome.log)));
    named(xml, &outcome.test, Some(&seconds(outcome.duration_ms)), failure)
}

fn unfinished(xml: &mut Xml, test: &Unfinished) -> Result<()> {
    let (element, message) = match &test.how {
        Cut::Interrupted(why) => ("error", format!("interrupted: {why}")),
        Cut::NotRun => ("skipped", "not run: the suite was cut short".to_owned()),
    };
    named(xml, &test.test, None, Some((element, message, String::new())))
}

/// A test, and what became of it but success: an element with a message and a text.
fn named(
    xml: &mut Xml,
    test: &str,
    time: Option<&str>,
    outcome: Option<(&str, String, String)>,
) -> Result<()> {
    let (name, folder) = (clean(test), clean(test.rsplit_once('/').map_or("", |(folder, _)| folder)));
    let mut attributes = vec![("name", name.as_str()), ("classname", &folder), ("file", &name)];
    attributes.extend(time.map(|time| ("time", time)));
    let start = BytesStart::new("testcase").with_attributes(attributes);
    let Some((element, message, body)) = outcome else { return Ok(xml.write_event(Event::Empty(start))?) };
    xml.write_event(Event::Start(start))?;
    let inner = BytesStart::new(element).with_attributes([("message", clean(&message).as_str())]);
    xml.write_event(Event::Start(inner))?;
    xml.write_event(Event::Text(BytesText::new(&clean(&body))))?;
    xml.write_event(Event::End(BytesEnd::new(element)))?;
    Ok(xml.write_event(Event::End(BytesEnd::new("testcase")))?)
}

/// What XML 1.0 can't hold is left out.
fn clean(text: &str) -> String {
    let fits = |c: &char| matches!(c, '\t' | '\n' | '\r' | ' '..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..);
    text.chars().filter(fits).collect()
}

fn seconds(ms: u64) -> String {
    format!("{}.{:03}", ms / 1000, ms % 1000)
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
