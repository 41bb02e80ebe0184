//! JUnit XML, in the dialects that are met: one suite or many, suites in suites.
//!
//! ```text
//! report   = [ "<testsuites>" ] { suite } [ "</testsuites>" ]
//! suite    = "<testsuite name file? tests?>" { suite | case } "</testsuite>"
//! case     = "<testcase name classname? file? time?>" { result } "</testcase>"
//! result   = "<failure type? message?>" | "<error …>" | "<skipped …>" | "<system-out>" …
//! ```
//!
//! Leniencies: `file` may stand on the suite alone (bun); the file's path may stand in `classname`
//! (vitest) or nowhere (pytest's default); a file that does not load is a case named after itself
//! (vitest) or `collection failure` (pytest). Entities that XML does not define stay as text, so
//! nothing expands. Strict: the root must be closed and each suite must hold as many tests as it
//! announces, so a cut report is incomplete. A failure outside of a test (mocha's hooks) may be a case
//! that is not announced.

use quick_xml::Reader;
use quick_xml::events::{BytesRef, BytesStart, Event};

use super::{failure, quoted};
use tdd_core::test::{Failure, FailureKind, Outcome};

/// One `<testcase>`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Case {
    pub name: String,
    pub classname: String,
    /// As written: of the case, else of the nearest suite that has one.
    pub file: Option<String>,
    /// The nearest suite's name.
    pub suite: String,
    /// The names of all suites around it, outermost first, the nearest included.
    pub suites: Vec<String>,
    /// The line of the test in its file, from 1, where it is told.
    pub line: Option<u32>,
    pub outcome: Outcome,
    /// For a failure: its class and its whole text, as written.
    pub told: Option<(String, String)>,
    pub duration_ms: u64,
    /// The end of what it printed on its standard output, at most 2 KiB.
    pub printed: String,
}

