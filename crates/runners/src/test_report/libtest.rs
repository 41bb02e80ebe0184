//! The text and the log file of a Rust test binary.
//!
//! ```text
//! list    = { NAME ": test" NL | NAME ": benchmark" NL }            --list --format terse
//! log     = { ( "ok " | "failed " | "ignored: why " ) NAME NL }     --logfile
//! stdout  = NL "running N tests" NL { "test " NAME [" - should panic"] " ... " word NL }
//!           [ "failures:" NL { "---- NAME stdout ----" NL text } "failures:" NL { "    NAME" NL } ]
//!           "test result: " ("ok" | "FAILED") ". P passed; F failed; I ignored; M measured; ..." NL
//! ```
//!
//! Tests share the standard output with the harness: a child process or a raw write can put any
//! line there. So the names come from the list, the outcomes from the log file, and the standard
//! output must agree with both; where it does not, [`Classified::flaw`] says so and nothing is green.
//! Leniency: a result word may stand alone on the line after `test NAME ... `, because with one
//! thread a raw write lands between the two; the log file then still has the outcome.

use std::collections::{BTreeMap, HashMap};
use std::fmt;

use super::failure;
use tdd_core::test::{Failure, FailureKind, Outcome};

/// What a binary said about its tests, once its three witnesses were compared.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Classified {
    pub tests: Vec<(String, Outcome)>,
    /// Why this is no complete report; `None` if all agrees.
    pub flaw: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Word {
    Ok,
    Failed,
    Ignored,
}

/// The names of a `--list --format terse`; `None` if this is no such list, as a binary with a
/// harness of its own prints.
pub fn listed(bytes: &[u8]) -> Option<Vec<String>> {
    let text = String::from_utf8_lossy(bytes);
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    lines
        .map(|line| line.strip_suffix(": test").or_else(|| line.strip_suffix(": benchmark")))
        .map(|name| name.map(str::to_owned))
        .collect()
}

/// Compares what was listed, what was logged (`None` if the binary knows no log file) and what
/// was printed. Namesakes (a macro may make tests in blocks without a name) have a result each, in
/// the order in which they ended.
pub fn classify(names: &[String], log: Option<&[u8]>, stdout: &[u8]) -> Classified {
    let text = String::from_utf8_lossy(stdout);
    let printed = Printed::read(&text);
    let (words, flaw) = match log {
        Some(log) => logged(names, &String::from_utf8_lossy(log)),
        None => (HashMap::new(), None),
    };
    let mut flaw = flaw.or_else(|| printed.flaw(names, if log.is_some() { Trust::Log } else { Trust::Text }));
    let mut tests = Vec::new();
    let mut counts = Counts::default();
    let mut taken: HashMap<&str, usize> = HashMap::new();
    for name in names {
        let at = taken.entry(name).or_default();
        let from_text = printed.words.get(name.as_str()).and_then(|words| words.get(*at).copied());
        let from_log = words.get(name.as_str()).and_then(|words| words.get(*at).copied());
        *at += 1;
        let word = if log.is_some() { from_log } else { from_text };
        let contradicts = from_text.is_some() && word != from_text;
        match word {
            Some(word) => tests.push((name.clone(), outcome(word, name, &printed, &mut counts))),
            None => flaw = flaw.or_else(|| Some(format!("the test binary gave no result for {name}"))),
        }
        if contradicts {
            flaw = flaw.or_else(|| Some(format!("the log and the output disagree about {name}")));
        }
    }
    if flaw.is_none() && printed.counts.as_ref() != Some(&counts) {
        let told = printed.counts.as_ref().map_or("is absent".to_owned(), |told| format!("counts {told}"));
        flaw = Some(format!("the `test result:` line {told}; what was read is {counts}"));
    }
    Classified { tests, flaw }
}

