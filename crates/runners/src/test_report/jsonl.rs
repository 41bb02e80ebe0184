//! The report of our own reporters: the pytest plugin, the unittest driver and the node reporter.
//!
//! ```text
//! report    = start { collected | load | loaded | test | stray } end
//! start     = {"ev":"start","v":1}
//! collected = {"ev":"collected","tests":[{"file":…,"name":…}, …]}    absent where the runner does not collect
//! load      = {"ev":"load","file":…,"skipped":bool,"errors":[raised, …],"ended":…,"output":…}
//! test      = {"ev":"test","file":…|null,"name":…,"at":N,"outcome":"pass"|"fail"|"skip","phase":…,"ms":…,"errors":[raised, …]}
//! loaded    = {"ev":"loaded","files":[…],"roots":[…],"hiding":[…]}  what the runner itself loads beside tests: its configuration, plugins, set-up;
//!                                                      and folders where modules of Python lie that are installed as they are
//! stray     = {"ev":"stray","errors":[raised, …]}       an error that belongs to no test and to no file
//! end       = {"ev":"end","status":N,"tests":N,"own":N}
//! raised    = {"class","bases","module","message","name","file","at","code"}    outermost first, then its causes
//! ```
//!
//! One JSON object a line. Files are absolute. The tests run in the reporter's own process and may
//! write to its file, so a line that is not of this grammar, a test that was collected and has no
//! result, a result without a collection, a stray error, and anything after the end mark are flaws.
//!
//! Tests may have one name. `at` is a test's place in the collection: results are put in that order, and
//! each place has one. `own` is how many tests the runner itself counts.

use std::collections::BTreeSet;

use serde::{Deserialize, Deserializer};

use tdd_core::terminal_noise::clean_text;

/// Files of one line that are taken as loaded by the runner itself; hundreds of plugins are none of a project's own.
const MOST_LOADED: usize = 2_000;
/// Folders of one line that modules are imported from.
const MOST_ROOTS: usize = 200;

/// One error of a chain.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Raised {
    pub class: String,
    /// Names of all base classes.
    pub bases: Vec<String>,
    /// Where the class is defined.
    pub module: String,
    #[serde(deserialize_with = "without_colours")]
    pub message: String,
    /// What the error itself says it is about: a module, an attribute, a name.
    pub name: Option<String>,
    /// The file that a syntax error is in.
    pub file: Option<String>,
    /// The file of the innermost frame that is not the runner's.
    pub at: Option<String>,
    /// A code such as node's `ERR_MODULE_NOT_FOUND`, or node's kind of failure.
    pub code: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
pub struct Named {
    pub file: Option<String>,
    pub name: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Said {
    Pass,
    Fail,
    Skip,
}

#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct TestLine {
    #[serde(flatten)]
    pub test: Named,
    /// Its place in the collection, where the reporter tells it.
    #[serde(default)]
    pub at: Option<usize>,
    pub outcome: Said,
    /// `setup`, `call`, `teardown`; empty where the runner knows no phases.
    #[serde(default)]
    pub phase: String,
    #[serde(default)]
    pub ms: f64,
    #[serde(default)]
    pub errors: Vec<Raised>,
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct LoadLine {
    pub file: String,
    /// The whole file asked to be skipped; nothing is wrong with it.
    #[serde(default)]
    pub skipped: bool,
    #[serde(default)]
    pub errors: Vec<Raised>,
    /// For runners with a process for each file: how it ended; `quietly` if it exited 0 and no
    /// test was seen.
    #[serde(default)]
    pub ended: Option<String>,
    /// What the file's process printed, where the error itself is not to be had.
    #[serde(default, deserialize_with = "without_colours")]
    pub output: String,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "ev", rename_all = "lowercase")]
enum Line {
    Start {
        v: u32,
    },
    Collected {
        tests: Vec<Named>,
    },
    Load(LoadLine),
    Loaded {
        files: Vec<String>,
        #[serde(default)]
        roots: Vec<String>,
        #[serde(default)]
        hiding: Vec<String>,
    },
    Test(TestLine),
    Stray {
        errors: Vec<Raised>,
    },
    End {
        status: i32,
        tests: usize,
        #[serde(default)]
        own: Option<usize>,
    },
}

/// All that a report says.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Reported {
    pub tests: Vec<TestLine>,
    pub loads: Vec<LoadLine>,
    /// What the runner itself has loaded beside tests.
    pub loaded: BTreeSet<String>,
    /// Folders that modules are imported from because they are installed as they lie there.
    pub roots: BTreeSet<String>,
    /// Files of modules that stand in the place of others by the same name, which are installed.
    pub hiding: BTreeSet<String>,
    /// The runner's own exit status, from the end mark.
    pub status: Option<i32>,
    /// Why this is no complete report.
    pub flaw: Option<String>,
}