impl Case {
    /// Whether this stands for a file that could not be loaded, and not for a test.
    pub fn is_load_failure(&self) -> bool {
        let Outcome::Failed(failure) = &self.outcome else { return false };
        let named_by_file = self.name == self.classname || Some(&self.name) == self.file.as_ref();
        (named_by_file && self.name.contains(['/', '.'])) || failure.message.starts_with("collection failure")
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct JunitReport {
    pub cases: Vec<Case>,
    /// Why this is no complete report.
    pub flaw: Option<String>,
}

/// Reads a report; never fails. What was read before a flaw is kept, for the person.
pub fn parse(bytes: &[u8]) -> JunitReport {
    let mut reading = Reading::default();
    let mut reader = Reader::from_reader(bytes);
    let flaw = loop {
        match reader.read_event() {
            Ok(Event::Eof) => break reading.end(),
            Ok(event) => {
                if let Err(flaw) = reading.take(&event) {
                    break Some(flaw);
                }
            }
            Err(error) => break Some(format!("the JUnit report is no XML: {error}")),
        }
    };
    JunitReport { cases: reading.cases, flaw }
}

/// Suites and cases nest this deep at most; a stack is kept, so depth costs memory.
const DEPTH_CAP: usize = 256;

#[derive(Debug, Default)]
struct Suite {
    name: String,
    file: Option<String>,
    announced: Option<usize>,
    held: usize,
    failed: usize,
}

#[derive(Debug, Default)]
struct Open {
    name: String,
    classname: String,
    file: Option<String>,
    line: Option<u32>,
    duration_ms: u64,
    verdict: Option<Verdict>,
    printed: String,
}

#[derive(Debug)]
enum Verdict {
    Skipped,
    Bad { element: String, class: String, text: String },
}

#[derive(Debug, Default)]
struct Reading {
    stack: Vec<String>,
    suites: Vec<Suite>,
    case: Option<Open>,
    cases: Vec<Case>,
    saw_root: bool,
    /// By the root, which counts the cases of all its suites.
    announced: Option<usize>,
    /// Of the first suite that does not hold what it announces: its name, what it announces and holds.
    miscounted: Option<(String, usize, usize)>,
}

impl Reading {
    fn take(&mut self, event: &Event<'_>) -> Result<(), String> {
        match event {
            Event::Start(start) => {
                self.open(start)?;
            }
            Event::Empty(start) => {
                self.open(start)?;
                self.close();
            }
            Event::End(_) => self.close(),
            Event::Text(text) => self.text(&String::from_utf8_lossy(text)),
            Event::CData(text) => self.text(&String::from_utf8_lossy(text)),
            Event::GeneralRef(entity) => self.text(&resolve(entity)),
            Event::Decl(_) | Event::PI(_) | Event::Comment(_) | Event::DocType(_) | Event::Eof => {}
        }
        Ok(())
    }

    fn open(&mut self, start: &BytesStart<'_>) -> Result<(), String> {
        let element = String::from_utf8_lossy(start.local_name().as_ref()).into_owned();
        if self.stack.is_empty() && (self.saw_root || !matches!(element.as_str(), "testsuites" | "testsuite"))
        {
            return Err("the JUnit report's root is no <testsuites> or <testsuite>".to_owned());
        }
        if self.stack.len() >= DEPTH_CAP {
            return Err(format!("the JUnit report nests deeper than {DEPTH_CAP} elements"));
        }
        self.saw_root = true;
        match element.as_str() {
            "testsuite" => self.suites.push(Suite {
                name: attribute(start, "name").unwrap_or_default(),
                file: attribute(start, "file").or_else(|| attribute(start, "filepath")),
                announced: attribute(start, "tests").and_then(|count| count.parse().ok()),
                held: 0,
                failed: 0,
            }),
            "testsuites" => self.announced = attribute(start, "tests").and_then(|count| count.parse().ok()),
            "testcase" => {
                let seconds: f64 = attribute(start, "time").and_then(|time| time.parse().ok()).unwrap_or(0.0);
                let duration = std::time::Duration::try_from_secs_f64(seconds).unwrap_or_default();
                self.case = Some(Open {
                    name: attribute(start, "name").unwrap_or_default(),
                    classname: attribute(start, "classname").unwrap_or_default(),
                    file: attribute(start, "file"),
                    line: attribute(start, "line").and_then(|line| line.parse().ok()),
                    duration_ms: u64::try_from(duration.as_millis()).unwrap_or(u64::MAX),
                    verdict: None,
                    printed: String::new(),
                });
            }
            "failure" | "error" | "skipped" => self.verdict(&element, start),
            _ => {}
        }
        self.stack.push(element);
        Ok(())
    }

    fn verdict(&mut self, element: &str, start: &BytesStart<'_>) {
        let Some(case) = &mut self.case else { return };
        // A failure is never taken back by a later `skipped`.
        if matches!(case.verdict, Some(Verdict::Bad { .. })) {
            return;
        }
        case.verdict = Some(if element == "skipped" {
            Verdict::Skipped
        } else {
            let text = attribute(start, "message").map(|message| message + "\n").unwrap_or_default();
            Verdict::Bad {
                element: element.to_owned(),
                class: attribute(start, "type").unwrap_or_default(),
                text,
            }
        });
    }

    fn text(&mut self, said: &str) {
        let inside = matches!(self.stack.last().map(String::as_str), Some("failure" | "error"));
        if let (true, Some(Open { verdict: Some(Verdict::Bad { text, .. }), .. })) = (inside, &mut self.case)
            && text.len() < 64 * 1024
        {
            text.push_str(said);
        }
        if let (Some("system-out"), Some(case)) = (self.stack.last().map(String::as_str), &mut self.case) {
            keep_end(&mut case.printed, said);
        }
    }

    fn close(&mut self) {
        match self.stack.pop().as_deref() {
            Some("testsuite") => {
                if let Some(suite) = self.suites.pop() {
                    if let Some(outer) = self.suites.last_mut() {
                        outer.held += suite.held;
                        outer.failed += suite.failed;
                    }
                    self.count(suite);
                }
            }
            Some("testcase") => {
                if let Some(open) = self.case.take() {
                    self.add(open);
                }
            }
            Some(_) | None => {}
        }
    }

    fn count(&mut self, suite: Suite) {
        let Some(announced) = suite.announced else { return };
        let surplus = suite.held.saturating_sub(announced);
        if suite.held < announced || surplus > suite.failed {
            self.miscounted.get_or_insert((suite.name, announced, suite.held));
        }
    }

    fn add(&mut self, open: Open) {
        let (outcome, told) = match open.verdict {
            None => (Outcome::Passed, None),
            Some(Verdict::Skipped) => (Outcome::Skipped, None),
            Some(Verdict::Bad { element, class, text }) => {
                (Outcome::Failed(judge(&element, &class, &text)), Some((class, text)))
            }
        };
        let suites = self.suites.iter().map(|suite| suite.name.clone()).collect();
        let file = open.file.or_else(|| self.suites.iter().rev().find_map(|suite| suite.file.clone()));
        let mut suite = String::new();
        if let Some(inner) = self.suites.last_mut() {
            inner.held += 1;
            inner.failed += usize::from(matches!(outcome, Outcome::Failed(_)));
            suite.clone_from(&inner.name);
        }
        let Open { name, classname, line, duration_ms, printed, .. } = open;
        self.cases.push(Case {
            name,
            classname,
            file,
            suite,
            suites,
            line,
            outcome,
            told,
            duration_ms,
            printed,
        });
    }

    fn end(&self) -> Option<String> {
        if !self.saw_root {
            return Some("the JUnit report is empty".to_owned());
        }
        if !self.stack.is_empty() {
            return Some("the JUnit report is cut off".to_owned());
        }
        let whole = self.announced.filter(|announced| *announced > self.cases.len());
        let whole = whole.map(|announced| (String::new(), announced, self.cases.len()));
        let (name, announced, held) = self.miscounted.clone().or(whole)?;
        let suite = if name.is_empty() { String::new() } else { format!(" (suite {name})") };
        Some(format!("the JUnit report announces {announced} tests and holds {held}{suite}"))
    }
}

/// Appends, and keeps the last 2 KiB, from a character's border on.
fn keep_end(kept: &mut String, said: &str) {
    const CAP: usize = 2048;
    kept.push_str(said);
    if kept.len() > 2 * CAP {
        let mut from = kept.len() - CAP;
        while !kept.is_char_boundary(from) {
            from += 1;
        }
        kept.drain(..from);
    }
}

fn attribute(start: &BytesStart<'_>, name: &str) -> Option<String> {
    let found = start.attributes().flatten().find(|attribute| attribute.key.as_ref() == name.as_bytes())?;
    let raw = String::from_utf8_lossy(&found.value).into_owned();
    Some(quick_xml::escape::unescape(&raw).map(std::borrow::Cow::into_owned).unwrap_or(raw))
}

/// The five entities of XML and character references; others stay as they were written.
fn resolve(entity: &BytesRef<'_>) -> String {
    if let Ok(Some(character)) = entity.resolve_char_ref() {
        return character.to_string();
    }
    let name = String::from_utf8_lossy(entity).into_owned();
    quick_xml::escape::resolve_xml_entity(&name).map_or_else(|| format!("&{name};"), str::to_owned)
}

/// Runners disagree on what is a failure and what an error, so the class and the words count.
fn judge(element: &str, class: &str, text: &str) -> Failure {
    let first = text.lines().next().unwrap_or_default();
    if let Some(absent) = absent(text) {
        return failure(FailureKind::Missing, text, Some(absent));
    }
    let head = if class.is_empty() { first.split(':').next().unwrap_or_default() } else { class };
    let asserts = |word: &str| {
        let word = word.to_ascii_lowercase();
        word.contains("assert") || word.contains("expect") || word.contains("comparisonfailure")
    };
    let throws = head.ends_with("Error") || head.ends_with("Exception") || head.ends_with("Panic");
    let kind = if first.to_ascii_lowercase().contains("timed out") || class.contains("timeout") {
        FailureKind::Timeout
    } else if class.contains("abort") || class.contains("signal") {
        FailureKind::Crash
    } else if asserts(head) || asserts(first) || (element == "failure" && !throws) {
        FailureKind::Assertion
    } else {
        FailureKind::Error
    };
    failure(kind, text, None)
}

/// Words by which common runners say that something of the project is not there yet.
pub(super) fn absent(text: &str) -> Option<String> {
    for line in text.lines().take(400) {
        let line = line.trim_start_matches("E ").trim();
        if let Some((_, rest)) = line.split_once("ModuleNotFoundError: No module named ") {
            return quoted(rest, 0).map(str::to_owned);
        }
        if let Some((_, rest)) = line.split_once("ImportError: cannot import name ") {
            return quoted(rest, 0).map(str::to_owned);
        }
        if let Some((_, rest)) = line.split_once("Cannot find module '.") {
            return rest.split('\'').next().map(|path| format!(".{path}"));
        }
        if let Some((_, rest)) = line.split_once(" does not provide an export named ") {
            return quoted(rest, 0).map(str::to_owned);
        }
        if let Some((_, rest)) = line.split_once(" has no exported member ") {
            return quoted(rest, 0).map(str::to_owned);
        }
        // deno, node and tap name the file by its place.
        if let Some((_, rest)) = line.split_once("Module not found \"file://") {
            return rest.split('"').next().map(str::to_owned);
        }
        if let Some((_, rest)) = line.split_once("Cannot find module 'file://") {
            return rest.split('\'').next().map(str::to_owned);
        }
        if let Some((_, rest)) =
            line.split_once("Cannot find module '/").filter(|(_, rest)| rest.contains("imported from"))
        {
            return rest.split('\'').next().map(|path| format!("/{path}"));
        }
        if let Some(absent) = absent_elsewhere(line) {
            return Some(absent);
        }
        if let Some(callee) =
            line.strip_prefix("TypeError: ").and_then(|rest| rest.split_once(" is not a function"))
        {
            return Some(callee.0.to_owned());
        }
    }
    None
}

/// The same in PHP, Ruby and Java.
fn absent_elsewhere(line: &str) -> Option<String> {
    const MARKS: [&str; 7] = [
        "Call to undefined function ",
        "Call to undefined method ",
        "uninitialized constant ",
        "cannot load such file -- ",
        "undefined method ",
        "undefined local variable or method ",
        "Error: Class ",
    ];
    let quotes = ['\'', '"', '`'];
    let named = |rest: &str| {
        let name = rest.trim_start_matches(quotes).split(quotes).next()?.split([' ', '(']).next()?;
        (!name.is_empty()).then(|| name.to_owned())
    };
    let symbol =
        || line.strip_prefix("symbol:").and_then(|rest| rest.split_whitespace().nth(1)).and_then(named);
    let marked = MARKS.iter().find_map(|mark| Some(line.split_once(mark)?.1));
    marked.and_then(named).or_else(symbol)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_absent_is_read_in_the_words_of_each_language() {
        for (line, want) in [
            ("Error: Call to undefined function Shop\\slug()", Some("Shop\\slug")),
            ("Error: Call to undefined method Cart::total()", Some("Cart::total")),
            ("Error: Class \"Cart\" not found", Some("Cart")),
            ("NoMethodError: undefined method `slug' for Shop:Module", Some("slug")),
            ("undefined method 'slug' for module Shop", Some("slug")),
            ("NameError: uninitialized constant Shop::Cart", Some("Shop::Cart")),
            ("cannot load such file -- shop/cart", Some("shop/cart")),
            ("  symbol:   method slug(String)", Some("slug")),
            ("Module '\"file:///x.ts\"' has no exported member 'nope'.", Some("nope")),
            ("error: Module not found \"file:///p/nope.ts\".", Some("/p/nope.ts")),
            ("TS2307 [ERROR]: Cannot find module 'file:///p/nope.ts'.", Some("/p/nope.ts")),
            ("Error: Cannot find module '/p/nope.js' imported from /p/a.js", Some("/p/nope.js")),
            ("Error: Cannot find module 'left-pad'", None),
            ("expected 1 to be 2", None),
        ] {
            assert_eq!(absent(line).as_deref(), want, "{line}");
        }
    }

    fn kinds(xml: &str) -> Vec<(String, Option<FailureKind>)> {
        let kind = |case: &Case| match &case.outcome {
            Outcome::Passed | Outcome::Skipped => None,
            Outcome::Failed(failure) => Some(failure.kind),
        };
        parse(xml.as_bytes()).cases.iter().map(|case| (case.name.clone(), kind(case))).collect()
    }

    #[test]
    fn cases_of_nested_suites_are_read_with_file_and_outcome() {
        let report = parse(
            br#"<?xml version="1.0"?><testsuites><testsuite name="o" file="t/a.ts" tests="3"><testsuite name="i" tests="2">
            <testcase name="a &gt; b" classname="c" time="0.5"/><testcase name="s"><skipped/></testcase></testsuite>
            <testcase name="f" file="t/b.ts"><failure type="AssertionError" message="x">1 &amp; 2</failure></testcase>
            </testsuite></testsuites>"#,
        );
        assert_eq!(report.flaw, None);
        let [a, s, f] = report.cases.as_slice() else { panic!("{report:?}") };
        assert_eq!((a.name.as_str(), a.file.as_deref(), a.duration_ms), ("a > b", Some("t/a.ts"), 500));
        assert_eq!(s.outcome, Outcome::Skipped);
        assert_eq!(f.file.as_deref(), Some("t/b.ts"));
        let Outcome::Failed(failure) = &f.outcome else { panic!("{f:?}") };
        assert_eq!((failure.kind, failure.message.as_str()), (FailureKind::Assertion, "x\n1 & 2"));
    }

    #[test]
    fn a_cut_or_hostile_report_has_a_flaw_and_never_panics() {
        let whole = include_str!("../../../../fixtures/runner-outputs/junit/pytest-9.2.0-kinds.xml");
        assert_eq!(parse(whole.as_bytes()).flaw, None);
        for cut in (0..whole.len() - 1).step_by(97).chain([whole.len() - 3]) {
            let mut cut = cut;
            while !whole.is_char_boundary(cut) {
                cut -= 1;
            }
            assert!(parse(&whole.as_bytes()[..cut]).flaw.is_some(), "cut at {cut}");
        }
        let deep = format!("<testsuites>{}", "<testsuite>".repeat(100_000));
        for hostile in [
            "",
            "not xml",
            "<html/>",
            "<testsuites/><testsuites/>",
            "<testsuites><testsuite tests='2'><testcase name='a'/></testsuite></testsuites>",
            "<testsuites><testsuite tests='1'><testcase name='a'/><testcase name='b'/></testsuite></testsuites>",
            "<testsuites tests='2'><testsuite><testcase name='a'/></testsuite></testsuites>",
            "<testsuites></testsuite>",
            deep.as_str(),
        ] {
            assert!(parse(hostile.as_bytes()).flaw.is_some(), "{hostile:.60}");
        }
        let bomb = br#"<!DOCTYPE t [<!ENTITY a "b">]><testsuite><testcase name="&a;"><failure>&a;</failure></testcase></testsuite>"#;
        assert_eq!(parse(bomb).cases[0].name, "&a;");
    }

    #[test]
    fn a_wrong_count_is_told_with_both_numbers_and_a_failed_hook_is_none() {
        let suite = |tests: &str| {
            format!(
                "<testsuite name='s' tests='{tests}'><testcase name='a'/>
            <testcase name='&quot;before each&quot; hook'><failure>x</failure></testcase></testsuite>"
            )
        };
        assert_eq!(parse(suite("1").as_bytes()).flaw, None);
        assert_eq!(parse(suite("2").as_bytes()).flaw, None);
        let flaw = parse(suite("3").as_bytes()).flaw.unwrap();
        assert_eq!(flaw, "the JUnit report announces 3 tests and holds 2 (suite s)");
        assert!(parse(suite("0").as_bytes()).flaw.unwrap().contains("announces 0 tests and holds 2"));
    }

    #[test]
    fn real_reports_are_read() {
        let pytest = kinds(include_str!("../../../../fixtures/runner-outputs/junit/pytest-9.2.0-kinds.xml"));
        for (name, want) in [
            ("test_assert", Some(FailureKind::Assertion)),
            ("test_runtime", Some(FailureKind::Error)),
            ("test_skip", None),
        ] {
            assert_eq!(pytest.iter().find(|case| case.0 == name).map(|case| case.1), Some(want), "{name}");
        }
        let missing =
            parse(include_bytes!("../../../../fixtures/runner-outputs/junit/pytest-9.2.0-missing.xml"));
        assert!(missing.cases.iter().any(Case::is_load_failure));
        let bun = kinds(include_str!("../../../../fixtures/runner-outputs/junit/bun-1.4.5-kinds.xml"));
        assert!(bun.contains(&("missing fn ns".to_owned(), Some(FailureKind::Missing))), "{bun:?}");
    }
}