/// Several transcripts in one, as `cargo test --doc` prints them; each must be whole. Only for
/// tests that run in processes of their own whose output is captured.
pub fn transcripts(stdout: &[u8]) -> Classified {
    let text = String::from_utf8_lossy(stdout);
    let mut whole = Classified::default();
    let mut part = String::new();
    for line in text.lines() {
        part.push_str(line);
        part.push('\n');
        if line.starts_with("test result: ") {
            let names = Printed::read(&part).order;
            let classified = classify(&names, None, part.as_bytes());
            whole.tests.extend(classified.tests);
            whole.flaw = whole.flaw.or(classified.flaw);
            part.clear();
        }
    }
    if part.contains("\nrunning ") || part.starts_with("running ") {
        whole.flaw = whole.flaw.or_else(|| Some("the last `test result:` line is absent".to_owned()));
    }
    whole
}

/// Which witness the outcomes come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Trust {
    Log,
    Text,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Counts {
    passed: usize,
    failed: usize,
    ignored: usize,
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} passed, {} failed, {} ignored", self.passed, self.failed, self.ignored)
    }
}

/// How often each name is there.
fn tally(names: &[String]) -> HashMap<&str, usize> {
    let mut tally = HashMap::new();
    for name in names {
        *tally.entry(name.as_str()).or_default() += 1;
    }
    tally
}

fn outcome(word: Word, name: &str, printed: &Printed<'_>, counts: &mut Counts) -> Outcome {
    match word {
        Word::Ok => {
            counts.passed += 1;
            Outcome::Passed
        }
        Word::Ignored => {
            counts.ignored += 1;
            Outcome::Skipped
        }
        Word::Failed => {
            counts.failed += 1;
            Outcome::Failed(failure_of(printed.sections.get(name).map_or("", String::as_str)))
        }
    }
}

fn logged<'a>(names: &'a [String], log: &str) -> (HashMap<&'a str, Vec<Word>>, Option<String>) {
    let known = tally(names);
    let mut words: HashMap<&str, Vec<Word>> = HashMap::new();
    let mut flaw = None;
    for line in log.lines() {
        let read = if let Some(name) = line.strip_prefix("ok ") {
            Some((Word::Ok, name))
        } else if let Some(name) = line.strip_prefix("failed ") {
            Some((Word::Failed, name))
        } else if let Some(rest) = line.strip_prefix("ignored") {
            // `ignored: why NAME`: the reason is free text, a name holds no space.
            rest.rsplit_once(' ').map(|(_, name)| (Word::Ignored, name))
        } else {
            None
        };
        let Some((word, name)) = read else { continue };
        match known.get_key_value(name) {
            Some((name, times)) => {
                let words = words.entry(name).or_default();
                words.push(word);
                if words.len() > *times {
                    flaw = Some(format!(
                        "the log of the test binary names {name} {} times, its list {times}",
                        words.len()
                    ));
                }
            }
            None => flaw = Some(format!("the log of the test binary names {name}, which it did not list")),
        }
    }
    (words, flaw)
}

#[derive(Debug, Default)]
struct Printed<'a> {
    running: Option<usize>,
    order: Vec<String>,
    words: BTreeMap<&'a str, Vec<Word>>,
    sections: HashMap<String, String>,
    counts: Option<Counts>,
    /// Result lines after the `test result:` line.
    late: bool,
}

impl<'a> Printed<'a> {
    fn read(text: &'a str) -> Self {
        let mut printed = Self::default();
        let mut section: Option<String> = None;
        let mut in_failures = false;
        for line in text.lines() {
            let title = line.strip_prefix("---- ").and_then(|rest| rest.strip_suffix(" stdout ----"));
            if let Some(name) = title.filter(|_| in_failures) {
                section = Some(name.strip_suffix(" - should panic").unwrap_or(name).to_owned());
            } else if line == "failures:" {
                in_failures = true;
                section = None;
            } else if let Some(counts) = line.strip_prefix("test result: ").and_then(read_counts) {
                printed.counts = Some(counts);
                section = None;
            } else if let Some(name) = &section {
                let text = printed.sections.entry(name.clone()).or_default();
                if text.len() < 64 * 1024 {
                    text.push_str(line);
                    text.push('\n');
                }
            } else {
                printed.line(line);
                if !in_failures {
                    printed.result(line);
                }
            }
        }
        printed
    }