/// Programs paint what they say if the person's environment asks for it, and some without.
fn without_colours<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    let text = String::deserialize(deserializer)?;
    Ok(if text.contains('\u{1b}') { clean_text(&text).into_owned() } else { text })
}

/// Reads a report. What was read before a flaw is kept, for the person.
pub fn parse(bytes: &[u8]) -> Reported {
    let mut reported = Reported::default();
    let mut collected: Option<Vec<Named>> = None;
    let mut own = None;
    let mut started = false;
    for (number, line) in (1..).zip(bytes.split(|byte| *byte == b'\n')) {
        if line.is_empty() {
            continue;
        }
        let flaw = match serde_json::from_slice::<Line>(line) {
            Ok(Line::Stray { errors }) if started && reported.status.is_none() => {
                reported.flaw.get_or_insert(stray(&errors));
                None
            }
            Err(_) => Some("is not one of the report's"),
            Ok(_) if reported.status.is_some() => Some("comes after the end mark"),
            Ok(Line::Start { v: 1 }) if !started => {
                started = true;
                None
            }
            Ok(Line::Start { .. }) => Some("starts the report again"),
            Ok(_) if !started => Some("comes before the start"),
            Ok(Line::Collected { tests }) => {
                collected.get_or_insert_default().extend(tests);
                None
            }
            Ok(Line::Stray { .. }) => Some("comes before the start"),
            Ok(Line::Load(load)) => {
                reported.loads.push(load);
                None
            }
            Ok(Line::Loaded { files, roots, hiding }) => {
                reported.loaded.extend(files.into_iter().take(MOST_LOADED));
                reported.roots.extend(roots.into_iter().take(MOST_ROOTS));
                reported.hiding.extend(hiding.into_iter().take(MOST_LOADED));
                None
            }
            Ok(Line::Test(test)) => {
                reported.tests.push(test);
                None
            }
            Ok(Line::End { status, tests, own: counted }) => {
                reported.status = Some(status);
                own = counted;
                (tests != reported.tests.len()).then_some("counts other results than the report holds")
            }
        };
        if let Some(flaw) = flaw {
            reported.flaw.get_or_insert(format!("line {number} of the runner's report {flaw}"));
        }
    }
    let missing = missing_part(&reported, collected.as_deref()).or_else(|| miscounted(&reported, own));
    reported.flaw = reported.flaw.take().or(missing);
    reported.tests.sort_by_key(|line| line.at);
    reported
}

fn stray(errors: &[Raised]) -> String {
    let first = errors.first().map(|error| error.message.lines().next().unwrap_or_default());
    let said: String = first.unwrap_or("the runner gave no reason").chars().take(500).collect();
    format!("an error came up that belongs to no test: {said}")
}

fn missing_part(reported: &Reported, collected: Option<&[Named]>) -> Option<String> {
    if reported.status.is_none() {
        return Some(
            "the runner's report has no end mark: its process ended before the tests did".to_owned(),
        );
    }
    let collected = collected?;
    let seen: BTreeSet<&Named> = reported.tests.iter().map(|line| &line.test).collect();
    if let Some(test) = collected.iter().find(|test| !seen.contains(test)) {
        return Some(format!("the runner collected {} and gave no result for it", test.name));
    }
    let wanted: BTreeSet<&Named> = collected.iter().collect();
    if let Some(extra) = seen.into_iter().find(|test| !wanted.contains(test)) {
        return Some(format!("the runner gave a result for {}, which it did not collect", extra.name));
    }
    let mut places = BTreeSet::new();
    let is_wrong = |line: &&TestLine| {
        line.at.is_some_and(|at| collected.get(at) != Some(&line.test) || !places.insert(at))
    };
    if let Some(line) = reported.tests.iter().find(is_wrong) {
        return Some(format!("the runner gave a result for {} in another's place", line.test.name));
    }
    let is_placed = reported.tests.iter().any(|line| line.at.is_some());
    (is_placed && collected.len() != reported.tests.len()).then(|| {
        format!("the runner collected {} tests and gave {} results", collected.len(), reported.tests.len())
    })
}

