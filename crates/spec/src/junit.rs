//! A JUnit report, for the machines that read those.
//!
//! ```xml
//! <testsuites name="TITLE" tests="2" failures="1" errors="0" skipped="0" time="3.000">
//!   <testsuite name="NAME" …the same, of its own…>
//!     <testcase name="one" classname="a" file="a/one.py" time="1.500"/>
//!     <testcase …><failure message="REASON">TEXT</failure></testcase>
//! ```

use quick_xml::events::{BytesDecl, BytesEnd, BytesStart, BytesText, Event};
use quick_xml::{Result, Writer};

type Xml = Writer<Vec<u8>>;

/// A report of some suites.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    pub title: String,
    pub suites: Vec<Suite>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Suite {
    pub name: String,
    pub cases: Vec<Case>,
}

/// One test, or what is told like one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Case {
    pub name: String,
    pub class: String,
    /// Relative to the project; none where it stands in no file of its own.
    pub file: Option<String>,
    /// Milliseconds.
    pub duration: Option<u64>,
    pub became: Became,
}

/// What became of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Became {
    Passed,
    Failed {
        message: String,
        text: String,
    },
    /// It could not be carried to its end.
    Errored {
        message: String,
        text: String,
    },
    /// It was not carried out, or nobody has verified it.
    Skipped {
        message: String,
    },
}

/// The report's XML, or why it can't be made.
pub fn render(report: &Report) -> std::result::Result<String, String> {
    let mut xml = Writer::new_with_indent(Vec::new(), b' ', 2);
    write(&mut xml, report).map_err(|error| error.to_string())?;
    String::from_utf8(xml.into_inner()).map_err(|error| error.to_string())
}

fn write(xml: &mut Xml, report: &Report) -> Result<()> {
    xml.write_event(Event::Decl(BytesDecl::new("1.0", Some("UTF-8"), None)))?;
    start(xml, ("testsuites", &report.title), report.suites.iter().flat_map(|suite| &suite.cases))?;
    for suite in &report.suites {
        start(xml, ("testsuite", &suite.name), suite.cases.iter())?;
        suite.cases.iter().try_for_each(|one| case(xml, one))?;
        xml.write_event(Event::End(BytesEnd::new("testsuite")))?;
    }
    Ok(xml.write_event(Event::End(BytesEnd::new("testsuites")))?)
}

fn start<'a>(
    xml: &mut Xml,
    (element, name): (&str, &str),
    cases: impl Iterator<Item = &'a Case>,
) -> Result<()> {
    let counts = counts(cases);
    let attributes = counts.iter().map(|(name, count)| (*name, count.as_str()));
    let start = BytesStart::new(element).with_attributes([("name", clean(name).as_str())]);
    Ok(xml.write_event(Event::Start(start.with_attributes(attributes)))?)
}

fn counts<'a>(cases: impl Iterator<Item = &'a Case>) -> [(&'static str, String); 5] {
    let (mut tests, mut failures, mut errors, mut skipped, mut time) = (0, 0, 0, 0, 0);
    for case in cases {
        tests += 1;
        time += case.duration.unwrap_or_default();
        match case.became {
            Became::Passed => {}
            Became::Failed { .. } => failures += 1,
            Became::Errored { .. } => errors += 1,
            Became::Skipped { .. } => skipped += 1,
        }
    }
    [
        ("tests", tests.to_string()),
        ("failures", failures.to_string()),
        ("errors", errors.to_string()),
        ("skipped", skipped.to_string()),
        ("time", seconds(time)),
    ]
}

fn case(xml: &mut Xml, case: &Case) -> Result<()> {
    let (name, class) = (clean(&case.name), clean(&case.class));
    let mut attributes = vec![("name", name), ("classname", class)];
    attributes.extend(case.file.as_ref().map(|file| ("file", clean(file))));
    attributes.extend(case.duration.map(|time| ("time", seconds(time))));
    let start = BytesStart::new("testcase")
        .with_attributes(attributes.iter().map(|(name, value)| (*name, value.as_str())));
    let (element, message, text) = match &case.became {
        Became::Passed => return Ok(xml.write_event(Event::Empty(start))?),
        Became::Failed { message, text } => ("failure", message, text.as_str()),
        Became::Errored { message, text } => ("error", message, text.as_str()),
        Became::Skipped { message } => ("skipped", message, ""),
    };
    xml.write_event(Event::Start(start))?;
    let inner = BytesStart::new(element).with_attributes([("message", clean(message).as_str())]);
    xml.write_event(Event::Start(inner))?;
    xml.write_event(Event::Text(BytesText::new(&clean(text))))?;
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