    fn line(&mut self, line: &str) {
        if let Some(count) = line.strip_prefix("running ").and_then(|rest| rest.split(' ').next()) {
            self.running = self.running.or(count.parse().ok());
        }
    }

    fn result(&mut self, line: &'a str) {
        let Some((name, word)) = line.strip_prefix("test ").and_then(|rest| rest.rsplit_once(" ... ")) else {
            return;
        };
        let word = match word {
            "ok" => Word::Ok,
            "FAILED" => Word::Failed,
            word if word == "ignored" || word.starts_with("ignored, ") => Word::Ignored,
            _ => return,
        };
        let name = name.strip_suffix(" - should panic").unwrap_or(name);
        self.late |= self.counts.is_some();
        self.order.push(name.to_owned());
        self.words.entry(name).or_default().push(word);
    }

    /// With a log file, lines about names that were never listed come from a child process and
    /// say nothing; without one, they can't be told from a forgery.
    fn flaw(&self, names: &[String], trust: Trust) -> Option<String> {
        let strict = trust == Trust::Text;
        let known = tally(names);
        if self.running != Some(names.len()) {
            let told = self.running.map_or("does not say how many tests run".to_owned(), |running| {
                format!("begins with `running {running} tests`")
            });
            return Some(format!("the output {told}; its list holds {}", names.len()));
        }
        for (name, words) in &self.words {
            if known.get(name).is_some_and(|times| words.len() > *times) {
                return Some(format!("the output has {} result lines for {name}", words.len()));
            }
            if strict && !known.contains_key(name) {
                return Some(format!("the output has a result line for {name}, which was not listed"));
            }
        }
        (strict && self.late).then(|| "there are result lines after the end mark".to_owned())
    }
}

/// `ok. 3 passed; 1 failed; 1 ignored; 0 measured; …`; measured benchmarks are counted as passed.
fn read_counts(rest: &str) -> Option<Counts> {
    let (_, counts) = rest.split_once(". ")?;
    let mut read = Counts::default();
    let mut parts = 0;
    for part in counts.split("; ") {
        let Some((number, word)) = part.trim().split_once(' ') else { continue };
        let Ok(number) = number.parse::<usize>() else { continue };
        match word {
            "passed" | "measured" => read.passed = read.passed.checked_add(number)?,
            "failed" => read.failed = number,
            "ignored" => read.ignored = number,
            _ => continue,
        }
        parts += 1;
    }
    (parts == 4).then_some(read)
}

/// What a failed test's own output says: a panic that begins with `assertion` and an expected
/// panic that did not come are expectations; everything else is an error.
pub fn failure_of(section: &str) -> Failure {
    let unexpected = ["note: test did not panic as expected", "note: panic did not contain expected string"];
    if section.lines().any(|line| unexpected.iter().any(|note| line.starts_with(note))) {
        return failure(FailureKind::Assertion, section, None);
    }
    let mut lines = section.lines();
    let panicked = lines.by_ref().any(|line| line.starts_with("thread '") && line.contains(" panicked at "));
    if !panicked {
        return failure(FailureKind::Error, section, None);
    }
    let said: Vec<&str> = lines.take_while(|line| !is_after_message(line)).collect();
    let message = said.join("\n");
    let kind = if message.starts_with("assertion") { FailureKind::Assertion } else { FailureKind::Error };
    failure(kind, &message, None)
}

fn is_after_message(line: &str) -> bool {
    line.starts_with("stack backtrace:") || line.starts_with("note: run with `RUST_BACKTRACE")
}

#[cfg(test)]
#[path = "libtest_tests.rs"]
mod tests;