fn miscounted(reported: &Reported, own: Option<usize>) -> Option<String> {
    let told = reported.tests.len();
    let own = own.filter(|own| *own != told)?;
    Some(format!("the runner counts {own} tests of its own, and {told} of them were told to tdd"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: &str = r#"{"ev":"start","v":1}"#;
    const COLLECTED: &str = r#"{"ev":"collected","tests":[{"file":"/p/t.py","name":"a"}]}"#;
    const PASS: &str = r#"{"ev":"test","file":"/p/t.py","name":"a","outcome":"pass","ms":1.5}"#;
    const END: &str = r#"{"ev":"end","status":0,"tests":1}"#;

    fn flaw(lines: &[&str]) -> Option<String> {
        parse(lines.join("\n").as_bytes()).flaw
    }

    #[test]
    fn a_whole_report_has_no_flaw() {
        let reported = parse([START, COLLECTED, PASS, END, ""].join("\n").as_bytes());
        assert_eq!(reported.flaw, None);
        assert_eq!(reported.status, Some(0));
        assert_eq!(reported.tests[0].test.name, "a");
        assert_eq!(reported.tests[0].outcome, Said::Pass);
        assert_eq!(flaw(&[START, r#"{"ev":"end","status":5,"tests":0}"#]), None);
    }

    #[test]
    fn namesakes_are_put_in_the_order_of_their_collection_and_none_may_be_missing() {
        let collected = r#"{"ev":"collected","tests":[{"file":null,"name":"a"},{"file":null,"name":"a"}]}"#;
        let test = |at: u32, outcome: &str| {
            format!(r#"{{"ev":"test","file":null,"name":"a","at":{at},"outcome":"{outcome}"}}"#)
        };
        let end = |told: u32| format!(r#"{{"ev":"end","status":1,"tests":{told},"own":{told}}}"#);
        let (first, second) = (test(0, "pass"), test(1, "fail"));
        let reported = parse([START, collected, &second, &first, &end(2)].join("\n").as_bytes());
        assert_eq!(reported.flaw, None);
        let outcomes: Vec<Said> = reported.tests.iter().map(|line| line.outcome).collect();
        assert_eq!(outcomes, [Said::Pass, Said::Fail]);
        assert_eq!(
            flaw(&[START, collected, &first, &end(1)]).unwrap(),
            "the runner collected 2 tests and gave 1 results"
        );
        assert!(flaw(&[START, collected, &first, &first, &end(2)]).unwrap().contains("in another's place"));
        let short = end(2).replace(r#""own":2"#, r#""own":3"#);
        assert_eq!(
            flaw(&[START, collected, &first, &second, &short]).unwrap(),
            "the runner counts 3 tests of its own, and 2 of them were told to tdd"
        );
    }

    #[test]
    fn what_was_painted_is_read_as_it_was_meant() {
        let painted = r#"{"ev":"load","file":"/p/a.js","errors":[{"class":"Error","message":"\u001b[31mx is\u001b[39m not a function"}],"output":"\u001b[1mSyntaxError\u001b[22m: y\r\n"}"#;
        let reported = parse([START, painted, r#"{"ev":"end","status":1,"tests":0}"#].join("\n").as_bytes());
        assert_eq!(reported.loads[0].errors[0].message, "x is not a function");
        assert_eq!(reported.loads[0].output, "SyntaxError: y\n");
    }

    #[test]
    fn a_report_that_was_cut_or_forged_has_a_flaw() {
        let more = r#"{"ev":"test","file":"/p/t.py","name":"b","outcome":"pass"}"#;
        for (name, lines) in [
            ("no start", vec![COLLECTED, PASS, END]),
            ("no end", vec![START, COLLECTED, PASS]),
            ("nothing", vec![]),
            ("torn", vec![START, COLLECTED, PASS, &END[..9]]),
            ("after the end", vec![START, COLLECTED, PASS, END, PASS]),
            ("two ends", vec![START, COLLECTED, PASS, END, END]),
            ("two starts", vec![START, START, COLLECTED, PASS, END]),
            ("no result", vec![START, COLLECTED, r#"{"ev":"end","status":0,"tests":0}"#]),
            ("not collected", vec![START, COLLECTED, PASS, more, r#"{"ev":"end","status":0,"tests":2}"#]),
            ("wrong count", vec![START, COLLECTED, PASS, r#"{"ev":"end","status":0,"tests":2}"#]),
            (
                "stray error",
                vec![START, COLLECTED, PASS, r#"{"ev":"stray","errors":[{"message":"x"}]}"#, END],
            ),
            (
                "stray error before the start",
                vec![r#"{"ev":"stray","errors":[]}"#, START, COLLECTED, PASS, END],
            ),
            ("another's place", vec![START, COLLECTED, &PASS.replace('}', r#","at":1}"#), END]),
            ("own count", vec![START, COLLECTED, PASS, r#"{"ev":"end","status":0,"tests":1,"own":2}"#]),
            ("foreign line", vec![START, "hello", COLLECTED, PASS, END]),
            ("foreign version", vec![r#"{"ev":"start","v":2}"#, END]),
        ] {
            assert!(flaw(&lines).is_some(), "{name}");
        }
    }
}
