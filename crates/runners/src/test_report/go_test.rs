//! `go test -json`: what each package's tests did.
//!
//! ```text
//! stream = { event NL | plain NL }
//! event  = {"Action", "Package"?, "Test"?, "Output"?, "Elapsed"?}
//! action = "run" | "pass" | "fail" | "skip" | "output" | "start" | "pause" | "cont" | "verification" | "build-…"
//! plain  = "FAIL" TAB PACKAGE " [build failed]" | "FAIL" TAB PACKAGE " [setup failed]" | other
//! ```
//!
//! An event without a test is about its package, and its `pass`, `fail` or `skip` is the end mark.
//! The events are made of what the test binary prints, where a test can print such lines too (go 1.19
//! makes events of them). So several words about one test count as the worst of them, and the
//! package's own end, which is the exit code of its process, must agree with the words
//! ([`Package::flaw`]). Leniencies: a test that prints without a line's end has its word in the middle
//! of a line, of which go 1.19 makes no event; and lines that are no JSON are let through, because up
//! to 1.23 go says in plain words that a package was not built.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde::Deserialize;

/// What became of one test.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Word {
    Pass,
    Skip,
    Fail,
}

/// One test, or one subtest, of a package.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ran {
    /// `None`: it was begun and never ended.
    pub word: Option<Word>,
    /// What it printed, at most 64 KiB.
    pub output: String,
    pub seconds: f64,
    /// How often it was begun: a package and its external test package may have tests of one name, of
    /// which go tells under that name.
    pub begun: usize,
}

impl Ran {
    /// Whether the process ended in this test: it took all that was to follow with it.
    pub fn took_the_process(&self) -> bool {
        self.word.is_none() || (self.word == Some(Word::Fail) && self.is_fatal())
    }

    fn is_fatal(&self) -> bool {
        let fatal = |line: &str| line.starts_with("panic: ") || line.starts_with("fatal error: ");
        self.output.lines().any(fatal)
    }

    /// The word that stands behind a print without a line's end, where go does not see it.
    fn glued(&self, name: &str) -> Option<Word> {
        let words = [("FAIL", Word::Fail), ("SKIP", Word::Skip), ("PASS", Word::Pass)];
        let said = |(word, _): &(&str, Word)| self.output.contains(&format!("--- {word}: {name} ("));
        if self.is_fatal() { None } else { words.into_iter().find(said).map(|(_, word)| word) }
    }
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Package {
    /// By full name: `TestA`, `TestA/sub`.
    pub tests: BTreeMap<String, Ran>,
    /// `None`: go said nothing of its end.
    pub end: Option<Word>,
    /// What it printed outside of tests, at most 64 KiB.
    pub output: String,
}

impl Package {
    /// Why the package's end and its tests do not tell one story.
    pub fn flaw(&self, name: &str) -> Option<String> {
        let failed = self.tests.values().any(|ran| matches!(ran.word, None | Some(Word::Fail)));
        match self.end {
            None => Some(format!("go gave no result for the package {name}")),
            Some(Word::Pass | Word::Skip) if failed => {
                Some(format!("a test of {name} failed or did not end, and the package passed"))
            }
            Some(Word::Fail) if !failed => {
                let why = self.output.lines().rev().find(|line| !line.trim().is_empty() && *line != "FAIL");
                Some(format!("{name} failed and none of its tests did: {}", why.unwrap_or_default().trim()))
            }
            Some(Word::Pass) if self.output.contains("\t(cached)") => {
                Some(format!("go gave an old result for {name}"))
            }
            Some(Word::Pass | Word::Skip | Word::Fail) => None,
        }
    }
}

/// A whole stream.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Told {
    pub packages: BTreeMap<String, Package>,
    /// Packages that were not built.
    pub unbuilt: Vec<String>,
    /// What a person would have seen without `-json`.
    pub plain: String,
}

const OUTPUT_CAP: usize = 64 * 1024;

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Event {
    action: String,
    #[serde(default)]
    package: String,
    #[serde(default)]
    test: String,
    #[serde(default)]
    output: String,
    #[serde(default)]
    elapsed: f64,
}

/// Reads a stream; never fails. A torn line is a plain one, so its package has no end.
pub fn parse(bytes: &[u8]) -> Told {
    let mut told = Told::default();
    for line in bytes.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
        match serde_json::from_slice::<Event>(line) {
            Ok(event) => told.take(&event),
            Err(_) => told.plain_line(&String::from_utf8_lossy(line)),
        }
    }
    let tests = told.packages.values_mut().flat_map(|package| &mut package.tests);
    for (name, ran) in tests.filter(|(_, ran)| ran.word.is_none()) {
        ran.word = ran.glued(name);
    }
    told
}

impl Told {
    fn plain_line(&mut self, line: &str) {
        let _ = writeln!(self.plain, "{line}");
        let package = line.strip_prefix("FAIL\t").and_then(|rest| rest.split_once(" ["));
        if let Some((package, "build failed]" | "setup failed]")) = package {
            self.unbuilt.push(package.to_owned());
        }
    }

    fn take(&mut self, event: &Event) {
        self.plain.push_str(&event.output);
        if event.package.is_empty() {
            return;
        }
        let word = match event.action.as_str() {
            "pass" => Some(Word::Pass),
            "skip" => Some(Word::Skip),
            "fail" => Some(Word::Fail),
            _ => None,
        };
        let package = self.packages.entry(event.package.clone()).or_default();
        if event.test.is_empty() {
            package.end = package.end.max(word);
            if event.output.ends_with(" [build failed]\n") || event.output.ends_with(" [setup failed]\n") {
                self.unbuilt.push(event.package.clone());
            }
            keep(&mut package.output, &event.output);
            return;
        }
        let ran = package.tests.entry(event.test.clone()).or_default();
        ran.word = ran.word.max(word);
        ran.begun += usize::from(event.action == "run");
        ran.seconds = ran.seconds.max(event.elapsed);
        let is_mark = event.output.starts_with("=== ");
        if !is_mark {
            keep(&mut ran.output, &event.output);
        }
    }
}

fn keep(kept: &mut String, said: &str) {
    if kept.len() < OUTPUT_CAP {
        let room = OUTPUT_CAP - kept.len();
        let mut end = said.len().min(room);
        while !said.is_char_boundary(end) {
            end -= 1;
        }
        kept.push_str(&said[..end]);
    }
}

#[cfg(test)]
#[path = "go_test_tests.rs"]
mod tests;
